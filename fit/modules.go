package fit

import (
	"errors"
	"fmt"
	"github.com/vflc/vflc/compile/check"
	"io/fs"
	"path/filepath"

	"github.com/vflc/vflc/compile/inline"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// writeModules copies the files that a model imports to the folder of its run.
func writeModules(dir string, modules []check.Module) error {
	for _, m := range modules {
		if m.Path == "" {
			continue
		}
		if err := writeFile(dir, filepath.Join(posterior.ModulesDir, filepath.FromSlash(m.Path)),
			filled([]byte(m.Text))); err != nil {
			return err
		}
	}
	return nil
}

// modulesOf records the modules of a model with their digests.
func modulesOf(modules []check.Module) []posterior.InputRecord {
	var out []posterior.InputRecord
	for _, m := range modules {
		name := m.Path
		if name == "" {
			name = m.Name
		}
		out = append(out, posterior.InputRecord{Path: name, SHA256: digest([]byte(m.Text))})
	}
	return out
}

// RecordedModules returns what reads the files that the model of a run imports, from the run's folder.
func RecordedModules(dir string) func(path string) (string, error) {
	return safefile.Beside(filepath.Join(dir, posterior.ModulesDir))
}

// RecordedPrivates returns what reads the modules of clients that a run was compiled with, from the run's
// folder; nil for a client without one.
func RecordedPrivates(dir string) func(client string) (*source.File, error) {
	read := RecordedModules(dir)
	return func(client string) (*source.File, error) {
		text, err := read(inline.ModulePath(client))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return source.New(filepath.Join(dir, posterior.ModulesDir, inline.ModulePath(client)), text), err
	}
}

// SameModules returns an error unless the modules of a model are those that a run began with.
func SameModules(r *posterior.Record, modules []check.Module) error {
	now := modulesOf(modules)
	for i, m := range r.Modules {
		if i >= len(now) || now[i] != m {
			return fmt.Errorf("the module %s is not the one that the run began with: its "+
				"digest is not that in %s", m.Path, posterior.RecordFile)
		}
	}
	return nil
}
