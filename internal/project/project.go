// Package project makes the folders that vflc new writes: a model, a table for each party, vfl.toml, and a
// README with the commands.
package project

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/safefile"
)

// An Example is what a new project begins with.
type Example struct {
	Name string
	Doc  string // one phrase
	// first is the model to begin with; NAME in it is the name of the project.
	first string
	// tables are the data that are computed, by file name; nil: the data are among the example's own files.
	tables func() map[string][]byte
}

// Examples lists what a project can begin with; the first is the default.
func Examples() []Example {
	return []Example{
		{"ward", "two hospitals' tables and a registry's, made up", "NAME", wardTables},
		{"radon", "radon in 919 houses of Minnesota, the public table of docs/start.md", "first", nil},
	}
}

// Find returns an example by name.
func Find(name string) (Example, bool) {
	all := Examples()
	at := slices.IndexFunc(all, func(e Example) bool { return e.Name == name })
	if at < 0 {
		return Example{}, false
	}
	return all[at], true
}

// First is the model of a project that its user runs first, without the ending .vfl.
func (e Example) First(project string) string { return strings.ReplaceAll(e.first, "NAME", project) }

// templates holds a folder for each example. The word NAME in its texts and file names is the name of the
// project.
//
//go:embed ward radon formula
var templates embed.FS

// DataFolder holds the tables of a project.
const DataFolder = "data"

// ReadmeOfFormula is the README of a project of one formula.
func ReadmeOfFormula(name string) []byte {
	text, err := templates.ReadFile("formula/README.md")
	if err != nil {
		panic("project: " + err.Error()) // it is embedded
	}
	return []byte(strings.ReplaceAll(string(text), "NAME", name))
}

var proper = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// ProperName returns an error for a name that a project cannot have.
func ProperName(name string) error {
	if !proper.MatchString(name) {
		return fmt.Errorf("%q cannot name a project: begin with a letter, and use letters, digits, _ and -",
			name)
	}
	return nil
}

// Files returns the files of a project by path below its folder.
func (e Example) Files(name string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(templates, e.Name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templates.ReadFile(file)
		below := strings.TrimPrefix(file, e.Name+"/")
		if path.Ext(below) == ".csv" {
			out[path.Join(DataFolder, below)] = text
			return err
		}
		out[strings.ReplaceAll(below, "NAME", name)] = []byte(strings.ReplaceAll(string(text), "NAME", name))
		return err
	})
	if e.tables != nil {
		for file, text := range e.tables() {
			out[path.Join(DataFolder, file)] = text
		}
	}
	return out, err
}

// Write writes a project to dir, whose last element is its name. The folder must be empty or not exist.
func (e Example) Write(dir string) error {
	name := filepath.Base(dir)
	if err := ProperName(name); err != nil {
		return err
	}
	files, err := e.Files(name)
	if err != nil {
		return err
	}
	return Write(dir, files)
}

// Write writes the files of a project to a folder, which must be empty or not exist.
func Write(dir string, files map[string][]byte) error {
	if err := free(dir); err != nil {
		return err
	}
	for file, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := safefile.WriteBytes(at, 0o644, text); err != nil {
			return err
		}
	}
	return nil
}

// free returns an error for a folder that holds something.
func free(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s already holds %s; a new project needs a folder of its own", dir,
			entries[0].Name())
	}
	return nil
}
