package fit

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// bindFiles compiles a model and binds its tables, by file name.
func bindFiles(t testing.TB, text string, transform def.Transform, rho float64,
	files map[string]string) *compile.BoundModel {
	t.Helper()
	return bindPath(t, besideModel(t, text, files), transform, rho)
}

// besideModel is the path of a model with its tables beside it.
func besideModel(t testing.TB, text string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "m.vfl")
	files = mapsWith(files, path, text)
	for name, content := range files {
		if name != path {
			name = filepath.Join(dir, "m", name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func mapsWith(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// glmText is the model that testmodel.GLM writes by hand.
func glmText(m testmodel.GLM) string {
	var b strings.Builder
	for j := range m.X {
		fmt.Fprintf(&b,
			"client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : real[P%[1]d] ~ "+
				"normal(0, 1) @ c%[1]d\n", j+1)
	}
	kind, density := "binary", "bernoulli_logit(%s)"
	if m.Sigma > 0 {
		kind, density = "real", fmt.Sprintf("normal(%%s, %v)", m.Sigma)
	}
	predictor := "b"
	for j := range m.X {
		predictor += fmt.Sprintf(" + X%d * t%[1]d", j+1)
	}
	fmt.Fprintf(&b, "data y : %s[N] @ shared\nparam b ~ normal(0, 1)\ny ~ "+density+"\n", kind, predictor)
	return b.String()
}

func glmFiles(m testmodel.GLM) map[string]string {
	n := len(m.Y)
	files := map[string]string{}
	write := func(name string, v []float64, cols int) {
		var b strings.Builder
		b.WriteString("id")
		for k := range cols {
			fmt.Fprintf(&b, ",%s%d", name[:1], k+1)
		}
		for i := range n {
			fmt.Fprintf(&b, "\n%d", i+1)
			for k := range cols {
				fmt.Fprintf(&b, ",%v", v[k*n+i])
			}
		}
		files[name+".csv"] = strings.Replace(b.String(), "id,s1", "id,y", 1) + "\n"
	}
	write("server", m.Y, 1)
	for j, x := range m.X {
		write(fmt.Sprint("c", j+1), x, len(x)/n)
	}
	return files
}

// point holds every z at its cut plus a fixed noise.
type point struct{ noise [][]float64 }

func (p point) Value(b int, g, z []float64) {
	for i := range g {
		z[i] = g[i] + p.noise[b][i]
	}
}

func (p point) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

// evaluate gives the joint log density and the gradient at a point that depends only on the dimensions.
func evaluate(t *testing.T, env density.Env) (sum float64, grad [][]float64) {
	t.Helper()
	blocks := env.Blocks()
	theta, lp, p := make([][]float64, len(blocks)), make([]float64, len(blocks)), point{}
	for b, block := range blocks {
		theta[b] = make([]float64, block.Dim())
		noise := make([]float64, block.AuxLen())
		for i := range theta[b] {
			theta[b][i] = math.Sin(float64(3*b + i + 1))
		}
		for i := range noise {
			noise[i] = math.Cos(float64(b + 2*i))
		}
		p.noise = append(p.noise, noise)
		grad = append(grad, make([]float64, block.Dim()))
	}
	if err := env.Density(context.Background(), theta, p, grad, lp); err != nil {
		t.Fatal(err)
	}
	for _, v := range lp {
		sum += v
	}
	return sum, grad
}

// TestCompiledIsHandwritten: a compiled model has the density and the gradient of the same model written in
// Go.
func TestCompiledIsHandwritten(t *testing.T) {
	logistic := testmodel.Linear(5, 57, []int{2, 3, 1}, 1)
	for i, y := range logistic.Y {
		logistic.Y[i] = map[bool]float64{true: 1}[y > 0]
	}
	logistic.Sigma = 0
	for name, m := range map[string]testmodel.GLM{"linear": testmodel.Linear(4, 50, []int{3, 2}, 0.7),
		"logistic": logistic, "one client": testmodel.Linear(6, 33, []int{4}, 0.5)} {
		for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
			m.Transform, m.Rho = transform, 0.8
			b := bindFiles(t, glmText(m), transform, m.Rho, glmFiles(m))
			env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
			if err != nil {
				t.Fatal(err)
			}
			if transform == stdlib.Power && len(m.X) == 1 {
				// here the z does not exist, and in the hand-written model it does: TestPowerOfOneClient
				continue
			}
			lp, grad := evaluate(t, env)
			want, wantGrad := evaluate(t, m.Env(1))
			if math.Abs(lp-want) > 1e-11*math.Abs(want) {
				t.Errorf("%s %s: density %v, by hand %v", name, transform, lp, want)
			}
			for k := range grad {
				for i := range grad[k] {
					if math.Abs(grad[k][i]-wantGrad[k][i]) > 1e-10*(1+math.Abs(wantGrad[k][i])) {
						t.Errorf("%s %s: gradient %d of party %d is %v, by hand %v", name, transform, i, k,
							grad[k][i], wantGrad[k][i])
					}
				}
			}
		}
	}
}

// TestPowerOfOneClient: with one client the power model is the true model, without noise.
func TestPowerOfOneClient(t *testing.T) {
	m := testmodel.Linear(6, 33, []int{4}, 0.5)
	var values []float64
	for _, transform := range []def.Transform{stdlib.Power, stdlib.NoTransform} {
		b := bindFiles(t, glmText(m), transform, 1, glmFiles(m))
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		blocks := env.Blocks()
		theta, grad := make([][]float64, len(blocks)), make([][]float64, len(blocks))
		for k, block := range blocks {
			if block.AuxLen() > 0 {
				t.Errorf("%s: %s has auxiliary variables", transform, block.Party())
			}
			theta[k], grad[k] = make([]float64, block.Dim()), make([]float64, block.Dim())
			for i := range theta[k] {
				theta[k][i] = 0.5
			}
		}
		lp := make([]float64, len(blocks))
		if err := env.Density(context.Background(), theta, point{make([][]float64, len(blocks))}, grad,
			lp); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range lp {
			sum += v
		}
		values = append(values, sum)
	}
	if math.Abs(values[0]-values[1]) > 1e-11*math.Abs(values[1]) {
		t.Errorf("power gives %v, the true model %v", values[0], values[1])
	}
}

// drawsOf runs a backend briefly and returns, per party, all its draws.
func drawsOf(t *testing.T, plan *model.Plan, mode session.Execution, name string,
	given map[string]string) map[string][]float64 {
	t.Helper()
	kind := stdlib.Augmented
	switch {
	case plan.AtClients:
		kind = stdlib.Power
	case plan.Exact:
		kind = stdlib.Exact
	}
	a := backend(t, name)
	settings, err := a.Resolve(kind, given)
	if err != nil {
		t.Fatal(err)
	}
	var lock sync.Mutex
	out := map[string][]float64{}
	err = session.Run(context.Background(), plan, mode, 7, func(ctx context.Context, env density.Env) error {
		k, err := a.New(env, settings)
		if err != nil {
			return err
		}
		if err := k.Init(ctx); err != nil {
			return err
		}
		taker := NewTaker(env, true)
		for have, done := 0, false; !done; {
			info, err := k.Step(ctx)
			if err != nil {
				return err
			}
			for done = info.Done; have < info.Draws; have++ {
				if _, err := taker.Take(ctx, k, have); err != nil {
					return err
				}
				lock.Lock()
				for b, block := range env.Blocks() {
					for _, v := range [][]float64{taker.draw.Theta[b], taker.values[b], taker.z[b]} {
						out[block.Party()] = append(out[block.Party()], v...)
					}
				}
				lock.Unlock()
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSameBits: one loop over the parties, a goroutine for each, one core or several: the same draws, bit for
// bit.
func TestSameBits(t *testing.T) {
	t.Parallel()
	m := testmodel.Linear(9, 45, []int{2, 3, 1}, 0.7)
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		plan := bindFiles(t, glmText(m), transform, 0.8, glmFiles(m)).Plan
		for _, run := range []struct {
			backend string
			given   map[string]string
		}{
			{"sfvi", map[string]string{"iterations": "120", "guide": "structured", "draws": "20"}},
			{"sfvi", map[string]string{"iterations": "120", "guide": "meanfield", "draws": "20"}},
			{"sfvi", map[string]string{"iterations": "120", "guide": "amortized", "draws": "20"}},
			{"sfvi", map[string]string{"estimator": "quadrature", "draws": "20"}},
			{"sfvi", map[string]string{"estimator": "quadrature", "theta-guide": "fullrank", "draws": "20"}},
			{"sfvi", map[string]string{"estimator": "quadrature", "theta-guide": "meanfield", "draws": "60"}},
			{"sfvi", map[string]string{"estimator": "quadrature", "guide": "meanfield", "draws": "60"}},
			{"soul", map[string]string{"iterations": "80", "inner": "3", "inner-chains": "2", "draws": "10"}},
			{"soul", map[string]string{"iterations": "80", "inner": "3", "inner-chains": "2", "draws": "10",
				"mala": "true"}},
			{"sfvi", map[string]string{"iterations": "120", "draws": "20"}},
			{"nuts", map[string]string{"warmup": "40", "draws": "20", "max-depth": "5"}},
			{"nuts", map[string]string{"warmup": "40", "draws": "20", "max-depth": "5",
				"metric": "dense"}},
		} {
			if transform.CutsCross() && (run.backend == "soul" || run.given["guide"] != "") {
				continue // there are no auxiliary variables
			}
			want := drawsOf(t, plan, session.OneLoop, run.backend, run.given)
			old := runtime.GOMAXPROCS(1)
			single := drawsOf(t, plan, session.OneLoop, run.backend, run.given)
			runtime.GOMAXPROCS(old)
			apart := drawsOf(t, plan, session.PerParty, run.backend, run.given)
			for _, party := range plan.Names {
				if !sameBits(want[party], single[party]) {
					t.Errorf("%s %s %v: %s draws otherwise on one core", transform, run.backend, run.given,
						party)
				}
				if !sameBits(want[party], apart[party]) {
					t.Errorf("%s %s %v: %s draws otherwise in a goroutine of its own", transform, run.backend,
						run.given, party)
				}
			}
		}
	}
}

func sameBits(a, b []float64) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// TestExamples: every example compiles and binds under every transform, and evaluates to something finite.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../examples/*.vfl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, path := range paths {
		for _, transform := range stdlib.Transforms() {
			b := bindPath(t, path, transform, 0.5)
			env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
			if err != nil {
				t.Fatal(err)
			}
			if lp, _ := evaluate(t, env); math.IsNaN(lp) || math.IsInf(lp, 0) {
				t.Errorf("%s %s: log density %v, %s", path, transform, lp, env.Cause())
			}
		}
	}
}

// TestPosteriordb: the models of posteriordb read its data files as they are, of which the first rows are
// here, and the gradient is the derivative of the density.
func TestPosteriordb(t *testing.T) {
	const reference = "../tests/reference/posteriordb"
	paths, err := filepath.Glob("../examples/posteriordb/*.vfl")
	if err != nil || len(paths) != 17 {
		t.Fatalf("%d models (%v), want 17", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".vfl")
		b := bound(t, path, check.Options{}, filepath.Join(reference, name, "data.json"))
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		derivative(t, name, env)
	}
}

// derivative compares the gradient of a pooled model along one direction with a difference of the density.
func derivative(t *testing.T, name string, env density.Env) {
	t.Helper()
	n := env.Blocks()[0].Dim()
	theta, grad, lp := [][]float64{make([]float64, n)}, [][]float64{make([]float64, n)}, []float64{0}
	at := func(h float64) float64 {
		for i := range theta[0] {
			theta[0][i] = 0.1*math.Sin(float64(i)) + h*math.Cos(float64(i))
		}
		if err := env.Density(context.Background(), theta, point{[][]float64{nil}}, grad, lp); err != nil {
			t.Fatal(err)
		}
		return lp[0]
	}
	const h = 1e-5
	numeric := (at(h) - at(-h)) / (2 * h)
	at(0)
	want := 0.0
	for i, g := range grad[0] {
		want += g * math.Cos(float64(i))
	}
	if math.IsNaN(want) || math.Abs(numeric-want) > 1e-6*(1+math.Abs(want)) {
		t.Errorf("%s: the gradient is %v, differences give %v", name, want, numeric)
	}
}
