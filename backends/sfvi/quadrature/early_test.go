package quadrature_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
)

// weighed counts what crosses of the draws.
type weighed struct {
	density.Env
	columns, trips int
}

func (e *weighed) Unwrap() density.Env { return e.Env }

func (e *weighed) Piece(columns int) int { return density.Must[density.Relaying](e.Env).Piece(columns) }

func (e *weighed) Relay(ctx context.Context, x *density.Exchange, size density.RelaySize,
	by density.Relayed) error {
	if x == quadrature.Batch || x.Name == "weighing" {
		e.columns += size.Columns
		e.trips++
	}
	return density.Must[density.Relaying](e.Env).Relay(ctx, x, size, by)
}

// A regression has two clients: where they are alike, each column of one is nearly that of the other, and the
// Gaussians of parties that are independent in q have standard deviations that are far too small.
func regression(t *testing.T, likelihood, transform string, alike bool) *compile.BoundModel {
	t.Helper()
	const rows, columns = 40, 12
	r := rand.New(rand.NewPCG(5, 8))
	a, b, y := table("x", columns), table("z", columns), []string{"id,y"}
	for row := range rows {
		sum := 0.0
		left, right := []string{fmt.Sprint(row)}, []string{fmt.Sprint(row)}
		for range columns {
			u := r.NormFloat64()
			v := u + 0.02*r.NormFloat64()
			if !alike {
				v = r.NormFloat64()
			}
			left, right, sum = append(left, fmt.Sprint(u)), append(right, fmt.Sprint(v)), sum+0.2*u
		}
		a, b = append(a, strings.Join(left, ",")), append(b, strings.Join(right, ","))
		if v := sum + r.NormFloat64(); strings.HasPrefix(likelihood, "y ~ bernoulli") {
			y = append(y, fmt.Sprintf("%d,%d", row, map[bool]int{true: 1}[v > 0]))
		} else {
			y = append(y, fmt.Sprintf("%d,%v", row, v))
		}
	}
	kind := "real"
	if strings.HasPrefix(likelihood, "y ~ bernoulli") {
		kind = "int<lower=0, upper=1>"
	}
	text := fmt.Sprintf(`client left, right
data y : %s[N] @ shared
data x : real[N, P] @ left
data z : real[N, Q] @ right
param m ~ normal(0, 1)
param a : real[P] ~ normal(0, 1) @ left
param b : real[Q] ~ normal(0, 1) @ right
%s
transform %s
`, kind, likelihood, transform)
	return bind(t, text, map[string]string{"server": strings.Join(y, "\n"), "left": strings.Join(a, "\n"),
		"right": strings.Join(b, "\n")})
}

// bind binds a model to a table for each party.
func bind(t *testing.T, text string, tables map[string]string) *compile.BoundModel {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "m.vfl")
	files := map[string]string{path: text}
	for name, content := range tables {
		files[filepath.Join(dir, "m", name+".csv")] = content
	}
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, diags := compile.Compile(source.New(path, text), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	bound, diags, err := compile.Bind(m, sources, data.Joining{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	return bound
}

func table(name string, columns int) []string {
	names := []string{"id"}
	for k := range columns {
		names = append(names, fmt.Sprintf("%s%d", name, k+1))
	}
	return []string{strings.Join(names, ",")}
}

// The first 500 weights decide whether the others are made, also where all would be in one message: in vain
// where the Gaussians of the parties are far from the posterior, whatever the likelihood. Else all draws have
// the numbers that they have undivided, bit for bit where the server evaluates the likelihood; the clients'
// shares are polynomials between the least and the largest predictor of the draws at hand, and agree to their
// 1e-9 nats for each row.
func TestFirstWeightsDecide(t *testing.T) {
	const size = 900
	for name, c := range map[string]struct {
		likelihood, transform, theta string
		alike, byDraws               bool
		trips                        int // each time that weights are found
		tolerance                    float64
	}{
		"bad": {"y ~ bernoulli_logit(m + x * a + z * b)", "exact", "fullrank", true, false, 1,
			0},
		"good": {"y ~ bernoulli_logit(m + x * a + z * b)", "exact", "joint", false, false, 1,
			0},
		"bad, by draws": {"param s ~ half_normal(1)\ny ~ normal(m + x * a + z * b, s)", "exact",
			"fullrank", true, true, 1, 0},
		"good, by draws": {"param s ~ half_normal(1)\ny ~ normal(m + x * a + z * b, s)", "exact",
			"fullrank", false, true, 1, 0},
		"bad, at clients": {"y ~ bernoulli_logit(m + x * a + z * b)", "power(rho = 0.2)", "fullrank", true,
			false, 2, 0},
		"good, at clients": {"y ~ bernoulli_logit(m + x * a + z * b)", "power(rho = 0.2)", "joint", false,
			false, 2, 40 * 1e-9},
		"good, more noise": {"y ~ bernoulli_logit(m + x * a + z * b)", "augmented(rho = 0.2)", "joint",
			false, false, 1, 0},
		"good, with a scale": {"param s ~ half_normal(1)\ny ~ normal(m + x * a + z * b, s)", "exact", "joint",
			false, false, 1, 0},
	} {
		b := regression(t, c.likelihood, c.transform, c.alike)
		fit := func(undivided bool) (k *quadrature.Kernel, e *weighed) {
			err := session.Run(context.Background(), b.Plan, session.OneLoop, 7,
				func(ctx context.Context, env density.Env) error {
					e = &weighed{Env: env}
					var err error
					k, err = quadrature.New(e, quadrature.Options{Guide: "structured", Theta: c.theta,
						Iterations: 200, Tolerance: 1e-6, Draws: size, AtClients: c.trips == 2, Weigh: true,
						Correct: true})
					if err != nil {
						return err
					}
					if undivided {
						k.Undivided()
					}
					if err := k.Init(ctx); err != nil {
						return err
					}
					for done := false; !done; {
						info, err := k.Step(ctx)
						if err != nil {
							return err
						}
						done = info.Done
					}
					return nil
				})
			if err != nil {
				t.Fatal(name, err)
			}
			return k, e
		}
		k, crossed := fit(false)
		columns, trips, draws := 1+size, 2*c.trips, size
		if c.alike {
			columns, trips, draws = 501, c.trips, 500
		}
		if k.Vain() != c.alike || k.ByDraws() != c.byDraws || crossed.columns != columns ||
			crossed.trips != trips || len(k.Ratios()) != draws {
			t.Errorf("%s: in vain %t, by draws %t, %d columns in %d trips, %d weights", name, k.Vain(),
				k.ByDraws(), crossed.columns, crossed.trips, len(k.Ratios()))
		}
		if c.alike {
			continue
		}
		whole, once := fit(true)
		if once.columns != columns || once.trips != c.trips {
			t.Errorf("%s: undivided %d columns in %d trips", name, once.columns, once.trips)
		}
		if !slices.EqualFunc(k.Ratios(), whole.Ratios(), func(a, b float64) bool {
			return a-b <= c.tolerance && b-a <= c.tolerance
		}) {
			t.Errorf("%s: other weights than undivided", name)
		}
		if !slices.Equal(drawn(k, crossed), drawn(whole, once)) {
			t.Errorf("%s: other draws than undivided", name)
		}
	}
}

// drawn are some draws of all parties.
func drawn(k *quadrature.Kernel, env density.Env) (out []float64) {
	var theta [][]float64
	for _, block := range env.Blocks() {
		theta = append(theta, make([]float64, block.Dim()))
	}
	for id := range 5 {
		k.Draw(id, theta)
		out = append(out, slices.Concat(theta...)...)
	}
	return out
}
