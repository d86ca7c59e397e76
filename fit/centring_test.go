package fit

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// groups are six means with a common prior, each observed once with the standard deviation 1.
var groups = []float64{2.1, -0.4, 0.9, 1.6, -1.3, 0.2}

func groupsModel(t *testing.T, word string) *compile.BoundModel {
	t.Helper()
	text := "data y : real[J]\nparam mu ~ normal(0, 3)\nparam tau ~ half_normal(2)\nparam theta : " +
		"real[J] ~ normal(mu, tau)" + word + "\ny ~ normal(theta, 1)\n"
	return bindFiles(t, text, stdlib.NoTransform, 1,
		map[string]string{"data.csv": "y\n2.1\n-0.4\n0.9\n1.6\n-1.3\n0.2\n"})
}

// A moment is a mean and a mean of squares.
type moment struct{ mean, square float64 }

// groupMoments integrates the posterior of mu, tau and the first theta on a grid: given tau and mu, the
// observations are independent with the variance 1 + tau².
func groupMoments() (mu, tau, theta moment) {
	total := 0.0
	add := func(m *moment, w, mean, square float64) { m.mean += w * mean; m.square += w * square }
	for t := 0.005; t < 12; t += 0.01 {
		v := 1 + t*t
		for m := -8.0; m < 9; m += 0.02 {
			lp := -m*m/18 - t*t/8 - 3*math.Log(v)
			for _, y := range groups {
				lp -= (y - m) * (y - m) / (2 * v)
			}
			w := math.Exp(lp)
			total += w
			first := (m + t*t*groups[0]) / v
			add(&mu, w, m, m*m)
			add(&tau, w, t, t*t)
			add(&theta, w, first, first*first+t*t/v)
		}
	}
	for _, m := range []*moment{&mu, &tau, &theta} {
		m.mean /= total
		m.square /= total
	}
	return mu, tau, theta
}

// However a hierarchy is written, the posterior is the same: that of quadrature within 4 Monte Carlo standard
// errors, in means and means of squares. The chains sample it in other coordinates than those declared, with
// which the draws are others.
func TestCoordinatesKeepThePosterior(t *testing.T) {
	mu, tau, theta := groupMoments()
	for _, word := range []string{"", " noncentered"} {
		b := groupsModel(t, word)
		r := run(t, b, map[string]string{"draws": "4000"})
		for k, want := range []moment{mu, tau, theta} {
			x := r.Draws.Column(k)
			squares := make([][]float64, len(x))
			for c, chain := range x {
				for _, v := range chain {
					squares[c] = append(squares[c], v*v)
				}
			}
			for what, m := range map[string]struct {
				x    [][]float64
				want float64
			}{"mean": {x, want.mean}, "mean square": {squares, want.square}} {
				if got, mcse := mean(m.x), posterior.MCSEMean(m.x); !(math.Abs(got-m.want) < 4*mcse) ||
					!(mcse < 0.1) {
					t.Errorf("%q: %s of parameter %d is %.4f ± %.4f, want %.4f", word, what, k, got, mcse,
						m.want)
				}
			}
		}
		logDensities(t, r, word)
		declared := run(t, b, map[string]string{"draws": "4000", "coordinates": "declared"})
		if sameBits(r.Draws.Column(1)[0], declared.Draws.Column(1)[0]) {
			t.Errorf("%q: sampled in the coordinates declared", word)
		}
	}
}

// logDensities: whatever the coordinates of a chain, lp__ is the log density of mu, log tau and theta, or
// theta's standard form, as the model is written.
func logDensities(t *testing.T, r *Result, word string) {
	t.Helper()
	for c := range r.Draws.Chains() {
		for _, i := range []int{0, 100, 3999} {
			at := func(k int) float64 { return r.Draws.Column(k)[c][i] }
			mu, tau := at(0), at(1)
			lp := normalLP(mu, 0, 3) + math.Log(2) + normalLP(tau, 0, 2) + math.Log(tau)
			for k, y := range groups {
				lp += normalLP(y, at(2+k), 1) + normalLP(at(2+k), mu, tau)
			}
			if word != "" {
				lp += float64(len(groups)) * math.Log(tau)
			}
			if got := r.Draws.Transitions[c][i].LP; math.Abs(got-lp) > 1e-9*math.Abs(lp) {
				t.Errorf("%q: lp__ of draw %d of chain %d is %v, want %v", word, i, c+1, got, lp)
			}
		}
	}
}

func normalLP(x, mean, sd float64) float64 {
	z := (x - mean) / sd
	return -0.5*z*z - math.Log(sd) - 0.5*math.Log(2*math.Pi)
}

func run(t *testing.T, b *compile.BoundModel, given map[string]string) *Result {
	t.Helper()
	r, err := prepared(t, b, backend(t, "nuts"), given).Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Centred effects whose scale has its posterior at 0 mix: a Poisson regression with an effect of every year,
// and a funnel. In the coordinates of the models they give fewer than 120 effective draws, and chains are
// lost.
func TestFunnelsMix(t *testing.T) {
	for path, tables := range map[string][]string{"glmm.vfl": {"glmm/data7.csv"},
		"schools_centred.vfl": nil} {
		p := filepath.Join("../bench/chains/models", path)
		if tables != nil {
			p = withTable(t, p, filepath.Join("../bench/chains/models", tables[0]))
		}
		for _, row := range run(t, bindPath(t, p, stdlib.NoTransform, 1), map[string]string{}).Summary() {
			if !(float64(row.ESSBulk) > 400) || !(float64(row.RHat) < 1.02) {
				t.Errorf("%s: %s has %.0f effective draws, R-hat %.3f", path, row.Name, float64(row.ESSBulk),
					float64(row.RHat))
			}
		}
	}
}

// withTable copies a model beside a table of its own.
func withTable(t *testing.T, model, table string) string {
	t.Helper()
	dir := t.TempDir()
	for to, from := range map[string]string{"m.vfl": model, "m/data.csv": table} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), string(text))
	}
	return filepath.Join(dir, "m.vfl")
}

// twoHierarchies has one at the server and one at a client.
func twoHierarchies(t *testing.T, transform def.Transform) *compile.BoundModel {
	t.Helper()
	text := `client a
data y  : real[N]     @ shared
data g  : level(3)[N] @ shared
data ga : level(4)[N] @ a
param m            ~ normal(0, 1)
param t            ~ half_normal(1)
param v  : real[3] ~ normal(m, t)
param ta           ~ half_normal(1) @ a
param va : real[4] ~ normal(0, ta)  @ a
y ~ normal(v[g] + va[ga], 1)
`
	return bindFiles(t, text, transform, 0.5, map[string]string{
		"server.csv": "id,y,g\n1,0.3,1\n2,-1.1,2\n3,0.7,3\n4,2.0,1\n5,-0.4,2\n6,1.2,3\n",
		"a.csv":      "id,ga\n1,1\n2,2\n3,3\n4,4\n5,1\n6,2\n",
	})
}

// twoWalks has one at the server and one at a client, twoProcesses likewise.
func twoWalks(t *testing.T, transform def.Transform) *compile.BoundModel {
	t.Helper()
	return twoVectors(t, transform, "gaussian_random_walk(0, t)", "gaussian_random_walk(0.1, ta)")
}

func twoProcesses(t *testing.T, transform def.Transform) *compile.BoundModel {
	t.Helper()
	return twoVectors(t, transform, "multi_normal(0, gp_exp_quad(y, t, 1) + diag(rep(0.1, N)))",
		"multi_normal_cholesky(0.1, ta * cholesky(gp_matern32(x, 1, 1)))")
}

func twoVectors(t *testing.T, transform def.Transform, server, client string) *compile.BoundModel {
	t.Helper()
	text := `client a
data y  : real[N] @ shared
data x  : real[N] @ a
param t            ~ half_normal(1)
param v  : real[N] ~ ` + server + `
param ta           ~ half_normal(1) @ a
param va : real[N] ~ ` + client + ` @ a
y ~ normal(v + (va + x), 1)
`
	return bindFiles(t, text, transform, 0.5, map[string]string{
		"server.csv": "id,y\n1,0.3\n2,-1.1\n3,0.7\n4,2.0\n5,-0.4\n6,1.2\n",
		"a.csv":      "id,x\n1,1\n2,2\n3,3\n4,4\n5,1.5\n6,2.5\n",
	})
}

// Each party chooses its coordinates by itself: one loop over the parties and a goroutine for each give the
// same bits, and others than with the coordinates declared.
func TestCoordinatesOfParties(t *testing.T) {
	for _, c := range []struct {
		model     func(t *testing.T, transform def.Transform) *compile.BoundModel
		transform def.Transform
	}{{twoHierarchies, stdlib.Exact}, {twoHierarchies, stdlib.Augmented},
		{twoWalks, stdlib.Exact}, {twoWalks, stdlib.Augmented},
		{twoProcesses, stdlib.Exact}, {twoProcesses, stdlib.Augmented}} {
		plan, transform := c.model(t, c.transform).Plan, c.transform
		given := map[string]string{"warmup": "200", "draws": "30"}
		want := drawsOf(t, plan, session.OneLoop, "nuts", given)
		apart := drawsOf(t, plan, session.PerParty, "nuts", given)
		declared := drawsOf(t, plan, session.OneLoop, "nuts",
			map[string]string{"warmup": "200", "draws": "30", "coordinates": "declared"})
		for _, party := range plan.Names {
			if !sameBits(want[party], apart[party]) {
				t.Errorf("%s: %s draws otherwise in a goroutine of its own", transform, party)
			}
			if slices.Equal(want[party], declared[party]) {
				t.Errorf("%s: %s keeps the coordinates of the model", transform, party)
			}
		}
	}
}
