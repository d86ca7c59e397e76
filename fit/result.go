package fit

import (
	"fmt"
	"github.com/vflc/vflc/compile/check"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// A Result is the outcome of a run.
type Result struct {
	Draws    *posterior.Draws
	Document posterior.SummaryDocument // what summary.json holds
	Record   posterior.Record          // what run.json holds
	// Responses are the observed data, with their pointwise log likelihood if Options.LogLik is set.
	Responses []export.Observed
	dir       string                            // the folder of the run; "": none
	findings  []posterior.Finding               // the reasons not to trust it
	chains    func(chain int) posterior.CSVInfo // the comments in the file of each chain
	closing   string                            // the line below the table
	trace     []posterior.ELBOPoint
	programs  func() map[string][]byte // by file name, with the manifest
	model     string                   // its text
	modules   []check.Module
	inits     []initsFile
	kernels   []*chain                // what the checkpoint of the folder holds
	parties   []posterior.PartyRecord // what belongs to each party alone
	apart     bool                    // the other parties are in other processes
}

// ELBO returns the trace of the evidence lower bound of a variational fit; nil of other runs.
func (r *Result) ELBO() []posterior.ELBOPoint { return r.trace }

// Summary returns a row for every scalar parameter.
func (r *Result) Summary() []posterior.SummaryRow { return r.Document.Parameters }

// files are the programs of the run by file name, with the manifest of what crossed in it. Those of a party
// apart are the ones that it was given.
func (p *Prepared) files() map[string][]byte {
	if p.apart == nil {
		if err := Declare(p.Model, p.Algorithm, p.Given()); err != nil {
			panic("fit: the settings of a run that has ended do not fit: " + err.Error())
		}
	}
	return p.Files()
}

// transform is what the rows were used under.
func (p *Prepared) transform() string {
	if p.Released != nil {
		return stdlib.Private.Name
	}
	return p.Settings.Transform.Name
}

// result summarises a fit.
func (p *Prepared) result(f *fitted) *Result {
	r := &Result{Draws: f.draws, Record: p.Record, dir: p.options.Dir, trace: f.trace, programs: p.files,
		model: p.Source.Text, modules: p.Modules(), inits: p.inits, kernels: f.kernels, parties: p.parties,
		apart: p.apart != nil}
	r.Record.Draws, r.Record.Complete = f.draws.Len(0), !f.interrupted
	if p.journal != nil {
		r.Record.Journal = p.journal.Digest()
	}
	r.Document = posterior.SummaryDocument{
		Schema: posterior.Schema, Model: p.Name, Backend: r.Record.Backend, Transform: p.transform(),
		Rho: r.Record.Rho, Seed: r.Record.Seed,
		ELBO: f.elbo(), Restarts: f.restarts, Auxiliary: listed(f.draws.Vars),
		Work: f.work,
	}
	r.Document.Evidence = f.evidence()
	r.Document.Work.Iterations = int64(f.iterations)
	r.Document.Sooner = p.soonerThan(f.work.Sequential)
	switch {
	case p.prior != nil:
		r.summarisePrior(f)
	case p.Algorithm.Gives == backends.Conditional:
		r.summariseConditional(f)
	case p.Algorithm.Gives == backends.Approximation:
		r.summariseFit(f)
	default:
		r.summariseChains(p.Plan, f, p.Settings.Plan, p.Algorithm.Spanning)
	}
	if p.Algorithm.Gives != backends.Conditional { // a forecast is of the posterior, which a maximum is not
		r.Document.Forecasts = p.forecasts(f.draws)
		moves, found := p.moves(f.draws, r.Document.Parameters, r.Document.Forecasts)
		r.Document.Moves, r.Document.Diagnostics.Noted = moves, append(r.Document.Diagnostics.Noted, found...)
	}
	r.Document.Deployment = p.deployment()
	r.findings = findings(r.Draws, r.Document.Parameters, &r.Document, &r.Record)
	r.Document.Diagnostics.Messages = Messages(r.findings)
	return r
}

// WriteTable writes the summary as a text table, and below it the algorithm, the transform and the time.
func (r *Result) WriteTable(w io.Writer) error { return r.WriteTableWithin(w, 0) }

// WriteTableWithin is WriteTable for a terminal of some columns, where long names are cut; 0: no limit.
func (r *Result) WriteTableWithin(w io.Writer, width int) error {
	d := r.Document
	rows, folds := posterior.Folded(d.Parameters)
	if err := posterior.WriteTableWithin(w, rows, width); err != nil {
		return err
	}
	shows := "a run with -o DIR keeps them: vflc summary DIR %s"
	if r.dir != "" {
		shows = "vflc summary " + r.dir + " %s shows them"
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", posterior.FoldText(folds, shows), r.Footer())
	return err
}

// Footer is what stands below the table: the algorithm, the transform, what was run and the time, and what
// the rows are where they need a note.
func (r *Result) Footer() string {
	d := r.Document
	text := fmt.Sprintf("%s, transform %s", d.Backend, d.Transform)
	if d.Rho != nil {
		text += fmt.Sprintf("(rho = %s)", rhoText(d.Rho))
	}
	text += fmt.Sprintf("; %s; %.1f s\n", r.closing, float64(d.Timing.TotalS))
	text += forecastLines(d.Forecasts)
	if m := d.Moves; m != nil && slices.ContainsFunc(d.Forecasts, func(f posterior.Forecast) bool {
		return f.Reason != ""
	}) {
		text += fmt.Sprintf("By the draws, noise moves no mean by more than %.2g standard deviations, and "+
			"no standard deviation by more than %.2g %%.\n", float64(m.Means), 100*float64(m.SDs))
	}
	uncorrected := ""
	if why := d.Diagnostics.Uncorrected; why != "" {
		uncorrected = "The draws are those of the approximation, not corrected: " + why + "."
	}
	for _, line := range []string{d.Note, uncorrected, d.Deployment} {
		if line != "" {
			text += line + "\n"
		}
	}
	return strings.TrimRight(text, "\n")
}

// deployment says where cuts crossed without noise, and whether masked.
func (p *Prepared) deployment() string {
	if p.rows != nil {
		return p.rows.Reckoning().By(p.Plan.Names)
	}
	if !p.Settings.Transform.CutsCross() || len(p.Manifest.Cuts) == 0 {
		return ""
	}
	var singly []string
	for _, g := range p.Manifest.Groups {
		if !p.Manifest.Maskable(g) {
			singly = append(singly, g.Cuts...)
		}
	}
	text := "The clients' cuts crossed without noise. "
	switch {
	case len(singly) == len(p.Manifest.Cuts):
	case p.Plan.Wire.Masked:
		text += "They were masked in sums over two or more clients, which is no protection of rows. "
	}
	if len(singly) > 0 {
		text += fmt.Sprintf("What is needed singly cannot be masked: %s. ", strings.Join(singly, ", "))
	}
	return text + "vflc audit says who can compute what."
}

// rhoText writes rho as in a model.
func rhoText(rho any) string {
	if by, several := rho.(map[string]float64); several {
		return compile.RhoText(by)
	}
	return fmt.Sprintf("%.4g", rho)
}

// summariseFit summarises a variational approximation.
func (r *Result) summariseFit(f *fitted) {
	converged, d := f.converged(), &r.Document
	d.Parameters = f.summary()
	d.Diagnostics = posterior.Diagnostics{Khat: f.khat(), Moved: f.moved(), Weighed: f.info.Fit.Weighed,
		Corrected: f.corrected != nil, Uncorrected: f.uncorrected, Converged: &converged,
		Validated: f.info.Fit.BestAt > 0, Noted: f.noted(adviceOn(d.Parameters, &r.Record))}
	r.closing = f.closing(d.ELBO)
	if d.Note = pointNote(f.draws.Vars); f.held != "" {
		d.Note = heldNote(d.Parameters)
	}
	r.chains = func(int) posterior.CSVInfo {
		return posterior.CSVInfo{Model: d.Model, Backend: d.Backend, Iterations: f.iterations,
			Seconds: float64(d.Timing.TotalS)}
	}
}

// heldNote says which parameters are held at a mode: those whose draws are all the same.
func heldNote(rows []posterior.SummaryRow) string {
	var held []string
	for _, r := range rows {
		if base := indices.ReplaceAllString(r.Name, ""); r.SD == 0 && !r.Generated &&
			!slices.Contains(held, base) {
			held = append(held, base)
		}
	}
	return strings.Join(held, ", ") +
		": at the mode, without uncertainty, which the spread of the other parameters does not include."
}

// pointNote says which parameters are points, "" where none is.
func pointNote(vars []posterior.Variable) string {
	var points []string
	for _, v := range vars {
		if v.Point {
			points = append(points, v.Name)
		}
	}
	switch len(points) {
	case 0:
		return ""
	case 1:
		return points[0] +
			" is a weight: a point estimate without uncertainty, which the spread of the other " +
			"parameters does not include."
	}
	return strings.Join(points, ", ") +
		" are weights: point estimates without uncertainty, which the spread of the other " +
		"parameters does not include."
}

// summariseChains summarises Markov chains.
func (r *Result) summariseChains(plan *model.Plan, f *fitted, s backends.Workload, spanning string) {
	d := &r.Document
	d.Parameters = posterior.SummariseChains(f.draws)
	if len(plan.Parties) == 1 {
		spanning = "" // there is nobody whose parameters others could follow
	}
	d.Diagnostics = f.diagnose(s.MaxDepth, spanning)
	r.closing = fmt.Sprintf("%s of %d draws after %d of warm-up; %d divergent",
		grouped.Count(f.draws.Chains(), "chain"), f.draws.Len(0), s.Warmup, *d.Diagnostics.Divergences)
	if n := f.leapfrogs(); n > 0 {
		r.closing += fmt.Sprintf("; %.1f leapfrogs per draw", n)
	}
	if n := f.draws.Superchains; n > 0 {
		r.closing += fmt.Sprintf("; R-hat is nested over %s; %s one after another",
			grouped.Count(n, "starting point"), grouped.Count(f.work.Sequential, "round trip"))
	}
	r.chains = func(chain int) posterior.CSVInfo {
		c := f.chains[chain]
		info := posterior.CSVInfo{
			Model: d.Model, Backend: d.Backend, Iterations: s.Warmup,
			Seconds:  (c.warming + c.drawing).Seconds(),
			MaxDepth: s.MaxDepth, StepSize: c.info.Transition.StepSize, WarmupSeconds: c.warming.Seconds(),
		}
		adapted(plan, c.kernel, &info)
		return info
	}
}
