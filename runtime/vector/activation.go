package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Relu sets y = max(a, 0).
func Relu(n int, y, a []float64) { relu(active, n, y, a) }

func reluGo(_ int, y, a []float64) {
	for i := range y {
		y[i] = portable.Larger(0, a[i])
	}
}

// TanhBack sets y = d·(1 - t²): the derivative in x, given d, that in t = tanh x.
func TanhBack(n int, y, d, t []float64) { tanhBack(active, n, y, d, t) }

func tanhBackGo(_ int, y, d, t []float64) {
	for i := range y {
		y[i] = d[i] * math.FMA(-t[i], t[i], 1)
	}
}

// SigmoidBack sets y = d·s·(1 - s): the derivative in x, given d, that in s = 1/(1+exp(-x)).
func SigmoidBack(n int, y, d, s []float64) { sigmoidBack(active, n, y, d, s) }

func sigmoidBackGo(_ int, y, d, s []float64) {
	for i := range y {
		y[i] = d[i] * math.FMA(-s[i], s[i], s[i])
	}
}

// ReluBack sets y = d where r = max(x, 0) is positive, else 0: the derivative in x, given d, that in r.
func ReluBack(n int, y, d, r []float64) { reluBack(active, n, y, d, r) }

func reluBackGo(_ int, y, d, r []float64) {
	for i := range y {
		y[i] = portable.Where(r[i] > 0, d[i], 0)
	}
}
