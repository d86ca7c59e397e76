package assess

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/linear"
)

// A joint sets values to log p(y, θ) at points, by unconstrained coordinates with the Jacobian, constants
// included; −∞ where there is no such number.
type joint = func(points [][]float64, values []float64)

// An EvidenceEstimate is a logarithm of the marginal likelihood in nats.
type EvidenceEstimate struct {
	Log float64
	SE  float64 // the Monte Carlo standard error of the marginal likelihood, relative to it
	// the Pareto shape of importance weights; NaN of bridge sampling
	K          float64
	Iterations int // of bridge sampling; 0 of importance sampling
}

// A normal is N(mean, L·Lᵀ), the proposal.
type normal struct {
	mean, lower []float64
	logDet      float64 // of L
}

// newNormal has the mean and the covariance of draws, or where these are too few for one, or linearly
// dependent, their variances.
func newNormal(draws [][]float64) *normal {
	n, d := len(draws), len(draws[0])
	q := &normal{mean: make([]float64, d), lower: make([]float64, d*d)}
	for _, x := range draws {
		for j, v := range x {
			q.mean[j] += v / float64(n)
		}
	}
	for _, x := range draws {
		for j := range d {
			a := (x[j] - q.mean[j]) / float64(n-1)
			for i := j; i < d; i++ {
				q.lower[i+d*j] += float64(a * (x[i] - q.mean[i]))
			}
		}
	}
	diagonal := make([]float64, d*d)
	for j := range d {
		diagonal[j+d*j] = math.Sqrt(q.lower[j+d*j])
	}
	if n < drawsForCovariances*d || !linear.Cholesky(q.lower, q.lower, d) {
		q.lower = diagonal
	}
	q.logDet = linear.LogDiagonal(q.lower, d)
	return q
}

// drawsForCovariances is the least number of draws for each coordinate of which covariances are taken.
const drawsForCovariances = 5

// at sets x to mean + L·z, and reflected to mean − L·z.
func (q *normal) at(z, x, reflected []float64) {
	d := len(z)
	copy(x, q.mean)
	for j, v := range z {
		for i := j; i < d; i++ {
			x[i] += float64(q.lower[i+d*j] * v)
		}
	}
	for i, v := range x {
		reflected[i] = float64(2*q.mean[i]) - v
	}
}

// log is the log density of N(0, I) at z less log |L|.
func (q *normal) log(z []float64) float64 {
	return float64(-0.5*portable.Dot(z, z)) - q.logDet - float64(float64(len(z))*halfLog2Pi)
}

const halfLog2Pi = 0.91893853320467274178

// Bridge returns the estimate by warp-III bridge sampling with the optimal bridge (Meng and Wong 1996; Meng
// and Schilling 2002; Gronau and others 2017, "A tutorial on bridge sampling"): half of each chain gives
// the mean and the covariance of a normal proposal, the other half and as many draws of the proposal the
// estimate. The posterior is made symmetric by reflection about that mean, which changes no integral. The
// error is that of Frühwirth-Schnatter (2004), with the autocorrelation of the chains. Chains have one
// length.
func Bridge(chains [][][]float64, p joint, seed uint64) EvidenceEstimate {
	var fitted, rest [][]float64
	for _, c := range chains {
		fitted, rest = append(fitted, c[:len(c)/2]...), append(rest, c[len(c)/2:]...)
	}
	q := newNormal(fitted)
	drawn := q.warped(standard(len(rest), len(q.mean), seed), p)
	for s, x := range rest {
		z := make([]float64, len(x))
		for i, v := range x {
			z[i] = v - q.mean[i]
		}
		linear.SolveLower(z, q.lower, len(x))
		rest[s] = z
	}
	given := q.warped(rest, p)
	each := len(given) / len(chains)
	var logs [][]float64
	for c := range chains {
		logs = append(logs, given[c*each:][:each])
	}
	effective := posterior.ESSMean(logs)
	if !(effective <= float64(len(given))) {
		effective = float64(len(given))
	}
	share := effective / (effective + float64(len(drawn)))
	e := iterate(given, drawn, share)
	e.SE = relativeError(logs, drawn, e.Log)
	return e
}

// standard are n vectors of d standard normals.
func standard(n, d int, seed uint64) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([][]float64, n)
	for s := range out {
		out[s] = make([]float64, d)
		for i := range out[s] {
			out[s][i] = portable.Normal(r)
		}
	}
	return out
}

// warped is the log of the symmetric density of the posterior at standardised points over that of N(0, I).
func (q *normal) warped(points [][]float64, p joint) []float64 {
	n := len(points)
	both, values, out := make([][]float64, 2*n), make([]float64, 2*n), make([]float64, n)
	for s, z := range points {
		both[s], both[n+s] = make([]float64, len(z)), make([]float64, len(z))
		q.at(z, both[s], both[n+s])
	}
	p(both, values)
	for s, z := range points {
		out[s] = portable.LogSumExp([]float64{values[s], values[n+s]}) - math.Ln2 - q.log(z)
	}
	return out
}

// mostIterations of the bridge, and the change of the logarithm below which they end.
const (
	mostIterations = 1000
	settled        = 1e-10
)

// iterate finds log r = log Σ_drawn w/(s·w + (1 − s)·r) − log Σ_given 1/(s·w + (1 − s)·r), for log weights
// at draws of the posterior and of the proposal; share is s.
func iterate(given, drawn []float64, share float64) EvidenceEstimate {
	e := EvidenceEstimate{Log: portable.LogSumExp(drawn) - portable.Log(float64(len(drawn))), K: math.NaN()}
	a, b := make([]float64, len(drawn)), make([]float64, len(given))
	own, other := portable.Log(share), portable.Log1p(-share)
	mean := func(v []float64) float64 { return portable.LogSumExp(v) - portable.Log(float64(len(v))) }
	for e.Iterations = 1; e.Iterations <= mostIterations; e.Iterations++ {
		for i, w := range drawn {
			a[i] = w - added(own+w, other+e.Log)
		}
		for i, w := range given {
			b[i] = -added(own+w, other+e.Log)
		}
		before := e.Log
		if e.Log = mean(a) - mean(b); !(math.Abs(e.Log-before) > settled) {
			return e
		}
	}
	e.Log = math.NaN()
	return e
}

// added is log(eˣ + eʸ).
func added(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(x, -1) {
		return x
	}
	return x + portable.Log1p(portable.Exp(y-x))
}

// relativeError is √(Var f₁/(n₁ f̄₁²) + Var f₂/(n₂ f̄₂²)), with p/(s·p + (1 − s)·q) at draws of the
// proposal and q/(s·p + (1 − s)·q) at draws of the posterior, of which as many as are effective count, and
// s the share of these.
func relativeError(given [][]float64, drawn []float64, log float64) float64 {
	n := 0
	for _, c := range given {
		n += len(c)
	}
	s := float64(n) / float64(n+len(drawn))
	f1, f2 := make([]float64, len(drawn)), make([][]float64, len(given))
	for i, w := range drawn {
		f1[i] = 1 / (s + float64((1-s)*portable.Exp(log-w)))
	}
	sum := 0.0
	for c, chain := range given {
		for _, w := range chain {
			f := 1 / (float64(s*portable.Exp(w-log)) + 1 - s)
			f2[c] = append(f2[c], f)
			sum += f / float64(n)
		}
	}
	a := portable.Variance(f1) / float64(len(f1)) / portable.Mean(f1) / portable.Mean(f1)
	b := posterior.MCSEMean(f2) / sum
	if math.IsNaN(b) && slices.Min(f2[0]) == slices.Max(f2[0]) {
		b = 0
	}
	return math.Sqrt(a + float64(b*b))
}

// Importance returns the estimate by importance sampling with a mixture of the normal distribution of the
// draws and a Student t of the same location and scale (package importance), at as many draws of it as
// there are, which must be independent of one another, as those of an approximation are.
func Importance(draws [][]float64, p joint, seed uint64) EvidenceEstimate {
	q, n, d := newNormal(draws), len(draws), len(draws[0])
	points, values, ratios := standard(n, d, seed), make([]float64, n), make([]float64, n)
	r, reflected := rand.New(rand.NewPCG(seed, 8)), make([]float64, d)
	fill := func(x []float64) {
		for i := range x {
			x[i] = portable.Normal(r)
		}
	}
	for s, z := range points {
		scale := importance.Scale(s, fill)
		for i := range z {
			z[i] *= scale
		}
		square, log := portable.Dot(z, z), q.log(z)
		x := make([]float64, d)
		q.at(z, x, reflected)
		points[s], ratios[s] = x, -log-importance.Excess(d, square)
	}
	p(points, values)
	for s, v := range values {
		if ratios[s] += v; math.IsNaN(ratios[s]) {
			ratios[s] = math.Inf(-1)
		}
	}
	smooth := importance.Smooth(ratios, 1)
	total, e := portable.LogSumExp(ratios), 0.0
	for _, v := range ratios {
		w := portable.Exp(v - total)
		e += float64(w * w)
	}
	return EvidenceEstimate{Log: total - portable.Log(float64(n)), SE: math.Sqrt(max(0, e-1/float64(n))),
		K: smooth.K}
}
