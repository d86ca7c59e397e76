package stan_test

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
)

// A figures file has ten points, on the declared scale of the parameters, and log densities there up to a
// constant.
type figures struct {
	Points  []map[string]any `json:"points"`
	Density []float64        `json:"density"`
}

const points = 10

func figuresFile(name string) string {
	return filepath.Join("testdata", strings.ReplaceAll(name, "/", "_")+".json")
}

// TestFigures: differences of log densities on the declared scale between ten points are those of bench/stan,
// which NumPy and SciPy computed.
func TestFigures(t *testing.T) {
	for _, name := range models(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEvaluator(t, bind(t, name))
			e.block.Jacobian(false)
			if *update {
				var f figures
				for k := range points {
					f.Points = append(f.Points, e.declared(t, e.point(k)))
				}
				write(t, name, f)
				return
			}
			compare(t, e, read(t, name))
		})
	}
}

func read(t *testing.T, name string) (f figures) {
	t.Helper()
	text, err := os.ReadFile(figuresFile(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Points) != points || len(f.Density) != points {
		t.Fatalf("%d points and %d figures", len(f.Points), len(f.Density))
	}
	return f
}

func compare(t *testing.T, e *evaluator, want figures) {
	t.Helper()
	lp := make([]float64, points)
	for k := range points {
		if !maps.EqualFunc(want.Points[k], e.declared(t, e.point(k)), near) {
			t.Fatalf("point %d is another one: write the points anew with -update", k)
		}
		lp[k] = e.at(t, e.point(k))
		got, wanted := lp[k]-lp[0], want.Density[k]-want.Density[0]
		if !(math.Abs(got-wanted) <= 1e-9*math.Abs(wanted)) {
			t.Errorf("from point 0 to %d the log density changes by %v, in bench/stan by %v", k, got, wanted)
		}
	}
}

// declared are the parameters at a point.
func (e *evaluator) declared(t *testing.T, theta []float64) map[string]any {
	t.Helper()
	length := 0
	for _, p := range e.block.Params() {
		length += p.Len
	}
	values := make([]float64, length)
	if err := e.env.Values(context.Background(), density.Draw{Theta: [][]float64{theta}},
		[][]float64{values}); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, p := range e.block.Params() {
		out[p.Name] = nested(values[p.Offset:p.Offset+p.Len], p.Dims)
	}
	return out
}

// nested are the values of an array as JSON has them; here they are stored by columns, the first index
// running fastest.
func nested(values []float64, dims []int) any {
	if len(dims) == 0 {
		return values[0]
	}
	out := []any{}
	for i := range dims[0] {
		var part []float64
		for k := i; k < len(values); k += dims[0] {
			part = append(part, values[k])
		}
		out = append(out, nested(part, dims[1:]))
	}
	return out
}

// near reports that two values of a parameter are equal but for rounding.
func near(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-13*math.Abs(a)
	case []any:
		return slices.EqualFunc(a, b.([]any), near)
	}
	return false
}

func write(t *testing.T, name string, f figures) {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(figuresFile(name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}
