package fit_test

import (
	"fmt"
	"math"
	"slices"
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

const generating = `server registry
client a, b
data y  : binary[N] @ shared
data XA : real[N, 2] @ a
data XB : real[N, 2] @ b
param m ~ normal(0, 1)
param ba : real[2] ~ normal(0, 1) @ a
param bb : real[2] ~ normal(0, 1) @ b
let eta = m + XA * ba + XB * bb
y ~ bernoulli_logit(eta)
generate p = inv_logit(m + XB * bb + XA * ba)
generate y_rep ~ bernoulli_logit(eta)
generate share = mean(y_rep)
generate above = mean(eta > 0)
generate first = ba[1] > ba[2]
generate places = rank(ba)
generate top = max(ba)
generate middle = quantile(bb, 0.5)
generate ordered = sort(bb)
`

// generatingData are the values of the model above, of n rows.
func generatingData(n int) map[string]data.Bindings {
	y, xa, xb := make([]float64, n), make([]float64, 2*n), make([]float64, 2*n)
	for i := range y {
		y[i] = float64(i * 7 % 5 / 3)
		for k := range 2 {
			xa[i+k*n], xb[i+k*n] = math.Sin(float64(3*i+k)), math.Cos(float64(2*i-k))
		}
	}
	matrix := func(name string, v []float64) *data.BoundValue {
		return &data.BoundValue{Recipe: data.Recipe{Name: name, Elem: "real", Rank: 2}, Dims: []int{n, 2},
			Values: v, ByRow: true}
	}
	response := &data.BoundValue{Recipe: data.Recipe{Name: "y", Elem: "binary", Rank: 1}, Dims: []int{n},
		Values: y, ByRow: true}
	return map[string]data.Bindings{"registry": {"y": response}, "a": {"y": response, "XA": matrix("XA", xa)},
		"b": {"y": response, "XB": matrix("XB", xb)}}
}

func generatedRun(t *testing.T, text, transform string) *fit.Result {
	t.Helper()
	kind, _ := stdlib.TransformNamed(transform)
	o := check.Options{Transform: kind}
	if kind.Noise() {
		o.Rho = 0.3
	}
	m, diags := compile.Compile(source.New("m.vfl", text), o)
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	b, diags, err := compile.BindValues(m, generatingData(15), nil)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	if err := b.Verify(); err != nil {
		t.Fatal(err)
	}
	p, diags, err := fit.OpenBound(b,
		fit.Options{Settings: map[string]string{"chains": "1", "warmup": "60", "draws": "200"}, Seed: 4,
			Auxiliary: kind.Noise()})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// column finds the draws of one element.
func column(t *testing.T, d *posterior.Draws, name string) []float64 {
	t.Helper()
	k := slices.IndexFunc(d.Columns(), func(c posterior.Scalar) bool { return c.Name == name })
	if k < 0 {
		t.Fatalf("no %s", name)
	}
	return d.Column(k)[0]
}

// A generated quantity of several parties is, draw by draw, the function of what the server holds of that
// draw: sums of z where clients add noise, else the cuts; one of a party is a function of its parameters.
// Draws have the law that is written.
func TestGeneratedQuantities(t *testing.T) {
	for _, transform := range []string{"none", "exact", "augmented", "power"} {
		t.Run(transform, func(t *testing.T) {
			d := generatedRun(t, generating, transform).Draws
			get := func(format string, args ...any) []float64 {
				return column(t, d, fmt.Sprintf(format, args...))
			}
			const n = 15
			values := generatingData(n)
			var drawn, expected, variance float64
			for i := range d.Len(0) {
				above, share := 0.0, 0.0
				for row := 1; row <= n; row++ {
					eta := get("m")[i]
					for k := 1; k <= 2; k++ {
						if strings.Contains("augmented power", transform) {
							continue
						}
						at := row - 1 + (k-1)*n
						eta += values["a"]["XA"].Values[at]*get("ba[%d]", k)[i] +
							values["b"]["XB"].Values[at]*get("bb[%d]", k)[i]
					}
					if strings.Contains("augmented power", transform) {
						eta += get("z_1[%d]", row)[i] + get("z_2[%d]", row)[i]
					}
					p := get("p[%d]", row)[i]
					if want := 1 / (1 + math.Exp(-eta)); math.Abs(p-want) > 1e-12 {
						t.Fatalf("draw %d: p[%d] is %v, want %v", i, row, p, want)
					}
					y := get("y_rep[%d]", row)[i]
					if y != 0 && y != 1 {
						t.Fatalf("y_rep is %v", y)
					}
					drawn, expected, variance = drawn+y, expected+p, variance+p*(1-p)
					share += y / n
					if eta > 0 {
						above += 1.0 / n
					}
				}
				for name, want := range map[string]float64{
					"share": share, "above": above, "first": truth(get("ba[1]")[i] > get("ba[2]")[i]),
					"places[1]":  1 + truth(get("ba[1]")[i] > get("ba[2]")[i]),
					"top":        max(get("ba[1]")[i], get("ba[2]")[i]),
					"middle":     (get("bb[1]")[i] + get("bb[2]")[i]) / 2,
					"ordered[1]": min(get("bb[1]")[i], get("bb[2]")[i]),
				} {
					if got := get("%s", name)[i]; math.Abs(got-want) > 1e-12 {
						t.Fatalf("draw %d: %s is %v, want %v", i, name, got, want)
					}
				}
			}
			if z := (drawn - expected) / math.Sqrt(variance); math.Abs(z) > 4 {
				t.Errorf("%v ones were drawn where %v are expected: %v standard deviations", drawn, expected,
					z)
			}
		})
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
