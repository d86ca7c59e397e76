package sfvi

import (
	"math"
	"testing"

	"github.com/vflc/vflc/runtime/vector"
)

// Over several blocks of rows, the last of them incomplete, the outputs are those of the net element by
// element, and the gradients those of finite differences of Σ seeds·outputs.
func TestNetOverBlocks(t *testing.T) {
	for _, again := range []bool{false, true} {
		checkNetOverBlocks(t, again)
	}
}

func checkNetOverBlocks(t *testing.T, again bool) {
	t.Helper()
	const n, h = 2*rows + 13, 1e-6
	random := vector.NewGenerator(vector.SharedKey(5), "net")
	in := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	for _, v := range in {
		random.Normals(v)
	}
	q := newNet(in, again)
	phi, grad, du := make([]float64, q.size()), make([]float64, q.size()), make([]float64, n)
	seeds, other := make([]float64, 2*n), make([]float64, 2*n)
	random.Normals(phi)
	for i := range phi {
		phi[i] /= 4
	}
	random.Normals(seeds)
	random.Normals(other)
	value := func(seeds []float64) float64 {
		sum := 0.0
		for i := range n {
			f, h := perceptron([]float64{in[0][i], in[1][i], in[2][i]}, phi)
			sum += seeds[i]*f + seeds[n+i]*h
		}
		return sum
	}
	q.forward(phi)
	for i := range n {
		f, h := perceptron([]float64{in[0][i], in[1][i], in[2][i]}, phi)
		if math.Abs(q.out[i]-f) > 1e-14 || math.Abs(q.out[n+i]-h) > 1e-14 {
			t.Fatalf("element %d: outputs %v, %v, want %v, %v", i, q.out[i], q.out[n+i], f, h)
		}
	}
	q.backward(phi, seeds, other, grad, du)
	check := func(what string, i int, x *float64, seeds []float64, got float64) {
		t.Helper()
		at := *x
		*x = at + h
		up := value(seeds)
		*x = at - h
		down := value(seeds)
		*x = at
		if fd := (up - down) / (2 * h); math.Abs(fd-got) > 1e-6*(1+math.Abs(fd)) {
			t.Errorf("%s %d: %.9g, finite difference %.9g", what, i, got, fd)
		}
	}
	for i := range phi {
		check("parameter", i, &phi[i], seeds, grad[i])
	}
	for i := range n {
		check("input", i, &in[0][i], other, du[i])
	}
}
