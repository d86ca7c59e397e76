package repl

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// priorDraws is the number of draws of :prior.
const priorDraws = 1000

func priorCommand() command {
	return command{name: "prior", args: "EXPR",
		doc: "summarise an expression at draws of the parameters from their priors", values: (*Session).scope,
		run: func(s *Session, ctx context.Context, args string) error {
			if args == "" {
				return usagef(":prior needs an expression, as :prior exp(b)")
			}
			if err := s.needModel(); err != nil {
				return err
			}
			q, err := s.inquirePresent(args)
			if err != nil {
				return err
			}
			d, err := fit.PriorQuantities(ctx, q.model, q.vars, priorDraws, 1)
			if err != nil {
				return err
			}
			return s.priorAnswer(d, args)
		}}
}

// shownElements is the largest number of elements that :prior answers one by one.
const shownElements = 12

// priorAnswer answers with a row per element, or for many with one row over all elements and draws.
func (s *Session) priorAnswer(d *posterior.Draws, text string) error {
	pooled := pooledPrior(d, text)
	if len(d.Columns()) <= shownElements {
		return s.table("prior", nil, posterior.Summarise(d), false, shares(pooled))
	}
	n := len(d.Columns())
	return s.reply("prior", map[string]any{"elements": n, "parameters": posterior.Summarise(pooled)},
		func(w io.Writer) error {
			if err := posterior.WriteTableWithin(w, posterior.Summarise(pooled), s.Width()); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w, "over %d elements at %d draws of the priors\n%s", n, d.Len(0),
				shares(pooled))
			return err
		})
}

// pooledPrior puts the elements of a quantity into one column. Its standard error is that of independent
// draws, each of which gives all elements.
func pooledPrior(d *posterior.Draws, text string) *posterior.Draws {
	out := posterior.NewDraws([]posterior.Variable{{Name: text, Owner: d.Vars[0].Owner}}, 1, 0)
	for k := range d.Columns() {
		for _, v := range d.Column(k)[0] {
			out.Append(0, []float64{v})
		}
	}
	return out
}

// extreme is the distance from 0 and 1 of probabilities that are nearly certain, and farOut the size of a
// predictor whose probability is.
const (
	extreme = 0.01
	farOut  = 5
)

// shares says how much of the prior lies where nothing is learnt: near 0 and 1 for what lies between them,
// far from 0 for what may be a predictor.
func shares(d *posterior.Draws) string {
	v := d.Column(0)[0]
	unit, below, above, far := true, 0.0, 0.0, 0.0
	for _, x := range v {
		unit = unit && x >= 0 && x <= 1
		if x < extreme {
			below++
		}
		if x > 1-extreme {
			above++
		}
		if math.Abs(x) > farOut {
			far++
		}
	}
	n := float64(len(v))
	if unit {
		return fmt.Sprintf("%.2g %% below %g, %.2g %% beyond %g\n", 100*below/n, extreme, 100*above/n,
			1-extreme)
	}
	return fmt.Sprintf("%.2g %% beyond %d in size\n", 100*far/n, farOut)
}
