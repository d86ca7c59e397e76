package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// An Implied is what the priors of a model say of a response before there are data.
type Implied struct {
	Response string
	// Of says of what the quantiles are: probabilities and expectations of all rows at draws from the priors,
	// or values of the response where no expectation is written.
	Of        string
	Quantiles []float64 // at ImpliedAt
	Values    []float64 // sorted, of all rows and draws
	// the least and the largest observation
	Least, Most float64
}

// ImpliedAt are the probabilities of the quantiles of an Implied.
func ImpliedAt() []float64 { return []float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99} }

// Where priors are said to imply what no data look like.
const (
	piledAt    = 0.01 // a probability this near to 0 or 1 is piled up there,
	piledShare = 0.5  // if so many are
	farTimes   = 100  // an expectation is far if it is so many times as large as any observation,
	farShare   = 0.1  // if so many are
)

// ImpliedBy draws parameters from the priors of a model that has its data, and computes what they imply for
// its responses. The diagnostics warn of what no data look like.
func ImpliedBy(ctx context.Context, b *compile.BoundModel, sources data.Sources, draws int,
	seed uint64) ([]Implied, diag.List, error) {
	prior, diags, err := ReplicatePrior(ctx, b, draws, seed)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	p, diags, err := PredictBound(ctx, b, prior.Draws, PredictionRequest{Sources: sources, Seed: seed,
		Scored: true, Expectations: true})
	var out []Implied
	switch {
	case diags.HasErrors():
		return nil, diags, err
	case err != nil: // as where a response enters its own predictor: replicates say what expectations would
		for _, y := range prior.Responses {
			var values []float64
			for _, chains := range y.Replicates {
				values = append(values, slices.Concat(chains...)...)
			}
			out = append(out, impliedOf(y.Name, "values", values, y.Values))
		}
	default:
		for k := range p.Responses {
			r := &p.Responses[k]
			of, _ := p.Model.ResponseOf(r.Name)
			name := r.Name[:strings.LastIndex(r.Name, ".")+1] + of.Data
			switch {
			case r.Expected == nil:
				out = append(out, impliedOf(name, "values", slices.Concat(r.Draws...), r.Observed))
			case of.Binary || r.Level:
				out = append(out, impliedOf(name, ofProbabilities, slices.Concat(r.Expected...), r.Observed))
			default:
				out = append(out, impliedOf(name, "expectations", slices.Concat(r.Expected...), r.Observed))
			}
		}
	}
	for k := range out {
		out[k].warn(b, &diags)
	}
	return out, diags, nil
}

// ofProbabilities says that an Implied is of probabilities.
const ofProbabilities = "probabilities"

func impliedOf(name, of string, values, observed []float64) Implied {
	p := Implied{Response: name, Of: of, Values: values}
	slices.Sort(p.Values)
	for _, at := range ImpliedAt() {
		p.Quantiles = append(p.Quantiles, posterior.Quantile(p.Values, at))
	}
	if len(observed) > 0 {
		p.Least, p.Most = slices.Min(observed), slices.Max(observed)
	}
	return p
}

// warn says what no data look like.
func (p *Implied) warn(b *compile.BoundModel, diags *diag.List) {
	trouble := p.trouble()
	if trouble == "" {
		return
	}
	var at source.Span
	if s := b.Checked.Symbols[p.Response[strings.LastIndex(p.Response, ".")+1:]]; s != nil {
		at = s.Ident.Span()
	}
	out := "narrower priors of coefficients, such as normal(0, 1) of columns that zscore standardises, and one " +
		"of the intercept on the scale of the predictor"
	if strings.HasPrefix(trouble, "all") {
		out = "priors of another location, or wider ones, hold the data possible"
	}
	diags.Warnf(diag.AbsurdPrior, b.Checked.File.Source, at, "%s", trouble).Note("%s", out)
}

// share is that of the values for which a condition holds.
func (p *Implied) share(is func(v float64) bool) float64 {
	n := 0.0
	for _, v := range p.Values {
		if is(v) {
			n++
		}
	}
	return n / float64(len(p.Values))
}

// trouble says what no data look like in what the priors imply; "" where there is nothing.
func (p *Implied) trouble() string {
	if p.Of == ofProbabilities {
		piled := p.share(func(v float64) bool { return v < piledAt || v > 1-piledAt })
		if !(piled > piledShare) {
			return ""
		}
		return fmt.Sprintf("%.0f %% of the probabilities of %s that the priors imply lie below %g or above %g: before "+
			"there are data, the model is nearly certain of most rows", 100*piled, p.Response, piledAt, 1-piledAt)
	}
	far := farTimes * max(p.Most-p.Least, math.Abs(p.Least), math.Abs(p.Most))
	away := p.share(func(v float64) bool { return !(math.Abs(v) <= far) })
	switch {
	case away > farShare:
		return fmt.Sprintf("%.0f %% of the %s of %s that the priors imply are more than %d times as large as any "+
			"observation", 100*away, p.Of, p.Response, farTimes)
	case p.Most < p.Quantiles[0] || p.Least > p.Quantiles[len(p.Quantiles)-1]:
		return "all observations of " + p.Response + " lie outside the middle 98 % of the " + p.Of +
			" that the priors imply"
	}
	return ""
}
