package sfvi

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

const (
	lastShare    = 10   // gradients are judged over the last 1/lastShare of the iterations
	batchesOf    = 50   // batches of them, about
	leastBatches = 10   // with fewer there is no judgement
	independent  = 1000 // the most components of a gradient that are taken to be independent of one another
	errorsOff    = 3    // standard errors that a statistic may be off
	// of the ELBO between the third and the fourth quarter, in nats, beside two standard errors
	largestRise  = 0.1
	largestDrift = 0.05 // of the logarithm of an sd, between the halves of the averaged iterations
	// negligible is a mean gradient, in nats per sd of a mean or per unit of the logarithm of an sd, that is
	// 0 whatever its noise: where q is the posterior both are rounding errors.
	negligible = 1e-4
	// verdicts is how many scalars a party adds to the totals: Σ (mean gradient/standard error)², the number
	// of its terms, how many sds drifted, and the dimensions of its q(θ).
	verdicts   = 4
	dimensions = 3
)

// A rest shows whether q(θ) of a party has come to rest: the mean gradient of the last iterations with the
// variance of its batches, and the mean of q(θ) in each half of the averaged iterations. Successive draws
// have opposite noise, so that a batch has an even number.
type rest struct {
	slope        []float64 // of the current iteration
	sum          []float64 // of the gradients of a batch
	mean, square []float64 // over batches: mean, and sum of squared deviations
	halves       [2][]float64
	sds          [2][]float64
	batches      int
	summed       int // iterations in sum
	counted      [2]int
}

func newRest(q gaussian) *rest {
	n := q.size()
	v := make([]float64, 6*n+2*q.dim)
	at := func(k int) []float64 { return v[k*n : (k+1)*n] }
	return &rest{slope: at(0), sum: at(1), mean: at(2), square: at(3), halves: [2][]float64{at(4), at(5)},
		sds: [2][]float64{v[6*n : 6*n+q.dim], v[6*n+q.dim:]}}
}

// average takes in the parameters after an iteration in a half of the averaged ones.
func (r *rest) average(phi []float64, half int) {
	r.counted[half]++
	vec.Approach(len(phi), r.halves[half], 1/float64(r.counted[half]), phi)
}

// add takes in the gradient of one iteration, which may be the end of a batch.
func (r *rest) add(end bool) {
	r.summed++
	vec.Axpy(len(r.sum), r.sum, 1, r.slope)
	if !end {
		return
	}
	r.batches++
	for i, s := range r.sum {
		x := s / float64(r.summed)
		d := x - r.mean[i]
		r.mean[i] += d / float64(r.batches)
		r.square[i] += float64(d * (x - r.mean[i]))
	}
	clear(r.sum)
	r.summed = 0
}

// judge sets the scalars that a party adds to the totals. Weights are left out: without an sd there is no
// unit in which their gradient could be small, and whether they are at rest shows in the ELBO.
func (r *rest) judge(q *gaussian, into []float64) {
	clear(into)
	into[dimensions] = float64(q.dim)
	if r.batches < leastBatches {
		return
	}
	b := float64(r.batches)
	for h, phi := range r.halves {
		q.sds(phi, r.sds[h])
	}
	sds := r.sds[1]
	for i, m := range r.mean {
		floor := negligible
		if i < q.all {
			if q.weight(i) {
				continue
			}
			floor /= sds[0]
			sds = sds[1:]
		}
		se := r.square[i]/(b-1)/b + float64(floor*floor)
		into[0] += m * m / se * (b - 3) / (b - 1) // the mean of Student's t² is ν/(ν − 2)
		into[1]++
	}
	for i, s := range r.sds[1] {
		if math.Abs(portable.Log(s/r.sds[0][i])) > largestDrift {
			into[2]++
		}
	}
}

// judged sets what the totals over the parties show. Where q is at rest the sum of squares has the mean
// terms, and the variance 2·terms if the terms are independent.
func (k *kernel) judged(f *backends.VariationalFit) {
	if v := k.validation; v != nil {
		f.Judged, f.Converged, f.BestAt, f.HeldOut = true, v.ended, v.at, v.score
		return
	}
	f.Rising = !(k.drift.Value < largestRise+float64(2*k.drift.SE))
	sum, terms := k.verdict[0], k.verdict[1]
	if f.Judged = k.drift.N > 0 && k.parties[0].last.batches >= leastBatches; !f.Judged {
		return
	}
	if terms > 0 { // else all parameters of all parties are weights
		f.Gradient, f.Drifting = math.Sqrt(sum/terms), int(k.verdict[2])
		f.GradientBound = math.Sqrt(1 + float64(errorsOff*math.Sqrt(2/min(terms, independent))))
	}
	f.Converged = f.Gradient <= f.GradientBound && f.Drifting == 0 && !f.Rising
}
