package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/fn"
)

// shapesOf are shapes of arguments that a structural function takes.
func shapesOf(name string) []graph.Shape {
	switch name {
	case "dot", "outer", "pow", "append":
		return []graph.Shape{{3}, {3}}
	case "rowdot":
		return []graph.Shape{{3, 2}, {3, 2}}
	case "solve", "quad_form":
		return []graph.Shape{{2, 2}, {2}}
	case "cholesky":
		return []graph.Shape{{2, 2}}
	case "gp_exp_quad", "gp_matern32", "gp_matern52":
		return []graph.Shape{{3}, {}, {}}
	case "hmm_marginal", "hmm_hidden_state_prob":
		return []graph.Shape{{2, 3}, {2, 2}, {2}}
	case "quantile":
		return []graph.Shape{{3}, {}}
	case "col", "row", "diag", "sort", "rank":
		return []graph.Shape{{3}}
	case "rep":
		return []graph.Shape{{}, {}}
	case "pi":
		return nil
	case "where", "log_mix":
		return []graph.Shape{{3}, {3}, {3}}
	}
	return []graph.Shape{{3, 2}}
}

// applied evaluates a function at values of its arguments.
func applied(t *testing.T, name string, shapes []graph.Shape, args [][]float64) []float64 {
	t.Helper()
	b, ids := graph.New("a"), []graph.ID{}
	for k, s := range shapes {
		ids = append(ids, b.Const("", s, args[k]))
	}
	id, err := b.Apply(name, graph.Attr{}, ids...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	v, ok := b.Value(id)
	if !ok {
		t.Fatalf("%s of constants is no constant", name)
	}
	return v
}

// mixed is 2·x - 3·y in the arguments of a group, x elsewhere.
func mixed(group []int, x, y [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for k := range x {
		if out[k] = x[k]; slices.Contains(group, k) {
			out[k] = make([]float64, len(x[k]))
			for i := range out[k] {
				out[k][i] = 2*x[k][i] - 3*y[k][i]
			}
		}
	}
	return out
}

// linearIn reports whether a function is linear in a group of arguments at some values.
func linearIn(t *testing.T, name string, shapes []graph.Shape, group []int) bool {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() [][]float64 {
		out := make([][]float64, len(shapes))
		for k, s := range shapes {
			for range s.Len() {
				v := r.NormFloat64()
				switch {
				case name == "where" && k == 0:
					v = float64(r.IntN(2))
				case name == "rep" && k > 0:
					v = 3 // a size
				}
				out[k] = append(out[k], v)
			}
		}
		return out
	}
	x, y := draw(), draw()
	for k := range y {
		if !slices.Contains(group, k) {
			y[k] = x[k]
		}
	}
	f, g, h := applied(t, name, shapes, mixed(group, x, y)), applied(t, name, shapes, x),
		applied(t, name, shapes, y)
	for i := range f {
		if !(math.Abs(f[i]-2*g[i]+3*h[i]) < 1e-12) {
			return false
		}
	}
	return true
}

// A function is linear in what its descriptor says, and in no other argument.
func TestDescriptorsSayWhatIsLinear(t *testing.T) {
	for _, f := range fn.Structural() {
		shapes, seen := shapesOf(f.Name), map[int]bool{}
		for _, group := range f.LinearIn(len(shapes)) {
			for _, k := range group {
				seen[k] = true
			}
			if !linearIn(t, f.Name, shapes, group) {
				t.Errorf("%s is not linear in arguments %v", f.Name, group)
			}
		}
		for k := range shapes {
			if !seen[k] && !(f.Name == "where" && k == 0) && !(f.Sized && k > 0) &&
				linearIn(t, f.Name, shapes, []int{k}) {
				t.Errorf("%s is linear in argument %d", f.Name, k)
			}
		}
	}
	for _, f := range fn.Elementwise() {
		if got := linearIn(t, f.Name, []graph.Shape{{9}}, []int{0}); got != f.Linear {
			t.Errorf("%s: linear %t, its descriptor says %t", f.Name, got, f.Linear)
		}
	}
}
