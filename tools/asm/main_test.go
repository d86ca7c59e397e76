package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files in runtime/vector are equal to the output of this program.
func TestNothingHasDrifted(t *testing.T) {
	const target = "../../runtime/vector"
	top := t.TempDir()
	out := filepath.Join(top, target[len("../.."):]) // so that the tables are inside too
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := generate(out, ""); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{tables}
	for _, f := range files {
		names = append(names, f.Name())
	}
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(target, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what tools/asm writes: run it", name)
		}
	}
	checked, err := filepath.Glob(filepath.Join(target, "*_a??64.s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range checked {
		if _, err := os.Stat(filepath.Join(out, filepath.Base(name))); err != nil {
			t.Errorf("nothing writes %s", name)
		}
	}
}
