package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// An inspection is on what the result of a command depends.
type inspection struct {
	inputs []cells.Input
	files  []cells.CellInput // with the inputs
	flags  []cells.Flag      // that name all tables, and the modules of clients
	far    string            // the owner of a table that is no file, "" where all are
	done   bool
}

type (
	// of the inspection in a context that asks a command whether it would run, in place of running it
	inspectionKey  struct{}
	inputsKey      struct{} // of the inputs on which a command must depend, and on nothing else
	commandLineKey struct{} // of the command line that a context stands for
)

// errInspected ends a command that was asked for something else than to run.
var errInspected = errors.New("inspected")

// inspected ends a command that is only inspected once its model is compiled, and checks the settings of the
// backend. A command that is carried out for a cell must have the inputs of the cell.
func inspected(cmd *cobra.Command, m *compile.Model, path string, tables []string, a backends.Algorithm,
	typed []string) error {
	ctx := cmd.Context()
	asked, asks := ctx.Value(inspectionKey{}).(*inspection)
	want, checks := ctx.Value(inputsKey{}).([]cells.Input)
	if !asks && !checks {
		return nil
	}
	if asks {
		if _, err := a.Resolve(m.Checked.Transform.Kind, settingsFor(cmd, a, m, typed)); err != nil {
			return usagef("%w", err)
		}
	}
	found, err := inspect(m, path, tables)
	switch {
	case err != nil:
		return err
	case asks:
		*asked = *found
		asked.done = true
		return errInspected
	// the tables of new rows follow
	case len(found.inputs) > len(want) || !slices.Equal(found.inputs, want[:len(found.inputs)]):
		return data.Coded(diag.NoCell, "the cell depends on other files than it names")
	}
	return nil
}

// inspect finds the texts and tables of a model.
func inspect(m *compile.Model, path string, tables []string) (*inspection, error) {
	i := &inspection{}
	sources, err := data.Locate(path, m.Parties(), tables)
	if err != nil {
		return nil, err
	}
	if err := i.note("model", path, []byte(m.Source.Text)); err != nil {
		return nil, err
	}
	for k, module := range m.Modules() {
		at := filepath.Join(filepath.Dir(path), module.Path)
		switch {
		case k >= len(m.Inlined.Modules): // of a client
			at = module.File.Name
			i.flag(cells.ModuleFlag, module.Name, at)
		case module.Path == "": // of the standard library
			at = ""
		}
		if err := i.note("module "+module.Path, at, []byte(module.Text)); err != nil {
			return nil, err
		}
	}
	settings := filepath.Join(filepath.Dir(path), data.SettingsFile)
	if text, err := os.ReadFile(settings); err == nil {
		if err := i.note(data.SettingsFile, settings, text); err != nil {
			return nil, err
		}
	}
	for _, s := range sources {
		for k, file := range s.Files {
			text, err := safefile.Read(file, safefile.MaxBytes)
			if err != nil {
				text, i.far, file = []byte(file), s.Name, "" // an address of a database, which is no file
			}
			if err := i.note(fmt.Sprintf("table %d of %s", k+1, s.Name), file, text); err != nil {
				return nil, err
			}
		}
		if len(s.Files) > 0 {
			i.flag(cells.DataFlag, s.Name, s.Files...)
		}
	}
	return i, nil
}

// note notes an input, and where it is a file, its content.
func (i *inspection) note(name, path string, text []byte) error {
	i.inputs = append(i.inputs, cells.Digest(name, text))
	if path == "" {
		return nil
	}
	f, err := cells.NewFile(path, text)
	i.files = append(i.files, f)
	return err
}

// flag notes a flag that names files, by their absolute paths.
func (i *inspection) flag(name, owner string, files ...string) {
	value := owner + "=" + strings.Join(files, ",")
	i.flags = append(i.flags, cells.Flag{Name: name, Value: value}.Moved(absolute))
}

// absolute is a path as an absolute one; one that has none, as it is.
func absolute(path string) string {
	if at, err := filepath.Abs(path); err == nil {
		return at
	}
	return path
}

// near is an error where workers cannot get an input.
func (i *inspection) near() error {
	if i.far == "" {
		return nil
	}
	return data.Coded(diag.NotSpread,
		"--nats: the table of %s is no file, and workers get files; write its rows to one", i.far)
}

// commandLine is the command line of this process, or the one that a command is carried out for.
func commandLine(cmd *cobra.Command) []string {
	if words, ok := cmd.Context().Value(commandLineKey{}).([]string); ok {
		return words
	}
	return os.Args
}
