package attack

import (
	"fmt"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Where a fit draws anew for every evaluation, a total is Xθ at a θ of q(θ), whose covariance is
// block-diagonal by client and changes as the fit goes on: that of the differences of totals that follow one
// another, over the evaluations between two powers of two, takes the place of a chain's metric (separate.go).
// It is known up to the error of so many draws, so that only directions separate whose variances change
// unlike those of others: few columns, or correlated ones.

// periods are second moments of such differences, in coordinates of the span of the totals.
type periods struct {
	span   *steps // whose basis is that of the totals
	seen   int    // totals since the basis has changed
	last   []float64
	counts [mostPeriods][2]int
	second [mostPeriods][2][]float64
	sum    []float64 // of totals, in the newest period
	summed int
}

// mostPeriods bounds the powers of two.
const mostPeriods = 20

// newPeriods follow sums without noise and rounding; nil where there are none.
func newPeriods(plan *model.Plan, group int) *periods {
	s := newSteps(plan, group)
	if s == nil || s.whole() || s.off {
		return nil
	}
	return &periods{span: s}
}

// sent takes a total that is at no point of a trajectory.
func (e *periods) sent(window int, totals [][]float64) {
	if e.span.off || window != session.AllRows {
		return
	}
	r := e.span.rank
	if e.span.widen(totals[e.span.group]); e.span.rank != r || e.last == nil {
		e.reset()
	}
	if r = e.span.rank; r == 0 || e.span.off {
		return
	}
	at := make([]float64, r)
	e.span.project(at, totals[e.span.group])
	if e.seen++; e.seen > 1 {
		e.add(at)
	}
	copy(e.last, at)
}

func (e *periods) reset() {
	r := e.span.rank
	e.seen, e.last, e.sum, e.summed = 0, make([]float64, r), make([]float64, r), 0
	e.counts, e.second = [mostPeriods][2]int{}, [mostPeriods][2][]float64{}
}

// halfPeriod is how many differences in a row are of one half: draws come in pairs.
const halfPeriod = 4

func (e *periods) add(at []float64) {
	r, k, half := len(at), bits.Len(uint(e.seen))-1, e.seen/halfPeriod%2
	if k >= mostPeriods {
		return
	}
	if e.seen == 1<<k {
		clear(e.sum)
		e.summed = 0
	}
	vec.Accumulate(r, e.sum, at)
	e.summed++
	if e.second[k][half] == nil {
		e.second[k][half] = make([]float64, r*r)
	}
	e.counts[k][half]++
	vec.Sub(r, e.last, at, e.last)
	for i, x := range e.last {
		vec.Axpy(r, e.second[k][half][i*r:][:r], x, e.last)
	}
}

// perPeriod is how many differences of a half there must be for each dimension.
const perPeriod = 100

// separate separates the sum by the periods that have enough draws.
func (e *periods) separate(out *Separation, members []member) {
	r := e.span.rank
	out.By, out.Dimensions = byPeriods, r
	if r == 0 {
		out.Missing = "the totals have no small span"
		return
	}
	var laws []*law
	var halves [2][]*law
	for k, n := range e.counts {
		if min(n[0], n[1]) < perPeriod*r {
			continue
		}
		out.Of++
		both := make([]float64, r*r)
		for h := range halves {
			vec.Accumulate(r*r, both, e.second[k][h])
			halves[h] = append(halves[h], momentsOf(e.second[k][h], n[h]))
		}
		laws = append(laws, momentsOf(both, n[0]+n[1]))
	}
	out.Chains = out.Of
	found := separated(laws, halves)
	if found == nil {
		out.Missing = fmt.Sprintf("too few draws for %d dimensions, or their covariance does not change", r)
		return
	}
	s := &sums{rows: e.span.rows, base: e.span}
	mean := make([]float64, header+r)
	vec.Scale(r, mean[header:], e.sum, 1/float64(max(1, e.summed)))
	s.kept = [][][]float64{{mean}}
	s.describe(out, found, members, "draws", "a third period")
}

func momentsOf(second []float64, n int) *law {
	h := mat.NewSymDense(isqrt(len(second)), nil)
	for i := range h.SymmetricDim() {
		for j := i; j < h.SymmetricDim(); j++ {
			h.SetSym(i, j, second[i*h.SymmetricDim()+j]/float64(n))
		}
	}
	return &law{h: h, used: n}
}

func isqrt(n int) (r int) {
	for r*r < n {
		r++
	}
	return r
}

func (e *periods) state(c *backends.Codec) {
	e.span.state(c)
	r := e.span.rank
	if len(e.last) != r || e.last == nil {
		e.reset()
	}
	c.Ints(&e.seen, &e.summed)
	c.Floats(e.last)
	c.Floats(e.sum)
	for k := range e.counts {
		for h := range e.counts[k] {
			if c.Ints(&e.counts[k][h]); e.counts[k][h] > 0 && e.second[k][h] == nil {
				e.second[k][h] = make([]float64, r*r)
			}
			if e.second[k][h] != nil {
				c.Floats(e.second[k][h])
			}
		}
	}
}
