package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/splitmodel"
)

// Across parties the score of a row is written as an expression. It is the log density of the likelihood,
// which the graph computes by its descriptor: for mixtures, truncation, censoring and what these make
// together.
func TestScoresAreLogDensities(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(4, 4))
	tables := map[string]string{"server": "id,y,k,low,top,ended\n", "a": "id,x\n", "b": "id,w\n"}
	for i := range 12 {
		y := 0.2 + 5*r.Float64()
		tables["server"] += fmt.Sprintf("%d,%v,%d,%v,%d,%d\n", i, y, 2+i%4, y*r.Float64(), 2+i%4+i%3, i%2)
		tables["a"] += fmt.Sprintf("%d,%v\n", i, r.NormFloat64())
		tables["b"] += fmt.Sprintf("%d,%v\n", i, r.NormFloat64())
	}
	var given []string
	for _, party := range []string{"server", "a", "b"} {
		write(t, filepath.Join(dir, party+".csv"), tables[party])
		given = append(given, party+"="+filepath.Join(dir, party+".csv"))
	}
	d := posterior.NewDraws([]posterior.Variable{{Name: "s"}, {Name: "ba", Owner: "a"},
		{Name: "bb", Owner: "b"}}, 2, 3)
	for c := range 2 {
		for range 3 {
			d.Append(c, []float64{math.Exp(0.5 * r.NormFloat64()), r.NormFloat64(), r.NormFloat64()})
		}
	}
	for _, likelihood := range []string{
		"y ~ weibull(1 + s, exp(x * ba + w * bb)) censor(right=3)",
		"y ~ weibull(1 + s, exp(x * ba + w * bb)) truncate(lower=low) censor(right=ended == 0)",
		"y ~ normal(x * ba + w * bb, s) truncate(lower=-1, upper=9)",
		"y ~ normal(x * ba + w * bb, s) truncate(upper=9) censor(left=1, right=4)",
		"k ~ poisson(exp(x * ba + w * bb)) truncate(lower=1)",
		"k ~ poisson(exp(x * ba + w * bb)) truncate(lower=1, upper=9) censor(interval=top)",
		"k ~ neg_binomial_2(exp(x * ba + w * bb), s) censor(right=4)",
		"y ~ mixture(inv_logit(x * ba + w * bb), normal(0, s), normal(4, s))",
		"y ~ mixture(0.2, 0.3, 0.5, normal(x * ba + w * bb, s), normal(4, s), student_t(4, 1, s)) " +
			"truncate(lower=0)",
		"y ~ tilted(x * ba + w * bb, s, 0.3)",
		"y ~ mixture(0.4, tilted(x * ba + w * bb, s, 0.3), normal(1, s)) censor(right=4)",
	} {
		path := filepath.Join(dir, "m.vfl")
		write(t, path, splitmodel.Tilted+`client a, b
data y : real<lower=0>[N]
data k : count[N]
data low : real[N]
data top : count[N]
data ended : binary[N]
data x : real[N] @ a
data w : real[N] @ b
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
param s ~ half_normal(1)
`+likelihood+"\ntransform exact\n")
		b := bound(t, path, check.Options{}, given...)
		want, err := Pointwise(b, d, LogDensities{})
		if err != nil {
			t.Fatal(err)
		}
		got, diags, err := PredictBound(t.Context(), b, d,
			PredictionRequest{Data: given, Scored: true, Seed: 1})
		if err != nil || diags.HasErrors() {
			t.Fatal(likelihood, err, data.Errors(diags))
		}
		if err := got.Model.Verify(); err != nil {
			t.Error(err)
		}
		for i, row := range want[0].LogLik {
			for c, chain := range row {
				for k, lp := range chain {
					score := got.Responses[0].Scores[i][3*c+k]
					if !(math.Abs(score-lp) < 1e-10*(1+math.Abs(lp))) {
						t.Errorf("%s: row %d, draw %d: the score is %v, and the log density %v", likelihood, i,
							3*c+k, score, lp)
					}
				}
			}
		}
	}
}
