package dist

import (
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// benchmark times value and gradient of a likelihood of 500 rows: x and the first real parameter are vectors,
// the rest scalars.
func benchmark(b *testing.B, d def.Dist, vectors int) {
	const rows = 500
	s := newSample(d, rows, vectors, rand.New(rand.NewPCG(19, 20)))
	block := &def.Batch{N: rows, X: s.x, Theta: s.theta, DTheta: make([][]float64, len(s.theta))}
	for k, p := range d.Params {
		if !p.Integral {
			block.DTheta[k] = make([]float64, rows)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		d.LogDensity(block)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

func BenchmarkBernoulliLogit(b *testing.B)  { benchmark(b, BernoulliLogit(), 0b11) }
func BenchmarkPoissonLog(b *testing.B)      { benchmark(b, PoissonLog(), 0b11) }
func BenchmarkNormal(b *testing.B)          { benchmark(b, Normal(), 0b011) }
func BenchmarkNormalSigmas(b *testing.B)    { benchmark(b, Normal(), 0b111) }
func BenchmarkBinomialLogit(b *testing.B)   { benchmark(b, BinomialLogit(), 0b101) }
func BenchmarkNegBinomial2Log(b *testing.B) { benchmark(b, NegBinomial2Log(), 0b011) }
func BenchmarkStudentT(b *testing.B)        { benchmark(b, StudentT(), 0b0101) }
