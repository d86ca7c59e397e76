package noise

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/stdlib"
)

// Clients is J in rho√J of a model that is compiled without data. The error names a family whose members are
// not counted in the model.
func Clients(m *compile.Model) (int, error) {
	ones := data.Sources{}
	for _, c := range m.Checked.Clients {
		if c.Family {
			ones = append(ones, data.Source{PartyRef: data.PartyRef{Name: c.Name, Family: true},
				Files: []string{""}})
		}
	}
	n := m.Addends(nil)
	if m.Addends(ones) != n {
		return 0, usagef("how many members the families of clients have is not known without their tables, " +
			"and with it what each rho does: write it in the model, client lab[3]")
	}
	return n, nil
}

// Programs reads the list of a folder of programs for several rho (vflc compile --extrapolate), and compares
// each rho with that of the programs.
func Programs(dir string) (*runs.Extrapolation, error) {
	x, err := runs.ReadExtrapolation(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, coded("%s has no %s, so it is not a folder of programs for several rho; vflc compile "+
			"--split-by client MODEL --extrapolate -o DIR writes them", dir, runs.ExtrapolationFile)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range x.Fits {
		path := filepath.Join(dir, f.Folder, split.ManifestFile)
		m, diags, err := split.ReadManifest(path, stdlib.New())
		if err == nil && diags.HasErrors() {
			err = data.Errors(diags)
		}
		if err != nil {
			return nil, err
		}
		for client, text := range m.Rho {
			if rho, err := strconv.ParseFloat(text, 64); err != nil || rho != f.Rho {
				return nil, coded("%s lists rho = %v for %s, and the programs there have rho = %s for %s; "+
					"compile the model again", filepath.Join(dir, runs.ExtrapolationFile), f.Rho, f.Folder,
					text, client)
			}
		}
	}
	return x, Extrapolable(rhosOf(x), x.Clients)
}

// Continue makes the folder of an extrapolation, or goes on with that of the same fits.
func Continue(dir string, x *runs.Extrapolation) error {
	old, err := runs.ReadExtrapolation(dir)
	switch {
	case err == nil && reflect.DeepEqual(old, x):
		return nil
	case err == nil:
		return coded("%s holds an extrapolation of other fits; name another folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return Begin(dir, x.Model, x.Clients, rhosOf(x), false)
}

func coded(format string, args ...any) error {
	var diags diag.List
	diags.Errorf(diag.SeveralRho, nil, source.Span{}, format, args...)
	return data.Errors(diags)
}
