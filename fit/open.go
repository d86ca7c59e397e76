package fit

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

// A Prepared is a model with its data, an algorithm and its settings: a run that is ready to begin.
type Prepared struct {
	*compile.BoundModel
	Algorithm backends.Algorithm
	Settings  backends.Settings
	Record    posterior.Record // all that is needed to repeat the run
	options   Options
	windows   *division
	sooner    *posterior.Sooner
	nearer    *shortcut // nil: the chains begin near an approximation, or none is known
	near      *vicinity // where the chains begin; nil: each where its kernel finds a place
	// what belongs to each party alone; its labels name the elements of parameters
	parties    []posterior.PartyRecord
	loaded     time.Duration
	forwards   *model.SimulatedModel // for forecasts; nil: there are none
	prior      *model.SimulatedModel // of a run without likelihoods
	inits      []initsFile
	starts     [][][]density.Init     // by file and party
	lock       *safefile.Lock         // on the folder of the run, until Sample returns
	apart      *Apart                 // nil: all parties are in this process
	rows       *protocol.EncryptedEnv // of encrypted rows; nil: they are not
	collecting int                    // percent of garbage before the run; 0: it is as it was
	journal    *protocol.Journal      // of their randomness; nil: the run has no folder
}

// Open reads the tables of a compiled model, lowers the programs of all parties, and checks that the
// algorithm can run on them with the options given. It prepares the folder of the run, if there is one. The
// result is usable only if the error is nil and the list has no errors. The error is a UsageError where
// options do not fit.
func Open(m *compile.Model, sources data.Sources, o Options) (*Prepared, diag.List, error) {
	if OfRows(o.Algorithm, o.Settings) {
		m = m.WithRows()
	}
	p, diags, err := resolved(m, o.filled())
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	bound, found, err := compile.Bind(m, sources, o.Joining)
	diags = append(diags, found...)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	if text := bound.Assumed(); text != "" {
		p.options.Progress.Message(text)
	}
	for _, text := range bound.Data.Joined() {
		p.options.Progress.Message(text)
	}
	if bytes, dir := sources.Storage().InFiles(); bytes > 0 {
		p.options.Progress.Message(fmt.Sprintf("%s of numbers are in files without a name in %s, which end "+
			"with this process", humanize.Bytes(uint64(bytes)), dir))
	}
	if m.Checked.PriorOnly {
		p.options.Progress.Message("prior only: the likelihoods are left out")
	}
	for _, text := range bound.Imputed() {
		p.options.Progress.Message(text)
	}
	return p.ready(bound, diags)
}

// OpenBound is Open for a model that already has its data.
func OpenBound(b *compile.BoundModel, o Options) (*Prepared, diag.List, error) {
	if OfRows(o.Algorithm, o.Settings) {
		var diags diag.List
		var err error
		if b, diags, err = b.WithRows(); err != nil || diags.HasErrors() {
			return nil, diags, err
		}
	}
	p, diags, err := resolved(b.Model, o.filled())
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	return p.ready(b, diags)
}

// OfRows reports whether a run by an algorithm with these settings, or what fits the approximation near which
// its chains begin, exchanges moments of single rows.
func OfRows(a backends.Algorithm, given map[string]string) bool {
	if s, ok := a.In(backends.Initial); ok && !a.OfRows {
		a, _ = Backend(given[s.Name])
	}
	return a.OfRows
}

// ready performs the steps that need the data. diags are those of the steps before.
func (p *Prepared) ready(b *compile.BoundModel, diags diag.List) (*Prepared, diag.List, error) {
	on := *b
	on.Plan = b.Plan.On(wireIn(p.Settings))
	p.BoundModel = &on
	for _, step := range []func() (diag.List, error){
		p.forwardly, p.divide, p.mayHold, p.choose, p.compareTrips, p.mayEncrypt, p.mayBegin, p.begins,
		p.foresee, p.note, p.label, p.takeFolder,
	} {
		found, err := step()
		diags = append(diags, found...)
		if err != nil || diags.HasErrors() {
			return nil, diags, err
		}
	}
	p.loaded = time.Since(p.options.Origin.Began)
	return p, diags, nil
}

// wireIn is the wire that settings ask for.
func wireIn(s backends.Settings) model.Wire {
	return model.Wire{Fixed: s.Plan.Fixed, Masked: s.Plan.Masked, Encrypted: s.Plan.Encrypted,
		Short: s.Plan.Short}
}

// WireOf is the wire of a run.
func WireOf(r *posterior.Record) model.Wire {
	a, ok := Backend(r.Backend)
	if !ok {
		return model.Wire{}
	}
	transform, _ := stdlib.TransformNamed(r.Transform)
	// an error is of a setting that this version has no more: what it has stands
	s, _ := a.Resolve(transform, RecordedSettings(r, a))
	return wireIn(s)
}

// choose settles what the user left to the algorithm.
func (p *Prepared) choose() (diag.List, error) {
	if p.Algorithm.Choose == nil && p.Settings.Plan.Initial == "" {
		return nil, nil
	}
	env, err := session.NewLocal(p.Plan, session.SimulatedKeys(p.options.Seed, p.Plan.Names))
	if err != nil {
		return nil, err
	}
	var why string
	if p.Settings, why, err = Chosen(p.Algorithm, p.Settings, env.Blocks()); err != nil {
		return unsuited(err)
	}
	if why != "" {
		p.options.Progress.Message(why)
	}
	return nil, p.settle(env.Blocks())
}

// unsuited are the diagnostics of an error that is a refusal.
func unsuited(err error) (diag.List, error) {
	var refusal *backends.Refusal
	if errors.As(err, &refusal) {
		return refusal.Diagnostics(), nil
	}
	return nil, err
}

// Chosen are the settings with what a user left to the algorithm, from the blocks of all parties, and why.
func Chosen(a backends.Algorithm, s backends.Settings, blocks []density.Block) (backends.Settings, string,
	error) {
	if a.Choose == nil {
		return s, "", nil
	}
	return a.Choose(len(blocks), Hindered(a, s, blocks), s)
}

// Hindered are the first reasons for which a block excludes what the algorithm might choose.
func Hindered(a backends.Algorithm, s backends.Settings, blocks []density.Block) backends.Hindrances {
	first := backends.Hindrances{}
	if a.Hinders == nil {
		return first
	}
	for _, b := range blocks {
		for name, err := range a.Hinders(b, s) {
			first.Add(name, err)
		}
	}
	return first
}

// resolved finds the settings of the run and performs the steps that need no data.
func resolved(m *compile.Model, o Options) (*Prepared, diag.List, error) {
	diags := append(NeedsRows(m), suits(o.Algorithm, m)...)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	s, err := o.Algorithm.Resolve(m.Checked.Transform.Kind, o.Settings)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	s.UnlikeNoise, s.Auxiliary = unlikeNoise(m), o.Auxiliary
	p := &Prepared{Algorithm: o.Algorithm, Settings: s, options: o}
	if err := p.mayTakeFolder(); err != nil {
		return nil, nil, err
	}
	if s.Plan.Minibatch > 0 {
		_, found := suitable.ToSubsample(m.Cuts)
		diags = append(diags, found...)
	}
	return p, diags, nil
}

// unlikeNoise is how many clients have auxiliary variables, where two have different rho; else 0.
func unlikeNoise(m *compile.Model) int {
	of := map[string]bool{}
	for _, k := range m.Cuts.Cuts {
		c, _ := m.Checked.Client(k.Client)
		of[k.Client] = c.Family
	}
	return unlike(of, m.Checked.Transform.RhoOf)
}

// unlike counts clients, each with whether it is a family, where their rho differ. A family counts as three.
func unlike(clients map[string]bool, rho func(string) float64) (n int) {
	values := map[float64]bool{}
	for c, family := range clients {
		values[rho(c)] = true
		if n++; family {
			n += 2
		}
	}
	if len(values) < 2 {
		return 0
	}
	return n
}

// unlikeNoiseOf is unlikeNoise of programs.
func unlikeNoiseOf(m *split.Manifest) int {
	of := map[string]bool{}
	for c := range m.Rho {
		p, _ := m.Party(c)
		of[c] = p.Family != ""
	}
	return unlike(of, func(c string) float64 {
		v, _ := strconv.ParseFloat(m.Rho[c], 64) // a manifest that was read has numbers
		return v
	})
}

// suits reports why an algorithm cannot run on a model. A pooled one has no parties whose variables could be
// maximised over.
func suits(a backends.Algorithm, m *compile.Model) diag.List {
	diags := Unestimated(a, m)
	if a.Gives == backends.Conditional && !m.Pooled() {
		diags = append(diags, suitable.ToMaximise(m.Cuts)...)
	}
	return diags
}

// Unestimated reports weights that an algorithm does not estimate.
func Unestimated(a backends.Algorithm, m *compile.Model) diag.List {
	b := suitable.RefusingBackend{Name: a.Name}
	for _, other := range Backends() {
		if other.Weights == backends.AllWeights {
			b.Others = append(b.Others, other.Name)
		}
	}
	switch a.Weights {
	case backends.NoWeights:
		return suitable.WithoutWeights(m.Checked, b)
	case backends.ServerWeights:
		return suitable.WithoutClientWeights(m.Checked, b)
	}
	return nil
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
