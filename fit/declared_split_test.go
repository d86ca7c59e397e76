package fit

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/splitmodel"
)

// Split over the parties, a declared distribution has the density and the gradient that it has where one
// party holds everything: with cuts in any argument, in a prior, in a mixture, truncated and censored.
func TestDeclaredDistributionsSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	f := compiletest.Fixture{Tables: map[string]string{"server": "id,y,k,v,ended\n", "a": "id,x\n",
		"b": "id,w\n"}}
	for i := range 9 {
		f.Tables["server"] += fmt.Sprintf("%d,%v,%d,%v,%d\n", i, 4*r.Float64(), i%4,
			math.Min(1, float64(i)/8), i%2)
		f.Tables["a"] += fmt.Sprintf("%d,%v\n", i, r.NormFloat64())
		f.Tables["b"] += fmt.Sprintf("%d,%v\n", i, r.NormFloat64())
	}
	for _, likelihood := range []string{
		"y ~ tilted(m + x * ba + w * bb, s, 0.3)",
		"y ~ tilted(m, exp(x * ba + w * bb), inv_logit(m + x * ba))",
		"k ~ counted(m + x * ba + w * bb, inv_logit(x * ba))",
		"v ~ share(inv_logit(m + x * ba + w * bb), exp(x * ba), 0.2)",
		"y ~ mixture(inv_logit(w * bb), tilted(m + x * ba, s, 0.3), normal(1, s)) truncate(lower=-1)",
		"y ~ tilted(m + x * ba + w * bb, s, 0.3) censor(right=ended == 0)",
		"factor tilted_lpdf(y | m + x * ba + w * bb, s, 0.3)",
	} {
		f.Text = splitmodel.Tilted + splitmodel.Counted + splitmodel.Share + `client a, b
data y : real<lower=0>[N]
data k : count[N]
data v : real[N]
data ended : binary[N]
data x : real[N] @ a
data w : real[N] @ b
param m ~ tilted(0, 1, 0.4)
param s ~ half_normal(1)
param ba ~ tilted(0, 2, 0.5) @ a
param bb ~ tilted(0, 1, 0.5) @ b
` + likelihood + "\n"
		whole := declaredAt(t, f, stdlib.NoTransform)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*(1+math.Abs(b)) }
		if split := declaredAt(t, f, stdlib.Exact); !maps.EqualFunc(split, whole, near) {
			t.Errorf("%s: split %v, in one place %v", likelihood, split, whole)
		}
		for _, kind := range []def.Transform{stdlib.Augmented, stdlib.Power} {
			compiletest.Try(t, source.New("m.vfl", f.Text), check.Options{Transform: kind})
		}
	}
}

// declaredAt is the log density of a model of numbers at a point, and its derivatives by name.
func declaredAt(t *testing.T, f compiletest.Fixture, kind def.Transform) map[string]float64 {
	t.Helper()
	b := f.Bind(t, check.Options{Transform: kind, Accept: diag.Accepted(diag.AcceptanceNames())})
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]float64{"m": 0.3, "s": -0.2, "ba": 0.7, "bb": -0.6}
	var theta, grad [][]float64
	for k, block := range env.Blocks() {
		theta, grad = append(theta, make([]float64, block.Dim())), append(grad, make([]float64, block.Dim()))
		for i, p := range block.Params() {
			theta[k][i] = at[p.Name]
		}
	}
	lp := make([]float64, len(env.Blocks()))
	if err := env.Density(context.Background(), theta, nil, grad, lp); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for k, block := range env.Blocks() {
		out["log density"] += lp[k]
		for i, p := range block.Params() {
			out[p.Name] = grad[k][i]
		}
	}
	if math.IsInf(out["log density"], 0) || len(out) != 5 {
		t.Error(env.Cause(), out)
	}
	return out
}
