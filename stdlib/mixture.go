package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// MixtureName is what a model calls a mixture.
const MixtureName = "mixture"

// LogOddsName and BinaryLogOddsName are the distributions of a category, and of 0 and 1, given log odds.
const (
	LogOddsName       = "categorical_logit"
	BinaryLogOddsName = "bernoulli_logit"
)

// Mixture is the mixture of distributions of one support. Its parameters are those of the components in
// order, then the weights: one for each component, or with one weight of two components w and 1 - w. That
// weights sum to 1 is not checked.
func Mixture(components []*def.Dist, weights int) def.Dist {
	m := &mixture{components: components, weights: weights, pool: newPool(len(components))}
	first := components[0]
	out := def.Dist{
		Name: MixtureName, Doc: "A mixture.", Support: first.Support, Discrete: first.Discrete,
		LocationAt: -1, ScaleAt: -1, Lower: first.Lower, Upper: first.Upper,
		LogDensity: m.logDensity, Expand: m.expand, Sample: m.sample,
		Loop: "it has the distribution functions too, and few rows are computed by it",
		Form: &def.Composition{Kind: def.MixtureForm, Of: components},
	}
	for k, c := range components {
		m.from = append(m.from, len(out.Params))
		for _, p := range c.Params {
			p.Name = fmt.Sprintf("%s of component %d", p.Name, k+1)
			out.Params = append(out.Params, p)
		}
		m.carriers = m.carriers || c.Carrier != nil
		if c.Sample == nil {
			out.Sample = nil
		}
	}
	m.weightsAt = len(out.Params)
	for k := range weights {
		out.Params = append(out.Params, def.Param{Name: fmt.Sprintf("weight %d", k+1),
			Doc: "the share of a component", Domain: def.UnitInterval})
	}
	out.LogCDF, out.LogCCDF, out.NoCDF = m.tails(len(out.Params))
	if m.carriers && m.alike() {
		m.carriers = false
		out.Carrier = func(x float64, theta []float64) float64 {
			return first.Carrier(x, theta[:len(first.Params)])
		}
	}
	return out
}

type mixture struct {
	components []*def.Dist
	from       []int // by component, the index of its first parameter
	weights    int
	weightsAt  int
	carriers   bool // inside the sum
	pool       *pool
}

// alike reports whether all components have one carrier, which x alone enters.
func (m *mixture) alike() bool {
	for _, c := range m.components {
		if c.Name != m.components[0].Name || c.Form != nil {
			return false
		}
		for _, p := range c.Params {
			if p.Integral {
				return false
			}
		}
	}
	return true
}

// weight is the share of component k for element i.
func (m *mixture) weight(theta []def.BlockArg, k, i int) float64 {
	if m.weights == 1 {
		w := theta[m.weightsAt].At(i)
		if k == 1 {
			w = 1 - w
		}
		return w
	}
	return theta[m.weightsAt+k].At(i)
}

// tails are the two tails, the weighted sums of those of the components; else the reason why there are none.
func (m *mixture) tails(params int) (below, above func(*def.Batch) float64, reason string) {
	for _, c := range m.components {
		if c.LogCDF == nil {
			return nil, nil, "its component " + c.Name + " has none: " + c.NoCDF
		}
	}
	if params > mostMixed {
		return nil, nil, fmt.Sprintf("its components and weights have %d parameters, and %d is the most",
			params, mostMixed)
	}
	cdf := func(c *def.Dist) func(*def.Batch) float64 { return c.LogCDF }
	ccdf := func(c *def.Dist) func(*def.Batch) float64 { return c.LogCCDF }
	return func(b *def.Batch) float64 {
		return m.sum(b, cdf, false)
	}, func(b *def.Batch) float64 { return m.sum(b, ccdf, false) }, ""
}

func (m *mixture) logDensity(b *def.Batch) float64 {
	return finish(b, m.sum(b, func(c *def.Dist) func(*def.Batch) float64 { return c.LogDensity }, m.carriers))
}

// expand writes the log of the weighted sum by vectors: the logarithm of a weight that is one number is
// computed once.
func (m *mixture) expand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	parts := make([]def.Value, len(m.components))
	for k, c := range m.components {
		part := *c
		if !m.carriers {
			part.Carrier = nil
		}
		parts[k] = b.Add(m.logWeight(b, theta, k),
			b.Elements(part, x, theta[m.from[k]:m.from[k]+len(c.Params)]...))
	}
	b.Sum(b.Call("log_sum_exp", parts...), 1)
	return true
}

func (m *mixture) logWeight(b def.DensityBuilder, theta []def.Value, k int) def.Value {
	w := theta[m.weightsAt]
	if m.weights > 1 {
		w = theta[m.weightsAt+k]
		b.Most(w, b.Number(1))
		return b.Func("log", w)
	}
	odds, known := b.Argument("inv_logit", w)
	switch { // a share that rounds to 0 or 1 has a logarithm by its odds
	case known && k == 0:
		return b.Func("log_inv_logit", odds)
	case known:
		return b.Func("log1m_inv_logit", odds)
	case k == 0:
		return b.Func("log", w)
	}
	return b.Func("log1m", w)
}

// sum is the log of the weighted sum of one function of each component, of that and its carrier where
// carriers are inside the sum.
func (m *mixture) sum(b *def.Batch, of func(*def.Dist) func(*def.Batch) float64, carriers bool) float64 {
	w := m.pool.take()
	defer m.pool.Put(w)
	partials := b.DX != nil || b.DTheta != nil
	for k, c := range m.components {
		theta := b.Theta[m.from[k] : m.from[k]+len(c.Params)]
		w.parts[k].run(of(c), b.N, b.X, theta, partials)
		if carriers && c.Carrier != nil {
			w.carrier(c, &w.parts[k], b, theta)
		}
	}
	sum := 0.0
	for i := range b.N {
		lp := m.element(w, b, i)
		set(b.LP, i, lp)
		sum += lp
		if partials {
			m.partials(w, b, i, lp)
		}
	}
	return sum
}

// carrier adds a component's carrier to its log density.
func (w *workspace) carrier(c *def.Dist, p *panel, b *def.Batch, theta []def.BlockArg) {
	for i := range b.N {
		w.point = w.point[:0]
		for _, a := range theta {
			w.point = append(w.point, a.At(i))
		}
		p.block.LP[i] += c.Carrier(b.X.At(i), w.point)
	}
}

// element is log Σ weight·density of element i, NaN where a weight is none.
func (m *mixture) element(w *workspace, b *def.Batch, i int) float64 {
	most, total := math.Inf(-1), 0.0
	for k := range m.components {
		share := m.weight(b.Theta, k, i)
		if !(share >= 0 && share <= 1) {
			return math.NaN()
		}
		if share > 0 {
			most = max(most, portable.Log(share)+w.parts[k].block.LP[i])
		}
	}
	if math.IsInf(most, -1) {
		return most
	}
	for k := range m.components {
		if share := m.weight(b.Theta, k, i); share > 0 {
			total += portable.Exp(portable.Log(share) + w.parts[k].block.LP[i] - most)
		}
	}
	return most + portable.Log(total)
}

func (m *mixture) partials(w *workspace, b *def.Batch, i int, lp float64) {
	dx := 0.0
	for k := range m.components {
		p := &w.parts[k].block
		density := portable.Exp(p.LP[i] - lp) // relative to that of the mixture
		if math.IsInf(lp, -1) {
			density = 0
		}
		r := times(m.weight(b.Theta, k, i), density)
		dx += times(r, p.DX[i])
		for j, d := range p.DTheta {
			set(output(b, m.from[k]+j), i, times(r, d[i]))
		}
		switch {
		case m.weights > 1:
			set(output(b, m.weightsAt+k), i, density)
		case k == 0:
			set(output(b, m.weightsAt), i, density)
		default:
			if d := output(b, m.weightsAt); d != nil {
				d[i] -= density
			}
		}
	}
	set(b.DX, i, dx)
}

// sample draws a component, then a value of it.
func (m *mixture) sample(r *rand.Rand, theta []float64) float64 {
	u := r.Float64()
	for k, c := range m.components {
		share := theta[m.weightsAt]
		switch {
		case m.weights > 1:
			share = theta[m.weightsAt+k]
		case k == 1:
			share = 1 - share
		}
		if math.IsNaN(share) {
			return math.NaN()
		}
		if u -= share; u < 0 || k == len(m.components)-1 {
			return c.Sample(r, theta[m.from[k]:m.from[k]+len(c.Params)])
		}
	}
	return math.NaN()
}
