package fit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/def"
)

// Audit lists what each party learns from another in a run of party programs by an algorithm with the
// settings given: what the run's own scripts hold, the values of every draw that is kept included. The error
// is a UsageError where the settings do not fit.
func Audit(p *compile.Bundle, a backends.Algorithm, given map[string]string) ([]compile.Disclosure, error) {
	t, err := trafficOf(p.Manifest, a, given)
	if err != nil {
		return nil, err
	}
	return p.Audit(t.uses, t.wire), nil
}

// A traffic is that on which, with the programs, everything that crosses in a run depends.
type traffic struct {
	uses []density.Use
	wire model.Wire
}

// trafficOf is that of a run of programs by an algorithm with the settings given. The error is a UsageError.
func trafficOf(m *split.Manifest, a backends.Algorithm, given map[string]string) (traffic, error) {
	if m.Release != nil {
		return traffic{protocol.ReleaseUses(), model.Wire{Encrypted: true}}, nil
	}
	transform, _ := m.Kind()
	// no algorithm runs then; programs of a prediction send cuts themselves, whatever the run had
	if len(m.Predicted) > 0 {
		given, a.Transforms = maps.Clone(given), []def.Transform{transform}
		for _, s := range a.Settings {
			if s.Auxiliary {
				delete(given, s.Name)
			}
		}
	}
	s, err := a.Resolve(transform, given)
	// its programs are exact, whatever the transform of the run, whose settings these are: the wire is the
	// same under each
	if len(m.Predicted) > 0 {
		for _, t := range a.Transforms {
			if err != nil {
				s, err = a.Resolve(t, given)
			}
		}
	}
	if err != nil {
		return traffic{}, &UsageError{err}
	}
	if len(m.Predicted) > 0 {
		s.Plan.Encrypted = false
		return traffic{inEveryRun, wireIn(s)}, nil
	}
	s.UnlikeNoise, s.Hyper = unlikeNoiseOf(m), m.Hyper
	uses, err := exchanges(a, s)
	if err != nil {
		return traffic{}, err
	}
	return traffic{append(uses, inEveryRun...), wireIn(s)}, nil
}

// Exchanges lists those of a run by these programs, or of a prediction where they are of one.
func Exchanges(m *split.Manifest, a backends.Algorithm, given map[string]string) ([]density.Use, error) {
	t, err := trafficOf(m, a, given)
	return t.uses, err
}

// Verdict says in a line or two what each party can compute of the rows of others in such a run, or in a
// prediction where the programs are of one. tables tell the columns of two values and how many parameters a
// client has, and may be nil: the lines then follow from programs and settings alone, and are the same at
// every party.
func Verdict(p *compile.Bundle, a backends.Algorithm, given map[string]string,
	tables *compile.Tables) ([]compile.Verdict, error) {
	t, err := trafficOf(p.Manifest, a, given)
	if err != nil {
		return nil, err
	}
	return p.Verdict(t.uses, t.wire, tables), nil
}

// RunVerdict is the Verdict of a run by its programs. It names the columns of two values where the run's
// tables are there and have not changed.
func RunVerdict(r *posterior.Run, p *compile.Bundle, a backends.Algorithm) ([]compile.Verdict, error) {
	var tables *compile.Tables
	m, diags, err := Recompile(r)
	if err == nil && !diags.HasErrors() {
		if sources, err := recordedSources(r, m); err == nil {
			tables = m.Tables(sources, data.Joining{Key: r.Record.Key, Intersect: r.Record.Intersect})
		}
	}
	return Verdict(p, a, RecordedSettings(r.Record, a), tables)
}

// inEveryRun is how the values of a draw that is kept cross, and how a run ends.
var inEveryRun = []density.Use{{Exchange: density.Reporting, Often: "every draw"},
	{Exchange: density.Closing, Often: "at the end"}}

// Declare writes into the manifest of a compiled model the run that its programs are for. A pooled model has
// no programs. The error is a UsageError where the settings do not fit.
func Declare(m *compile.Model, a backends.Algorithm, given map[string]string) error {
	bundle, diags := m.Bundle()
	if bundle == nil || diags.HasErrors() {
		return nil // whoever writes the programs says why there are none
	}
	whole, err := trafficOf(bundle.Manifest, a, given)
	if err != nil {
		return err
	}
	run := &split.ManifestRun{Backend: a.Name, Settings: maps.Clone(given),
		Crossings: []split.ManifestCrossing{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		without := maps.Clone(run.Settings)
		delete(without, name)
		if t, err := trafficOf(bundle.Manifest, a, without); err == nil && reflect.DeepEqual(t, whole) {
			run.Settings = without
		}
	}
	run.Crossings, run.Verdict = whole.listed(bundle)
	m.Manifest.Run = run
	return nil
}

// listed is what a manifest says of the traffic of its programs.
func (t traffic) listed(p *compile.Bundle) (rows []split.ManifestCrossing, verdict []string) {
	rows, verdict = []split.ManifestCrossing{}, []string{}
	for _, d := range p.Audit(t.uses, t.wire) {
		rows = append(rows, d.Crossing())
	}
	for _, v := range p.Verdict(t.uses, t.wire, nil) {
		verdict = append(verdict, v.String())
	}
	return rows, verdict
}

// Declared is the algorithm of the run that programs are for, and its settings with those given in their
// place. The error says where something else would cross than the manifest lists: the run is refused.
func Declared(m *split.Manifest, a *backends.Algorithm, given map[string]string) (backends.Algorithm,
	map[string]string, error) {
	none := backends.Algorithm{}
	if m.Run == nil {
		return none, nil,
			fmt.Errorf("the manifest of %s does not list what crosses in a run: compile the model again",
				m.Model)
	}
	own, ok := Backend(m.Run.Backend)
	if !ok {
		return none, nil,
			fmt.Errorf("the manifest of %s is for the backend %s, which this version does not have: "+
				"compile the model again", m.Model, m.Run.Backend)
	}
	again := "vflc compile --split-by client writes programs for other settings: give it the backend and " +
		"the settings of the run"
	if a != nil && a.Name != own.Name {
		return none, nil,
			fmt.Errorf("the programs of %s are for the backend %s, and with %s something else would cross "+
				"than their manifest lists; %s", m.Model, own.Name, a.Name, again)
	}
	settings := map[string]string{}
	maps.Copy(settings, m.Run.Settings)
	maps.Copy(settings, given)
	listed, err := trafficOf(m, own, m.Run.Settings)
	if err != nil {
		return none, nil, err
	}
	asked, err := trafficOf(m, own, settings)
	if err != nil {
		return none, nil, err
	}
	if !reflect.DeepEqual(listed, asked) {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(given)) {
			with := maps.Clone(m.Run.Settings)
			with[name] = given[name]
			if t, err := trafficOf(m, own, with); err != nil || !reflect.DeepEqual(t, listed) {
				names = append(names, "--"+name+" "+given[name])
			}
		}
		return none, nil, fmt.Errorf("with %s something else would cross than the manifest of %s lists; %s",
			strings.Join(names, ", "), m.Model, again)
	}
	return own, settings, nil
}

// Undeclared reports where the manifest of programs lists something else than what crosses in the run that it
// names.
func Undeclared(p *compile.Bundle) diag.List {
	m := p.Manifest
	wrong := func(format string, args ...any) diag.List {
		return diag.List{m.Contradicts("run", format, args...)}
	}
	if m.Run == nil {
		return wrong("the manifest does not list what crosses in a run")
	}
	if diags := p.Grouped(); diags.HasErrors() {
		return diags
	}
	a, ok := Backend(m.Run.Backend)
	if !ok {
		return wrong("the manifest is for the backend %q, which this version does not have", m.Run.Backend)
	}
	t, err := trafficOf(m, a, m.Run.Settings)
	switch {
	case err != nil:
		return wrong("the settings that the manifest names are none of a run: %v", err)
	}
	rows, verdict := t.listed(p)
	for k, c := range rows {
		if k >= len(m.Run.Crossings) || !reflect.DeepEqual(c, m.Run.Crossings[k]) {
			return wrong("the manifest does not list what crosses in the run that it "+
				"names: %s, from %s to %s", c.What, c.From, c.To)
		}
	}
	if n := len(rows); n < len(m.Run.Crossings) {
		c := m.Run.Crossings[n]
		return wrong("the manifest lists %s from %s to %s, which does not cross in the run that it names",
			c.What, c.From, c.To)
	}
	if !slices.Equal(verdict, m.Run.Verdict) {
		return wrong("the manifest does not say what parties can compute in the run that it names: %s",
			strings.Join(verdict, "; "))
	}
	return nil
}
