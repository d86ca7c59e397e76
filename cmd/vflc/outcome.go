package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/loo"
	"github.com/vflc/vflc/posterior/zarr"
	"github.com/vflc/vflc/runtime/model"
)

// outcome is everything that a run gives.
type outcome struct {
	document posterior.Document
	record   posterior.Record
	draws    *posterior.Draws
	chains   func(chain int) posterior.CSVInfo // what its file says of each
	closing  string                            // the line below the table
	trace    []posterior.ELBOPoint
	programs map[string][]byte // by file name, the manifest among them
	// responses are the observed data, with their pointwise log likelihood where it was asked for.
	responses []zarr.Observed
}

// outcome summarises a fit.
func (b *bound) outcome(f *fitted, record posterior.Record, s backends.Settings) *outcome {
	record.Draws = f.draws.Len(0)
	o := &outcome{draws: f.draws, trace: f.trace, programs: b.files(), record: record}
	o.document = posterior.Document{
		Schema: posterior.Schema, Model: b.name, Backend: record.Backend, Transform: s.Transform.Name, Rho: record.Rho, Seed: record.Seed,
		ELBO: f.elbo(), Auxiliary: listed(f.draws.Vars),
		Work: posterior.Work{Gradients: f.work.Gradients, Iterations: int64(f.iterations), Rounds: f.work.Rounds, Bytes: f.work.Bytes},
	}
	switch {
	case f.conditional:
		o.summariseConditional(f)
	case f.chains == nil:
		o.summariseFit(f)
	default:
		o.summariseChains(b.plan, f, s)
	}
	return o
}

// record notes all that is needed to repeat a run.
func (b *bound) record(flags *runFlags, a backends.Algorithm, s backends.Settings) (posterior.Record, error) {
	inputs, err := b.inputs()
	if err != nil {
		return posterior.Record{}, err
	}
	here, err := os.Getwd()
	return posterior.Record{
		Schema: posterior.Schema, Version: buildVersion(), Created: time.Now().UTC().Format(time.RFC3339), Command: os.Args, Directory: here,
		Model: posterior.Source{Path: b.source.Name, SHA256: digest([]byte(b.source.Text))}, Data: inputs, Key: b.data.Key,
		Constants: b.constants(flags), Backend: a.Name, Transform: s.Transform.Name, Rho: b.rho(), Seed: flags.seed, Settings: s.All(),
	}, err
}

// summariseFit tells of a variational approximation.
func (o *outcome) summariseFit(f *fitted) {
	converged, d := f.converged(), &o.document
	d.Parameters = posterior.SummariseIndependent(f.draws)
	d.Diagnostics = posterior.Diagnostics{Khat: f.khat(), Converged: &converged, Messages: f.messages()}
	o.closing = fmt.Sprintf("ELBO %s ± %.2g; %d draws", posterior.Limited(float64(d.ELBO.Value), float64(d.ELBO.SE)), float64(d.ELBO.SE), f.draws.Len(0))
	o.chains = func(int) posterior.CSVInfo {
		return posterior.CSVInfo{Model: d.Model, Backend: d.Backend, Iterations: f.iterations, Seconds: float64(d.Timing.TotalS)}
	}
}

// summariseChains tells of Markov chains.
func (o *outcome) summariseChains(plan *model.Plan, f *fitted, s backends.Settings) {
	d := &o.document
	d.Parameters = posterior.SummariseChains(f.draws)
	d.Diagnostics = f.diagnose(d.Parameters, s.Int("max-depth"))
	o.closing = fmt.Sprintf("%d chains of %d draws after %d of warm-up; %d divergent; %.1f leapfrogs a draw",
		f.draws.Chains(), f.draws.Len(0), s.Int("warmup"), *d.Diagnostics.Divergences, f.leapfrogs())
	o.chains = func(chain int) posterior.CSVInfo {
		c := f.chains[chain]
		info := posterior.CSVInfo{
			Model: d.Model, Backend: d.Backend, Iterations: s.Int("warmup"), Seconds: (c.warming + c.drawing).Seconds(),
			MaxDepth: s.Int("max-depth"), StepSize: c.info.Transition.StepSize, WarmupSeconds: c.warming.Seconds(),
		}
		adapted(plan, c.kernel, &info)
		return info
	}
}

// rho is one number, or one per client where they differ, or nil where there are no auxiliary variables.
func (b *bound) rho() any {
	t := b.checked.Transform
	switch {
	case b.pooled():
		return nil
	case len(t.RhoBy) == 0:
		return t.Rho
	}
	by := map[string]float64{}
	for _, c := range b.checked.Clients {
		by[c.Name] = t.RhoOf(c.Name)
	}
	return by
}

// rhoText writes rho as the language does.
func rhoText(rho any) string {
	by, ok := rho.(map[string]float64)
	if !ok {
		return fmt.Sprint(rho)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s: %v", name, by[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// constants are the values of --set.
func (b *bound) constants(flags *runFlags) map[string]float64 {
	options, _ := flags.options() // checked when the model was compiled
	if options.Set == nil {
		return map[string]float64{}
	}
	return maps.Clone(options.Set)
}

// khat is the Pareto shape of the weights that would correct the approximation.
func (f *fitted) khat() posterior.Number {
	return posterior.Number(loo.Smooth(f.ratios, 1).K)
}

func (f *fitted) elbo() posterior.ELBO {
	e := latest(f.info.Fit)
	if e.N == 0 {
		return posterior.ELBO{Value: posterior.NotApplicable(), SE: posterior.NotApplicable()}
	}
	return posterior.ELBO{Value: posterior.Number(e.Value), SE: posterior.Number(e.SE)}
}

// messages say why not to trust the fit; none where there is no reason.
func (f *fitted) messages() []string {
	out := []string{}
	switch d := f.info.Fit.Drift; {
	case f.interrupted:
		out = append(out, fmt.Sprintf("interrupted after %d iterations; the result is the approximation at that moment", f.iterations))
	case d.N == 0:
		out = append(out, "too few iterations to tell whether the fit has converged; give it more by --iterations")
	case !f.info.Fit.Converged:
		out = append(out, fmt.Sprintf("the fit has not converged: the ELBO still rose by %.2g ± %.1g nats in the last half; try more --iterations, or --schedule cosine with a larger --lr", d.Value, d.SE))
	}
	if n := f.info.NonFinite; n > 0 {
		out = append(out, fmt.Sprintf("%d evaluations gave no finite density and were left out", n))
	}
	for k, c := range f.draws.Columns() {
		for _, v := range f.draws.Column(k)[0] {
			if v-v != 0 {
				out = append(out, fmt.Sprintf("draws of %s are not finite", c.Name))
				break
			}
		}
	}
	return out
}

// deliver writes the folder, prints the summary, and says what is wrong with it.
func (o *outcome) deliver(cmd *cobra.Command, flags *runFlags, p *progress) error {
	if flags.dir != "" {
		if err := o.write(flags.dir); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	if flags.asJSON {
		if err := posterior.WriteJSON(out, o.document); err != nil {
			return err
		}
	} else if err := o.print(cmd); err != nil {
		return err
	}
	messages := o.document.Diagnostics.Messages
	for _, m := range messages {
		p.say("warning: %s", m)
	}
	if flags.dir != "" {
		p.say("written to %s", flags.dir)
	}
	if flags.strict && len(messages) > 0 {
		return said(exitUntrusted)
	}
	return nil
}

func (o *outcome) print(cmd *cobra.Command) error {
	out, d := cmd.OutOrStdout(), o.document
	if err := posterior.WriteTable(out, d.Parameters); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s, transform %s", d.Backend, d.Transform)
	if d.Rho != nil {
		fmt.Fprintf(out, "(rho = %s)", rhoText(d.Rho))
	}
	fmt.Fprintf(out, "; %s; %.1f s\n", o.closing, float64(d.Timing.TotalS))
	if d.Note == "" {
		return nil
	}
	_, err := fmt.Fprintln(out, d.Note)
	return err
}
