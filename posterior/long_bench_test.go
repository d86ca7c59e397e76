package posterior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// BenchmarkSummariseLong is the summary of chains that ran until somebody stopped them: 800,000 draws of 4
// chains, with the autocorrelation that a sampler leaves.
func BenchmarkSummariseLong(b *testing.B) {
	const chains, draws = 4, 200_000
	d := posterior.NewDraws([]posterior.Variable{{Name: "m"}, {Name: "s"}, {Name: "t"}, {Name: "u"}}, chains,
		draws)
	r := rand.New(rand.NewPCG(1, 2))
	for c := range chains {
		x := make([]float64, 4)
		for range draws {
			for k := range x {
				x[k] = []float64{-0.4, 0, 0.5, 0.9}[k]*x[k] + r.NormFloat64()
			}
			d.Append(c, x)
			d.AppendTransition(c, posterior.Transition{})
		}
	}
	b.ResetTimer()
	for b.Loop() {
		posterior.SummariseChains(d)
	}
}
