package identity

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// A project file that no party reads is not written, nor a bundle by which no party accepts the certificate
// in it.
func TestNothingIsIssuedThatNobodyTakes(t *testing.T) {
	project := Project{Name: "heart", Server: "server", Address: "127.0.0.1:1",
		Parties: []string{"server", "a"}}
	dir, other, own := t.TempDir(), t.TempDir(), t.TempDir()
	for _, at := range []string{dir, other} {
		if err := Init(at, project); err != nil {
			t.Fatal(err)
		}
	}
	wrong := project
	wrong.Parties = []string{"server", "a", "a"}
	before, _ := os.ReadFile(filepath.Join(dir, ProjectFile))
	var list data.Errors
	err := wrong.write(dir)
	if after, _ := os.ReadFile(filepath.Join(dir, ProjectFile)); !errors.As(err, &list) ||
		list[0].Code != diag.BadProject || string(after) != string(before) {
		t.Errorf("%v; the file is now\n%s", err, after)
	}
	if err := Request(own, "heart", "a"); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(filepath.Join(other, RevokedFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, RevokedFile), foreign, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(dir, filepath.Join(own, RequestFile), Admission{}); err == nil ||
		!strings.Contains(err.Error(), RevokedFile) {
		t.Errorf("a bundle with the list of another authority: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, BundlesDir)); err == nil {
		t.Error("a bundle is there")
	}
}
