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
	out := t.TempDir()
	if err := generate(out); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(target, f.Name()))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what tools/asm writes: run it", f.Name())
		}
	}
	checked, err := filepath.Glob(filepath.Join(target, "*_amd64.s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range checked {
		if _, err := os.Stat(filepath.Join(out, filepath.Base(name))); err != nil {
			t.Errorf("nothing writes %s", name)
		}
	}
}
