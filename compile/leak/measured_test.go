package leak_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/compiletest"
)

// A true value that is sent shows what was measured, which check says. The attack: of values drawn given the
// measurements, as the sampler does, times a slope that moves, the mean over the rounds orders the rows.
func TestTrueValuesThatAreSentShowWhatWasMeasured(t *testing.T) {
	const model = `client a, b
data y : real[N] @ shared
data p : real[N] @ a
data q : real[N] @ b
param true_p : real[N] ~ normal(0, 1) @ a
param c ~ normal(0, 1) @ a
param d ~ normal(0, 1) @ b
param s ~ gamma(4, 4)
`
	const measured = "p ~ normal(true_p, 0.5)\n"
	for text, want := range map[string]bool{
		measured + "y ~ normal(c * true_p + q * d, s)":          true,
		measured + "y ~ normal(exp(c * true_p + 1) + q * d, s)": true,
		measured + "y ~ normal(c * p + q * d, s)":               false,
		"p ~ normal(c, 0.5)\ny ~ normal(c + q * d, s)":          false,
		"y ~ normal(c * true_p + q * d, s)":                     false,
	} {
		_, diags := compiletest.Try(t, source.New("m.vfl", model+text+"\n"), check.Options{})
		found := false
		for _, d := range diags {
			found = found || d.Code == diag.DataOffset
		}
		if found != want {
			t.Errorf("%s: said %v, want %v", text, found, want)
		}
	}
	const rows, rounds, spread = 200, 400, 0.4472135954999579 // sqrt(1/(1 + 1/0.5²))
	random := rand.New(rand.NewPCG(1, 2))
	data, mean := make([]float64, rows), make([]float64, rows)
	for i := range data {
		data[i] = 1.118033988749895 * random.NormFloat64() // sqrt(1 + 0.5²)
	}
	for range rounds {
		slope := 0.8 + 0.1*random.NormFloat64()
		for i, p := range data {
			mean[i] += slope * (0.8*p + spread*random.NormFloat64()) / rounds
		}
	}
	if r := stat.Correlation(mean, data, nil); r < .99 {
		t.Errorf("the mean of what crosses has correlation %v with the data", r)
	}
}
