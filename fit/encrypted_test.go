package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/transforms"
)

// encryptedModel is a binary response of two clients with a column each.
const encryptedModel = "client left, right\ndata y : binary[N] @ shared\ndata x : real[N] @ left\ndata z : real[N] @ right\n" +
	"param b ~ normal(0, 5)\nparam u ~ normal(0, 2.5) @ left\nparam v ~ normal(0, 2.5) @ right\ny ~ bernoulli_logit(b + x * u + z * v)\n"

// overWire is the summary of a run of the model on a wire, and the line below it.
func overWire(t *testing.T, b *compile.Bound, settings map[string]string) ([]posterior.Row, string) {
	t.Helper()
	a := backend(t, "sfvi")
	p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: settings, ring: 11})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary(), r.Footer()
}

// A run over encrypted rows, in a ring that is small, gives the joint Gaussian of the plain wire: means within
// a 20th of its standard deviations, these within a tenth, in few evaluations, and says below what is known.
func TestARunOfEncryptedRows(t *testing.T) {
	const n = 4000
	r := rand.New(rand.NewPCG(4, 2))
	tables := map[string]*strings.Builder{"server.csv": {}, "left.csv": {}, "right.csv": {}}
	for name, column := range map[string]string{"server.csv": "y", "left.csv": "x", "right.csv": "z"} {
		fmt.Fprintf(tables[name], "id,%s\n", column)
	}
	for i := range n {
		x, z := r.NormFloat64(), r.NormFloat64()
		y := indicator(r.Float64() < 1/(1+math.Exp(1.5-.5*x+.4*z)))
		fmt.Fprintf(tables["server.csv"], "%d,%v\n", i, y)
		fmt.Fprintf(tables["left.csv"], "%d,%.4f\n", i, x)
		fmt.Fprintf(tables["right.csv"], "%d,%.4f\n", i, z)
	}
	files := map[string]string{}
	for name, text := range tables {
		files[name] = text.String()
	}
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, files)
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature", "tolerance": "1e-7", "correct": "false"})
	got, line := overWire(t, b, map[string]string{"wire": "encrypted", "correct": "false"})
	for i, w := range want {
		shift, wider := float64(got[i].Mean-w.Mean)/float64(w.SD), float64(got[i].SD/w.SD)-1
		if !(math.Abs(shift) <= .05) || !(math.Abs(wider) <= .1) {
			t.Errorf("%s is %.3f standard deviations off, its standard deviation by %.3f", w.Name, shift, wider)
		}
	}
	if !strings.Contains(line, "Encrypted rows, n = 4000: the party that learned most knows D = ") {
		t.Error(line)
	}
}
