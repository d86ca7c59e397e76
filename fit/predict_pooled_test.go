package fit_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// A pooledCase is a model over two clients, and what it says of a row with all data in one place, at a draw.
type pooledCase struct {
	name, text, module string
	backends           map[string]map[string]string // with their settings
	transforms         []string
	// mean is the expectation of the response at a draw: xa and xb are the clients' numbers of the row.
	mean func(draw func(name string, index int) float64, xa, xb []float64) float64
	gaps bool // the column x2 of the clinic has empty cells in the run
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func pooledCases() []pooledCase {
	sfvi := map[string]string{"iterations": "30", "elbo-draws": "20", "draws": "20", "tolerance": "0"}
	soul := map[string]string{"iterations": "60", "draws": "6", "inner-chains": "2"}
	nuts := map[string]string{"chains": "1", "warmup": "15", "draws": "8"}
	head := "client clinic, lab\ndata y : binary[N] @ shared\ndata XA : real[N, PA] @ clinic\ndata " +
		"XB : real[N, PB] @ lab\n"
	return []pooledCase{
		{
			name: "weights",
			text: head +
				"weight W : real[PA, 3] init he_normal @ clinic\nweight k\nparam w : real[3] ~ normal(0, " +
				"1) @ clinic\nparam v : real[PB] ~ normal(0, 1) @ lab\n" +
				"let h = tanh(XA * W)\ny ~ bernoulli_logit(k + h * w + XB * v)\n",
			backends:   map[string]map[string]string{"sfvi": sfvi},
			transforms: []string{"none", "exact", "augmented", "power"},
			mean: func(draw func(string, int) float64, xa, xb []float64) float64 {
				eta := draw("k", 0)
				for unit := range 3 {
					in := 0.0
					for p, x := range xa {
						in += x * draw("W", p+len(xa)*unit)
					}
					eta += math.Tanh(in) * draw("w", unit)
				}
				for p, x := range xb {
					eta += x * draw("v", p)
				}
				return logistic(eta)
			},
		},
		{
			name: "linear predictor",
			text: head +
				"param b ~ normal(0, 1)\nparam u : real[PA] ~ normal(0, 1) @ clinic\nparam v : real[PB] ~ " +
				"normal(0, 1) @ lab\ny ~ bernoulli_logit(b + XA * u + XB * v)\n",
			backends:   map[string]map[string]string{"sfvi": sfvi, "soul": soul},
			transforms: []string{"augmented", "power"},
			mean: func(draw func(string, int) float64, xa, xb []float64) float64 {
				eta := draw("b", 0)
				for p, x := range xa {
					eta += x * draw("u", p)
				}
				for p, x := range xb {
					eta += x * draw("v", p)
				}
				return logistic(eta)
			},
		},
		{
			name: "module",
			text: "client clinic, lab\ndata y : binary[N] @ shared\ncontribution eta : real[N] @ " +
				"clinic\ndata XB : real[N, PB] @ lab\nparam b ~ normal(0, 1)\nparam v : real[PB] ~ " +
				"normal(0, 1) @ lab\ny ~ bernoulli_logit(b + eta + XB * v)\n",
			module: "module clinic implements m\ndata x1 : real[N]\ndata x2 : real[N]\nparam r ~ " +
				"normal(0, 1)\nparam s ~ normal(0, 1)\neta = sin(x1 * r) + x2 * s\n",
			backends:   map[string]map[string]string{"sfvi": sfvi, "nuts": nuts},
			transforms: []string{"exact", "augmented", "power"},
			mean: func(draw func(string, int) float64, xa, xb []float64) float64 {
				eta := draw("b", 0) + math.Sin(xa[0]*draw("clinic.r", 0)) + xa[1]*draw("clinic.s", 0)
				for p, x := range xb {
					eta += x * draw("v", p)
				}
				return logistic(eta)
			},
		},
		{
			name: "imputed",
			text: "client clinic, lab\ndata y : binary[N] @ shared\ndata x1 : real[N] @ clinic\ndata x2 : " +
				"real[N] @ clinic missing impute ~ normal(a * x1, 1)\ndata XB : real[N, PB] @ lab\n" +
				"param a ~ normal(0, 1) @ clinic\nparam u ~ normal(0, 1) @ clinic\nparam b ~ normal(0, " +
				"1)\nparam v : real[PB] ~ normal(0, 1) @ lab\ny ~ bernoulli_logit(b + x2 * u + XB * v)\n",
			backends:   map[string]map[string]string{"sfvi": sfvi, "nuts": nuts},
			transforms: []string{"none", "exact", "augmented", "power"},
			gaps:       true,
			mean: func(draw func(string, int) float64, xa, xb []float64) float64 {
				eta := draw("b", 0) + xa[1]*draw("u", 0)
				for p, x := range xb {
					eta += x * draw("v", p)
				}
				return logistic(eta)
			},
		},
	}
}

// rowsOf are made-up rows: of the clinic two numbers, of the lab two, and the response.
func rowsOf(n int, from float64) (xa, xb [][]float64, y []int) {
	for i := range n {
		t := from + float64(i)
		xa, xb = append(xa, []float64{math.Sin(1.3 * t), math.Cos(2.1 * t)}),
			append(xb, []float64{math.Sin(0.7*t + 1), math.Cos(3.3 * t)})
		y = append(y, int(2*t*t)%3/2)
	}
	return xa, xb, y
}

// tables writes rows as the tables of the parties, and returns them as --data names them.
func tables(t *testing.T, xa, xb [][]float64, y []int, gaps bool) []string {
	dir := t.TempDir()
	texts := map[string]string{"clinic": "id,x1,x2\n", "lab": "id,z1,z2\n", "server": "id,y\n"}
	for i := range xa {
		x2 := fmt.Sprintf("%.17g", xa[i][1])
		if gaps && i%7 == 3 {
			x2 = ""
		}
		texts["clinic"] += fmt.Sprintf("%d,%.17g,%s\n", i+1, xa[i][0], x2)
		texts["lab"] += fmt.Sprintf("%d,%.17g,%.17g\n", i+1, xb[i][0], xb[i][1])
		if y != nil {
			texts["server"] += fmt.Sprintf("%d,%d\n", i+1, y[i])
		}
	}
	if y == nil {
		delete(texts, "server")
	}
	var flags []string
	for party, text := range texts {
		file := filepath.Join(dir, party+".csv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags = append(flags, party+"="+file)
	}
	return flags
}

// fitted fits the case and returns the folder of the run as a reader finds it.
func (c pooledCase) fitted(t *testing.T, backend, transform string) *posterior.Run {
	kind, _ := stdlib.TransformNamed(transform)
	o := check.Options{Transform: kind, Rho: 0.7}
	if c.module != "" {
		o.Module = func(client string) (*source.File, error) {
			if client == "clinic" {
				return source.New("clinic.vfl", c.module), nil
			}
			return nil, nil
		}
	}
	m, diags := compile.Compile(source.New("m.vfl", c.text), o)
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	xa, xb, y := rowsOf(40, 0)
	sources, err := data.Named(m.Parties(), tables(t, xa, xb, y, c.gaps))
	if err != nil {
		t.Fatal(err)
	}
	a, ok := fit.Backend(backend)
	if !ok {
		t.Fatalf("no backend %s", backend)
	}
	dir := filepath.Join(t.TempDir(), "run")
	p, diags, err := fit.Open(m, sources, fit.Options{Algorithm: a, Settings: c.backends[backend], Seed: 2,
		Dir: dir})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	out, err := posterior.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Predictions of new rows across parties are what the model says of them with all data in one place, averaged
// over the draws: after every backend, with weights, with what a client computes in a module of its own, and
// where the run imputed missing cells.
func TestPredictionsOfEveryKindArePooledOnes(t *testing.T) {
	for _, c := range pooledCases() {
		for backend := range c.backends {
			for _, transform := range c.transforms {
				t.Run(strings.Join([]string{c.name, backend, transform}, "/"), func(t *testing.T) {
					t.Parallel()
					r := c.fitted(t, backend, transform)
					xa, xb, _ := rowsOf(6, 100.5)
					got, diags, err := fit.Predict(t.Context(), r,
						fit.PredictionRequest{Data: tables(t, xa, xb, nil, false), Seed: 9})
					if err != nil || diags.HasErrors() {
						t.Fatal(err, data.Errors(diags))
					}
					first, column := map[string]int{}, 0
					for _, v := range r.Draws.Vars {
						first[v.Name] = column
						column += v.Len()
					}
					for i := range xa {
						sum, n := 0.0, 0.0
						for chain := range r.Draws.Chains() {
							for k := range r.Draws.Len(chain) {
								sum += c.mean(func(name string, index int) float64 {
									at, ok := first[name]
									if !ok {
										t.Fatalf("no %s among %v", name, r.Draws.Vars)
									}
									return r.Draws.Column(at + index)[chain][k]
								}, xa[i], xb[i])
								n++
							}
						}
						if want := sum / n; math.Abs(got.Responses[0].Mean[i]-want) > 1e-12 {
							t.Errorf("row %d: mean %v, pooled %v", i+1, got.Responses[0].Mean[i], want)
						}
					}
				})
			}
		}
	}
}
