package node

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/runtime/transport"
)

// A table that ReadAligned would refuse is not written, nor is its alignment; one that is written is read.
func TestTablesThatAreNotTheAlignments(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(from, []byte("id,x\nP 2,1\np  1,2\nonly here,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := Identify(from, "id", align.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	salt := [32]byte{1}
	result := &align.Result{Rows: []int{1, 0}, Sizes: []int{2, 3}, Salt: salt,
		Digest: align.Digest(salt, []string{"p 1", "p 2"})}
	right := aligned("heart", transport.ChainID{}, "id", align.Rules{}, []string{"server", "a"}, result, 2)
	for name, change := range map[string]func(*Aligned){
		"another digest": func(a *Aligned) {
			a.Digest = hex.EncodeToString(salt[:])
		}, "other rules": func(a *Aligned) {
			a.Case = "upper"
		}, "a short salt": func(a *Aligned) { a.Salt = "01" },
		"another schema": func(a *Aligned) { a.Schema = 2 }, "other rows": func(a *Aligned) { a.Rows = 3 },
	} {
		wrong, to := *right, filepath.Join(dir, "aligned.csv")
		change(&wrong)
		if err := table.write(to, result.Rows, &wrong); err == nil ||
			!strings.Contains(err.Error(), "nothing is written") {
			t.Errorf("%s: %v", name, err)
		}
		if there, _ := filepath.Glob(to + "*"); len(there) > 0 {
			t.Errorf("%s: %v is written", name, there)
		}
	}
	to := filepath.Join(dir, "aligned.csv")
	if err := table.write(to, result.Rows, right); err != nil {
		t.Fatal(err)
	}
	if a, err := ReadAligned(to); err != nil || a.Digest != right.Digest {
		t.Error(a, err)
	}
}
