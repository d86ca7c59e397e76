package lower_test

import (
	"math"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// Generated quantities at given parameters are what their expressions say, with the data of all parties, lets
// and each other; conditions may compare parameters. Those that are not named are left out.
func TestQuantitiesAreTheirExpressions(t *testing.T) {
	f := logistic
	b := f.Bind(t, check.Options{Transform: stdlib.NoTransform})
	m, diags := compile.Compile(source.New("m.vfl", f.Text+`
generate q1 = exp(m)
generate other = m + 1
generate q2 = sum(XA * u) + sum(v)
generate q3 = where(u > 0.35 && !(m > 1), u, other)
`), check.Options{Transform: stdlib.NoTransform})
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	q, diags := b.Quantities(m, "q1", "q2", "q3")
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	x, at := unit(q, map[string]float64{"m": 0.7}), map[string][]float64{}
	for k, port := range q.Graph.Params() {
		at[q.Params[k].Name] = x[port.Offset : port.Offset+port.Len]
	}
	XA := b.Values["a"]["XA"]
	want := [][]float64{{math.Exp(0.7)}, {sumOf(at["v"])}, nil}
	n := XA.Dims[0]
	for j, beta := range at["u"] {
		want[1][0] += beta * sumOf(XA.Values[j*n:(j+1)*n])
	}
	for _, v := range at["u"] {
		if v <= 0.35 {
			v = 1.7
		}
		want[2] = append(want[2], v)
	}
	got := q.NewSimulator().Evaluate(x)
	for k := range want {
		if len(got[k]) != len(want[k]) {
			t.Fatalf("quantity %d has %d elements, want %d", k, len(got[k]), len(want[k]))
		}
		for i := range want[k] {
			if math.Abs(got[k][i]-want[k][i]) > 1e-12*(1+math.Abs(want[k][i])) {
				t.Errorf("quantity %d, element %d: %v, want %v", k, i, got[k][i], want[k][i])
			}
		}
	}
}
