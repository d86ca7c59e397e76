package assess

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// Pointwise holds log p(y_i | θ_s) by observation, chain and draw.
type Pointwise [][][]float64

// VarianceBound is the posterior variance of an observation's log density above which WAIC is not reliable
// (Vehtari, Gelman and Gabry 2017).
const VarianceBound = 0.4

// An Estimate is an expected log predictive density (elpd) for new data, in nats.
type Estimate struct {
	ELPD, SE   float64
	P, PSE     float64   // effective number of parameters
	Pointwise  []float64 // of each observation; their sum is ELPD
	K          []float64 // Pareto shape of each observation; nil for WAIC
	PPointwise []float64 // effective number of parameters by observation
	REff       []float64 // relative efficiency of each observation's likelihood; nil for WAIC
	Before     []float64 // Pareto shape before draws were moved for an observation; 0 where they were not
	Observed   int
	Draws      int
	// WAIC: observations whose variance of log p exceeds VarianceBound, for which it is not reliable
	HighVar int
	// Monte Carlo standard error of ELPD: what other draws of the same posterior would change
	MCSE float64
}

// psis is PSIS-LOO: elpd_i = log Σ_s w_is p(y_i|θ_s) with smoothed weights from the ratios 1/p(y_i|θ_s).
// For draws of Markov chains the relative efficiency is estimated; independent draws have r_eff = 1. Where
// d is not nil, draws are moved for observations whose Pareto shape is too high. progress may be nil.
func psis(ll Pointwise, independent bool, d PointDensity, progress Progress) Estimate {
	if d == nil || len(ll) == 0 {
		return moving(ll, independent, nil, 0, progress)
	}
	return moving(ll, independent, d, kBound(len(d.Draws())), progress)
}

// moving is psis that moves draws where the Pareto shape is above a bound.
func moving(ll Pointwise, independent bool, d PointDensity, bound float64, progress Progress) Estimate {
	var origin []float64
	if d != nil {
		origin = make([]float64, len(d.Draws()))
		d.At(d.Draws(), 0, origin, make([]float64, len(origin)))
	}
	return estimate(ll, independent, progress, func(i int, o *observation, chains [][]float64,
		influence []float64) {
		all := flat(chains)
		o.rEff = 1.0
		if !independent {
			o.rEff = efficiency(chains)
		}
		ratios, terms := make([]float64, len(all)), []float64(nil)
		floats.SubTo(ratios, ratios, all)
		s := importance.Smooth(ratios, o.rEff)
		o.k, o.elpd = s.K, math.NaN()
		lpd := logMeanExp(all)
		if d != nil && s.K > bound {
			first := weighed{row: all, Smoothed: s}
			if t, lw, moved := match(d, o, i, origin, first, bound); t != nil {
				terms, s.LogWeights, o.before, lpd = t, lw, s.K, moved
			}
		}
		if terms == nil && s.LogWeights != nil {
			terms = make([]float64, len(all))
			floats.AddTo(terms, s.LogWeights, all)
		}
		if terms != nil {
			o.elpd = portable.LogSumExp(terms)
			for i, t := range terms {
				influence[i] += portable.Exp(t-o.elpd) - portable.Exp(s.LogWeights[i])
			}
		}
		o.p = lpd - o.elpd
	})
}

// efficiency is r_eff of exp(log p); where it is not defined (a likelihood that does not vary), 1.
func efficiency(chains [][]float64) float64 {
	top := math.Inf(-1)
	for _, c := range chains {
		top = max(top, floats.Max(c))
	}
	likelihood := make([][]float64, len(chains))
	for c, chain := range chains {
		likelihood[c] = make([]float64, len(chain))
		for s, v := range chain {
			likelihood[c][s] = portable.Exp(v - top)
		}
	}
	if r := posterior.RelativeEfficiency(likelihood); !math.IsNaN(r) {
		return r
	}
	return 1
}

// waic is the widely applicable information criterion on the scale of elpd: the log pointwise predictive
// density minus the posterior variance of log p (Watanabe 2010; the variance form of Gelman, Hwang and
// Vehtari 2014).
func waic(ll Pointwise, independent bool, _ PointDensity, progress Progress) Estimate {
	e := estimate(ll, independent, progress, func(_ int, o *observation, chains [][]float64,
		influence []float64) {
		all := flat(chains)
		centre, p := portable.Mean(all), portable.Variance(all)
		lppd, n := logMeanExp(all), float64(len(all))
		o.elpd, o.p = lppd-p, p
		for i, v := range all {
			influence[i] += (portable.Exp(v-lppd) - 1 - float64((v-centre)*(v-centre)) + p) / n
		}
	})
	for _, p := range e.PPointwise {
		if p > VarianceBound {
			e.HighVar++
		}
	}
	e.K, e.REff, e.Before = nil, nil, nil
	return e
}

// sumAndError returns Σ v and its standard error √(n·var v), NaN for fewer than two values.
func sumAndError(v []float64) (sum, se float64) {
	se = math.NaN()
	if len(v) > 1 {
		se = math.Sqrt(float64(len(v)) * portable.Variance(v))
	}
	return portable.Sum(v), se
}

func logMeanExp(v []float64) float64 { return portable.LogSumExp(v) - portable.Log(float64(len(v))) }

func flat(chains [][]float64) []float64 {
	var out []float64
	for _, c := range chains {
		out = append(out, c...)
	}
	return out
}

// HighK counts the observations whose Pareto shape is above the bound for which PSIS-LOO is reliable with S
// draws, min(1 − 1/log₁₀ S, 0.7) (Vehtari et al. 2024). It also returns the bound.
func (e Estimate) HighK() (count int, bound float64) {
	bound = kBound(e.Draws)
	for _, k := range e.K {
		if !(k <= bound) {
			count++
		}
	}
	return count, bound
}

func kBound(draws int) float64 { return min(1-1/portable.Log10(float64(draws)), 0.7) }
