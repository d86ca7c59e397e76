package algebra

// The direction of limited-memory BFGS follows from inner products alone, so that vectors may be divided over
// parties, each of which sends its part of the products. A metric H₀, of which every party has a block, takes
// the place of the identity. Methods: Nocedal (1980), "Updating quasi-Newton matrices with limited storage";
// products in place of vectors: Chen, Wang and Zhou (2014), "Large-scale L-BFGS using MapReduce".

// HistoryPairs is how many pairs of steps s and changes of the gradient y are kept at most.
const HistoryPairs = 10

// HistoryProducts is how many numbers Multiply sets.
const HistoryProducts = 2*HistoryPairs*HistoryPairs + 2*HistoryPairs + 1

// HistoryCoefficients is how many coefficients a direction has: one for each step, one for each change of the
// gradient in the metric, and one for the gradient in the metric.
const HistoryCoefficients = 2*HistoryPairs + 1

// A History is one party's part of the latest steps and changes, the latest last.
type History struct {
	Steps, Changes [][]float64
	Used           int
	metric         [][]float64 // H₀ times the changes
	gradient       []float64   // H₀ times the gradient
}

// NewHistory makes room for vectors of n elements.
func NewHistory(n int) *History {
	h := &History{gradient: make([]float64, n)}
	for range HistoryPairs {
		h.Steps, h.Changes, h.metric = append(h.Steps, make([]float64, n)),
			append(h.Changes, make([]float64, n)), append(h.metric, make([]float64, n))
	}
	return h
}

// Next is where the next step and change are to be written; the oldest make room.
func (h *History) Next() (step, change []float64) {
	if h.Used == HistoryPairs {
		s, y := h.Steps[0], h.Changes[0]
		copy(h.Steps, h.Steps[1:])
		copy(h.Changes, h.Changes[1:])
		h.Steps[HistoryPairs-1], h.Changes[HistoryPairs-1] = s, y
		h.Used--
	}
	h.Used++
	return h.Steps[h.Used-1], h.Changes[h.Used-1]
}

// Drop takes the latest pair away.
func (h *History) Drop() { h.Used-- }

// The layout of products: steps with changes, changes with changes in the metric, steps with the gradient,
// changes with it in the metric, and the gradient with itself in the metric.
func at(i, j int) int       { return i*HistoryPairs + j }
func inMetric(i, j int) int { return HistoryPairs*HistoryPairs + i*HistoryPairs + j }
func withGradient(i int) int {
	return 2*HistoryPairs*HistoryPairs + i
}
func gradientInMetric(i int) int { return 2*HistoryPairs*HistoryPairs + HistoryPairs + i }

const squared = HistoryProducts - 1

// Multiply sets the party's part of the products for a gradient; apply overwrites to with H₀ times from.
func (h *History) Multiply(gradient []float64, apply func(from, to []float64), out []float64) {
	clear(out)
	apply(gradient, h.gradient)
	for i := range h.Used {
		apply(h.Changes[i], h.metric[i])
	}
	for i := range h.Used {
		for j := range h.Used {
			out[at(i, j)] = dot(h.Steps[i], h.Changes[j])
			out[inMetric(i, j)] = dot(h.Changes[i], h.metric[j])
		}
		out[withGradient(i)] = dot(h.Steps[i], gradient)
		out[gradientInMetric(i)] = dot(h.Changes[i], h.gradient)
	}
	out[squared] = dot(gradient, h.gradient)
}

// DescentDirection finds the coefficients of the direction of descent from the sums of all parties' products
// over so many pairs. It returns the derivative along it.
func DescentDirection(p []float64, used int, out []float64) (slope float64) {
	clear(out)
	var alpha, beta [HistoryPairs]float64
	for i := used - 1; i >= 0; i-- {
		v := p[withGradient(i)]
		for j := i + 1; j < used; j++ {
			v -= float64(alpha[j] * p[at(i, j)])
		}
		alpha[i] = v / p[at(i, i)]
	}
	scale := 1.0
	if n := used - 1; n >= 0 {
		scale = p[at(n, n)] / p[inMetric(n, n)]
	}
	for i := range used {
		v := scale * p[gradientInMetric(i)]
		for j := range used {
			v -= float64(scale * alpha[j] * p[inMetric(i, j)])
		}
		for j := range i {
			v += float64((alpha[j] - beta[j]) * p[at(j, i)])
		}
		beta[i] = v / p[at(i, i)]
	}
	slope = -scale * p[squared]
	out[2*HistoryPairs] = -scale
	for i := range used {
		out[i], out[HistoryPairs+i] = beta[i]-alpha[i], scale*alpha[i]
		slope += float64(out[i]*p[withGradient(i)]) + float64(out[HistoryPairs+i]*p[gradientInMetric(i)])
	}
	return slope
}

// LatestCurved reports whether the latest of so many pairs shows positive curvature, without which it must be
// dropped.
func LatestCurved(p []float64, used int) bool {
	n := used - 1
	return p[at(n, n)] > 1e-10*p[inMetric(n, n)] && p[inMetric(n, n)] > 0
}

// SquaredGradient is the square of the gradient's length in the metric.
func SquaredGradient(p []float64) float64 { return p[squared] }

// Combine sets the party's part of the direction, after Multiply.
func (h *History) Combine(by, direction []float64) {
	for k := range direction {
		v := by[2*HistoryPairs] * h.gradient[k]
		for i := range h.Used {
			v += float64(by[i]*h.Steps[i][k]) + float64(by[HistoryPairs+i]*h.metric[i][k])
		}
		direction[k] = v
	}
}
