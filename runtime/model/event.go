package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// Whole reports whether the elements of the parameter are drawn together: it is one of vectors or matrices.
func (p *Param) Whole() bool { return p.Structure != nil || p.Dist != nil && p.Dist.Event != nil }

// Fixed reports whether element i is the same number in all values of the parameter, or a copy of another
// element.
func (p *Param) Fixed(i int, shape graph.Shape) bool {
	if p.Structure == nil || p.Structure.Fixed == nil {
		return false
	}
	size := shape[len(shape)-1]
	return p.Structure.Fixed(i/(shape.Len()/p.Structure.Len(size)), size)
}

// Draw draws all elements of such a parameter from its prior into x, given its arguments. It reports whether
// there was a draw inside its support.
func (p *Param) Draw(r *rand.Rand, args [][]float64, x []float64, shape graph.Shape) bool {
	if p.Structure == nil {
		return p.Law.draw(r, args, x, shape)
	}
	lead := append(graph.Shape(nil), shape[:len(shape)-p.Structure.Rank]...)
	size := shape[len(shape)-1]
	for range attempts {
		if !p.Law.draw(r, args, x, shape) {
			return false
		}
		if p.inside(x, args, lead.Len(), size) {
			return true
		}
	}
	return false
}

// inside reports whether all values of the parameter lie in its set. Independent draws of one distribution,
// sorted, are draws given that they increase.
func (p *Param) inside(x []float64, args [][]float64, events, size int) bool {
	if p.Dist.Event != nil && p.Dist.Support == p.Structure.Support {
		return true
	}
	increasing := p.Structure.Support == def.Ordered || p.Structure.Support == def.PositiveOrdered
	value := make([]float64, p.Structure.Len(size))
	for e := range events {
		for i := range value {
			value[i] = x[e+i*events]
		}
		if increasing && p.Dist.Event == nil && exchangeable(args, e, events, len(value)) {
			slices.Sort(value)
			for i, v := range value {
				x[e+i*events] = v
			}
		}
		if !p.Structure.Contains(value, size) {
			return false
		}
	}
	return true
}

// exchangeable reports whether the elements of value e have the same arguments.
func exchangeable(args [][]float64, e, events, n int) bool {
	for _, a := range args {
		for i := 1; i < n; i++ {
			if a[e+i*events] != a[e] {
				return false
			}
		}
	}
	return true
}

// Unconstrained maps standard normals, times a scale, to values of the parameter.
func (p *Param) Unconstrained(r *rand.Rand, scale float64, x []float64, shape graph.Shape) {
	size := shape[len(shape)-1]
	t := p.Structure
	u, y, work := make([]float64, t.Free(size)), make([]float64, t.Len(size)), make([]float64, t.Room(size))
	events := shape.Len() / max(1, t.Len(size))
	for e := range events {
		for i := range u {
			u[i] = scale * portable.Normal(r)
		}
		t.Forward(y, u, work, size)
		for i, v := range y {
			x[e+i*events] = v
		}
	}
}

// draw is Draw, and reports whether all could be drawn.
func (l *Law) draw(r *rand.Rand, args [][]float64, x []float64, shape graph.Shape) bool {
	return l.Draw(r, args, x, shape) < 0
}

// Draw draws from a law into x, which holds values of its support for a law that conditions on one of their
// functions: the total of a multinomial. It returns the number of the first element that cannot be drawn, -1
// where there is none.
func (l *Law) Draw(r *rand.Rand, args [][]float64, x []float64, shape graph.Shape) int {
	if l.Dist.Event == nil {
		theta := make([]float64, len(args))
		for i := range x {
			for k, a := range args {
				theta[k] = a[i]
			}
			if x[i] = l.Dist.Sample(r, theta); math.IsNaN(x[i]) {
				return i
			}
		}
		return -1
	}
	w := l.room(shape, args)
	for e := range w.events {
		if i := l.event(r, args, x, w, e); i >= 0 {
			return i
		}
	}
	return -1
}

// A room holds one vector or matrix and its arguments while they are drawn.
type room struct {
	size, events int
	value        []float64
	theta        [][]float64
}

func (l *Law) room(shape graph.Shape, args [][]float64) *room {
	w := &room{size: l.Size(shape, args), events: shape[:len(shape)-l.Dist.Event.Rank].Len()}
	w.value, w.theta = make([]float64, shape.Len()/max(1, w.events)), make([][]float64, len(args))
	for k, a := range args {
		w.theta[k] = make([]float64, len(a)/max(1, w.events))
	}
	return w
}

// event draws vector or matrix e of x. It returns the number of the first element that cannot be drawn, -1
// where there is none.
func (l *Law) event(r *rand.Rand, args [][]float64, x []float64, w *room, e int) int {
	for k, a := range args {
		for i := range w.theta[k] {
			w.theta[k][i] = a[e+i*w.events]
		}
	}
	for i := range w.value {
		w.value[i] = x[e+i*w.events]
	}
	sample := l.Dist.Event.Sample
	if sample == nil {
		sample = l.Dist.Event.Centred
	}
	sample(r, w.value, w.theta, w.size)
	for i, v := range w.value {
		if math.IsNaN(v) {
			return e + i*w.events
		}
		x[e+i*w.events] = v
	}
	return -1
}

// Size is the size of the vectors and matrices of a law whose variable has a shape, and whose arguments have
// a value for each event.
func (l *Law) Size(shape graph.Shape, args [][]float64) int {
	e := l.Dist.Event
	if e.Rank > 0 {
		return shape[len(shape)-1]
	}
	for k, p := range l.Dist.Params {
		if p.Rank == 1 {
			return len(args[k]) / max(1, shape.Len())
		}
	}
	return 1
}
