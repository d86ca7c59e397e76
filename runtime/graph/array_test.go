package graph_test

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/runtime/graph"
)

// An array is a value with plain indexing: the reference that operations are compared with.
type array struct {
	shape graph.Shape
	v     []float64
}

func newArray(shape ...int) array {
	s := graph.Shape(shape)
	return array{s, make([]float64, s.Len())}
}

// at is the element at the given index, column-major.
func (a array) at(index ...int) *float64 {
	offset, stride := 0, 1
	for k, i := range index {
		offset += i * stride
		stride *= a.shape[k]
	}
	return &a.v[offset]
}

// stretched is the element at an index of a larger shape that a broadcasts to.
func (a array) stretched(index []int) float64 {
	offset, stride := 0, 1
	for k, d := range a.shape {
		if d > 1 {
			offset += index[len(index)-len(a.shape)+k] * stride
		}
		stride *= d
	}
	return a.v[offset]
}

// indices visits every index of a shape, first axis fastest. The slice is reused.
func indices(s graph.Shape) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		index := make([]int, len(s))
		for i := range s.Len() {
			for k, d := range s {
				index[k] = i % d
				i /= d
			}
			if !yield(index) {
				return
			}
		}
	}
}

// stretch is the shape that some shapes broadcast to.
func stretch(in []array) graph.Shape {
	var out graph.Shape
	for _, a := range in {
		if len(a.shape) > len(out) {
			out = append(make(graph.Shape, len(a.shape)-len(out)), out...)
		}
		for k, d := range a.shape {
			at := &out[len(out)-len(a.shape)+k]
			*at = max(*at, d)
		}
	}
	return out
}

// each applies f to the broadcast elements.
func each(f func(v []float64) float64) func(in []array) array {
	return func(in []array) array {
		out := newArray(stretch(in)...)
		args := make([]float64, len(in))
		for index := range indices(out.shape) {
			for k, a := range in {
				args[k] = a.stretched(index)
			}
			*out.at(index...) = f(args)
		}
		return out
	}
}

// scalarOf is an array without dimensions.
func scalarOf(v float64) array { return array{graph.Shape{}, []float64{v}} }

// random fills an array with numbers of absolute value 0.5 to 2, only positive ones on request.
func random(r *rand.Rand, positive bool, shape graph.Shape) array {
	a := newArray(shape...)
	for i := range a.v {
		a.v[i] = 0.5 + 1.5*r.Float64()
		if !positive && r.IntN(2) == 0 {
			a.v[i] = -a.v[i]
		}
	}
	return a
}

// near reports whether two numbers agree to a relative tolerance, absolute below 1.
func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*max(1, math.Abs(a), math.Abs(b))
}
