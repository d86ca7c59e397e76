package noise

import (
	"context"
	"math"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/transforms"
)

// Scale is the unit of ρ√J in which a grid suits a model: half the standard deviation that a row leaves to
// its predictor, and at most 1. It is 1 for a logit likelihood, and half the residual standard deviation of a
// normal one, which a pilot fit of the model without noise finds.
func Scale(ctx context.Context, m *compile.Model, sources data.Sources, o fit.Options) (float64, diag.List,
	error) {
	o.Settings, o.Progress, o.Dir, o.LogLik, o.Auxiliary = Pilot(o.Algorithm, nil), nil, "", false, false
	noisy, diags, err := fit.Open(m, sources, o)
	if err != nil || diags.HasErrors() {
		return 0, diags, err
	}
	exact, diags := m.WithTransform(transforms.Exact)
	if diags.HasErrors() {
		return 1, nil, nil // a model that has no such form
	}
	p, diags, err := fit.Open(exact, sources, o)
	if err != nil || diags.HasErrors() {
		return 0, diags, err
	}
	r, err := p.Sample(ctx, ctx.Done())
	if err != nil {
		return 0, nil, err
	}
	width, ok := noisy.Width(r.Draws)
	if !ok {
		return 1, nil, nil
	}
	return min(1, rounded(width/2)), nil, nil
}

// rounded is a number to two digits.
func rounded(v float64) float64 {
	unit := portable.Pow(10, math.Floor(portable.Log10(v))-1)
	return math.Round(v/unit) * unit
}

func scaled(sds []float64, by float64) []float64 {
	for k := range sds {
		sds[k] *= by
	}
	return sds
}

// ScaledSDs are DefaultSDs in units of Scale.
func ScaledSDs(ctx context.Context, m *compile.Model, sources data.Sources, o fit.Options) ([]float64,
	diag.List, error) {
	scale, diags, err := Scale(ctx, m, sources, o)
	return scaled(DefaultSDs(), scale), diags, err
}
