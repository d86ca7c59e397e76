package main

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// ramp returns the sequence of the C program: fractional parts of i times the golden ratio.
func ramp(i int, lo, hi float64) float64 {
	return lo + float64((hi-lo)*math.Mod(float64(i)*math.Phi, 1))
}

const units = 16

// A network 1-16-16-2 with tanh; the derivative of its outputs is the outputs themselves.
type network struct {
	n                  int
	in                 []float64
	w, grad            []float64
	first, second, out []float64
	d1, d2             []float64
}

// netRows is the number of rows whose units fit into the first-level cache.
const netRows = 64

func newNetwork(n int) *network {
	unit := func() []float64 { return make([]float64, netRows*units) }
	m := &network{n: n, in: make([]float64, n), first: unit(), second: unit(), out: unit(), d1: unit(),
		d2: unit()}
	for i := range m.in {
		m.in[i] = ramp(i, -2, 2)
	}
	size := units + units + units*units + units + 2*units + 2
	m.w, m.grad = make([]float64, size), make([]float64, size)
	for i := range m.w {
		m.w[i] = ramp(i, -0.5, 0.5)
	}
	return m
}

// parts divides a vector of parameters.
func parts(w []float64) (w1, c1, w2, c2, w3, c3 []float64) {
	cut := func(n int) []float64 {
		p := w[:n]
		w = w[n:]
		return p
	}
	return cut(units), cut(units), cut(units * units), cut(units), cut(2 * units), cut(2)
}

func (m *network) run() {
	clear(m.grad)
	w1, c1, w2, c2, w3, c3 := parts(m.w)
	g1, e1, g2, e2, g3, e3 := parts(m.grad)
	for from := 0; from < m.n; from += netRows {
		n := min(netRows, m.n-from)
		u := m.in[from:]
		vector.DenseTanh(n, m.first, n, u, n, w1, units, 1, 1, units, c1)
		vector.DenseTanh(n, m.second, n, m.first, n, w2, units, 1, units, units, c2)
		vector.Dense(n, m.out, n, m.second, n, w3, 2, 1, units, 2, c3)
		vector.ColumnSumsAdd(n, e3, m.out, n, 2)
		vector.DenseGradient(n, g3, 2, 1, m.second, n, m.out, n, units, 2)
		vector.DenseTanhBack(n, m.d2, n, m.out, n, w3, 1, 2, 2, units, m.second)
		vector.ColumnSumsAdd(n, e2, m.d2, n, units)
		vector.DenseGradient(n, g2, units, 1, m.first, n, m.d2, n, units, units)
		vector.DenseTanhBack(n, m.d1, n, m.d2, n, w2, 1, units, units, units, m.first)
		vector.ColumnSumsAdd(n, e1, m.d1, n, units)
		vector.DenseGradient(n, g1, units, 1, u, n, m.d1, n, 1, units)
	}
}

func (m *network) check() float64 {
	s := 0.0
	for _, g := range m.grad {
		s += g
	}
	return s
}
