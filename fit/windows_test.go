package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// value is the joint density with z = g and its gradient, party by party.
func value(t *testing.T, env density.Env, theta [][]float64) (float64, []float64) {
	t.Helper()
	lp, grad := make([]float64, len(theta)), make([][]float64, len(theta))
	for b := range theta {
		grad[b] = make([]float64, len(theta[b]))
	}
	if err := env.Density(context.Background(), theta, noNoise{}, grad, lp); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range lp {
		sum += v
	}
	return sum, slices.Concat(grad...)
}

// TestWindowsAddUp: for every example whose rows are independent, the mean over the windows of density and
// gradient is that of all rows.
func TestWindowsAddUp(t *testing.T) {
	divided := map[string]bool{}
	for name, b := range boundExamples(t) {
		size, diags := suitable.ToSubsample(b.Cuts)
		if diags.HasErrors() {
			t.Logf("%s: %s", name, diags[0].Message)
			continue
		}
		divided[name] = true
		n, _ := b.Sizes.Value(size, "")
		inWindows(t, b, (n+3)/4, 3)
		addUp(t, name, b)
	}
	for _, want := range []string{"logistic.vfl none", "logistic.vfl augmented", "logistic.vfl power",
		"logistic_family.vfl augmented", "linear.vfl power"} {
		if !divided[want] {
			t.Errorf("%s is not divided", want)
		}
	}
}

func addUp(t *testing.T, name string, b *compile.BoundModel) {
	t.Helper()
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	random := vector.NewGenerator(vector.SharedKey(2), "theta").Rand()
	var theta [][]float64
	for _, block := range env.Blocks() {
		at := make([]float64, block.Dim())
		for i := range at {
			at[i] = 0.3 * random.NormFloat64()
		}
		theta = append(theta, at)
	}
	want, slope := value(t, env, theta)
	whole := env.(density.Windowed)
	windows := float64(whole.Windows())
	mean, gradient := 0.0, make([]float64, len(slope))
	for k := range whole.Windows() {
		window, _ := whole.Window(k)
		whole.Turn(k)
		v, g := value(t, window, theta)
		mean += v / windows
		for i, x := range g {
			gradient[i] += x / windows
		}
	}
	if math.Abs(mean-want) > 1e-10*math.Abs(want) {
		t.Errorf("%s: density %.15g over all rows, %.15g over windows", name, want, mean)
	}
	largest := 0.0
	for _, s := range slope {
		largest = max(largest, math.Abs(s))
	}
	for i := range slope {
		if math.Abs(gradient[i]-slope[i]) > 1e-10*(1+largest) {
			t.Errorf("%s: derivative %d is %.15g over all rows, %.15g over windows", name, i, slope[i],
				gradient[i])
		}
	}
}

// inWindows divides the rows of a model.
func inWindows(t *testing.T, b *compile.BoundModel, most int, seed uint64) {
	t.Helper()
	p := &Prepared{BoundModel: b, Settings: backends.Settings{Plan: backends.Workload{Minibatch: most}},
		options: Options{Seed: seed}}
	diags, err := p.divide()
	good(t, diags, err)
}

// dividedGLM is a model of rows in windows of size rows.
func dividedGLM(t *testing.T, n, size int, transform def.Transform) *compile.BoundModel {
	t.Helper()
	m := testmodel.Linear(9, n, []int{2, 3}, 0.7)
	for i := range m.Y {
		m.Y[i] = float64(i % 2)
	}
	m.Sigma = 0
	b := bindFiles(t, glmText(m), transform, 0.8, glmFiles(m))
	inWindows(t, b, size, 5)
	return b
}

// TestMinibatchesAreTheSameApart: the same draws, auxiliary variables and work in one loop and with a
// goroutine per party.
func TestMinibatchesAreTheSameApart(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		b := dividedGLM(t, 45, 12, transform)
		plan := b.Plan
		if got := len(plan.Windows); got != 4 {
			t.Fatalf("%d windows, want 4", got)
		}
		for _, given := range []map[string]string{
			{"guide": "structured"}, {"guide": "meanfield"}, {"guide": "noncentered"},
			{"guide": "amortized"}, {"guide": "amortized", "guide-inputs": "y"}, {},
		} {
			if transform.CutsCross() && given["guide"] != "" {
				continue // there are no auxiliary variables
			}
			given["iterations"], given["draws"], given["minibatch"] = "120", "20", "12"
			given["elbo-every"], given["elbo-draws"] = "30", "100"
			name := fmt.Sprintf("%s %v", transform, given)
			one, apart := drawsOf(t, plan, session.OneLoop, "sfvi", given),
				drawsOf(t, plan, session.PerParty, "sfvi", given)
			for _, party := range plan.Names {
				if len(one[party]) == 0 || !sameBits(one[party], apart[party]) {
					t.Errorf("%s: %s draws otherwise in a goroutine of its own", name, party)
				}
			}
			if a, b := workOf(t, b, session.OneLoop, given), workOf(t, b, session.PerParty, given); a != b {
				t.Errorf("%s: work %+v in one loop, %+v apart", name, a, b)
			}
		}
	}
}

// workOf is what the first 40 iterations of a fit cost, as the server counts it.
func workOf(t *testing.T, m *compile.BoundModel, mode session.Execution,
	given map[string]string) density.Work {
	t.Helper()
	a := backend(t, "sfvi")
	settings, err := a.Resolve(m.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	var lock sync.Mutex
	var out density.Work
	err = session.Run(context.Background(), m.Plan, mode, 7,
		func(ctx context.Context, env density.Env) error {
			k, err := a.New(env, settings)
			if err != nil {
				return err
			}
			if err := k.Init(ctx); err != nil {
				return err
			}
			begin := *env.Work()
			for range 40 {
				if _, err := k.Step(ctx); err != nil {
					return err
				}
			}
			if env.Blocks()[0].Index() == 0 {
				lock.Lock()
				defer lock.Unlock()
				end := *env.Work()
				out = density.Work{Gradients: end.Gradients - begin.Gradients,
					Rounds: end.Rounds - begin.Rounds,
					Bytes:  end.Bytes - begin.Bytes}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestIterationsDoNotGrowWithTheRows: with minibatches of the same size and the amortised guide, whose
// parameters do not grow, an iteration evaluates and sends the same for any number of rows.
func TestIterationsDoNotGrowWithTheRows(t *testing.T) {
	const evaluations = 41 // that of the next iteration is begun
	for transform, exchanges := range map[def.Transform]int64{stdlib.Augmented: 1, stdlib.Power: 2} {
		given := map[string]string{"guide": "amortized", "minibatch": "25", "elbo-every": "1000"}
		few := workOf(t, dividedGLM(t, 100, 25, transform), session.OneLoop, given)
		many := workOf(t, dividedGLM(t, 2000, 25, transform), session.OneLoop, given)
		if few != many || few.Gradients != evaluations {
			t.Errorf("%s: 40 iterations cost %+v with 100 rows and %+v with 2000", transform, few, many)
		}
		if few.Rounds != evaluations*exchanges {
			t.Errorf("%s: %d rounds for %d evaluations", transform, few.Rounds, evaluations)
		}
		// In the augmented model two clients send 25 numbers each and get 25 back, with a seal of a word
		// for the other client; two scalars are added up for each iteration.
		if want := int64(8 * (evaluations*2*2*(25+1) + 40*2*2*2)); transform == stdlib.Augmented &&
			few.Bytes != want {
			t.Errorf("40 iterations send %d bytes, want %d", few.Bytes, want)
		}
		programs := map[*model.Plan]bool{}
		for _, w := range dividedGLM(t, 2003, 25, transform).Plan.Windows { // of 24 or 25 rows
			if programs[w.Plan] = true; len(programs) > 2 {
				t.Fatalf("%s: windows of two sizes have more than two programs", transform)
			}
			if len(w.Rows) != 25 {
				continue
			}
			for _, p := range w.Parties[1:] {
				if p.Cuts[0].Rows != 25 {
					t.Fatalf("a window's cut has %d rows", p.Cuts[0].Rows)
				}
			}
		}
	}
}

// Windows hold every row once, their sizes differ by at most one, and their number is the least possible.
func TestPartition(t *testing.T) {
	for _, c := range []struct{ n, most, windows int }{{500, 64, 8}, {500, 100, 5}, {7, 6, 2}, {10, 1, 10},
		{11, 10, 2}} {
		parts := partition(c.n, c.most, 1)
		if len(parts) != c.windows {
			t.Errorf("%d rows by %d: %d windows, want %d", c.n, c.most, len(parts), c.windows)
		}
		var all []int
		for _, p := range parts {
			if len(p) > c.most || len(p) < c.n/c.windows {
				t.Errorf("%d rows by %d: a window of %d", c.n, c.most, len(p))
			}
			all = append(all, p...)
		}
		slices.Sort(all)
		for i, r := range all {
			if r != i {
				t.Fatalf("%d rows by %d: row %d is missing or there twice", c.n, c.most, i)
			}
		}
	}
	if slices.Equal(partition(50, 25, 1)[0], partition(50, 25, 2)[0]) {
		t.Error("the seed makes no difference")
	}
}
