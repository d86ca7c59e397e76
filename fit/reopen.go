package fit

import (
	"fmt"
	"os"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/stdlib"
)

// Reopen compiles and binds the model of a finished run again, with the files that its record names. It is an error if one of them has changed. The
// diagnostics are those of the data, unless the model has errors.
func Reopen(r *runs.Run) (*compile.Bound, diag.List, error) {
	if r.Record == nil {
		return nil, nil, fmt.Errorf("%s: these draws are not in the folder of a run, which would name their model and data", r.Path)
	}
	salted := func(text []byte) string { return saltedDigest(r.Record.Salt, text) }
	text, err := reread(r, r.Record.Model, digest)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range r.Record.Data {
		if _, err := reread(r, s, salted); err != nil {
			return nil, nil, err
		}
	}
	m, diags := compile.Compile(source.New(r.Record.Model.Path, string(text)), recordedOptions(r.Record))
	if diags.HasErrors() {
		return nil, diags, nil
	}
	sources, err := data.Locate(r.Record.Model.Path, m.Parties(), recordedData(r.Record.Data))
	if err != nil {
		return nil, nil, err
	}
	return compile.Bind(m, sources, data.Joining{Key: r.Record.Key, Intersect: r.Record.Intersect})
}

// reread reads a file of a run. It is an error if it has changed.
func reread(r *runs.Run, s posterior.Source, digest func([]byte) string) ([]byte, error) {
	text, err := os.ReadFile(s.Path)
	if err != nil {
		return nil, fmt.Errorf("%w; the run in %s used it (paths are those given to that run)", err, r.Path)
	}
	if digest(text) != s.SHA256 {
		return nil, fmt.Errorf("%s has changed since the run in %s", s.Path, r.Path)
	}
	return text, nil
}

// recordedOptions returns the options that a run compiled its model with.
func recordedOptions(r *posterior.Record) check.Options {
	o := check.Options{Set: r.Constants}
	o.Transform, _ = stdlib.New().Transform(r.Transform)
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

// recordedData returns the values of --data that name the files of a run: one per party, with the members of a family together.
func recordedData(sources []posterior.Source) []string {
	var order []string
	files := map[string][]string{}
	for _, s := range sources {
		party, _, _ := strings.Cut(s.Party, "[")
		if files[party] == nil {
			order = append(order, party)
		}
		files[party] = append(files[party], s.Path)
	}
	var out []string
	for _, party := range order {
		out = append(out, party+"="+strings.Join(files[party], ","))
	}
	return out
}
