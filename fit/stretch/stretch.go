// Package stretch forecasts what the noise of auxiliary variables does to a fit. Under the augmented and the
// power transform a row of the response has the likelihood
//
//	augmented   p̃(y|η) = E p(y | η + u),                          u ~ N(0, Σ ρ_j²)
//	power       p̃(y|η) = E Π_j p(y | η + Σ_{k≠j} ρ ε_k)^(1/J),    ε_k ~ N(0, 1)
//
// in place of p(y|η), with η the predictor (the auxiliary variables are integrated out). If the true model
// holds, a fit of p̃ finds not η but about a + bη, with a and b the minimum of the Kullback-Leibler
// divergence (White 1982, Econometrica 50):
//
//	a, b = argmax Σ_i E_{y ~ p(·|η_i)} log p̃(y | a + bη_i)
//
// over quantiles η_i of the fitted predictor. Coefficients are then b times those of the true model, its
// intercept is shifted by a, and their standard deviations grow by √(information of p / information of p̃).
// For a probit likelihood b = √(1 + v) exactly, v the variance of the noise; for a logit likelihood about √(1
// + 0.42 v) (the logistic distribution is nearly a normal one of variance 1/0.42 under a probit link; for
// 0.346 = (16√3/15π)² see Zeger, Liang and Albert 1988, Biometrics 44); for a normal one b = 1.
//
// Other parameters that are estimated are fitted with a and b, from the true values at which the noisy fit
// finds those of the run. So sigma of a normal likelihood takes up the noise, σ² - v for σ², and the standard
// deviations of coefficients stay; with sigma fixed they are √(1 + v/σ²) times.
//
// The power model's row likelihood is no density of y. Its noise splits into the mean over the J copies, of
// variance (J-1)²ρ²/J, and the deviations of the copies from it, of variance ρ²(J-1)/J each. Given the mean
// m, the expectation over the deviations d is computed as
//
//	Π_j: log E exp(Σ_j ℓ(m+d_j)/J) = ℓ(m) + (J-1) log E exp(h(d)/(J-1)),   h(d) = (ℓ(m+d) + ℓ(m-d))/2 - ℓ(m)
//
// as if J-1 independent deviations entered, each with its own variance: exact for J = 2, for quadratic ℓ, and
// to first order in h.
package stretch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Quantiles is the number of rows at which a forecast is computed.
const Quantiles = 50

// A PredictedRows is a likelihood of rows with one scalar predictor each.
type PredictedRows struct {
	Dist *def.Dist
	// Param is the parameter of Dist that the predictor enters, through the functions of Through, the
	// innermost first.
	Param   int
	Through []*def.Func
	// Free are other parameters that are estimated: positive, with one value for all rows. The rest is fixed.
	Free []int
	Rows []Row
}

// A Row is a row of a response at the fitted parameters.
type Row struct {
	Y     float64   // as observed: inside the support
	Eta   float64   // the predictor
	Theta []float64 // the parameters; that of the predictor is not read
}

// Noise describes the auxiliary variables of a likelihood.
type Noise struct {
	Rho     float64 // sd of each; if clients differ, the root of the mean square
	Clients int
	// Power: each client evaluates the likelihood with its own contribution exact, to the power 1/J.
	// Otherwise the server does, at the sum.
	Power bool
}

// SD is the standard deviation of the noise on a predictor where the likelihood is evaluated: ρ√J at the
// server, ρ√(J-1) at a client.
func (n Noise) SD() float64 {
	if n.Power {
		return n.Rho * math.Sqrt(float64(n.Clients-1))
	}
	return n.Rho * math.Sqrt(float64(n.Clients))
}

// outer is the variance of the noise that all copies of the likelihood have in common, inner that of a copy's
// deviation from it.
func (n Noise) outer() float64 {
	j := float64(n.Clients)
	if n.Power {
		return n.Rho * n.Rho * (j - 1) * (j - 1) / j
	}
	return n.Rho * n.Rho * j
}

func (n Noise) inner() float64 {
	if n.Power {
		return n.Rho * n.Rho * float64(n.Clients-1) / float64(n.Clients)
	}
	return 0
}

// absorbed is the variance that a free scale of y lacks: that of the noise, less in power what the deviations
// of the copies give back, since their weight in the likelihood decreases as the scale does: (J-1)²ρ²/J -
// (J-1)ρ²/J to first order.
func (n Noise) absorbed() float64 { return max(0, n.outer()-n.inner()) }

// A Forecast compares a fit under noise with one of the true model.
type Forecast struct {
	Slope float64   // by which coefficients are multiplied
	Shift float64   // added to the intercept, on the scale of the predictor
	SD    float64   // by which standard deviations of coefficients are multiplied
	Free  []float64 // by which the free parameters are multiplied
}

// Of computes a forecast. The error is a reason why there is none, to follow "no forecast for this
// likelihood: ".
func Of(l PredictedRows, n Noise) (Forecast, error) {
	if n.SD() == 0 {
		return Forecast{Slope: 1, SD: 1, Free: ones(len(l.Free))}, nil
	}
	f, err := withFree(&l, n)
	if err == errFit && len(l.Free) > 0 {
		return Forecast{}, l.untold()
	}
	return f, err
}

// untold is the reason that there is no forecast where a free parameter takes up the noise: what the data say
// of it is then not known, and nor is how far the rest moves with it.
func (l *PredictedRows) untold() error {
	var names []string
	for _, p := range l.Free {
		names = append(names, l.Dist.Params[p].Name)
	}
	return fmt.Errorf("%s: not to be told from the noise", strings.Join(names, ", "))
}

const (
	searches = 4    // for the true values of free parameters
	roughly  = 9    // quantiles that these use
	near     = 0.02 // how near the noisy fit has to come to the fitted ones, relatively
	nudge    = 0.1  // of the logs of free parameters, to see how they answer
	// of the log of a fitted parameter, of that of its true value: with less the one says little of the other
	leastMove = 0.5
	// the share of its true value below which a fitted scale says nothing of it: it goes to 0 when the noise
	// takes up all residual variance
	leastFree = 0.5
)

// withFree computes a forecast from the true values of the free parameters.
func withFree(l *PredictedRows, n Noise) (Forecast, error) {
	fitted := make([]float64, len(l.Free))
	for k, p := range l.Free {
		fitted[k] = l.Rows[0].Theta[p]
	}
	truth, err := search(l, n, fitted)
	if err != nil {
		return Forecast{}, err
	}
	if err := answers(l, n, truth, fitted); err != nil {
		return Forecast{}, err
	}
	return at(l, quantiles(l.Rows, Quantiles), n, truth, fitted)
}

// search looks for the true values of the free parameters, at a few quantiles: those from which the noisy fit
// leads to the fitted ones.
func search(l *PredictedRows, n Noise, fitted []float64) ([]float64, error) {
	truth := make([]float64, len(fitted))
	for k, p := range l.Free {
		truth[k] = start(l, p, fitted[k], n)
		if fitted[k] < leastFree*truth[k] {
			return nil, errScale
		}
	}
	best, off := truth, math.Inf(1)
	for i := 0; i < searches && len(fitted) > 0; i++ {
		f, err := at(l, quantiles(l.Rows, roughly), n, truth, fitted)
		if err != nil {
			return nil, err
		}
		next, worst := make([]float64, len(truth)), 0.0
		for k, v := range f.Free {
			ratio := fitted[k] / (v * truth[k])
			worst = max(worst, math.Abs(portable.Log(ratio)))
			next[k] = truth[k] * ratio
		}
		if worst >= off {
			break // no nearer
		}
		if best, off = truth, worst; off < near {
			break
		}
		truth = next
	}
	return best, nil
}

// answers returns an error where the fitted value of a free parameter hardly depends on the true one.
func answers(l *PredictedRows, n Noise, truth, fitted []float64) error {
	if len(truth) == 0 {
		return nil
	}
	rows, more := quantiles(l.Rows, roughly), make([]float64, len(truth))
	for k, v := range truth {
		more[k] = v * portable.Exp(nudge)
	}
	here, err := at(l, rows, n, truth, fitted)
	if err != nil {
		return err
	}
	there, err := at(l, rows, n, more, fitted)
	if err != nil {
		return err
	}
	for k := range truth {
		if portable.Log(there.Free[k]/here.Free[k])+nudge < leastMove*nudge {
			return l.untold()
		}
	}
	return nil
}

// start is a first value of a free parameter. Where the predictor shifts y, the noise is a part of the
// residual variance, so that the fitted scale lacks it: true² = fitted² + noise², which is exact for a normal
// likelihood at the server. Other parameters are taken as fitted.
func start(l *PredictedRows, param int, fitted float64, n Noise) float64 {
	if param != l.Dist.ScaleAt || l.Dist.Link.Scale != def.IdentityLink || l.Dist.Link.Param != l.Param {
		return fitted
	}
	return portable.Hypot(fitted, math.Sqrt(n.absorbed()))
}

// at computes a forecast where the free parameters have true values; the search for the noisy fit begins at
// the fitted ones.
func at(l *PredictedRows, rows []Row, n Noise, truth, fitted []float64) (Forecast, error) {
	points, from := make([]*point, len(rows)), make([]float64, len(truth))
	for k := range truth {
		from[k] = fitted[k] / truth[k]
	}
	for i, r := range rows {
		r.Theta = slices.Clone(r.Theta)
		for k, p := range l.Free {
			r.Theta[p] = truth[k]
		}
		var err error
		if points[i], err = newPoint(l, r, n); err != nil {
			return Forecast{}, err
		}
	}
	return solve(l, points, n.SD(), from)
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// quantiles returns the rows at the quantiles (k + 1/2)/n of the predictor, or all where there are fewer.
func quantiles(rows []Row, n int) []Row {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int {
		switch {
		case a.Eta < b.Eta:
			return -1
		case a.Eta > b.Eta:
			return 1
		}
		return 0
	})
	if len(sorted) <= n {
		return sorted
	}
	out := make([]Row, n)
	for k := range out {
		out[k] = sorted[(2*k+1)*len(sorted)/(2*n)]
	}
	return out
}

// The reasons for which there is no forecast.
var (
	errDensity = errors.New("its density cannot be integrated over the response")
	errScale   = errors.New("the noise takes up the residual variance, so that the scale goes " +
		"to 0; use a smaller rho")
	errFew = errors.New("a few rows have nearly all the information, as where a predictor " +
		"separates the responses")
	errKink = errors.New("its log density is not smooth in the predictor")
	errFit  = errors.New("no finite coefficients fit best")
)
