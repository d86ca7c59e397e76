package fit_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// Responses whose sizes nothing else in the model binds, their categories or their columns, are drawn for new
// rows: the sizes are those of the parameters of the run. The share of each category among the draws is the
// mean of its probability, with all data in one place.
func TestPredictionsOfCategoriesThatTheResponseAloneBinds(t *testing.T) {
	words := []string{"none", "mild", "severe"}
	for name, c := range map[string]struct {
		levels, owner string
		category      func(k int) string
	}{
		"listed words": {`levels K = "none", "mild", "severe"` + "\n", "shared", func(k int) string {
			return words[k]
		}},
		"whole numbers": {"", "server", func(k int) string { return strconv.Itoa(k + 1) }},
	} {
		for _, transform := range []string{"none", "exact", "augmented"} {
			t.Run(name+"/"+transform, func(t *testing.T) {
				kind, _ := stdlib.TransformNamed(transform)
				text := "client clinic, lab\n" + c.levels + "data y : level(K)[N] @ " + c.owner +
					"\ndata XA : real[N, PA] @ clinic\ndata XB : real[N, PB] @ lab\nparam c : " +
					"ordered[K - 1] ~ normal(0, 2)\n" +
					"param u : real[PA] ~ normal(0, 1) @ clinic\nparam v : real[PB] ~ normal(0, 1) @ " +
					"lab\ny ~ ordered_logistic(XA * u + XB * v, c)\n"
				m, diags := compile.Compile(source.New("m.vfl", text),
					check.Options{Transform: kind, Rho: 0.7})
				if diags.HasErrors() {
					t.Fatal(data.Errors(diags))
				}
				xa, xb, y := rowsOf(40, 0)
				flags := tables(t, xa, xb, y, false)
				at := slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(f, "server=") })
				response := "id,y\n"
				for i := range y {
					response += strconv.Itoa(i+1) + "," + c.category((i+y[i])%3) + "\n"
				}
				if err := os.WriteFile(strings.TrimPrefix(flags[at], "server="), []byte(response),
					0o600); err != nil {
					t.Fatal(err)
				}
				sources, err := data.Named(m.Parties(), flags)
				if err != nil {
					t.Fatal(err)
				}
				nuts, _ := fit.Backend("nuts")
				dir := filepath.Join(t.TempDir(), "run")
				p, diags, err := fit.Open(m, sources,
					fit.Options{Algorithm: nuts, Settings: map[string]string{"chains": "2", "warmup": "50",
						"draws": "200"}, Seed: 2, Dir: dir})
				if err != nil || diags.HasErrors() {
					t.Fatal(err, data.Errors(diags))
				}
				run, err := p.Sample(t.Context(), nil)
				if err == nil {
					err = run.Save(dir)
				}
				if err != nil {
					t.Fatal(err)
				}
				r, err := posterior.OpenRun(dir)
				if err != nil {
					t.Fatal(err)
				}
				xa, xb, _ = rowsOf(5, 100.5)
				got, diags, err := fit.Predict(t.Context(), r,
					fit.PredictionRequest{Data: tables(t, xa, xb, nil, false), Seed: 9})
				if err != nil || diags.HasErrors() {
					t.Fatal(err, data.Errors(diags))
				}
				if transform != "none" {
					if err := got.Model.Verify(); err != nil {
						t.Error(err)
					}
				}
				if want := []string{c.category(0), c.category(1),
					c.category(2)}; !slices.Equal(got.Responses[0].Categories, want) &&
					got.Responses[0].Categories != nil {
					t.Errorf("categories %v, want %v", got.Responses[0].Categories, want)
				}
				column := map[string]int{}
				for k, at := 0, 0; k < len(r.Draws.Vars); k++ {
					column[r.Draws.Vars[k].Name] = at
					at += r.Draws.Vars[k].Len()
				}
				for i := range xa {
					var expected, variance, drawn [3]float64
					for chain := range r.Draws.Chains() {
						for k := range r.Draws.Len(chain) {
							eta := 0.0
							for p := range 2 {
								eta += xa[i][p]*r.Draws.Column(column["u"] + p)[chain][k] +
									xb[i][p]*r.Draws.Column(column["v"] + p)[chain][k]
							}
							below := [4]float64{0, logistic(r.Draws.Column(column["c"])[chain][k] - eta),
								logistic(r.Draws.Column(column["c"] + 1)[chain][k] - eta), 1}
							for j := range 3 {
								p := below[j+1] - below[j]
								expected[j] += p
								variance[j] += p * (1 - p)
							}
						}
					}
					for _, v := range got.Responses[0].Draws[i] {
						drawn[int(v)-1]++
					}
					for j := range 3 {
						if z := (drawn[j] - expected[j]) / math.Sqrt(variance[j]); math.Abs(z) > 4 {
							t.Errorf("row %d: category %d drawn %v times, expected "+
								"%.1f: %.1f standard errors", i+1, j+1, drawn[j], expected[j], z)
						}
					}
				}
			})
		}
	}
}

// A model whose response alone has rows has no new ones, which an error about the model that was written, not
// about one that was made of it, explains.
func TestNoNewRowsWithoutOtherData(t *testing.T) {
	m, diags := compile.Compile(source.New("m.vfl",
		"data x : real[N]\nparam m ~ normal(0, 1)\nx ~ normal(m, 1)\n"), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	if _, _, err := m.Prediction(false); err == nil || !strings.Contains(err.Error(), "x alone binds N") ||
		!strings.Contains(err.Error(), "vflc ppc") {
		t.Error(err)
	}
	// the rows of the run have their response
	if _, diags, err := m.Prediction(true); err != nil || diags.HasErrors() {
		t.Error(err, data.Errors(diags))
	}
}
