package leak_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/tests/compiletest"
)

// adjointsByLevel returns what the server sends a client that has an effect for each level, over rounds in
// which all parameters move: level A has one row, B and C have three.
func adjointsByLevel(t *testing.T, dist, responses string, effects [][]float64) [][]float64 {
	t.Helper()
	text := `client a
data y : real[N]
data g : level(G)[N] @ shared
param m ~ normal(0, 1)
param u : real[G] ~ normal(0, 1) @ a
y ~ ` + dist + "\ntransform exact\n"
	b := compiletest.Fixture{Text: text, Tables: map[string]string{"server": `{"y": [` + responses + `]}`,
		"shared": "g\nB\nA\nB\nC\nC\nB\nC\n"}}.Bind(t, check.Options{})
	exec, r := b.Lowered[0].Spec.Graph.NewExec(), rand.New(rand.NewPCG(5, 6))
	group := b.Plan.Groups[0]
	if group.Len != 3 || !slices.Equal(group.At, []int{1, 0, 1, 2, 2, 1, 2}) {
		t.Fatalf("the cut has %d elements, of rows %v", group.Len, group.At)
	}
	var out [][]float64
	for _, u := range effects {
		exec.Forward([]float64{r.NormFloat64()})
		group.Look(exec.Input(0), u)
		exec.Target()
		adjoint := make([]float64, group.Len)
		group.Collect(adjoint, exec.InputAdjoint(0))
		out = append(out, adjoint)
	}
	return out
}

// The adjoint of a level is the sum of those of its rows. Of a level with one row the client computes the
// response, up to a number that is the same for all rows; of one with three their mean, and nothing else:
// other responses with the same sums give the same adjoints in every round.
func TestResponsesByLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	effects := make([][]float64, 20)
	for k := range effects {
		effects[k] = make([]float64, 3)
		draw(r, effects[k])
	}
	const dist = "normal(m + u[g], 1)"
	first := adjointsByLevel(t, dist, "1, 5, 2, -1, 0.5, 6, 2", effects)
	other := adjointsByLevel(t, dist, "4, 5, 4, 3, -2, 1, 0.5", effects)
	means := []float64{5, 3, 0.5}
	for k, u := range effects {
		for level, rows := range []float64{1, 3, 3} {
			// the intercept is in that of the first level too
			got := first[k][level]/rows + u[level] - first[k][0] - u[0]
			if want := means[level] - means[0]; math.Abs(got-want) > 1e-12 {
				t.Errorf("round %d: level %d differs from the first by %v, not %v", k, level, got, want)
			}
			if math.Abs(first[k][level]-other[k][level]) > 1e-12 {
				t.Errorf("round %d: level %d tells more than the sum", k, level)
			}
		}
	}
	other = adjointsByLevel(t, dist, "1, 4, 2, -1, 0.5, 6, 2", effects)
	if math.Abs(first[0][0]-other[0][0]-1) > 1e-12 {
		t.Error("the response of a level with one row is not in its adjoint")
	}
}
