package dist

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/vflc/vflc/stdlib/def"
)

// A Formula writes a number of each row into b: one of the value x, of the arguments, and of what a
// generator has drawn before, which stand behind these.
type Formula func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value

// At is the value of a formula that has no x, for so many arguments.
func (f Formula) At(args int) func(theta []float64) float64 {
	t := recordOne(args, f)
	return func(theta []float64) float64 {
		b := def.Batch{N: 1, X: nothing}
		for _, v := range theta {
			b.Theta = append(b.Theta, def.Scalar(v))
		}
		return t.run(&b)
	}
}

// A Term of a log density is added, or subtracted where Sign is -1.
type Term struct {
	Of   Formula
	Sign float64
}

// A GeneratorStep of a generator is a value of Dist, or where that is nil a number that follows from others.
type GeneratorStep struct {
	Dist *def.Dist
	Args []Formula
	Is   Formula // where Dist is nil
}

// A Declaration is a distribution that a model declares. Its domain lies between Lower and Upper inside the
// support; both belong to it. CDF, CCDF and Steps are nil where they are not declared.
type Declaration struct {
	Name, Doc    string
	Value        string // the name of a value
	Params       []def.Param
	Support      def.Support
	Discrete     bool
	Lower, Upper float64
	Log          []Term
	CDF, CCDF    Formula
	Mean         string
	Steps        []GeneratorStep // the last one gives the value
	NoCDF        string          // what to do for one
	// Pieces reports that the density, and TailPieces that a distribution function, chooses between
	// expressions, of which the one that is not chosen may be no number, as a logarithm of 0. The loop of a
	// tape leaves it out; operations on vectors would not.
	Pieces, TailPieces bool
}

// Declared is the distribution that a declaration describes. As of those of the library its vector form is
// the source, here of the formulas that were declared, and the loop over a block follows from it.
func Declared(n Declaration) def.Dist {
	d := def.Dist{
		Name: n.Name, Doc: n.Doc, Params: n.Params, Support: n.Support, Discrete: n.Discrete, Mean: n.Mean,
		LocationAt: -1, ScaleAt: -1, NoCDF: n.NoCDF, Declared: true, Value: n.Value,
	}
	if lower, upper := n.Support.Bounds(nil); n.Lower > lower || n.Upper < upper {
		d.Narrow = func(_ []float64, lower, upper float64) (float64, float64) {
			return max(lower, n.Lower), min(upper, n.Upper)
		}
	}
	d.Expand = n.expand
	if n.CDF != nil || n.CCDF != nil {
		n.tails(&d)
	}
	if n.Steps != nil {
		d.Sample = n.sampler()
	}
	d = derived(d)
	if n.Pieces {
		d.Expand, d.Slow = nil, "its density is made of pieces"
	}
	return d
}

func (n *Declaration) expand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if lower, upper := n.Support.Bounds(nil); n.Lower > lower || n.Upper < upper {
		b.Least(x, b.Number(n.Lower))
		b.Most(x, b.Number(n.Upper))
	}
	theta = n.guarded(b, theta)
	for _, t := range n.Log {
		b.Sum(t.Of(b, x, theta), t.Sign)
	}
	return true
}

// guarded are the arguments, NaN where one is outside its domain: a formula need not be.
func (n *Declaration) guarded(b def.DensityBuilder, theta []def.Value) []def.Value {
	out := append([]def.Value(nil), theta...)
	for k, p := range n.Params {
		switch p.Domain {
		case def.Positive:
			out[k] = b.Apply(above0(), theta[k])
		case def.UnitInterval:
			out[k] = b.Apply(unit(), theta[k])
		}
	}
	return out
}

// tails gives d the distribution function and its complement, each of which follows from the other.
func (n *Declaration) tails(d *def.Dist) {
	log := func(whole, rest Formula) Formula {
		f, of := "log", whole
		if whole == nil {
			f, of = "log1m", rest
		}
		return func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return b.Func(f, of(b, x, n.guarded(b, theta)))
		}
	}
	d.LogCDF = n.tail(log(n.CDF, n.CCDF), false)
	above := log(n.CCDF, n.CDF)
	d.LogCCDF = n.tail(above, true)
	if n.TailPieces {
		return
	}
	if n.Lower == math.Inf(-1) || n.Lower == 0 && n.Support != def.RealLine { // above the end of the support
		d.Between = betweenTails(log(n.CDF, n.CCDF), above)
	}
}

func (n *Declaration) tail(f Formula, upper bool) func(*def.Batch) float64 {
	recorded := sync.OnceValue(func() *tape { return recordOne(len(n.Params), f) })
	return func(b *def.Batch) float64 {
		in := *b
		if in.LP == nil {
			in.LP = make([]float64, b.N)
		}
		recorded().run(&in)
		sum := 0.0
		for i := range b.N {
			n.atEnd(&in, i, upper)
			sum += in.LP[i]
		}
		return sum
	}
}

// atEnd corrects the tail at a value outside the domain, and partials that do not exist.
func (n *Declaration) atEnd(b *def.Batch, i int, upper bool) {
	x := b.X.At(i)
	flat := false
	if below, above := x < n.Lower || math.IsInf(x, -1), x >= n.Upper; below || above {
		b.LP[i], flat = certainly(below == upper), true
		for k := range n.Params {
			if !n.Params[k].Allows(b.Theta[k].At(i)) {
				b.LP[i] = math.NaN()
			}
		}
	}
	flat = flat || math.IsInf(b.LP[i], -1)
	if flat || n.Discrete {
		set(b.DX, i, 0)
	}
	for k := range b.DTheta {
		if flat || n.Params[k].Integral {
			set(b.DTheta[k], i, 0)
		}
	}
}

// recordOne records a formula of x and so many arguments, which a run then gives the value of.
func recordOne(args int, f Formula) *tape {
	t := &tape{fixed: unknown}
	theta := make([]def.Value, args)
	x := t.emit(instruction{op: argument})
	for k := range theta {
		theta[k] = t.emit(instruction{op: argument, a: def.Value(k + 1)})
	}
	t.Sum(f(t, x, theta), 1)
	return t
}

// sampler draws the steps of the generator in order; it gives NaN where an argument is outside its domain, or
// the value is not finite.
func (n *Declaration) sampler() func(*rand.Rand, []float64) float64 {
	type recordedStep struct {
		dist *def.Dist
		args []*tape
	}
	recorded := sync.OnceValue(func() []recordedStep {
		var out []recordedStep
		for i, s := range n.Steps {
			next := recordedStep{dist: s.Dist}
			for _, f := range append(s.Args, s.Is) {
				if f != nil {
					next.args = append(next.args, recordOne(len(n.Params)+i, f))
				}
			}
			out = append(out, next)
		}
		return out
	})
	return func(r *rand.Rand, theta []float64) float64 {
		b := def.Batch{N: 1, X: nothing}
		for k, v := range theta {
			if !n.Params[k].Allows(v) {
				return math.NaN()
			}
			b.Theta = append(b.Theta, def.Scalar(v))
		}
		value := math.NaN()
		for _, s := range recorded() {
			args := make([]float64, len(s.args))
			for k, t := range s.args {
				args[k] = t.run(&b)
			}
			if value = args[0]; s.dist != nil {
				value = s.dist.Sample(r, args)
			}
			b.Theta = append(b.Theta, def.Scalar(value))
		}
		if math.IsInf(value, 0) {
			return math.NaN()
		}
		return value
	}
}
