package report

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// kindsOfPlots lists the kinds of plots of the page, as vflc plot names them, in their order. A kind that a
// run cannot have is left out.
func kindsOfPlots() []string { return []string{"forest", "trace", "rank", "density", "energy", "elbo"} }

// joint is the kind that shows where divergent transitions lie.
const joint = "pairs"

// showing lists for a check the kinds of plots in which what it finds is seen.
var showing = map[string][]string{
	"divergences": {joint}, "rhat": {"rank", "trace"}, "ess_bulk": {"trace"}, "ess_tail": {"trace"},
	"ebfmi": {"energy"}, "converged": {"elbo"},
}

// inOrder lists the kinds of plots of a run with these findings: first those that show what was found.
func inOrder(found []posterior.Finding) (out []string) {
	add := func(kinds ...string) {
		for _, kind := range kinds {
			if !slices.Contains(out, kind) {
				out = append(out, kind)
			}
		}
	}
	for _, f := range found {
		add(showing[f.Check]...)
	}
	add(kindsOfPlots()...)
	return out
}

// A plotsSection holds the plots.
type plotsSection struct{ Figures []figure }

// A figure is a plot as SVG, which package plot has escaped, with its description.
type figure struct {
	Kind, Doc string
	SVG       markup
	Narrow    markup // the same for the width of a telephone
}

// telephone is the width of a plot on a telephone, in pixels.
const telephone = 360

func (r *Report) plots() (any, error) {
	trace, err := r.run.ELBO()
	if err != nil {
		return nil, err
	}
	run := plot.RunView{Name: r.run.Name(), Draws: r.run.Draws, ELBO: trace, First: r.worth()}
	var out plotsSection
	for _, kind := range inOrder(fit.Diagnose(r.run)) {
		f, err := drawn(kind, run)
		var unfit *cannotError
		switch {
		case errors.As(err, &unfit):
			continue // independent draws have no ranks or energies, Markov chains no ELBO
		case err != nil:
			return nil, err
		}
		out.Figures = append(out.Figures, f)
	}
	if out.Figures == nil {
		return nil, errors.New("no plot can be drawn of these draws")
	}
	return out, nil
}

// A cannotError reports that a run has no plot of some kind.
type cannotError struct{ error }

// drawn is a plot of a run.
func drawn(kind string, run plot.RunView) (figure, error) {
	f, err := plot.Make(kind, []plot.RunView{run}, nil)
	if err != nil {
		return figure{}, &cannotError{err}
	}
	var b, narrow bytes.Buffer
	if err := f.SVG(&b, 0, 0); err != nil {
		return figure{}, err
	}
	if err := f.Narrow().SVG(&narrow, telephone, 0); err != nil {
		return figure{}, err
	}
	return figure{kind, docOf(kind), markup(b.String()), markup(narrow.String())}, nil
}

// diverged reports whether a transition diverged.
func diverged(d *posterior.Draws) bool {
	return slices.ContainsFunc(d.Transitions, func(chain []posterior.Transition) bool {
		return slices.ContainsFunc(chain, func(t posterior.Transition) bool { return t.Divergent })
	})
}

// docOf is the description of a kind of plot.
func docOf(kind string) string {
	kinds := plot.Kinds()
	return kinds[slices.IndexFunc(kinds, func(k plot.Kind) bool { return k.Name == kind })].Doc
}

// shownFirst is how many parameters of each kind that is worth a look are shown first.
const shownFirst = 3

// worth lists the parameters that are worth a look, where there are findings: those that findings name, those
// that divergent transitions set apart, those whose chains agree least, and the others by their effective
// draws.
func (r *Report) worth() (out []string) {
	take := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	found := fit.Diagnose(r.run)
	if len(found) == 0 {
		return nil
	}
	for _, f := range found {
		take(cmp.Or(f.Label, f.Parameter))
	}
	d := r.run.Draws
	rows, apart := posterior.Summarise(d), atDivergences(d)
	most := func(n int, badness func(k int) float64) {
		var order []int
		for k := range rows {
			if badness(k) > 0 {
				order = append(order, k)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(badness(b), badness(a)) })
		for _, k := range order[:min(len(order), n)] {
			take(d.Columns()[k].Shown())
		}
	}
	most(shownFirst, func(k int) float64 { return apart[k] })
	most(shownFirst, func(k int) float64 { return float64(rows[k].RHat) - 1 })
	most(len(rows), func(k int) float64 { return 1 / float64(rows[k].ESSBulk) })
	return out
}

// atDivergences is by column how far the draws of divergent transitions lie from the middle of all, as their
// mean rank on a scale from 0 to 1; 0 where there are none. Ranks find also where a scale is near 0, as in a
// funnel, which standard deviations of a long-tailed posterior do not.
func atDivergences(d *posterior.Draws) []float64 {
	out := make([]float64, len(d.Columns()))
	if !diverged(d) {
		return out
	}
	for k := range out {
		all := slices.Concat(d.Column(k)...)
		slices.Sort(all)
		sum, n := 0.0, 0
		for c, chain := range d.Transitions {
			for i, t := range chain {
				if t.Divergent {
					below, _ := slices.BinarySearch(all, d.Column(k)[c][i])
					sum += float64(below) / float64(len(all))
					n++
				}
			}
		}
		out[k] = math.Abs(2*sum/float64(n) - 1)
	}
	return out
}
