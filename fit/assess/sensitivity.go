package assess

import (
	"cmp"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// The powers between which the change is measured, and Bound, the sensitivity from which on it is large:
// 0.05 is that of a normal posterior whose mean moves by about a quarter of its standard deviation where
// the power doubles.
const (
	lowerPower = 0.99
	upperPower = 1.01
	Bound      = 0.05
)

// A scaling is the weights of draws under two powers of a component of the posterior density.
type scaling struct {
	lower, upper []float64
	K            float64 // the larger Pareto shape of the two; −Inf where the component is one constant
}

// Scale returns the weights of draws for a component, given its logarithm at each draw.
func Scale(component []float64) scaling {
	s := scaling{K: math.Inf(-1)}
	varies := slices.Min(component) < slices.Max(component)
	for _, power := range []float64{lowerPower, upperPower} {
		w := slices.Repeat([]float64{1 / float64(len(component))}, len(component))
		if varies {
			k := 0.0
			if w, k = weights(component, power); w == nil {
				return scaling{K: math.NaN()}
			}
			s.K = max(s.K, k)
		}
		if power < 1 {
			s.lower = w
		} else {
			s.upper = w
		}
	}
	return s
}

// weights are Pareto smoothed as in the R package priorsense and in ArviZ: their tail has the efficiency of
// the component's own tails, of the draws in their order as one chain.
func weights(component []float64, power float64) (w []float64, k float64) {
	ratios, n := make([]float64, len(component)), float64(len(component))
	for i, c := range component {
		ratios[i] = (power - 1) * c
	}
	efficient := posterior.ESSTail([][]float64{component}) / n
	tail := math.Floor(n / 5)
	if n*efficient > 225 {
		tail = math.Floor(3 * math.Sqrt(n/efficient))
	}
	s := importance.SmoothTail(ratios, max(5, int(min(tail, math.Floor(n/2)))))
	if s.LogWeights == nil {
		return nil, math.NaN()
	}
	for _, l := range s.LogWeights {
		w = append(w, portable.Exp(l))
	}
	return w, s.K
}

// Of is the sensitivity of the distribution of some values to the component: the derivative of its cumulative
// Jensen-Shannon distance from the posterior by log₂ of the power, at 1.
func (s scaling) Of(values []float64) float64 {
	if s.lower == nil || slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 }) {
		return math.NaN()
	}
	if math.IsInf(s.K, -1) {
		return 0
	}
	if slices.Min(values) == slices.Max(values) {
		return math.NaN()
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	up, down := distance(values, s.upper, order), distance(values, s.lower, order)
	return float64((up/portable.Log2(upperPower) - down/portable.Log2(lowerPower)) / 2)
}

// distance is the larger of the distances of the values and of their negatives: it is not symmetric.
func distance(values, w []float64, order []int) float64 {
	n := len(order)
	x, p, q := make([]float64, n), make([]float64, n), make([]float64, n)
	below := 0.0
	for i, at := range order {
		below += w[at]
		x[i], p[i], q[i] = values[at], float64(i+1)/float64(n), below
	}
	forward := jensenShannon(x, p, q)
	for i := range n / 2 {
		x[i], x[n-1-i] = x[n-1-i], x[i]
	}
	below = 0
	for i := range n {
		below += w[order[n-1-i]]
		x[i], q[i] = -x[i], below
	}
	return max(forward, jensenShannon(x, p, q))
}

// jensenShannon is the distance of two distribution functions with steps at x, normalised to lie in [0, 1]
// (Nguyen and Vreeken 2015, "Non-parametric Jensen-Shannon divergence").
func jensenShannon(x, p, q []float64) float64 {
	var pq, qp, sumP, sumQ float64
	for i := range len(x) - 1 {
		width := x[i+1] - x[i]
		middle := portable.Log2(0.5 * (p[i] + q[i]))
		pq += float64(width * p[i] * (portable.Log2(p[i]) - middle))
		if q[i] > 0 {
			qp += float64(width * q[i] * (portable.Log2(q[i]) - middle))
		}
		sumP += float64(width * p[i])
		sumQ += float64(width * q[i])
	}
	half := float64(0.5 / math.Ln2 * (sumQ - sumP))
	return math.Sqrt((max(0, pq+half) + max(0, qp-half)) / (sumP + sumQ))
}
