package data

import (
	"os"
	"path/filepath"
	"testing"
)

// A party that is given a table of shared data which its program does not need has its rows in the order of
// the key all the same.
func TestNamedKeyOrdersBesideSharedData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.csv": "id,x\n3,30\n1,10\n2,20\n",
		"y.csv": "id,y\n1,0\n2,1\n3,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := Named([]PartyRef{{Name: "b"}}, []string{"b=" + filepath.Join(dir, "b.csv"),
		"shared=" + filepath.Join(dir, "y.csv")})
	if err != nil {
		t.Fatal(err)
	}
	d, diags := Load(sources, []Want{{Name: "x", Owner: "b", Rank: 1, Rows: Size{Name: "N"}}},
		Joining{Key: "id"})
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	if len(d.Joins) != 1 || d.Joins[0].Key != "id" || d.Joins[0].Digest == "" {
		t.Errorf("%+v", d.Joins)
	}
}
