// Package stan_test takes every model of examples/stan through the compiler with its data, and compares log densities with figures that were computed apart
// from vflc.
package stan_test

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
)

var update = flag.Bool("update", false, "write the points of testdata anew; the figures are then computed by bench/stan/main.py")

// warned are the models with warnings, which are right.
var warned = map[string][]diag.Code{
	"cognitive/Rate_4":              {diag.Unused},
	"education/cace_with_exclusion": {diag.MixturePerRow},
}

// models are the names of all models, as folder/name.
func models(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/*.vfl")
	if err != nil || len(files) < 80 {
		t.Fatal(len(files), err)
	}
	for i, f := range files {
		files[i] = filepath.ToSlash(strings.TrimSuffix(f, ".vfl"))
	}
	return files
}

// bind compiles a model and binds its data. Warnings that it should not have, or lacks, are errors of the test.
func bind(t *testing.T, name string) *compile.Bound {
	t.Helper()
	text, err := os.ReadFile(name + ".vfl")
	if err != nil {
		t.Fatal(err)
	}
	m, diags := compile.Compile(source.New(name+".vfl", string(text)), check.Options{})
	if diags.HasErrors() {
		t.Fatalf("%s: %s", diags.Shown()[0].Code, diags.Shown()[0].Message)
	}
	sources, err := data.Named(m.Parties(), []string{"server=" + name + ".json"})
	if err != nil {
		t.Fatal(err)
	}
	b, found, err := compile.Bind(m, sources, data.Joining{})
	if err != nil {
		t.Fatal(err)
	}
	diags = append(diags, found...)
	var codes []diag.Code
	for _, d := range diags {
		codes = append(codes, d.Code)
		if d.Severity == diag.Error {
			t.Fatalf("%s: %s", d.Code, d.Message)
		}
	}
	if !slices.Equal(codes, warned[name]) {
		t.Errorf("warnings %v, want %v", codes, warned[name])
	}
	return b
}

// An evaluator has the density of a model with one party.
type evaluator struct {
	env   density.Env
	block density.Block
	grad  []float64
}

func newEvaluator(t *testing.T, b *compile.Bound) *evaluator {
	t.Helper()
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	block := env.Blocks()[0]
	return &evaluator{env, block, make([]float64, block.Dim())}
}

func (e *evaluator) at(t *testing.T, theta []float64) float64 {
	t.Helper()
	lp := make([]float64, 1)
	if err := e.env.Density(context.Background(), [][]float64{theta}, nil, [][]float64{e.grad}, lp); err != nil {
		t.Fatal(err)
	}
	return lp[0]
}

// point is the k-th point of a model: each coordinate uniform between -1 and 1.
func (e *evaluator) point(k int) []float64 {
	r := rand.New(rand.NewPCG(uint64(k), 7))
	theta := make([]float64, e.block.Dim())
	for i := range theta {
		theta[i] = 2*r.Float64() - 1
	}
	return theta
}

// TestModels: each model is formatted, compiles without a wrong warning, binds its data, and has a finite density whose gradient is that of differences.
func TestModels(t *testing.T) {
	for _, name := range models(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			formatted(t, name)
			e := newEvaluator(t, bind(t, name))
			for k := range 3 {
				theta := e.point(k)
				lp := e.at(t, theta)
				if math.IsNaN(lp) || math.IsInf(lp, 0) {
					t.Fatalf("log density %v at point %d: %s", lp, k, e.env.Why())
				}
				gradient(t, e, theta, slices.Clone(e.grad))
			}
		})
	}
}

func formatted(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name + ".vfl")
	if err != nil {
		t.Fatal(err)
	}
	file, diags := parser.Parse(source.New(name+".vfl", string(text)))
	if len(diags) > 0 {
		t.Fatal(diags[0].Message)
	}
	if format.Format(file) != string(text) {
		t.Errorf("not formatted: vflc fmt examples/stan/%s.vfl", name)
	}
}

// gradient compares the derivative along one direction with a central difference of fourth order.
func gradient(t *testing.T, e *evaluator, theta, grad []float64) {
	t.Helper()
	direction, slope, size := make([]float64, len(theta)), 0.0, 0.0
	for i, g := range grad {
		direction[i] = math.Cos(float64(i + 1))
		slope += g * direction[i]
		size += math.Abs(g * direction[i])
	}
	const h = 1e-3
	along := func(s float64) float64 {
		moved := slices.Clone(theta)
		for i := range moved {
			moved[i] += s * direction[i]
		}
		return e.at(t, moved)
	}
	difference := (8*(along(h)-along(-h)) - along(2*h) + along(-2*h)) / (12 * h)
	if !(math.Abs(slope-difference) <= 1e-6*(1+size)) {
		t.Errorf("slope %v, by differences %v", slope, difference)
	}
}

// A figures file has ten points, on the declared scale of the parameters, and log densities there up to a constant.
type figures struct {
	Points  []map[string]any `json:"points"`
	Density []float64        `json:"density"`
}

const points = 10

func figuresFile(name string) string {
	return filepath.Join("testdata", strings.ReplaceAll(name, "/", "_")+".json")
}

// TestFigures: differences of log densities on the declared scale between ten points are those of bench/stan, which NumPy and SciPy computed.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob(figuresFile("*"))
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	for _, name := range models(t) {
		if !slices.Contains(files, figuresFile(name)) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEvaluator(t, bind(t, name))
			e.block.(density.JacobianSwitch).Jacobian(false)
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
	if err := density.Must[density.Reporter](e.env).Values(context.Background(), [][]float64{theta}, [][]float64{values}); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, p := range e.block.Params() {
		out[p.Name] = nested(values[p.Offset:p.Offset+p.Len], p.Dims)
	}
	return out
}

// nested are the values of an array as JSON has them; here they are stored by columns, the first index running fastest.
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
