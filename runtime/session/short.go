package session

import (
	"math"
	"math/bits"

	"github.com/vflc/vflc/runtime/transport"
)

// Where the plan's wire is short, what evaluations exchange is rounded to what a sampler needs, and written
// in 2 to 4 bytes.
//
// Contributions, which clients send up, lie on a grid so fine that their rounding changes the log density of
// all rows by less than unnoticed, as a standard deviation: to first order by the sum of errors times
// adjoints, whose last total the server knows. A density times a factor of constant expectation is the same
// density, so that no mean of the posterior moves; what rounding costs is acceptance. Words have as many
// bytes as totals of that size and some growth need. A number that has no word there makes its array invalid,
// and the server then asks for all contributions once more, in two words each: only what is beyond these, or
// not finite, is lost.
//
// Adjoints, which go down, are rounded to short integers. They move a trajectory and enter no log density.

const (
	// nats: the standard deviation of a log density by rounding
	unnoticed = 0.01
	// bits of the largest total of the previous round that are kept at least
	leastResolution = 10
	// bytes of a short word: two would be enough for two clients and few rows, and as many as four are rare
	leastSize, mostSize = 3, 4
	// the largest adjoint relative to the root of their mean square that 2 bytes, and 3, are enough for
	spread2 = 1 << 6
	spread3 = 1 << 14
	// the step of short numbers, in size, and of their reciprocal
	farthest = 900
)

// A room is by how many bits a client's words on a grid may be larger than the largest total before. It grows
// when one was, and shrinks by a bit after each calm evaluations in which none was; these are counted in
// parts of a bit.
type room uint16

const (
	calm      room = 128
	leastRoom      = 3 * calm
	moreRoom       = 3 * calm
	mostRoom       = 24 * calm
)

// bits are the whole bits.
func (r room) bits() int { return int((r + calm - 1) / calm) }

// sizeOf is how many bytes a word has by a size in which 0 stands for 8.
func sizeOf(size uint8) int {
	if size == 0 {
		return bytesPerNumber
	}
	return int(size)
}

// shorten chooses the grid and the size of words for numbers like those of a total, where adjoints have this
// norm and so many clients contribute. outgrown: a number of the total had no word.
func (g *grid) shorten(largest, norm float64, contributors int, outgrown bool) {
	if outgrown {
		g.room = min(g.room+moreRoom, mostRoom)
	} else {
		g.room = max(g.room-1, leastRoom)
	}
	_, k := math.Frexp(largest)
	e := k - resolution
	step := unnoticed * math.Sqrt(12/float64(contributors)) / norm
	if step > 0 && step < math.MaxFloat64 {
		_, s := math.Frexp(step)
		e = max(e, s-1)
	}
	e = min(e, k-leastResolution)
	if g.exponent != none {
		e = max(e, int(g.exponent)-decay)
	}
	need := k + g.room.bits() - e + wordSpare + bits.Len(uint(contributors-1))
	size := max(leastSize, (need+7)/8)
	if largest == 0 || size > mostSize {
		g.follow(largest)
		return
	}
	g.exponent, g.size = int16(max(e-8*size+need, finest)), uint8(size)
}

// shorten is follow for a coding of evaluations on a short wire, by the adjoints of what was added up.
func (c *coding) shorten(largest float64, valid bool, r *rounded, outgrown bool) {
	if c == nil {
		return
	}
	if !valid || r.notFinite {
		c.follow(largest, valid)
		return
	}
	c.grid.shorten(largest, r.norm, len(c.contributors), outgrown)
}

// rounded are adjoints as they go down on a short wire: integers times a power of two, all of them NaN where
// one is not finite.
type rounded struct {
	data      []float64
	norm      float64 // the root of the sum of their squares, before
	size      uint8
	step      int16
	notFinite bool
}

// set rounds adjoints, none of them to more than the largest.
func (r *rounded) set(v []float64) {
	largest, squares := 0.0, 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x)) // NaN where one is
		squares += float64(x * x)
	}
	r.norm, r.size, r.step = math.Sqrt(squares), 0, 0
	if r.notFinite = !(largest <= math.MaxFloat64); r.notFinite {
		r.size = 2
		for i := range v {
			r.data[i] = math.NaN()
		}
		return
	}
	switch spread := largest * math.Sqrt(float64(len(v))); {
	case spread <= spread2*r.norm:
		r.size = 2
	case spread <= spread3*r.norm:
		r.size = 3
	default:
		copy(r.data, v)
		return
	}
	_, k := math.Frexp(largest)
	step := k - 8*int(r.size) + 1
	if r.step = int16(step); step < -farthest || step > farthest {
		r.size, r.step = 0, 0
		copy(r.data, v)
		return
	}
	scale, size := math.Ldexp(1, -step), math.Ldexp(1, step)
	most := math.Floor(largest * scale)
	for i, x := range v {
		w := min(max(math.RoundToEven(x*scale), -most), most)
		if r.data[i] = w * size; w == 0 {
			r.data[i] = 0 // words have no -0
		}
	}
}

// loadRounded puts rounded adjoints into channel k.
func (f *frame) loadRounded(k int, r *rounded) {
	a := &f.arrays[k]
	f.load(k, r.data)
	a.Size, a.Step = r.size, r.step
	a.Encoding = transport.Short
	if r.size == 0 {
		a.Encoding = transport.Plain
	}
}
