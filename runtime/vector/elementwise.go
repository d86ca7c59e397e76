package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Fill sets y = s.
func Fill(n int, y []float64, s float64) { fill(active, n, y, s) }

func fillGo(_ int, y []float64, s float64) {
	for i := range y {
		y[i] = s
	}
}

// Add sets y = a + b.
func Add(n int, y, a, b []float64) { add(active, n, y, a, b) }

func addGo(_ int, y, a, b []float64) {
	for i := range y {
		y[i] = a[i] + b[i]
	}
}

// AddScalar sets y = a + s.
func AddScalar(n int, y, a []float64, s float64) { addScalar(active, n, y, a, s) }

func addScalarGo(_ int, y, a []float64, s float64) {
	for i := range y {
		y[i] = a[i] + s
	}
}

// Sub sets y = a - b.
func Sub(n int, y, a, b []float64) { sub(active, n, y, a, b) }

func subGo(_ int, y, a, b []float64) {
	for i := range y {
		y[i] = a[i] - b[i]
	}
}

// SubFrom sets y = s - b.
func SubFrom(n int, y []float64, s float64, b []float64) { subFrom(active, n, y, s, b) }

func subFromGo(_ int, y []float64, s float64, b []float64) {
	for i := range y {
		y[i] = s - b[i]
	}
}

// Mul sets y = a·b, elementwise.
func Mul(n int, y, a, b []float64) { mul(active, n, y, a, b) }

func mulGo(_ int, y, a, b []float64) {
	for i := range y {
		y[i] = a[i] * b[i]
	}
}

// Scale sets y = s·a.
func Scale(n int, y, a []float64, s float64) { scale(active, n, y, a, s) }

func scaleGo(_ int, y, a []float64, s float64) {
	for i := range y {
		y[i] = a[i] * s
	}
}

// Div sets y = a/b, elementwise.
func Div(n int, y, a, b []float64) { div(active, n, y, a, b) }

func divGo(_ int, y, a, b []float64) {
	for i := range y {
		y[i] = a[i] / b[i]
	}
}

// DivScalar sets y = a/s.
func DivScalar(n int, y, a []float64, s float64) { divScalar(active, n, y, a, s) }

func divScalarGo(_ int, y, a []float64, s float64) {
	for i := range y {
		y[i] = a[i] / s
	}
}

// DivInto sets y = s/b.
func DivInto(n int, y []float64, s float64, b []float64) { divInto(active, n, y, s, b) }

func divIntoGo(_ int, y []float64, s float64, b []float64) {
	for i := range y {
		y[i] = s / b[i]
	}
}

// Neg sets y = -a.
func Neg(n int, y, a []float64) { neg(active, n, y, a) }

func negGo(_ int, y, a []float64) {
	for i := range y {
		y[i] = -a[i]
	}
}

// Sqrt sets y = √a.
func Sqrt(n int, y, a []float64) { sqrt(active, n, y, a) }

func sqrtGo(_ int, y, a []float64) {
	for i := range y {
		y[i] = math.Sqrt(a[i])
	}
}

// FMA sets y = a·b + c, rounding once.
func FMA(n int, y, a, b, c []float64) { fma(active, n, y, a, b, c) }

func fmaGo(_ int, y, a, b, c []float64) {
	for i := range y {
		y[i] = math.FMA(a[i], b[i], c[i])
	}
}

// Mix sets y = a·b + (1 - a)·c, each product with one rounding.
func Mix(n int, y, a, b, c []float64) { mix(active, n, y, a, b, c) }

func mixGo(_ int, y, a, b, c []float64) {
	for i := range y {
		y[i] = math.FMA(a[i], b[i], math.FMA(-a[i], c[i], c[i]))
	}
}

// MixBack adds the partials of Mix in a, b and c, times d, to da, db and dc, which may be the same slices.
func MixBack(n int, da, db, dc, d, a, b, c []float64) { mixBack(active, n, da, db, dc, d, a, b, c) }

func mixBackGo(_ int, da, db, dc, d, a, b, c []float64) {
	for i := range d {
		da[i] = math.FMA(d[i], b[i]-c[i], da[i])
		db[i] = math.FMA(d[i], a[i], db[i])
		dc[i] = math.FMA(d[i], 1-a[i], dc[i])
	}
}

// ScaleAdd sets y = s·a + b, rounding once.
func ScaleAdd(n int, y []float64, s float64, a, b []float64) { scaleAdd(active, n, y, s, a, b) }

func scaleAddGo(_ int, y []float64, s float64, a, b []float64) {
	for i := range y {
		y[i] = math.FMA(s, a[i], b[i])
	}
}

// Select sets y = a where c is not zero, else b.
func Select(n int, y, c, a, b []float64) { choose(active, n, y, c, a, b) }

func chooseGo(_ int, y, c, a, b []float64) {
	for i := range y {
		y[i] = portable.Where(c[i] == 0, b[i], a[i])
	}
}

// Weight sets y = a·w, and 0 where w is 0, even if a is not finite.
func Weight(n int, y, a, w []float64) { weight(active, n, y, a, w) }

func weightGo(_ int, y, a, w []float64) {
	for i := range y {
		y[i] = portable.Where(w[i] != 0, a[i]*w[i], 0)
	}
}
