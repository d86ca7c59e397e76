package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A wheel of every target has the program, which may be run, and a record of all its files; another one has
// the same bytes. What -check copies of the sources is enough for it.
func TestWheel(t *testing.T) {
	t.Chdir("..")
	sources, program := filepath.Join(t.TempDir(), "sources"), filepath.Join(t.TempDir(), "program")
	if err := copySources(sources); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets() {
		var first []byte
		for range 2 {
			out := t.TempDir()
			name, err := writeWheel(sources, target, program, out)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(first, text) {
				t.Errorf("%s has other bytes each time", name)
			}
			first = text
		}
		checkWheel(t, target, first)
	}
}

func checkWheel(t *testing.T, target string, text []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	files, programs := map[string][]byte{}, 0
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if f.Mode().Perm() == 0o755 {
			programs++
		}
	}
	if programs != 1 || len(platforms(target)) == 0 {
		t.Errorf("%s: %d programs, tags %v", target, programs, platforms(target))
	}
	record := z.File[len(z.File)-1].Name
	lines, err := csv.NewReader(bytes.NewReader(files[record])).ReadAll()
	if err != nil || len(lines) != len(files) {
		t.Fatalf("%s: %d lines in %s of %d files: %v", target, len(lines), record, len(files), err)
	}
	for _, line := range lines {
		sum := sha256.Sum256(files[line[0]])
		want := []string{"sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]),
			fmt.Sprint(len(files[line[0]]))}
		if line[0] != record && (line[1] != want[0] || line[2] != want[1]) {
			t.Errorf("%s: %v, want %v", target, line, want)
		}
	}
}
