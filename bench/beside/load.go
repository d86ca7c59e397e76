// Package beside has what benches share that compare compiled models with other programs: models with data in
// memory, and programs that run one request at a time.
package beside

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/graph"
)

const party = "registry"

// Tables are the values of a model's data by name.
type Tables map[string]Table

// A Table is an array, column-major.
type Table struct {
	Dims     []int         `json:"dims"`
	Values   []float64     `json:"values"`
	Levels   int           `json:"-"`
	Encoders []data.Fitted `json:"-"` // that made the values
}

// Load compiles a model's text, with data in memory, to the graph of the pooled model at one party.
func Load(text string, values Tables) (*graph.Graph, error) {
	m, diags := compile.Compile(source.New("model.vfl", "server "+party+"\n"+text+"transform none\n"),
		check.Options{})
	if diags.HasErrors() {
		return nil, Failure(diags)
	}
	bindings := data.Bindings{}
	for name, t := range values {
		bindings[name] = &data.BoundValue{Recipe: data.Recipe{Name: name, Rank: len(t.Dims), Levels: t.Levels,
			Encoders: t.Encoders}, Dims: t.Dims, Values: t.Values, ByRow: true}
	}
	b, diags, err := compile.BindValues(m, map[string]data.Bindings{party: bindings}, nil)
	if diags.HasErrors() {
		return nil, Failure(diags)
	}
	if err != nil {
		return nil, err
	}
	return b.Lowered[0].Spec.Graph, nil
}

// Failure is the first of some messages as an error.
func Failure(l diag.List) error { return errors.New(l[0].Message) }

// Point is where densities with so many coordinates are evaluated.
func Point(dim int) []float64 {
	x := make([]float64, dim)
	for i := range x {
		x[i] = 0.3 * math.Sin(float64(i+1))
	}
	return x
}

// Normals are so many standard normal numbers.
func Normals(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}
