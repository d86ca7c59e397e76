package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A contradiction is one between parts of a distribution that a model declares: density, distribution
// function, mean and generator.
type contradiction struct {
	Part    string
	Outside bool // the generator gives what the density does not have
	Text    string
	Way     string // how it is mended
}

const (
	allowed   = 0.02 // of a probability, and relative of a mean
	generated = 1000
	farthest  = 2000 // whole numbers up to here are summed
)

// contradictions compares the parts of a distribution, at a few values of its arguments; mean gives the
// declared mean, nil for none. What numbers cannot tell, as the integral of a density with a very long tail,
// is no finding.
func contradictions(d *def.Dist, mean func(theta []float64) float64) []contradiction {
	var out []contradiction
	for c := range 3 {
		theta := arguments(d, c)
		p := points(d)
		if !p.evaluate(d, theta) {
			continue
		}
		for _, f := range []func(*def.Dist, []float64) *contradiction{p.normalised, p.distribution, p.draws,
			func(d *def.Dist, theta []float64) *contradiction { return p.mean(d, theta, mean) }} {
			found := f(d, theta)
			same := func(o contradiction) bool { return o.Part == found.Part }
			if found != nil && !slices.ContainsFunc(out, same) {
				out = append(out, *found)
			}
		}
	}
	return out
}

// arguments are those of one of the comparisons.
func arguments(d *def.Dist, c int) []float64 {
	out := make([]float64, len(d.Params))
	for k, p := range d.Params {
		values := map[def.Support][]float64{def.Positive: {0.8, 2.3, 1.2}, def.UnitInterval: {0.3, 0.75, 0.5},
			def.Naturals: {4, 9, 6}, def.ZeroOne: {1, 0, 1}}[p.Domain]
		switch {
		case values == nil && p.Integral:
			values = []float64{2, -1, 5}
		case values == nil:
			values = []float64{0.4, -1.1, 2}
		}
		out[k] = values[(c+k)%3]
	}
	return out
}

// where says at which arguments, and given behind a value.
func where(d *def.Dist, theta []float64) string { return said(" at ", d, theta) }
func given(d *def.Dist, theta []float64) string { return said(" given ", d, theta) }

func said(word string, d *def.Dist, theta []float64) string {
	var out []string
	for k, p := range d.Params {
		out = append(out, fmt.Sprintf("%s = %g", p.Name, theta[k]))
	}
	if out == nil {
		return ""
	}
	return word + strings.Join(out, ", ")
}

// An integrationGrid has values of a distribution with weights: of a function of them, the sum of the
// weighted values is the integral, or the sum over whole numbers.
type integrationGrid struct {
	x, weight, density []float64
	ends               [2]float64 // of a continuous distribution, the density at the ends that there are
	total              float64    // the integral, with what stands at the ends where only so it is 1
	sure               bool       // it is known
}

// points are those of a distribution: the whole numbers, or values at which the trapezoidal rule is of double
// exponential order: Takahasi and Mori (1974), Double exponential formulas for numerical integration.
func points(d *def.Dist) *integrationGrid {
	lower, upper := d.Bounds(nil)
	p := &integrationGrid{}
	if d.Discrete {
		for v := max(lower, -farthest); v <= min(upper, farthest); v++ {
			p.x, p.weight = append(p.x, v), append(p.weight, 1)
		}
		return p
	}
	const step, last = 1. / 64, 205
	for k := -last; k <= last; k++ {
		t := step * float64(k)
		g := math.Pi / 2 * portable.Sinh(t)
		slope := step * math.Pi / 2 * portable.Cosh(t)
		x := portable.Sinh(g)
		by := portable.Cosh(g)
		low, high := math.IsInf(lower, -1), math.IsInf(upper, 1)
		switch e := portable.Exp(g); {
		case !low && !high:
			share := 1 / (1 + portable.Exp(-2*g))
			x, by = lower+float64((upper-lower)*share), 2*(upper-lower)*share*(1-share)
		case !low:
			x, by = lower+e, e
		case !high:
			x, by = upper-e, e
		}
		p.x, p.weight = append(p.x, x), append(p.weight, slope*by)
	}
	if low, high := math.IsInf(lower, -1), math.IsInf(upper, 1); low && !high {
		slices.Reverse(p.x)
		slices.Reverse(p.weight)
	}
	return p
}

func densities(d *def.Dist, x, theta []float64) []float64 {
	b := def.Batch{N: len(x), X: def.Vector(x), LP: make([]float64, len(x))}
	for _, v := range theta {
		b.Theta = append(b.Theta, def.Scalar(v))
	}
	d.LogDensity(&b)
	for i, lp := range b.LP {
		b.LP[i] = portable.Exp(lp)
	}
	return b.LP
}

// evaluate computes the density; false where it is 0 everywhere, or no number.
func (p *integrationGrid) evaluate(d *def.Dist, theta []float64) bool {
	p.density = densities(d, p.x, theta)
	if lower, upper := d.Bounds(nil); !d.Discrete {
		for k, end := range []float64{lower, upper} {
			if !math.IsInf(end, 0) {
				p.ends[k] = densities(d, []float64{end}, theta)[0]
			}
		}
	}
	coarse := 0.0
	for i, f := range p.density {
		p.total += float64(p.weight[i] * f)
		if i%2 == 1 {
			coarse += float64(2 * p.weight[i] * f)
		}
	}
	last := len(p.x) - 1
	p.sure = math.Abs(coarse-p.total) < 0.005*p.total
	if d.Discrete { // what lies beyond is small
		beyond := func(i int) float64 { return math.Abs(p.x[i]) * p.density[i] }
		p.sure = max(beyond(0), beyond(last)) < 1e-3 || len(p.x) < farthest
	}
	if with := p.total + p.ends[0] + p.ends[1]; math.Abs(p.total-1) > allowed &&
		math.Abs(with-1) <= allowed { // it has probability at the ends
		p.total = with
	} else {
		p.ends = [2]float64{}
	}
	return p.total > 0 && p.total <= math.MaxFloat64
}

func (p *integrationGrid) normalised(d *def.Dist, theta []float64) *contradiction {
	if !p.sure || math.Abs(p.total-1) <= allowed {
		return nil
	}
	verb := "integrates"
	if d.Discrete {
		verb = "sums"
	}
	return &contradiction{Part: logPart, Text: fmt.Sprintf("the density of %s %s to %.4g%s, and not to 1",
		d.Name, verb, p.total, where(d, theta)),
		Way: "`log` has every constant, those that arguments enter above all; without them mixtures, " +
			"truncation, loo and simulations are wrong, and so are estimates of arguments that they depend on"}
}

// distribution compares the distribution function with the density.
func (p *integrationGrid) distribution(d *def.Dist, theta []float64) *contradiction {
	if d.LogCDF == nil {
		return nil
	}
	below, slope := tail(d.LogCDF, p.x, theta)
	above, _ := tail(d.LogCCDF, p.x, theta)
	sum := p.ends[0]
	for i, f := range p.density {
		sum += float64(p.weight[i] * f)
		share := sum / p.total
		if !d.Discrete { // half of the strip around the value lies below it
			share -= float64(p.weight[i]*f) / (2 * p.total)
		}
		if share < 0.02 || share > 0.98 {
			continue
		}
		want, got := f, slope[i]
		if d.Discrete && i > 0 {
			got = below[i] - below[i-1]
		}
		switch {
		case math.Abs(below[i]-share) > allowed && p.sure, math.Abs(got-want) > float64(1e-5*want)+1e-9 &&
			(!d.Discrete || i > 0), math.Abs(below[i]+above[i]-1) > 1e-8, math.IsNaN(below[i]):
			return &contradiction{Part: cdfPart, Text: fmt.Sprintf("the distribution function of %s does not go "+
				"with its density: at %s = %.4g it is %.4g with the slope %.4g, and the density is %.4g%s",
				d.Name, d.Value, p.x[i], below[i], got, want, given(d, theta)),
				Way: "cdf is the probability of a value no greater, and ccdf that of a greater one"}
		}
	}
	return nil
}

func tail(f func(*def.Batch) float64, x, theta []float64) (value, slope []float64) {
	b := def.Batch{N: len(x), X: def.Vector(x), LP: make([]float64, len(x)), DX: make([]float64, len(x))}
	for _, v := range theta {
		b.Theta = append(b.Theta, def.Scalar(v))
	}
	f(&b)
	for i, lp := range b.LP {
		b.LP[i] = portable.Exp(lp)
		b.DX[i] *= b.LP[i]
	}
	return b.LP, b.DX
}

// draws compares the generator with the density.
func (p *integrationGrid) draws(d *def.Dist, theta []float64) *contradiction {
	if d.Sample == nil {
		return nil
	}
	r := rand.New(rand.NewPCG(1, 2))
	drawn := make([]float64, generated)
	for i := range drawn {
		if drawn[i] = d.Sample(r, theta); !d.Inside(drawn[i], theta) {
			return &contradiction{Part: generatorPart, Outside: true, Text: fmt.Sprintf("%s generates %v%s, which "+
				"is not %s", d.Name, drawn[i], where(d, theta), d.Words(nil))}
		}
	}
	sort.Float64s(drawn)
	sum, at := p.ends[0], 0
	for i, f := range p.density {
		for at < generated && drawn[at] <= p.x[i] {
			at++
		}
		half := float64(p.weight[i] * f)
		if d.Discrete {
			sum += half
		} else {
			sum += float64(half / 2)
		}
		if off := float64(at)/generated - sum/p.total; p.sure && math.Abs(off) > 3/math.Sqrt(generated) {
			return &contradiction{Part: generatorPart, Text: fmt.Sprintf("%s generates other values than its "+
				"density says%s: of %d draws %d are no greater than %.4g, where %.4g are expected", d.Name,
				where(d, theta), generated, at, p.x[i], generated*sum/p.total),
				Way: "simulations, ppc and predictions take the generator, and inference the density"}
		}
		if !d.Discrete {
			sum += float64(half / 2)
		}
	}
	return nil
}

// mean compares the declared mean with that of the density.
func (p *integrationGrid) mean(d *def.Dist, theta []float64, mean func([]float64) float64) *contradiction {
	if mean == nil || !p.sure {
		return nil
	}
	lower, upper := d.Bounds(nil)
	sum, size, coarse := 0.0, 0.0, 0.0
	for k, end := range []float64{lower, upper} {
		if p.ends[k] > 0 {
			sum += float64(end * p.ends[k])
		}
	}
	for i, f := range p.density {
		part := float64(p.weight[i] * f * p.x[i])
		sum, size = sum+part, size+math.Abs(part)
		if inner := len(p.x) / 20; i >= inner && i < len(p.x)-inner {
			coarse += math.Abs(part)
		}
	}
	sum, size = sum/p.total, size/p.total
	if !d.Discrete && coarse/p.total < 0.999*size { // it may have no mean
		return nil
	}
	if got := mean(theta); !(math.Abs(got-sum) <= allowed*(size+0.1)) {
		return &contradiction{Part: meanPart, Text: fmt.Sprintf("mean of %s is %.4g%s, and that of its density "+
			"%.4g", d.Name, got, where(d, theta), sum), Way: "predictions show the mean as it is declared"}
	}
	return nil
}
