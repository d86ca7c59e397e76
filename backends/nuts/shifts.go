package nuts

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// shiftPays is the inverse mass from which on a direction among those of shifts is a ridge. They are few and
// known, so that few draws tell it.
const shiftPays = 3

// shifts sets the basis of a search for ridges to orthonormal rows of scaled coordinates: along one of them
// all effects of a block, or of an element of its vectors, move by the same, as they do against an intercept
// where data know each of them well; the others are single coordinates that are no effects. It returns how
// many there are, 0 where they are more than the basis has room for.
func (s *party) shifts(basis, root []float64) int {
	if s.centring == nil {
		return 0
	}
	c, dim := s.centring, s.block.Dim()
	theta, _ := c.kept.newest(1)
	here, there := make([]float64, dim), make([]float64, dim)
	c.from.At(c.chosen, theta, here)
	n := 0
	next := func() []float64 {
		if n++; n*dim > len(basis) {
			return nil
		}
		v := basis[(n-1)*dim:][:dim]
		clear(v)
		return v
	}
	effect := make([]bool, dim)
	for _, e := range c.effects {
		if e.Anchored || e.Terms != nil {
			continue
		}
		blocks := 1
		if e.Vector > 0 {
			blocks = e.Vector
		}
		for k := range blocks {
			from, many := e.Offset+k*(e.Len/blocks), e.Len/blocks
			moved := append([]float64(nil), theta...)
			for i := from; i < from+many; i++ {
				moved[i]++
				effect[i] = true
			}
			v := next()
			if v == nil {
				return 0
			}
			c.from.At(c.chosen, moved, there)
			for i := from; i < from+many; i++ {
				v[i] = (there[i] - here[i]) * root[i]
			}
			length := math.Sqrt(vector.Dot(dim, v, v))
			if !(length > 0) || !finite(length) {
				return 0
			}
			vector.Scale(dim, v, v, 1/length)
		}
	}
	for i, e := range effect {
		if !e {
			v := next()
			if v == nil {
				return 0
			}
			v[i] = 1
		}
	}
	return n
}
