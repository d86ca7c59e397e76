package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// draws per parameter setting. Seeds are fixed, so the result is always the same.
const draws = 20000

// A line maps t in [-6, 6] to the support so that the tails of the density in t fall off double
// exponentially: there the trapezoid rule is exact to rounding (Takahasi and Mori 1974).
type line struct {
	x       func(t float64) (x, logSlope float64)
	inverse func(x float64) float64
}

func lineOf(d def.Dist, theta []float64) line {
	const c = math.Pi / 2
	switch lower, upper := d.Bounds(theta); {
	case !math.IsInf(lower, 0) && !math.IsInf(upper, 0):
		return unitLine(lower, upper)
	case !math.IsInf(lower, 0):
		return halfLine(lower, 1)
	case !math.IsInf(upper, 0):
		return halfLine(upper, -1)
	}
	return line{
		x: func(t float64) (float64, float64) {
			s := c * math.Sinh(t)
			return math.Sinh(s), math.Log(math.Cosh(s) * c * math.Cosh(t))
		},
		inverse: func(x float64) float64 { return math.Asinh(math.Asinh(x) / c) },
	}
}

// halfLine maps to what is above an end, or below it for a sign of -1.
func halfLine(end, sign float64) line {
	const c = math.Pi / 2
	return line{
		x: func(t float64) (float64, float64) {
			return end + sign*math.Exp(c*math.Sinh(t)), c*math.Sinh(t) + math.Log(c*math.Cosh(t))
		},
		inverse: func(x float64) float64 { return math.Asinh(math.Log(sign*(x-end)) / c) },
	}
}

func unitLine(lower, upper float64) line {
	return line{
		x: func(t float64) (float64, float64) {
			s := math.Pi * math.Sinh(t)
			u := 1 / (1 + math.Exp(-s))
			return lower + (upper-lower)*u, math.Log((upper-lower)*math.Pi*math.Cosh(t)) - math.Abs(s) -
				2*math.Log1p(math.Exp(-math.Abs(s)))
		},
		inverse: func(x float64) float64 {
			u := (x - lower) / (upper - lower)
			return math.Asinh((math.Log(u) - math.Log1p(-u)) / math.Pi)
		},
	}
}

const gridStep = 0.002

// cumulative integrates the density of d over a grid of t, and returns the integral up to each grid point.
func cumulative(d def.Dist, theta []float64) (line, []float64) {
	l := lineOf(d, theta)
	var total []float64
	sum, last := 0.0, 0.0
	for t := -6.0; t <= 6; t += gridStep {
		x, logSlope := l.x(t)
		f := 0.0
		if v := logp(d, x, theta); !math.IsInf(v, -1) {
			f = math.Exp(v + logSlope)
		}
		sum += gridStep * (f + last) / 2
		last = f
		total = append(total, sum)
	}
	return l, total
}

// settings are parameter values to integrate and sample at: ordinary ones, and those where samplers change
// their method.
func settings(d def.Dist) [][]float64 {
	r := rand.New(rand.NewPCG(21, 22))
	out := [][]float64{drawTheta(d, r), drawTheta(d, r), drawTheta(d, r)}
	switch d.Name {
	case "gamma":
		out = append(out, []float64{0.05, 2}, []float64{1, 1}, []float64{40, 3})
	case "inv_gamma":
		out = append(out, []float64{0.3, 1}, []float64{40, 30})
	case "beta":
		out = [][]float64{{0.5, 0.7}, {1, 1}, {2.5, 0.8}, {30, 80}}
	case "student_t":
		out = append(out, []float64{0.7, 0, 1}, []float64{200, 1, 2})
	case "poisson":
		out = append(out, []float64{9.99}, []float64{10}, []float64{37.5}, []float64{2000})
	case "poisson_log":
		out = append(out, []float64{-4}, []float64{5})
	case "neg_binomial_2_log":
		out = append(out, []float64{4, 20}, []float64{1, 1e6})
	case "binomial_logit":
		out = append(out, []float64{33, 0}, []float64{500, -2}, []float64{5000, 3}, []float64{400, 8},
			[]float64{64, -9})
	}
	return out
}

func TestContinuousSettings(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.Discrete || d.Atoms != nil || !proper(d) {
			return
		}
		tol := 1e-6
		if d.Name == "laplace" {
			tol = 1e-4 // the trapezoid rule is less accurate at its kink
		}
		for _, theta := range settings(d) {
			l, cdf := cumulative(d, theta)
			if total := cdf[len(cdf)-1]; math.Abs(total-1) > tol {
				t.Errorf("theta %v: the density integrates to %v", theta, total)
			}
			// Kolmogorov-Smirnov: sqrt(n)·D exceeds 1.95 with probability 0.001 if sampler and density agree.
			if distance := ksDistance(d, theta, l, cdf); !(math.Sqrt(draws)*distance < 1.95) {
				t.Errorf("theta %v: the sampler is %.2f/sqrt(n) from the density", theta,
					math.Sqrt(draws)*distance)
			}
		}
	})
}

// Of values with a probability of their own, each is drawn with the probability that it has, and the density
// of the others integrates to what is left; draws of these are from it.
func TestAtoms(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.Atoms == nil {
			return
		}
		for _, theta := range settings(d) {
			r, rest, share := rand.New(rand.NewPCG(23, 24)), 1.0, map[float64]float64{}
			for range draws {
				share[d.Sample(r, theta)] += 1. / draws
			}
			for _, x := range d.Atoms {
				p := math.Exp(logp(d, x, theta))
				rest -= p
				if math.Abs(share[x]-p) > 4.5*math.Sqrt(p*(1-p)/draws) {
					t.Errorf("theta %v: %v of the draws are %v, want %v", theta, share[x], x, p)
				}
			}
			others := d
			others.Sample = func(r *rand.Rand, theta []float64) float64 {
				x := d.Sample(r, theta)
				for slices.Contains(d.Atoms, x) {
					x = d.Sample(r, theta)
				}
				return x
			}
			l, cdf := cumulative(d, theta)
			if total := cdf[len(cdf)-1]; math.Abs(total-rest) > 1e-6 {
				t.Errorf("theta %v: the density integrates to %v, want %v", theta, total, rest)
			}
			for i := range cdf {
				cdf[i] /= rest
			}
			if distance := ksDistance(others, theta, l, cdf); !(math.Sqrt(draws)*distance < 1.95) {
				t.Errorf("theta %v: the sampler is %.2f/sqrt(n) from the density", theta,
					math.Sqrt(draws)*distance)
			}
		}
	})
}

func ksDistance(d def.Dist, theta []float64, l line, cdf []float64) float64 {
	r := rand.New(rand.NewPCG(23, 24))
	u := make([]float64, draws)
	for i := range u {
		at := (l.inverse(d.Sample(r, theta)) + 6) / gridStep
		k := min(max(int(at), 0), len(cdf)-2)
		u[i] = cdf[k] + (cdf[k+1]-cdf[k])*min(max(at-float64(k), 0), 1)
	}
	sort.Float64s(u)
	distance := 0.0
	for i, v := range u {
		distance = max(distance, math.Abs(v-float64(i)/draws), math.Abs(v-float64(i+1)/draws))
	}
	return distance
}

func TestDiscreteSettings(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if !d.Discrete {
			return
		}
		for _, theta := range settings(d) {
			least, p := masses(d, theta)
			total, mean, second := 0.0, 0.0, 0.0
			for i, v := range p {
				x := least + float64(i)
				total += v
				mean += x * v
				second += x * x * v
			}
			if math.Abs(total-1) > 1e-9 {
				t.Errorf("theta %v: the masses sum to %v", theta, total)
			}
			checkFrequencies(t, d, theta, least, p, mean, math.Sqrt(second-mean*mean))
		}
	})
}

// masses lists the probabilities of the least value, or a very unlikely one, and of those that follow until
// what is left is below rounding.
func masses(d def.Dist, theta []float64) (least float64, p []float64) {
	if lower, _ := d.Bounds(theta); math.IsInf(lower, -1) {
		least = -300
	}
	for sum := 0.0; len(p) < 100000 && !(sum > 1-1e-12 && p[len(p)-1] < 1e-15); sum += p[len(p)-1] {
		p = append(p, math.Exp(logp(d, least+float64(len(p)), theta)))
	}
	return least, p
}

// checkFrequencies compares draws with masses: the mean, and every value expected at least 25 times, to 4.5
// Monte Carlo standard errors, which all of some thousand comparisons keep with probability 0.99.
func checkFrequencies(t *testing.T, d def.Dist, theta []float64, least float64, p []float64, mean,
	sd float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(25, 26))
	counts := make([]float64, len(p))
	sum := 0.0
	for range draws {
		x := d.Sample(r, theta)
		if x < least || x != math.Floor(x) {
			t.Fatalf("theta %v: drew %v", theta, x)
		}
		sum += x
		if x -= least; x < float64(len(p)) {
			counts[int(x)]++
		}
	}
	if mcse := sd / math.Sqrt(draws); math.Abs(sum/draws-mean) > 4.5*mcse {
		t.Errorf("theta %v: mean of draws %v, want %v ± %v", theta, sum/draws, mean, mcse)
	}
	for i, v := range p {
		if mcse := math.Sqrt(draws * v * (1 - v)); draws*v >= 25 && math.Abs(counts[i]-draws*v) > 4.5*mcse {
			t.Errorf("theta %v: drew %v %v times, want %.1f ± %.1f", theta, least+float64(i), counts[i], draws*v,
				mcse)
		}
	}
}

// Where there are too many values to list, the mean and variance: of a Poisson both are the rate.
func TestLargePoisson(t *testing.T) {
	const n = 4000
	for _, rate := range []float64{1e6, 1e11, 1e13, 1e18} {
		r := rand.New(rand.NewPCG(27, 28))
		sum, squares := 0.0, 0.0
		for range n {
			z := (drawPoisson(r, rate) - rate) / math.Sqrt(rate)
			sum += z
			squares += z * z
		}
		// se of the mean of z is 1/sqrt(n), of z² sqrt(2/n)
		if mean, square := sum/n, squares/n; math.Abs(mean) > 4/math.Sqrt(n) ||
			math.Abs(square-1) > 4*math.Sqrt(2./n) {
			t.Errorf("rate %v: standardised mean %v and variance %v", rate, mean, square)
		}
	}
}

// Draws lie in the support, also for parameters that push them to its ends, and have a density there.
func TestDrawsInSupport(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if !proper(d) {
			return
		}
		r := rand.New(rand.NewPCG(29, 30))
		for range 400 {
			theta := drawTheta(d, r)
			for k, p := range d.Params {
				if p.Domain == def.Positive && !p.Integral && r.IntN(2) == 0 {
					theta[k] *= 0.1
				}
			}
			x := d.Sample(r, theta)
			if v := logp(d, x, theta); !finite(v) {
				t.Fatalf("%s: drawn, but its log density is %v", label(x, theta), v)
			}
		}
	})
}

// Parameters outside their domain give NaN, and no endless loop.
func TestSampleRefuses(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if !proper(d) {
			return
		}
		r := rand.New(rand.NewPCG(31, 32))
		good := drawTheta(d, r)
		for k, p := range d.Params {
			for _, v := range bad(p) {
				theta := slices.Clone(good)
				theta[k] = v
				if x := d.Sample(r, theta); !math.IsNaN(x) {
					t.Errorf("drew %v for %s = %v", x, p.Name, v)
				}
			}
		}
	})
}
