package nuts

import (
	"errors"

	"github.com/vflc/vflc/backends"
)

// keptDraws is how many of the newest draws of a warm-up are kept, to compare coordinates by and to look for
// ridges in.
const keptDraws = 100

// A keptRing is the newest draws of a warm-up: θ and the gradient by it.
type keptRing struct {
	dim   int
	draws [][2][]float64 // none after the warm-up
	count int            // of all that were added
}

// len is how many draws there are.
func (r *keptRing) len() int { return min(r.count, len(r.draws)) }

// add returns the place of a new draw.
func (r *keptRing) add() (q, g []float64) {
	r.allocate()
	r.count++
	return r.newest(1)
}

func (r *keptRing) allocate() {
	if len(r.draws) > 0 {
		return
	}
	all := make([]float64, 2*keptDraws*r.dim)
	r.draws = make([][2][]float64, keptDraws)
	for i := range r.draws {
		part := all[2*i*r.dim:][:2*r.dim]
		r.draws[i] = [2][]float64{part[:r.dim], part[r.dim:]}
	}
}

// newest returns the k-th newest draw, from 1.
func (r *keptRing) newest(k int) (q, g []float64) {
	d := r.draws[(r.count-k)%len(r.draws)]
	return d[0], d[1]
}

// restart drops the draws.
func (r *keptRing) restart() { r.count = 0 }

// release drops the draws and their memory.
func (r *keptRing) release() { r.draws, r.count = nil, 0 }

var errKept = errors.New("a number of draws is negative")

func (r *keptRing) state(c *backends.Codec) {
	c.Ints(&r.count)
	if r.count < 0 {
		c.Fail(errKept)
	}
	if r.count == 0 || c.Failed() {
		return
	}
	r.allocate()
	for k := r.len(); k > 0; k-- {
		q, g := r.newest(k)
		c.Floats(q)
		c.Floats(g)
	}
}
