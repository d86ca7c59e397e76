package fit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// Reopen compiles and binds the model of a finished run again, from the text in its folder and the tables
// that its record names. It is an error if one of them has changed. The diagnostics are those of the data,
// unless the model has errors, without what the run itself was told of what the data leave open.
func Reopen(r *posterior.Run) (*compile.BoundModel, diag.List, error) {
	if r.Record == nil {
		return nil, nil,
			fmt.Errorf("%s: these draws are not in the folder of a run, which would "+
				"name their model and data", r.Path)
	}
	m, diags, err := Recompile(r)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	sources, err := recordedSources(r, m)
	if err != nil {
		return nil, nil, err
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{Key: r.Record.Key, Intersect: r.Record.Intersect})
	return b, slices.DeleteFunc(diags, func(d *diag.Diagnostic) bool {
		return d.Code == diag.NoVariation || d.Code == diag.FlatPrior
	}), err
}

// recordedSources are the tables of a run. The error names one that has changed since.
func recordedSources(r *posterior.Run, m *compile.Model) (data.Sources, error) {
	for _, s := range r.Record.Data {
		sum, err := saltedDigest(r.Record.Salt, s.Path)
		if err != nil {
			return data.Sources{}, fmt.Errorf("%w; the run in %s used it", err, r.Path)
		}
		if sum != s.SHA256 {
			return data.Sources{}, fmt.Errorf("%s has changed since the run in %s", s.Path, r.Path)
		}
	}
	return data.Locate(filepath.Join(r.Path, posterior.ModelFile), m.Parties(), RecordedData(r.Record))
}

// Recompile compiles the model of a finished run again, from the text in its folder and with the options that
// it ran with. It reads no tables.
func Recompile(r *posterior.Run) (*compile.Model, diag.List, error) {
	if r.Record == nil {
		return nil, nil,
			fmt.Errorf("%s: these draws are not in the folder of a run, which would hold their model", r.Path)
	}
	model, err := RecordedModel(r.Path, r.Record)
	if err != nil {
		return nil, nil, err
	}
	if part, err := IsPart(r); err != nil {
		return nil, nil, err
	} else if part {
		var diags diag.List
		diags.Errorf(diag.NeedsParties, nil, source.Span{},
			"%s is one party's part of a run across machines, and this needs all parties: start vflc serve "+
				"PROGRAMS and vflc join PROGRAMS with --predict, --ppc or --log-lik and their runs", r.Path)
		return nil, nil, data.Errors(diags)
	}
	options := recordedOptions(r.Record)
	options.Import, options.Module = RecordedModules(r.Path), RecordedPrivates(r.Path)
	m, diags := compile.Compile(model, options)
	if diags.HasErrors() {
		return m, diags, nil
	}
	return m, diags, SameModules(r.Record, m.Modules())
}

// TransformOf returns the transform of a run; false where its folder does not say.
func TransformOf(r *posterior.Run) (def.Transform, bool) {
	if r.Record == nil {
		return def.Transform{}, false
	}
	return stdlib.TransformNamed(r.Record.Transform)
}

// recordedOptions returns the options that a run compiled its model with.
func recordedOptions(r *posterior.Record) check.Options {
	o := check.Options{Set: r.Constants, Accept: r.Accepted, PriorOnly: r.PriorOnly,
		Encrypted: WireOf(r).Encrypted}
	if a, ok := Backend(r.Backend); ok {
		o.ByRows = OfRows(a, RecordedSettings(r, a))
	}
	o.Transform, _ = stdlib.TransformNamed(r.Transform)
	switch rho := r.Rho.(type) {
	case float64:
		o.Rho = rho
	case map[string]any:
		o.RhoBy = map[string]float64{}
		for name, v := range rho {
			if v, ok := v.(float64); ok {
				o.RhoBy[name] = v
			}
		}
	}
	return o
}

// RecordedModel returns the model of a run as its folder holds it, under the name that it had.
func RecordedModel(dir string, r *posterior.Record) (*source.File, error) {
	path := filepath.Join(dir, posterior.ModelFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if digest(text) != r.Model.SHA256 {
		return nil, fmt.Errorf("%s is not the model that the run began with: its digest is not that in %s",
			path, posterior.RecordFile)
	}
	return source.New(r.Model.Path, string(text)), nil
}

// RecordedData returns the values of --data that name the tables of a run, one each: the members of a family
// in order.
func RecordedData(r *posterior.Record) (out []string) {
	for _, s := range r.Data {
		party, _, _ := strings.Cut(s.Party, "[")
		out = append(out, party+"="+s.Path)
	}
	return out
}
