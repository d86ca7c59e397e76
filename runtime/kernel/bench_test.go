package kernel

import "testing"

// The tile of a 500×20 logistic regression: 128 rows, 20 columns.
const tileRows, tileCols = 128, 20

func BenchmarkMatVec(b *testing.B) {
	x, y, beta := make([]float64, tileRows*tileCols), make([]float64, tileRows), make([]float64, tileCols)
	b.ReportAllocs()
	for b.Loop() {
		MatVec(tileRows, y, x, tileRows, beta, 1, tileCols)
	}
}

func BenchmarkMatTVecAdd(b *testing.B) {
	x, y, beta := make([]float64, tileRows*tileCols), make([]float64, tileRows), make([]float64, tileCols)
	b.ReportAllocs()
	for b.Loop() {
		MatTVecAdd(tileRows, beta, 1, x, tileRows, y, tileCols)
	}
}

func BenchmarkDot(b *testing.B) {
	x, y := make([]float64, tileRows), make([]float64, tileRows)
	for b.Loop() {
		Dot(tileRows, x, y)
	}
}
