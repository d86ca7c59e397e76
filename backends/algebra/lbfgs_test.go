package algebra

import (
	"math"
	"testing"
)

// On a quadratic function, divided over two parties, with exact steps along the directions, the gradient
// vanishes within as many steps as there are dimensions, whatever the metric: with exact searches the method
// then is that of conjugate gradients.
func TestQuadraticFunctionInAsManyStepsAsDimensions(t *testing.T) {
	const n, first = 7, 3
	curvature := func(x, out []float64) {
		for i := range x {
			out[i] = float64(i+1) * x[i]
			for j := range x {
				out[i] += 0.3 * math.Cos(float64(i)-float64(j)) * x[j]
			}
		}
	}
	x, g, p, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(3*i + 1))
	}
	metric := func(offset int) func(from, to []float64) {
		return func(from, to []float64) {
			for i, v := range from {
				to[i] = v / (1 + 0.5*float64(offset+i))
			}
		}
	}
	parts := []*History{NewHistory(first), NewHistory(n - first)}
	cuts := [][2]int{{0, first}, {first, n}}
	curvature(x, g)
	begun := math.Sqrt(dot(g, g))
	products, part := make([]float64, HistoryProducts), make([]float64, HistoryProducts)
	by := make([]float64, HistoryCoefficients)
	for range n {
		clear(products)
		for k, h := range parts {
			h.Multiply(g[cuts[k][0]:cuts[k][1]], metric(cuts[k][0]), part)
			for i, v := range part {
				products[i] += v
			}
		}
		slope := DescentDirection(products, parts[0].Used, by)
		for k, h := range parts {
			h.Combine(by, p[cuts[k][0]:cuts[k][1]])
		}
		if want := dot(g, p); math.Abs(slope-want) > 1e-9*math.Abs(want) || slope >= 0 {
			t.Fatalf("the derivative along the direction is %g, and %g was returned", want, slope)
		}
		curvature(p, q)
		step := -slope / dot(p, q)
		for k, h := range parts {
			s, y := h.Next()
			for i := range s {
				s[i], y[i] = step*p[cuts[k][0]+i], step*q[cuts[k][0]+i]
			}
		}
		for i := range x {
			x[i] += step * p[i]
			g[i] += step * q[i]
		}
	}
	if length := math.Sqrt(dot(g, g)); length > 1e-9*begun {
		t.Errorf("after %d steps the gradient is %g of what it was", n, length/begun)
	}
}
