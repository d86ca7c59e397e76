package attack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// lawOf is that of some steps; nil where they follow none.
func lawOf(all []step, rank int) *law {
	if least := trimmedTo * float64(len(all)); rank == 0 ||
		math.Floor(least) < fewestSteps*float64(2*rank+1) {
		return nil
	}
	r := newTrimmed(all, rank)
	if !r.trim() || !r.extend() {
		return nil
	}
	left, whole := 0.0, 0.0
	for _, k := range r.order[:r.count] {
		left, whole = left+float64(r.residual[k]*r.residual[k]), whole+float64(r.size[k]*r.size[k])
	}
	if !(left <= believed*believed*whole) {
		return nil
	}
	return r.law(rank)
}

// A trimmed regression of second differences on adjoint, total and 1.
type trimmed struct {
	x, y, c        *mat.Dense
	scale          []float64 // of the columns of x
	size, residual []float64 // by step
	order          []int     // of the steps, the best first
	count          int       // of those that are taken
}

func newTrimmed(all []step, rank int) *trimmed {
	width := 2*rank + 1
	r := &trimmed{x: mat.NewDense(len(all), width, nil), y: mat.NewDense(len(all), rank, nil),
		c: new(mat.Dense)}
	r.size, r.residual, r.order = make([]float64, len(all)), make([]float64, len(all)), make([]int, len(all))
	r.count = int(trimmedTo * float64(len(all)))
	for k, s := range all {
		row := r.x.RawRowView(k)
		copy(row, s.adjoint)
		copy(row[rank:], s.at)
		row[2*rank] = 1
		r.y.SetRow(k, s.second)
		r.size[k], r.order[k] = norm(s.second), k
	}
	r.scale = standardised(r.x)
	return r
}

// trim regresses on the steps that follow best, as often as these change.
func (r *trimmed) trim() bool {
	by := func(v []float64) { slices.SortStableFunc(r.order, func(a, b int) int { return less(v[a], v[b]) }) }
	by(r.size)
	before := []int(nil)
	for range trimSteps {
		chosen := slices.Sorted(slices.Values(r.order[:r.count]))
		if slices.Equal(chosen, before) {
			break
		}
		before = chosen
		if !leastSquares(r.c, r.x, r.y, chosen) {
			return false
		}
		var left mat.Dense
		left.Mul(r.x, r.c)
		left.Sub(r.y, &left)
		for k := range r.residual {
			r.residual[k] = norm(left.RawRowView(k))
		}
		by(r.residual)
	}
	return true
}

// extend takes those that were left out and follow the law as well.
func (r *trimmed) extend() bool {
	last := r.order[r.count-1]
	bound := max(10*r.residual[last], rounding*r.size[last])
	for r.count < len(r.order) && r.residual[r.order[r.count]] <= bound {
		r.count++
	}
	return leastSquares(r.c, r.x, r.y, r.order[:r.count])
}

// law is what the coefficients say; nil where H is not symmetric.
func (r *trimmed) law(rank int) *law {
	h, back := mat.NewSymDense(rank, nil), mat.NewDense(rank, rank, nil)
	odd, all := 0.0, 0.0
	for i := range rank {
		for j := range rank {
			a, b := r.c.At(i, j)/r.scale[i], r.c.At(j, i)/r.scale[j]
			odd, all = odd+float64((a-b)*(a-b)), all+float64((a+b)*(a+b))
			h.SetSym(i, j, (a+b)/2)
			back.Set(j, i, r.c.At(rank+i, j)/r.scale[rank+i])
		}
	}
	if !(odd <= believed*believed*all) {
		return nil
	}
	return &law{h: h, back: back, used: r.count}
}
