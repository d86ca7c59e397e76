package fit_test

import (
	"math"
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
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// replication is of a model with one response of known law: y ~ normal(m, 1), with draws of m that are all 0.
func replication(t *testing.T, y []float64, draws int) *fit.Replication {
	t.Helper()
	m, diags := compile.Compile(source.New("m.vfl",
		"data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)\n"),
		check.Options{Transform: stdlib.NoTransform})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	values := map[string]data.Bindings{m.Checked.Server: {"y": {Recipe: data.Recipe{Name: "y", Elem: "real",
		Rank: 1}, Dims: []int{len(y)}, Values: y, ByRow: true}}}
	b, diags, err := compile.BindValues(m, values, nil)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	d := posterior.NewDraws([]posterior.Variable{{Name: "m"}}, 2, draws)
	for c := range 2 {
		for range draws {
			d.Append(c, []float64{0})
		}
	}
	p, err := fit.ReplicateBound(t.Context(), b, d, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Statistics of replicates have the distribution that the model gives them, and the tail probability is the
// share above the observed value.
func TestPredictiveChecks(t *testing.T) {
	const n, draws = 25, 2000
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i-n/2) / 8
	}
	p := replication(t, y, draws)
	checks, diags, err := p.Checks(nil, []string{"mean(y > 0.5)", "y[1]"})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	within := func(name string, got posterior.Number, want, se float64) {
		if math.Abs(float64(got)-want) > 4*se {
			t.Errorf("%s is %v, want %v ± %v", name, got, want, se)
		}
	}
	above := math.Erfc(0.5/math.Sqrt2) / 2
	for _, c := range checks {
		sd := map[string]float64{"mean": 1 / math.Sqrt(n),
			"mean(y > 0.5)": math.Sqrt(above * (1 - above) / n), "y[1]": 1}[c.Statistic]
		mean := map[string]float64{"mean(y > 0.5)": above}[c.Statistic]
		if sd == 0 {
			continue
		}
		within("mean of "+c.Statistic, c.Mean, mean, sd/math.Sqrt(2*draws))
		within("sd of "+c.Statistic, c.SD, sd, sd/math.Sqrt(4*draws))
		tail := math.Erfc((float64(c.Observed)-mean)/sd/math.Sqrt2) / 2
		if c.Statistic != "mean(y > 0.5)" { // of few values: the normal approximation is not close enough
			within("tail of "+c.Statistic, c.Tail, tail, math.Sqrt(tail*(1-tail)/(2*draws)))
		}
	}
	if len(checks) != 9 || checks[6].Statistic != "max" || float64(checks[6].Observed) != 1.5 {
		t.Errorf("checks are %+v", checks)
	}
}

// What is no statistic of a response is refused with what to write.
func TestStatisticsThatAreNone(t *testing.T) {
	p := replication(t, []float64{1, 2, 3}, 2)
	for text, want := range map[string]string{"mean(x)": "has no response in it", "y": "is not one number",
		"mean(y": "", "mean(y, 1)": ""} {
		_, diags, err := p.Checks(nil, []string{text})
		if want == "" && !diags.HasErrors() || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v", text, err, data.Errors(diags))
		}
	}
	if _, _, err := p.Checks([]string{"z"}, nil); err == nil ||
		!strings.Contains(err.Error(), "there are: y") {
		t.Errorf("a response that is not there: %v", err)
	}
}

// The replicates that ArviZ reads are those that were made, with the observed values beside them.
func TestReplicatesForArviZ(t *testing.T) {
	p := replication(t, []float64{1, 2, 3}, 4)
	dir := filepath.Join(t.TempDir(), "checked.zarr")
	if err := p.WriteZarr(dir); err != nil {
		t.Fatal(err)
	}
	got, shape, err := export.ReadFloats(dir, "posterior_predictive/y")
	if err != nil || len(shape) != 3 || shape[0] != 2 || shape[1] != 4 || shape[2] != 3 {
		t.Fatal(shape, err)
	}
	for c := range 2 {
		for i := range 4 {
			for e := range 3 {
				if want := p.Responses[0].Replicates[e][c][i]; got[(c*4+i)*3+e] != want {
					t.Fatalf("replicate %d, %d, %d is %v, want %v", c, i, e, got[(c*4+i)*3+e], want)
				}
			}
		}
	}
	observed, err := export.ReadObserved(dir)
	if err != nil || len(observed) != 1 || observed[0].Values[1] != 2 {
		t.Fatal(observed, err)
	}
}

// The mean that a distribution's descriptor writes is that of its draws.
func TestMeansOfDistributions(t *testing.T) {
	universe := stdlib.New()
	given := map[string]float64{"N": 7, "theta": 0.3, "alpha": 1.3, "beta": 2.4, "mu": 0.6, "sigma": 0.7,
		"kappa": 3, "lambda": 1.7, "eta": 0.4, "phi": 2.5}
	for _, name := range universe.Dists() {
		d, _ := universe.Dist(name)
		if d.Mean == "" || slices.ContainsFunc(d.Params, func(p def.Param) bool {
			return given[p.Name] == 0 || p.Rank > 0 || p.OwnSize
		}) {
			continue // those with other parameters, vectors among them, are in TestExpectations
		}
		t.Run(name, func(t *testing.T) {
			var args []string
			text := ""
			for _, p := range d.Params {
				text += "const " + p.Name + " = " + strconv.FormatFloat(given[p.Name], 'g', -1, 64) + "\n"
				args = append(args, p.Name)
			}
			text += "param one ~ normal(0, 1)\ngenerate x : " + elementOf(d.Discrete) + "[4000] ~ " + name +
				"(" + strings.Join(args, ", ") + ")\ngenerate mean_of = " + d.Mean + "\n"
			m, diags := compile.Compile(source.New("m.vfl", text), check.Options{Transform: stdlib.NoTransform})
			if diags.HasErrors() {
				t.Fatal(text, data.Errors(diags))
			}
			b, diags, err := compile.BindValues(m, map[string]data.Bindings{m.Checked.Server: {}}, nil)
			if err != nil || diags.HasErrors() {
				t.Fatal(err, data.Errors(diags))
			}
			p, diags, err := fit.OpenBound(b,
				fit.Options{Settings: map[string]string{"chains": "1", "warmup": "5", "draws": "4"}, Seed: 3})
			if err != nil || diags.HasErrors() {
				t.Fatal(err, data.Errors(diags))
			}
			r, err := p.Sample(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var sum, square, count float64
			for k, c := range r.Draws.Columns() {
				if strings.HasPrefix(c.Name, "x[") {
					for _, v := range r.Draws.Column(k)[0] {
						sum, square, count = sum+v, square+v*v, count+1
					}
				}
			}
			mean := sum / count
			se := math.Sqrt((square/count - mean*mean) / count)
			if want := column(t, r.Draws, "mean_of")[0]; math.Abs(mean-want) > 4*se {
				t.Errorf("the mean of %v draws is %v ± %v, the descriptor has %v", count, mean, se, want)
			}
		})
	}
}

func elementOf(discrete bool) string {
	if discrete {
		return "count"
	}
	return "real"
}

// Statistics that cannot differ are left out of tables, one that differs in one replicate is not, and far
// tails are told.
func TestTelling(t *testing.T) {
	checks := []fit.PredictiveCheck{
		{Statistic: "min", Observed: 0, Mean: 0, SD: 0, Q5: 0, Q95: 0, Tail: 0.5},
		{Statistic: "max", Observed: 1, Mean: 0.999, SD: 0.03, Q5: 1, Q95: 1, Tail: 0.499},
		{Statistic: "50%", Observed: 1, Mean: 0, SD: 0, Q5: 0, Q95: 0, Tail: 0},
		{Statistic: "sd", Observed: posterior.Number(math.NaN()), Mean: 1, SD: 1, Tail: 0.997},
	}
	kept, left := fit.Telling(checks)
	if len(kept) != 3 || left != 1 || kept[0].Statistic != "max" {
		t.Errorf("%d kept, %d left out, first %v", len(kept), left, kept[0])
	}
	if kept[0].Far() || !kept[1].Far() || !kept[2].Far() {
		t.Errorf("far: %v %v %v", kept[0].Far(), kept[1].Far(), kept[2].Far())
	}
	if cells := fit.CheckCells(kept); cells[3][2] != "-" || cells[1][3] != "0.999" {
		t.Errorf("cells %q", cells)
	}
}
