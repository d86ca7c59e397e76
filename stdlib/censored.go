package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// A Censoring is one way in which a value is not known exactly.
type Censoring int

// The ways. Flags are 1 for the rows of which only a bound is known, which is their value; bounds are where
// measuring stops.
const (
	RightFlag  Censoring = iota // the value or more
	RightBound                  // a value at the bound or beyond it: the bound or more
	LeftFlag                    // the value or less
	LeftBound                   // a value at the bound or below it: the bound or less
	Interval                    // between the value and an upper end; exact where the two are equal
)

// censoringNames are the arguments of the clause.
var censoringNames = map[Censoring]string{RightFlag: "right", RightBound: "right", LeftFlag: "left",
	LeftBound: "left", Interval: "interval"}

// Censored is a distribution of which some values are known to lie on one side of a bound, or in an interval:
// they count with the probability of that. The parameters are those of d, which must have distribution
// functions, then one for each way, which are data.
func Censored(d *def.Dist, ways []Censoring) def.Dist {
	c := &censored{Dist: d, ways: ways, pool: newPool(1)}
	out := *d
	out.Name, out.Doc = "censored "+d.Name, "A censored distribution."
	out.LocationAt, out.ScaleAt, out.OfLog, out.Link, out.Predicted = -1, -1, nil, def.Link{}, nil
	out.Params = append([]def.Param(nil), d.Params...)
	out.Sample = c.sample
	for _, w := range ways {
		p := def.Param{Name: censoringNames[w], Doc: "what is known of a value", Domain: def.RealLine,
			Data: true, NoNoise: true}
		switch w {
		case RightFlag, LeftFlag:
			p.Domain, p.Integral, out.Sample = def.ZeroOne, true, nil
		case Interval:
			out.Sample = nil
		}
		out.Params = append(out.Params, p)
	}
	if d.Sample == nil {
		out.Sample = nil
	}
	out.Expand, out.Elements, out.Grouped, out.Rows = c.expand, nil, nil, def.NoRows
	out.Slow, out.Between = d.SlowTails, nil
	out.LogDensity, out.LogCDF, out.LogCCDF, out.NoCDF = c.logDensity, nil, nil, "it is censored"
	if d.Carrier != nil {
		out.Carrier = c.carrier
	}
	out.Sums = false
	out.Form = &def.Composition{Kind: def.CensoredForm, Of: []*def.Dist{d}}
	return out
}

type censored struct {
	*def.Dist
	ways []Censoring
	pool *pool
}

// known is the interval in which a value lies, given what at says of each way; exact where it is the value
// itself.
func (c *censored) known(x float64, at func(way int) float64) (lower, upper float64, exact bool) {
	for k, way := range c.ways {
		v := at(k)
		switch {
		case math.IsNaN(v):
			return v, v, false
		case !way.applies([]float64{x, v}):
		case way == RightFlag:
			return open(c.Dist, x), math.Inf(1), false
		case way == RightBound:
			return open(c.Dist, v), math.Inf(1), false
		case way == LeftFlag:
			return math.Inf(-1), x, false
		case way == LeftBound:
			return math.Inf(-1), v, false
		default:
			return open(c.Dist, x), v, false
		}
	}
	return x, x, true
}

// expand divides the rows by what is known of their values, of which the first way that applies counts.
func (c *censored) expand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if c.Atoms != nil { // a row at an atom is not above it, and yet may be the atom
		return false
	}
	if slices.Contains(c.ways, Interval) && (c.Between == nil || c.Discrete) {
		return false
	}
	bare := *c.Dist
	bare.Carrier = nil // see carrier
	return c.from(0, &bare, b, x, theta)
}

func (c *censored) from(k int, d *def.Dist, b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	n := len(d.Params)
	if k == len(c.ways) {
		b.Density(*d, x, theta[:n]...)
		return true
	}
	way, by := c.ways[k], []def.Value{x, theta[n+k]}
	return b.Split(by, way.applies, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		at, end, with := of(x), of(theta[n+k]), all(of, theta[:n])
		switch way {
		case LeftFlag:
			known(b, d, def.None, at, with)
		case LeftBound:
			known(b, d, def.None, end, with)
		case RightFlag:
			known(b, d, beyond(d, b, at), def.None, with)
		case RightBound:
			known(b, d, beyond(d, b, end), def.None, with)
		case Interval:
			interval(d, b, at, end, with)
		}
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		c.from(k+1, d, b, of(x), all(of, theta))
	})
}

// known adds the log probability of an interval.
func known(b def.DensityBuilder, d *def.Dist, lower, upper def.Value, theta []def.Value) {
	if p, ok := b.Probability(d, lower, upper, theta...); ok {
		b.Sum(p, 1)
	}
}

// applies reports whether a value is known in this way, given it and what the clause says.
func (w Censoring) applies(by []float64) bool {
	switch x, v := by[0], by[1]; w {
	case RightBound:
		return !(x < v)
	case LeftBound:
		return !(x > v)
	case Interval:
		return x != v
	default:
		return v == 1
	}
}

// beyond is open of a value of data.
func beyond(d *def.Dist, b def.DensityBuilder, lower def.Value) def.Value {
	if d.Discrete {
		return b.Sub(lower, b.Number(1))
	}
	return lower
}

// interval divides the rows once more, by whether both ends of an interval are inside the support.
func interval(d *def.Dist, b def.DensityBuilder, lower, upper def.Value, theta []def.Value) {
	least, most, _ := d.FixedBounds()
	b.Split([]def.Value{lower}, func(by []float64) bool {
		return by[0] <= least
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		known(b, d, def.None, of(upper), all(of, theta))
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		lower, upper, theta := of(lower), of(upper), all(of, theta)
		b.Split([]def.Value{upper}, func(by []float64) bool {
			return by[0] >= most
		}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
			known(b, d, of(lower), def.None, all(of, theta))
		}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
			known(b, d, of(lower), of(upper), all(of, theta))
		})
	})
}

func all(of func(def.Value) def.Value, values []def.Value) []def.Value {
	out := make([]def.Value, len(values))
	for k, v := range values {
		out[k] = of(v)
	}
	return out
}

// carrier is that of the values that are known exactly.
func (c *censored) carrier(x float64, theta []float64) float64 {
	n := len(c.Params)
	if _, _, exact := c.known(x, func(k int) float64 { return theta[n+k] }); !exact {
		return 0
	}
	return c.Dist.Carrier(x, theta[:n])
}

func (c *censored) logDensity(b *def.Batch) float64 {
	w := c.pool.take()
	defer c.pool.Put(w)
	n := len(c.Params)
	base := &w.parts[0]
	base.run(c.Dist.LogDensity, b.N, b.X, b.Theta[:n], b.DX != nil || b.DTheta != nil)
	sum := 0.0
	for i := range b.N {
		lower, upper, exact := c.known(b.X.At(i), func(k int) float64 { return b.Theta[n+k].At(i) })
		lp := base.block.LP[i]
		if !exact {
			z := w.between(c.Dist, b.Theta[:n], i, lower, upper)
			lp = z.lp
			if base.block.DX != nil {
				base.block.DX[i] = 0
				for k, d := range base.block.DTheta {
					d[i] = z.dtheta[k]
				}
			}
		}
		set(b.LP, i, lp)
		sum += lp
		if base.block.DX == nil {
			continue
		}
		set(b.DX, i, base.block.DX[i])
		for k, d := range base.block.DTheta {
			set(output(b, k), i, d[i])
		}
		for k := range c.ways {
			set(output(b, n+k), i, 0)
		}
	}
	return finish(b, sum)
}

// sample draws a value, and stops at the bounds.
func (c *censored) sample(r *rand.Rand, theta []float64) float64 {
	n := len(c.Params)
	x := c.Dist.Sample(r, theta[:n])
	for k, way := range c.ways {
		if way == RightBound {
			x = math.Min(x, theta[n+k])
		} else {
			x = math.Max(x, theta[n+k])
		}
	}
	return x
}
