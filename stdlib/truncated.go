package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Truncated is a distribution given that the value lies between ends, which belong to it: its density divided
// by the probability of what lies between. The parameters are those of d, which must have distribution
// functions, then the ends that there are. Ends of whole numbers are data.
func Truncated(d *def.Dist, lower, upper bool) def.Dist {
	t := &truncated{Dist: d, lowerAt: -1, upperAt: -1, pool: newPool(1)}
	out := *d
	out.Name, out.Doc = "truncated "+d.Name, "A truncated distribution."
	out.LocationAt, out.ScaleAt, out.OfLog, out.Link, out.Predicted = -1, -1, nil, def.Link{}, nil
	out.Params = append([]def.Param(nil), d.Params...)
	end := def.Param{Domain: def.RealLine, NoNoise: true, Integral: d.Discrete}
	if d.Discrete {
		end.Domain = def.Naturals
	}
	if lower {
		t.lowerAt, end.Name, end.Doc = len(out.Params), def.LowerEnd, "the least value"
		out.Params, out.Lower = append(out.Params, end), def.End{}
	}
	if upper {
		t.upperAt, end.Name, end.Doc = len(out.Params), def.UpperEnd, "the greatest value"
		out.Params, out.Upper = append(out.Params, end), def.End{}
	}
	out.Expand, out.Elements, out.Grouped, out.Rows = t.expand, nil, nil, def.NoRows
	out.Slow, out.Between = d.SlowTails, nil
	out.LogDensity = t.logDensity
	out.LogCDF = func(b *def.Batch) float64 { return t.tail(b, false) }
	out.LogCCDF = func(b *def.Batch) float64 { return t.tail(b, true) }
	if d.Carrier != nil {
		out.Carrier = func(x float64, theta []float64) float64 { return d.Carrier(x, theta[:len(d.Params)]) }
	}
	if d.Sample != nil {
		out.Sample = t.sample
	}
	out.Narrow = t.narrow
	out.Sums = false
	out.Form = &def.Composition{Kind: def.TruncatedForm, Of: []*def.Dist{d}}
	return out
}

type truncated struct {
	*def.Dist
	lowerAt, upperAt int // indices of the ends among the parameters, -1 for none
	pool             *pool
}

// narrow puts the ends inside those of the support.
func (t *truncated) narrow(theta []float64, lower, upper float64) (float64, float64) {
	if t.Dist.Narrow != nil {
		lower, upper = t.Dist.Narrow(theta, lower, upper)
	}
	if t.lowerAt >= 0 {
		lower = math.Max(lower, theta[t.lowerAt])
	}
	if t.upperAt >= 0 {
		upper = math.Min(upper, theta[t.upperAt])
	}
	return lower, upper
}

// ends are the ends for element i, infinite where there is none.
func (t *truncated) ends(theta []def.BlockArg, i int) (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if t.lowerAt >= 0 {
		lower = theta[t.lowerAt].At(i)
	}
	if t.upperAt >= 0 {
		upper = theta[t.upperAt].At(i)
	}
	return lower, upper
}

// expand writes the density of d and the probability of what lies between the ends.
func (t *truncated) expand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if t.Atoms != nil { // see censored.expand
		return false
	}
	n := len(t.Params)
	least, most, fixed := t.FixedBounds()
	lower, upper := def.None, def.None
	if t.lowerAt >= 0 {
		if v, known := b.Const(theta[t.lowerAt]); !known || !fixed || v > least {
			lower = beyond(t.Dist, b, theta[t.lowerAt])
		}
	}
	if t.upperAt >= 0 {
		if v, known := b.Const(theta[t.upperAt]); !known || !fixed || v < most {
			upper = theta[t.upperAt]
		}
	}
	if lower != def.None || upper != def.None {
		p, ok := b.Probability(t.Dist, lower, upper, theta[:n]...)
		if !ok {
			return false
		}
		b.Sum(p, -1)
	}
	if lower != def.None {
		b.Least(x, theta[t.lowerAt])
	}
	if upper != def.None {
		b.Most(x, upper)
	}
	bare := *t.Dist
	bare.Carrier = nil
	b.Density(bare, x, theta[:n]...)
	return true
}

// open is the greatest value below a lower end that counts as outside: intervals of between do not hold their
// lower end. Of an atom of a continuous distribution it is the number before it.
func open(d *def.Dist, lower float64) float64 {
	if d.Discrete {
		return lower - 1
	}
	if slices.Contains(d.Atoms, lower) {
		return math.Nextafter(lower, math.Inf(-1))
	}
	return lower
}

func sameForAll(theta []def.BlockArg) bool {
	for _, a := range theta {
		if a.Step != 0 {
			return false
		}
	}
	return true
}

func (t *truncated) logDensity(b *def.Batch) float64 {
	w := t.pool.take()
	defer t.pool.Put(w)
	n := len(t.Params)
	base := &w.parts[0]
	base.run(t.Dist.LogDensity, b.N, b.X, b.Theta[:n], b.DX != nil || b.DTheta != nil)
	once := sameForAll(b.Theta)
	var z span
	sum := 0.0
	for i := range b.N {
		lower, upper := t.ends(b.Theta, i)
		if i == 0 || !once {
			z = w.between(t.Dist, b.Theta[:n], i, open(t.Dist, lower), upper)
		}
		lp := base.block.LP[i] - z.lp
		if x := b.X.At(i); !(lower <= x && x <= upper) {
			lp = math.NaN()
		}
		set(b.LP, i, lp)
		sum += lp
		if base.block.DX == nil {
			continue
		}
		set(b.DX, i, base.block.DX[i])
		for k, d := range base.block.DTheta {
			set(output(b, k), i, d[i]-z.dtheta[k])
		}
		t.setEnds(b, i, -z.dlower, -z.dupper)
	}
	return finish(b, sum)
}

// setEnds stores the partials in the ends, which are 0 where they are data.
func (t *truncated) setEnds(b *def.Batch, i int, lower, upper float64) {
	if t.Dist.Discrete {
		lower, upper = 0, 0
	}
	if t.lowerAt >= 0 {
		set(output(b, t.lowerAt), i, lower)
	}
	if t.upperAt >= 0 {
		set(output(b, t.upperAt), i, upper)
	}
}

// tail is the log probability of what lies between an end and x, given what lies between the ends.
func (t *truncated) tail(b *def.Batch, above bool) float64 {
	w := t.pool.take()
	defer t.pool.Put(w)
	n := len(t.Params)
	sum := 0.0
	for i := range b.N {
		lower, upper := t.ends(b.Theta, i)
		x := min(max(b.X.At(i), open(t.Dist, lower)), upper)
		inside := x == b.X.At(i)
		z := w.between(t.Dist, b.Theta[:n], i, open(t.Dist, lower), upper)
		part := w.part(t.Dist, b.Theta[:n], i, open(t.Dist, lower), x, upper, above)
		lp := part.lp - z.lp
		set(b.LP, i, lp)
		sum += lp
		if b.DX == nil && b.DTheta == nil {
			continue
		}
		if math.IsInf(lp, 0) {
			part, z = span{}, span{}
		}
		dx := part.dupper
		dlower, dupper := part.dlower-z.dlower, -z.dupper
		if above {
			dx, dlower, dupper = part.dlower, -z.dlower, part.dupper-z.dupper
		}
		if !inside || t.Dist.Discrete {
			dx = 0
		}
		set(b.DX, i, dx)
		for k := range n {
			set(output(b, k), i, part.dtheta[k]-z.dtheta[k])
		}
		t.setEnds(b, i, dlower, dupper)
	}
	return sum
}

// part is the probability between the lower end and x, or above x and up to the upper end.
func (w *workspace) part(d *def.Dist, theta []def.BlockArg, i int, lower, x, upper float64, above bool) span {
	if above {
		lower, x = x, upper
	}
	if !(lower < x) {
		return span{lp: math.Inf(-1)}
	}
	return w.between(d, theta, i, lower, x)
}

// attempts is how many values are drawn before the distribution function is inverted.
const attempts = 64

// sample draws until a value lies between the ends, and where that is improbable it inverts the distribution
// function of what lies between.
func (t *truncated) sample(r *rand.Rand, theta []float64) float64 {
	lower, upper := t.narrow(theta, math.Inf(-1), math.Inf(1))
	for range attempts {
		x := t.Dist.Sample(r, theta[:len(t.Params)])
		if math.IsNaN(x) || x >= lower && x <= upper {
			return x
		}
	}
	return t.invert(r.Float64(), theta)
}

// invert finds the value below which the share u of what lies between the ends is found, by halving.
func (t *truncated) invert(u float64, theta []float64) float64 {
	args := make([]def.BlockArg, len(theta))
	for k, v := range theta {
		args[k] = def.Scalar(v)
	}
	share := func(x float64) float64 {
		return portable.Exp(t.tail(&def.Batch{N: 1, X: def.Scalar(x), Theta: args}, false))
	}
	base := t.Support
	low, high := base.Bounds(theta)
	low, high = t.narrow(theta, low, high)
	for step := 1.0; math.IsInf(low, -1); step *= 2 {
		if x := min(high, 0) - step; share(x) < u {
			low = x
		}
	}
	for step := 1.0; math.IsInf(high, 1); step *= 2 {
		if x := max(low, 0) + step; !(share(x) < u) {
			high = x
		}
	}
	for range 2000 {
		middle := low + float64((high-low)/2)
		if t.Discrete {
			middle = math.Floor(middle)
		}
		if share(middle) < u {
			if low == middle {
				break
			}
			low = middle
		} else if high = middle; low == middle {
			break
		}
	}
	return high
}
