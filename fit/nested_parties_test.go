package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// alike fails where two fits of one model differ by more than their errors: in the evidence, which has every
// constant of a determinant, in means and in standard deviations.
func alike(t *testing.T, name string, got, want *Result) {
	t.Helper()
	a, b := got.Document.ELBO, want.Document.ELBO
	if off, se := math.Abs(float64(a.Value-b.Value)),
		math.Hypot(float64(a.SE), float64(b.SE)); !(off < 4*se+1e-3) {
		t.Errorf("%s: the log evidence is %.4f, want %.4f, and their error %.4f", name, a.Value, b.Value, se)
	}
	rows := map[string]summarised{}
	for _, row := range want.Summary() {
		rows[row.Name] = summarised{float64(row.Mean), float64(row.SD)}
	}
	for _, row := range got.Summary() {
		w, ok := rows[row.Name]
		if !ok {
			t.Errorf("%s: no %s", name, row.Name)
			continue
		}
		if w.SD < 1e-6 { // as the first element of a factor of correlations
			continue
		}
		if off := (float64(row.Mean) - w.Mean) / w.SD; !(math.Abs(off) < 0.15) {
			t.Errorf("%s: the mean of %s is %.3f sd off", name, row.Name, off)
		}
		if off := float64(row.SD)/w.SD - 1; !(math.Abs(off) < 0.12) {
			t.Errorf("%s: the sd of %s is %.1f %% off", name, row.Name, 100*off)
		}
	}
}

// sharings are models whose clients use parameters of the server that have normal priors.
var sharings = map[string][2]string{
	"effects": {"param tau ~ half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau) @ a",
		"param tau ~ half_normal(1) @ shared\nparam u : real[G] ~ normal(0, tau) @ shared"},
	"effects, not centred": {"param tau ~ half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau) @ a",
		"param tau ~ half_normal(1) @ shared\nparam u : real[G] ~ normal(0, tau) noncentered @ shared"},
	"their mean": {"param tau ~ half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau) @ a",
		"param m ~ normal(1, 2) @ shared\nparam tau ~ half_normal(1) @ a\nparam u : " +
			"real[G] ~ normal(m, tau) @ a"},
	"their mean, not centred": {"param tau ~ half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau) @ a",
		"param m ~ normal(1, 2) @ shared\nparam tau ~ half_normal(1) @ shared\nparam u : real[G] ~ " +
			"normal(m, tau) noncentered @ a"},
	"a coefficient":               {"normal(0, 2.5) @ b", "normal(0, 2.5) @ shared"},
	"effects of a client's scale": {"(1) @ a", "(1) @ shared"},
}

// Where clients use effects, coefficients and means of the server, the fit is that of the same model with its
// data at one place, evidence included.
func TestAGridWithSharedEffects(t *testing.T) {
	t.Parallel()
	files := groupedRows(12, 240)
	for name, change := range sharings {
		text := strings.Replace(groupedText, change[0], change[1], 1)
		if text == groupedText {
			t.Fatal(name)
		}
		settings := map[string]string{"draws": "2000"}
		apart, err := nestedFit(t, text, stdlib.Exact, files, settings)
		if err != nil {
			t.Fatal(name, err)
		}
		whole, err := nestedFit(t, text, stdlib.NoTransform, files, settings)
		if err != nil {
			t.Fatal(name, err)
		}
		alike(t, name, apart, whole)
		if trips := apart.Document.Work.Sequential; trips > 25 {
			t.Errorf("%s: %d round trips", name, trips)
		}
	}
}

// Of normal values the noise of auxiliary variables adds to their variance: under augmented the fit is that
// under exact with a scale of √(σ² + Jρ²).
func TestAGridIntegratesNoiseOut(t *testing.T) {
	files := groupedRows(12, 240)
	text := strings.NewReplacer("y : binary", "y : real", "bernoulli_logit(c + x * beta + u[g])",
		"normal(c + x * beta + u[g], 0.3)").Replace(groupedText)
	wider := strings.Replace(text, ", 0.3)", ", "+"0.7681145747868608)", 1) // √(0.3² + 2·0.5²)
	settings := map[string]string{"draws": "2000"}
	noisy, err := nestedFitAt(t, text, stdlib.Augmented, 0.5, files, settings)
	if err != nil {
		t.Fatal(err)
	}
	want, err := nestedFit(t, wider, stdlib.Exact, files, settings)
	if err != nil {
		t.Fatal(err)
	}
	alike(t, "normal", noisy, want)
}

// Effects of two crossed groupings, at one client or at two, and intercepts and slopes that are correlated,
// with their scales at the client or at the server: as with all data at one place.
func TestAGridOfSeveralScales(t *testing.T) {
	t.Parallel()
	files := groupedRows(8, 240)
	crossed := strings.NewReplacer("data x : real[N] @ b", "data x : real[N] @ b\ndata h : level(H)[N] @ b",
		"+ u[g]", "+ u[g] + v[h]",
		"param beta",
		"param s ~ half_normal(1) @ b\nparam v : real[H] ~ normal(0, s) @ b\nparam beta").Replace(groupedText)
	slopes := strings.NewReplacer("param tau ~ half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau) @ a",
		"data w : real[N] @ a\nlet u = glm.correlated(G, 2) @ a", "u[g]", "u[g, 1] + u[g, 2] .* w",
		"client a, b", "client a, b\nimport glm").Replace(groupedText)
	for name, text := range map[string]string{"crossed at two": crossed,
		"crossed at one": strings.ReplaceAll(crossed, "@ b", "@ a"), "slopes": slopes} {
		apart, err := nestedFit(t, text, stdlib.Exact, widened(files, name),
			map[string]string{"draws": "2000"})
		if err != nil {
			t.Fatal(name, err)
		}
		whole, err := nestedFit(t, text, stdlib.NoTransform, widened(files, name),
			map[string]string{"draws": "2000"})
		if err != nil {
			t.Fatal(name, err)
		}
		alike(t, name, apart, whole)
		if trips := apart.Document.Work.Sequential; trips > 45 {
			t.Errorf("%s: %d round trips", name, trips)
		}
	}
}

// widened are the tables with a second grouping and a second covariate, and with those of b at a where
// everything is at one client.
func widened(files map[string]string, name string) map[string]string {
	a, b := strings.Split(strings.TrimSpace(files["a.csv"]), "\n"),
		strings.Split(strings.TrimSpace(files["b.csv"]), "\n")
	for i := range a {
		h, w, x := "h", "w", strings.Split(b[i], ",")[1]
		if i > 0 {
			h, w = "h"+string(rune('a'+i*i%7)), strings.Repeat("-", i%2)+"0."+string(rune('1'+i*5%9))
		}
		a[i] += "," + w
		if b[i] += "," + h; name == "crossed at one" {
			a[i] += "," + x + "," + h
		}
	}
	out := map[string]string{"server.csv": files["server.csv"], "a.csv": strings.Join(a, "\n") + "\n",
		"b.csv": strings.Join(b, "\n") + "\n"}
	return out
}

// Fifty clients with a common mean and scale take no more round trips than 45, though each covariance that
// depends on a scale crosses by itself.
func TestAGridOfManyClients(t *testing.T) {
	t.Parallel()
	const clients, n = 50, 300
	r := rand.New(rand.NewPCG(3, 4))
	files, eta := map[string]string{}, make([]float64, n)
	for j := range clients {
		var b strings.Builder
		b.WriteString("id,x\n")
		w := 0.3 + 0.3*r.NormFloat64()
		for i := range eta {
			x := r.NormFloat64()
			eta[i] += w * x
			fmt.Fprintf(&b, "%d,%.5f\n", i, x)
		}
		files[fmt.Sprintf("lab/%02d.csv", j)] = b.String()
	}
	var b strings.Builder
	b.WriteString("id,y\n")
	for i, v := range eta {
		fmt.Fprintf(&b, "%d,%.5f\n", i, v+r.NormFloat64())
	}
	files["server.csv"] = b.String()
	text := "client lab[J]\ndata y : real[N] @ shared\ndata x : real[N] @ lab\nparam m ~ normal(0, 1) @ " +
		"shared\nparam s ~ half_normal(1) @ shared\n" +
		"param w ~ normal(m, s) @ lab\ny ~ normal(sum(x[j] * w[j] for j in lab), 1)\n"
	apart, err := nestedFit(t, text, stdlib.Exact, files, map[string]string{"draws": "1000"})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := nestedFit(t, text, stdlib.NoTransform, files, map[string]string{"draws": "1000"})
	if err != nil {
		t.Fatal(err)
	}
	alike(t, "fifty", apart, whole)
	if trips := apart.Document.Work.Sequential; trips > 45 {
		t.Errorf("%d round trips", trips)
	}
}

// A fit in which clients use parameters of the server has the same bits in one loop, with parties apart, and
// with kernels that are saved and loaded after every step; also where noise is integrated out.
func TestAGridWithSharedEffectsHasTheSameBits(t *testing.T) {
	files := groupedRows(4, 40)
	for name, change := range sharings {
		for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
			path := besideModel(t, strings.Replace(groupedText, change[0], change[1], 1), files)
			b := bound(t, path, check.Options{Transform: kind, Rho: 0.5, Accept: diag.AcceptanceNames()})
			settings, err := backend(t, "sfvi").Resolve(kind, map[string]string{"estimator": "nested",
				"draws": "16"})
			if err != nil {
				t.Fatal(err)
			}
			want := played(t, b, settings, session.OneLoop, false)
			for how, got := range map[string]map[string][]float64{"apart": played(t, b, settings,
				session.PerParty, false), "resumed": played(t, b, settings, session.OneLoop, true)} {
				for party, v := range want {
					if !sameBits(v, got[party]) {
						t.Errorf("%s %s, %s: other bits at %s", name, kind, how, party)
					}
				}
			}
		}
	}
}
