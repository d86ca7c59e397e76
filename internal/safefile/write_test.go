package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.vfl")
	if err := WriteBytes(path, 0o600, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("disk full")
	err := Write(path, 0o644, func(w io.Writer) error {
		io.WriteString(w, "half of the n")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("error %v, want the writer's own", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file holds %q after a failed write, want the old text", got)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d entries in the folder, want only the file: no temporary file may stay", len(left))
	}
}

func TestExistingFileKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	for i, text := range []string{"first", "second"} {
		if err := WriteBytes(path, []os.FileMode{0o600, 0o644}[i], []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, want those of the file that was there", info.Mode().Perm())
	}
}

func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("this file system has no symbolic links")
	}
	if err := WriteBytes(link, 0o644, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("target holds %q, want the new text through the link", got)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
}
