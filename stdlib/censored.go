package stdlib

import (
	"math"
	"math/rand/v2"

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
	out.Expand, out.Elements, out.Rows, out.Slow = nil, nil, def.NoRows,
		"some rows have a density and others a probability"
	if c.flagged() && d.Atoms == nil { // a row at an atom is not above it, and yet may be the atom
		out.Expand, out.Slow = c.expand, ""
	}
	out.Survival = nil
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
		case way == RightFlag && v == 1:
			return open(c.Dist, x), math.Inf(1), false
		case way == RightBound && x >= v:
			return open(c.Dist, v), math.Inf(1), false
		case way == LeftFlag && v == 1:
			return math.Inf(-1), x, false
		case way == LeftBound && x <= v:
			return math.Inf(-1), v, false
		case way == Interval && v != x:
			return open(c.Dist, x), v, false
		}
	}
	return x, x, true
}

// flagged reports whether flags alone say which values are known.
func (c *censored) flagged() bool {
	for _, way := range c.ways {
		if way != RightFlag && way != LeftFlag {
			return false
		}
	}
	return true
}

// expand divides the rows by their flags, of which the first that is set counts.
func (c *censored) expand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
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
	return b.Split([]def.Value{theta[n+k]}, func(flag []float64) bool {
		return flag[0] == 1
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		at, with := of(x), all(of, theta[:n])
		switch {
		case c.ways[k] == LeftFlag:
			b.Below(*d, at, with...)
		case d.Discrete:
			b.Above(*d, b.Sub(at, b.Number(1)), with...)
		default:
			b.Above(*d, at, with...)
		}
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		c.from(k+1, d, b, of(x), all(of, theta))
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
