package fit

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// conditionalRun runs soul on a plan and returns its result.
func conditionalRun(t *testing.T, b *compile.BoundModel, given map[string]string) *fitted {
	t.Helper()
	return sampled(t, prepared(t, b, backend(t, "soul"), given), nil)
}

// meanOf is the mean over all draws of a column.
func meanOf(t *testing.T, f *fitted, name string) float64 {
	t.Helper()
	for k, c := range f.draws.Columns() {
		if c.Name != name {
			continue
		}
		sum, n := 0.0, 0
		for _, chain := range f.draws.Column(k) {
			for _, v := range chain {
				sum += v
				n++
			}
		}
		return sum / float64(n)
	}
	t.Fatalf("there is no %s", name)
	return 0
}

// A variance with an inverse gamma prior against the profile of the density in it: the mode on the declared
// scale, without a Jacobian, through compiler and session, in power with the variance at the clients.
func TestVarianceAgainstItsProfile(t *testing.T) {
	t.Parallel()
	m := testmodel.Linear(12, 60, []int{2, 3}, 0.8)
	m.Rho = 0.6
	text := strings.Replace(glmText(m), "param b ", "param v ~ inv_gamma(3, 2)\nparam b ", 1)
	text = strings.Replace(text, ", 0.8)", ", sqrt(v))", 1)
	for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
		b := bindFiles(t, text, m.Transform, m.Rho, glmFiles(m))
		// Under power clients see the variance, whose gradient is not linear in θ: there the draws must have
		// the right spread.
		mala := fmt.Sprint(m.Transform == stdlib.Power)
		f := conditionalRun(t, b, map[string]string{"tolerance": "0.003", "draws": "500", "mala": mala})
		at := func(v float64) float64 {
			m.Sigma = math.Sqrt(v)
			return m.Profile() - 4*math.Log(v) - 2/v
		}
		best := 0.05
		for v := best; v < 5; v *= 1.002 {
			if at(v) > at(best) {
				best = v
			}
		}
		m.Sigma = math.Sqrt(best)
		want := m.Peak()
		if !f.info.Mode.Converged {
			t.Errorf("%s: not converged: %+v", m.Transform, f.info.Mode)
		}
		if got := meanOf(t, f, "v"); math.Abs(got/best-1) > 0.02 {
			t.Errorf("%s: the variance is %v, the profile's best %v", m.Transform, got, best)
		}
		if got := meanOf(t, f, "b"); math.Abs(got-want.B) > 0.02*math.Abs(want.B) {
			t.Errorf("%s: b is %v, want %v", m.Transform, got, want.B)
		}
		for j := range want.Mean {
			for k, w := range want.Mean[j] {
				name := "t" + string(rune('1'+j)) + "[" + string(rune('1'+k)) + "]"
				sd := math.Sqrt(1 / want.Precision[j].At(k, k))
				if got := meanOf(t, f, name); math.Abs(got-w) > 0.15*sd+0.01*math.Abs(w) {
					t.Errorf("%s: the mean of %s is %v, want %v", m.Transform, name, got, w)
				}
			}
		}
	}
}

// A fit exchanges one round per iteration under augmented and two under power, for any number of Langevin
// steps; draws need none.
func TestRoundsOfAFit(t *testing.T) {
	m := testmodel.Linear(12, 40, []int{2, 3}, 0.8)
	for transform, rounds := range map[def.Transform]int64{stdlib.Augmented: 1, stdlib.Power: 2} {
		b := bindFiles(t, glmText(m), transform, 1, glmFiles(m))
		counts := func(inner, draws string) density.Work {
			f := conditionalRun(t, b, map[string]string{"iterations": "300", "tolerance": "1e-9",
				"inner": inner, "draws": draws})
			// Under power Values, which computes the reported parameters, needs a round per draw to send b to
			// the clients; it is not part of drawing.
			n := int64(0)
			if transform == stdlib.Power {
				n = int64(f.draws.Len(0) * f.draws.Chains())
			}
			f.work.Rounds -= n
			return f.work
		}
		few, many := counts("1", "10"), counts("20", "40")
		if few.Rounds != many.Rounds {
			t.Errorf("%s: %d rounds with 1 step and 10 draws, %d with 20 and 40", transform, few.Rounds,
				many.Rounds)
		}
		// 300 iterations and 255 of the evaluation; the rest is curvature and stopping.
		if extra := few.Rounds - 555*rounds; extra < 0 || extra > 100 {
			t.Errorf("%s: %d rounds beside those of the iterations", transform, extra)
		}
		if many.Gradients < 555*20*4 {
			t.Errorf("%s: %d gradients", transform, many.Gradients)
		}
	}
}

// A run that is interrupted, in the fit or between draws, continues to the draws that it would have had, also
// where the server has weights.
func TestConditionalRunResumes(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{2, 2}, 0.7)
	m.Rho, m.Transform = 0.8, stdlib.Augmented
	conditionalResumes(t, small(t))
	conditionalResumes(t,
		bindFiles(t, strings.Replace(glmText(m), "param b ~ normal(0, 1)", "weight b init normal", 1),
			m.Transform, m.Rho, glmFiles(m)))
}

func conditionalResumes(t *testing.T, b *compile.BoundModel) {
	t.Helper()
	a := backend(t, "soul")
	run := func(ctx context.Context, a backends.Algorithm, dir string, resumed bool) *fitted {
		p := prepared(t, b, a, map[string]string{"iterations": "60", "inner": "2", "inner-chains": "3",
			"draws": "12"})
		p.options.Dir, p.options.Resume = dir, resumed
		return sampled(t, p, ctx.Done())
	}
	want := run(context.Background(), a, "", false)
	if want.draws.Len(0) != 12 || want.draws.Chains() != 3 {
		t.Fatalf("%d chains of %d draws", want.draws.Chains(), want.draws.Len(0))
	}
	for _, at := range []int64{30, 60 + 255 + 7} {
		dir := t.TempDir()
		ctx, interrupt := context.WithCancel(context.Background())
		if f := run(ctx, interrupting(a, at, interrupt), dir, false); !f.interrupted {
			t.Errorf("interrupted at step %d, it reports that it was not", at)
		}
		got := run(context.Background(), a, dir, true)
		for k := range want.draws.Columns() {
			for c := range 3 {
				if !sameBits(want.draws.Column(k)[c], got.draws.Column(k)[c]) {
					t.Errorf("interrupted at step %d, chain %d of column %d is another", at, c, k)
				}
			}
		}
		if got.info.Mode != want.info.Mode || got.iterations != want.iterations {
			t.Errorf("interrupted at step %d, it ends with %+v, want %+v", at, got.info.Mode, want.info.Mode)
		}
	}
}
