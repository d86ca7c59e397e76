package fit

import (
	"fmt"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/maximum"
	"github.com/vflc/vflc/compile/rows"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// A Prepared is a model with its data, an algorithm and its settings: a run that is ready to begin.
type Prepared struct {
	*compile.Bound
	Algorithm backends.Algorithm
	Settings  backends.Settings
	Record    posterior.Record // all that is needed to repeat the run
	options   Options
	windows   *division
	parties   []runs.Party // what belongs to each party alone; its labels name the elements of parameters
	loaded    time.Duration
	lock      *folderLock // on the folder of the run, until Sample returns
}

// Open reads the tables of a compiled model, lowers the programs of all parties, and checks that the algorithm can run on them with the options given. It
// prepares the folder of the run, if there is one. The result is usable only if the error is nil and the list has no errors. The error is a UsageError
// where options do not fit.
func Open(m *compile.Model, sources data.Sources, o Options) (*Prepared, diag.List, error) {
	p, diags, err := resolved(m, o.filled())
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	if t := m.Checked.Transform; t.Implied && !t.Kind.Pooled {
		p.options.Progress.Message(fmt.Sprintf("no transform given: %s(rho = %g)", t.Kind, t.Rho))
	}
	bound, found, err := compile.Bind(m, sources, o.Joining)
	diags = append(diags, found...)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	for _, text := range bound.Data.Joined() {
		p.options.Progress.Message(text)
	}
	return p.ready(bound, diags)
}

// OpenBound is Open for a model that already has its data.
func OpenBound(b *compile.Bound, o Options) (*Prepared, diag.List, error) {
	p, diags, err := resolved(b.Model, o.filled())
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	return p.ready(b, diags)
}

// ready performs the steps that need the data. diags are those of the steps before.
func (p *Prepared) ready(b *compile.Bound, diags diag.List) (*Prepared, diag.List, error) {
	p.Bound = b
	for _, step := range []func() (diag.List, error){p.divide, p.mayBegin, p.note, p.label, p.takeFolder} {
		found, err := step()
		diags = append(diags, found...)
		if err != nil || diags.HasErrors() {
			return nil, diags, err
		}
	}
	p.loaded = time.Since(p.options.Origin.Began)
	return p, diags, nil
}

// resolved finds the settings of the run and performs the steps that need no data.
func resolved(m *compile.Model, o Options) (*Prepared, diag.List, error) {
	s, err := o.Algorithm.Resolve(m.Checked.Transform.Kind, o.Settings)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	p := &Prepared{Algorithm: o.Algorithm, Settings: s, options: o}
	if err := p.mayTakeFolder(); err != nil {
		return nil, nil, err
	}
	return p, p.suits(m), nil
}

// suits reports why the algorithm cannot run on the model, as far as this is known without data.
func (p *Prepared) suits(m *compile.Model) (diags diag.List) {
	if p.Algorithm.Gives == backends.Conditional {
		diags = append(diags, maximum.Check(m.Cuts)...)
	}
	if p.Settings.Plan.Minibatch > 0 && !diags.HasErrors() {
		_, found := rows.Check(m.Cuts)
		diags = append(diags, found...)
	}
	return diags
}

// mayBegin returns errors before the work that would otherwise occur after it.
func (p *Prepared) mayBegin() (diag.List, error) {
	if err := p.fits(); err != nil {
		return nil, err
	}
	if err := p.mayBeginFrom(); err != nil {
		return nil, err
	}
	if diags, err := p.mayHaveLogLik(); err != nil || diags.HasErrors() {
		return diags, err
	}
	return nil, p.maySaveAuxiliaries()
}

// note sets the record of the run.
func (p *Prepared) note() (_ diag.List, err error) {
	p.Record, err = p.record()
	return nil, err
}

// Given are the settings of the algorithm that the options set.
func (p *Prepared) Given() map[string]string { return p.options.Settings }
