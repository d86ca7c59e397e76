package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

type logDensity = func(x float64, t []float64) float64

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

// elsewhereDensities are the distributions that names known elsewhere are replaced by, as those who have
// these names define them.
var elsewhereDensities = map[string]logDensity{
	"normal": func(x float64, t []float64) float64 {
		return distuv.Normal{Mu: t[0], Sigma: t[1]}.LogProb(x)
	},
	"half_normal": func(x float64, t []float64) float64 {
		return math.Ln2 + distuv.Normal{Sigma: t[0]}.LogProb(x)
	},
	"student_t": func(x float64, t []float64) float64 {
		return distuv.StudentsT{Nu: t[0], Mu: t[1], Sigma: t[2]}.LogProb(x)
	},
	"half_student_t": func(x float64, t []float64) float64 {
		return math.Ln2 + distuv.StudentsT{Nu: t[0], Sigma: t[1]}.LogProb(x)
	},
	"cauchy": func(x float64, t []float64) float64 {
		return distuv.StudentsT{Nu: 1, Mu: t[0], Sigma: t[1]}.LogProb(x)
	},
	"half_cauchy": func(x float64, t []float64) float64 {
		return math.Ln2 + distuv.StudentsT{Nu: 1, Sigma: t[0]}.LogProb(x)
	},
	"laplace": func(x float64, t []float64) float64 {
		return distuv.Laplace{Mu: t[0], Scale: t[1]}.LogProb(x)
	},
	"lognormal": func(x float64, t []float64) float64 {
		return distuv.LogNormal{Mu: t[0], Sigma: t[1]}.LogProb(x)
	},
	"exponential": func(x float64, t []float64) float64 { return distuv.Exponential{Rate: t[0]}.LogProb(x) },
	"gamma": func(x float64, t []float64) float64 {
		return distuv.Gamma{Alpha: t[0], Beta: t[1]}.LogProb(x)
	},
	"inv_gamma": func(x float64, t []float64) float64 {
		return distuv.InverseGamma{Alpha: t[0], Beta: t[1]}.LogProb(x)
	},
	"beta": func(x float64, t []float64) float64 {
		return distuv.Beta{Alpha: t[0], Beta: t[1]}.LogProb(x)
	},
	"beta_proportion": func(x float64, t []float64) float64 {
		return distuv.Beta{Alpha: t[0] * t[1], Beta: (1 - t[0]) * t[1]}.LogProb(x)
	},
	"uniform": func(x float64, t []float64) float64 {
		return distuv.Uniform{Min: t[0], Max: t[1]}.LogProb(x)
	},
	"bernoulli":       func(x float64, t []float64) float64 { return distuv.Bernoulli{P: t[0]}.LogProb(x) },
	"bernoulli_logit": func(x float64, t []float64) float64 { return x*t[0] - math.Log1p(math.Exp(t[0])) },
	"poisson": func(x float64, t []float64) float64 {
		return distuv.Poisson{Lambda: t[0]}.LogProb(x)
	},
	"binomial": func(x float64, t []float64) float64 {
		return distuv.Binomial{N: t[0], P: t[1]}.LogProb(x)
	},
	"neg_binomial_2": func(x float64, t []float64) float64 { // of a mean and a concentration
		p := t[1] / (t[0] + t[1])
		return lgamma(x+t[1]) - lgamma(x+1) - lgamma(t[1]) + t[1]*math.Log(p) + x*math.Log(1-p)
	},
	"flat":      func(float64, []float64) float64 { return 0 },
	"half_flat": func(float64, []float64) float64 { return 0 },
	"logistic": func(x float64, t []float64) float64 {
		z := (x - t[0]) / t[1]
		return -z - math.Log(t[1]) - 2*math.Log1p(math.Exp(-z))
	},
	"chi_square": func(x float64, t []float64) float64 { return distuv.ChiSquared{K: t[0]}.LogProb(x) },
	"weibull": func(x float64, t []float64) float64 {
		return distuv.Weibull{K: t[0], Lambda: t[1]}.LogProb(x)
	},
	"gumbel": func(x float64, t []float64) float64 {
		return distuv.GumbelRight{Mu: t[0], Beta: t[1]}.LogProb(x)
	},
	"von_mises": func(x float64, t []float64) float64 {
		i0, term := 1.0, 1.0
		for k := 1.0; k < 200; k++ {
			term *= t[1] * t[1] / 4 / (k * k)
			i0 += term
		}
		return t[1]*math.Cos(x-t[0]) - math.Log(2*math.Pi*i0)
	},
	"geometric": func(x float64, t []float64) float64 { return math.Log(t[0]) + x*math.Log(1-t[0]) },
}

// ofVectors are distributions with one argument elsewhere and here, or with a mean and a precision matrix.
var ofVectors = map[string]int{"categorical": 1, "dirichlet": 1, "multi_normal_prec": 2}

// A distribution that is put in the place of a name known elsewhere has the density of that one at random
// values and arguments, in the same order.
func TestDistributionsKnownElsewhereAgree(t *testing.T) {
	u, r := New(), rand.New(rand.NewPCG(3, 4))
	for _, f := range diag.Foreigns(diag.Distributions) {
		if !f.Same {
			continue
		}
		d, _ := u.Dist(f.Write)
		if n, is := ofVectors[f.Write]; is {
			if len(d.Params) != n {
				t.Errorf("%s has %d parameters, %s %d", f.Write, len(d.Params), f.Name, n)
			}
			continue
		}
		want := elsewhereDensities[f.Write]
		if want == nil {
			t.Errorf("%s: no density of %s to compare with", f.Name, f.Write)
			continue
		}
		for range 20 {
			theta, args := make([]float64, len(d.Params)), make([]def.BlockArg, len(d.Params))
			for k, p := range d.Params {
				switch theta[k] = r.NormFloat64(); {
				case p.Integral:
					theta[k] = float64(3 + r.IntN(9))
				case p.Domain == def.Positive:
					theta[k] = math.Exp(theta[k] / 2)
				case p.Domain == def.UnitInterval:
					theta[k] = 0.1 + 0.8*r.Float64()
				case k == 1 && d.Support == def.Interval:
					theta[1] = theta[0] + math.Exp(theta[1])
				}
				args[k] = def.Scalar(theta[k])
			}
			x := math.Abs(r.NormFloat64())
			if d.Sample != nil {
				x = d.Sample(r, theta)
			}
			got := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: args,
				DTheta: make([][]float64, len(args))})
			if d.Carrier != nil {
				got += d.Carrier(x, theta)
			}
			if w := want(x, theta); math.Abs(got-w) > 1e-8*(1+math.Abs(w)) {
				t.Errorf("%s(%v) at %g: %g, and %s has %g", f.Write, theta, x, got, f.Name, w)
			}
		}
	}
}

// An elementwise function that is put in the place of a name known elsewhere has its values.
func TestFunctionsKnownElsewhereAgree(t *testing.T) {
	expit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	values := map[string]func(float64) float64{
		"inv_logit": expit, "logit": func(p float64) float64 {
			return math.Log(p) - math.Log1p(-p)
		}, "abs": math.Abs,
		"softplus": func(x float64) float64 {
			return math.Log1p(math.Exp(x))
		}, "log": math.Log, "Phi": cdf, "lgamma": lgamma,
		"inv_Phi": func(p float64) float64 {
			return -math.Sqrt2 * math.Erfcinv(2*p)
		}, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"inv_cloglog": func(x float64) float64 { return -math.Expm1(-math.Exp(x)) },
	}
	u, r := New(), rand.New(rand.NewPCG(5, 6))
	for _, f := range diag.Foreigns(diag.Functions) {
		fn, elementwise := u.Func(f.Write)
		if !f.Same || !elementwise {
			continue
		}
		want := values[f.Write]
		if want == nil {
			t.Errorf("%s: no values of %s to compare with", f.Name, f.Write)
			continue
		}
		for range 20 {
			x, y := []float64{0.05 + 0.9*r.Float64()}, []float64{0}
			fn.Forward(y, x)
			if w := want(x[0]); math.Abs(y[0]-w) > 1e-9*(1+math.Abs(w)) {
				t.Errorf("%s(%g) is %g, and %s has %g", f.Write, x[0], y[0], f.Name, w)
			}
		}
	}
}
