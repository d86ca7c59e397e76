package report

import (
	"bytes"
	"errors"
	"html/template"
	"slices"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// kindsOfPlots lists the kinds of plots of the page, as vflc plot names them, in their order. A kind that a run cannot have is left out.
func kindsOfPlots() []string { return []string{"forest", "trace", "rank", "density", "energy", "elbo"} }

// joint is the kind that shows where divergent transitions lie, for runs that have any.
const joint = "pairs"

// A plotsSection holds the plots.
type plotsSection struct{ Figures []figure }

// A figure is a plot as SVG, which package plot has escaped, with its description.
type figure struct {
	Kind, Doc string
	SVG       template.HTML
	Narrow    template.HTML // the same for the width of a telephone; "": there is none, and the plot scrolls
}

// telephone is the width of a plot on a telephone, in pixels.
const telephone = 360

func (r *Report) plots() (any, error) {
	trace, err := r.run.ELBO()
	if err != nil {
		return nil, err
	}
	run := plot.Run{Name: r.run.Name(), Draws: r.run.Draws, ELBO: trace}
	kinds := kindsOfPlots()
	if diverged(r.run.Draws) {
		kinds = append(kinds, joint)
	}
	var out plotsSection
	for _, kind := range kinds {
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
func drawn(kind string, run plot.Run) (figure, error) {
	f, err := plot.Make(kind, []plot.Run{run}, nil)
	if err != nil {
		return figure{}, &cannotError{err}
	}
	var b, narrow bytes.Buffer
	if err := f.SVG(&b, 0, 0); err != nil {
		return figure{}, err
	}
	if f.Across() == 1 {
		if err := f.SVG(&narrow, telephone, 0); err != nil {
			return figure{}, err
		}
	}
	return figure{kind, docOf(kind), template.HTML(b.String()), template.HTML(narrow.String())}, nil
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
