package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/fit/study/spread"
	"github.com/vflc/vflc/internal/inputfile"
)

// An inspection asks a command whether it would run, and on what its result depends, in place of running it.
type inspection struct {
	inputs []study.Input
	texts  []spread.File // of the inputs, with their places
	far    string        // an input that is no file, "" where all are
	done   bool
}

type (
	inspectionKey  struct{} // of the inspection in a context
	commandLineKey struct{} // of the command line that a context stands for
)

// errInspected ends a command that was inspected.
var errInspected = errors.New("inspected")

// inspected ends a command that is only inspected once its model is compiled: it notes the texts and tables, and checks the settings of the backend.
func inspected(cmd *cobra.Command, m *compile.Model, path string, tables []string, a backends.Algorithm, typed []string) error {
	found, ok := cmd.Context().Value(inspectionKey{}).(*inspection)
	if !ok {
		return nil
	}
	if _, err := a.Resolve(m.Checked.Transform.Kind, settingsFor(cmd, a, m, typed)); err != nil {
		return usagef("%w", err)
	}
	sources, err := data.Locate(path, m.Parties(), tables)
	if err != nil {
		return err
	}
	found.inputs = append(found.inputs, study.Digest("model", []byte(m.Source.Text)))
	found.note(path, []byte(m.Source.Text))
	for _, module := range m.Modules() {
		found.inputs = append(found.inputs, study.Digest("module "+module.Path, []byte(module.Text)))
		if module.Path != "" {
			found.note(filepath.Join(filepath.Dir(path), module.Path), []byte(module.Text))
		}
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(path), data.SettingsFile)); err == nil {
		found.inputs = append(found.inputs, study.Digest(data.SettingsFile, text))
		found.note(filepath.Join(filepath.Dir(path), data.SettingsFile), text)
	}
	for _, s := range sources {
		for k, file := range s.Files {
			name := fmt.Sprintf("table %d of %s", k+1, s.Name)
			text, err := inputfile.Read(file, inputfile.MaxBytes)
			if err != nil {
				text, found.far = []byte(file), file // an address of a database, which is no file
			} else {
				found.note(file, text)
			}
			found.inputs = append(found.inputs, study.Digest(name, text))
		}
	}
	found.done = true
	return errInspected
}

// note keeps the content of a file.
func (i *inspection) note(path string, text []byte) {
	if absolute, err := filepath.Abs(path); err == nil {
		i.texts = append(i.texts, spread.NewFile(absolute, text))
	}
}

// files notes the tables of new rows, which flags of the form --data PARTY=FILE name.
func (i *inspection) files(flags []study.Flag) error {
	for _, f := range flags {
		party, files, _ := strings.Cut(f.Value, "=")
		for k, file := range strings.Split(files, ",") {
			text, err := inputfile.Read(file, inputfile.MaxBytes)
			if err != nil {
				return err
			}
			i.inputs = append(i.inputs, study.Digest(fmt.Sprintf("new table %d of %s", k+1, party), text))
			i.note(file, text)
		}
	}
	return nil
}

// commandLine is the command line of this process, or the one that a command is carried out for.
func commandLine(cmd *cobra.Command) []string {
	if words, ok := cmd.Context().Value(commandLineKey{}).([]string); ok {
		return words
	}
	return os.Args
}
