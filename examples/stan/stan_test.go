// Package stan_test takes every model of examples/stan through the compiler with its data, and compares log
// densities with figures that were computed apart from vflc.
package stan_test

import (
	"context"
	"errors"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/synthetic"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }

var update = flag.Bool("update", false,
	"write the points of testdata anew; the figures are then computed by bench/stan/main.py")

// warned are the models with warnings, which are right.
var warned = map[string][]diag.Code{
	"cognitive/Rate_4":              {diag.Unused},
	"education/cace_with_exclusion": {diag.MixturePerRow},
}

// models are the names of all models, as folder/name.
func models(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/*.vfl")
	if err != nil || len(files) != 91 {
		t.Fatal(len(files), err)
	}
	for i, f := range files {
		files[i] = filepath.ToSlash(strings.TrimSuffix(f, ".vfl"))
	}
	return files
}

// bind compiles a model and binds its data. Warnings that it should not have, or lacks, are errors of the
// test.
func bind(t *testing.T, name string) *compile.BoundModel {
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
		if d.Code != diag.FlatPrior { // many of Stan's models have such
			codes = append(codes, d.Code)
		}
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

func newEvaluator(t *testing.T, b *compile.BoundModel) *evaluator {
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
	if err := e.env.Density(context.Background(), [][]float64{theta}, nil, [][]float64{e.grad},
		lp); err != nil {
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

// TestModels: each model is formatted, compiles without a wrong warning, binds its data, and has a finite
// density whose gradient is that of differences.
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
					t.Fatalf("log density %v at point %d: %s", lp, k, e.env.Cause())
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

// TestReadme: each model stands in README.md once, with its file in Stan's collection.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range models(t) {
		if strings.Count(string(text), "| ["+name+"]("+name+".vfl) |") != 1 {
			t.Errorf("%s does not stand there once", name)
		}
	}
	if n := strings.Count(string(text), ".vfl) |"); n != 91 {
		t.Errorf("%d models", n)
	}
}

// below is what stands above a construct of the table of messages.
const below = `data y : real[N]
data g : count[N]
param a ~ uniform(0, 1)
param b : real[3] ~ normal(0, 1)
param S : cov_matrix[2] ~ flat()
y ~ normal(a, 1)
`

// TestMessages: a construct of README.md gets the message that stands beside it, with a note on what to
// write.
func TestMessages(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(.*)` \\| (V[0-9]+): (.*) \\|$").FindAllStringSubmatch(string(text),
		-1)
	if len(rows) < 10 {
		t.Fatalf("%d messages", len(rows))
	}
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], `\|`, "|")
		}
		_, diags := compile.Compile(source.New("model.vfl", below+row[1]+"\n"), check.Options{})
		if !diags.HasErrors() {
			t.Errorf("%s: no error", row[1])
			continue
		}
		if d := diags.Shown()[0]; string(d.Code) != row[2] || d.Message != row[3] ||
			len(d.Notes)+len(d.Fixes) == 0 {
			t.Errorf("%s: %s: %s %v", row[1], d.Code, d.Message, d.Notes)
		}
	}
}

// TestSimulate: each model is simulated on the data that stand beside it and, where it needs no others, from
// sizes alone; what is written is what a run reads. A model from which nothing can be drawn, mostly since a
// prior is flat, is told so with its place and a way out.
func TestSimulate(t *testing.T) {
	var fromData, fromSizes, refused atomic.Int32
	t.Run("models", func(t *testing.T) {
		for _, name := range models(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := bind(t, name)
				given, err := synthetic.Read(name + ".json")
				if err != nil {
					t.Fatal(err)
				}
				given.Party = "server"
				if simulated(t, b.Model, synthetic.Request{Seed: 2, Given: []synthetic.Table{given}}) {
					fromData.Add(1)
				} else {
					refused.Add(1)
				}
				sizes := maps.Clone(b.Sizes.Common)
				maps.DeleteFunc(sizes, func(size string, _ int) bool { return !counts(b.Model, size) })
				if simulated(t, b.Model, synthetic.Request{Seed: 2, Sizes: sizes}) {
					fromSizes.Add(1)
				}
			})
		}
	})
	if a, b, c := fromData.Load(), fromSizes.Load(), refused.Load(); a != 39 || b != 38 || c != 52 {
		t.Errorf("%d models are simulated on given data, %d from sizes alone, and %d refused", a, b, c)
	}
}

// counts reports whether a size is given by data that are not put together from columns.
func counts(m *compile.Model, size string) bool {
	for _, s := range m.Checked.Order {
		if s.Kind != check.Data {
			continue
		}
		sizes := s.Type.Dims
		if len(s.Decl.(*ast.Data).From) > 0 {
			sizes = sizes[:1]
		}
		if s.Type.Levels != nil {
			sizes = append(slices.Clone(sizes), *s.Type.Levels)
		}
		if s.Name == size || slices.ContainsFunc(sizes, func(z types.Size) bool {
			return slices.Contains(z.Names(), size)
		}) {
			return true
		}
	}
	return false
}

// simulated simulates a model and binds what was written; false where nothing can be drawn from the model.
func simulated(t *testing.T, m *compile.Model, r synthetic.Request) bool {
	t.Helper()
	s, diags, err := synthetic.New(m, r)
	var list data.Errors
	if errors.As(err, &list) {
		diags, err = diag.List(list), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if diags.HasErrors() {
		for _, d := range diags.Shown() {
			if d.Code != diag.Undrawable || d.File == nil || len(d.Notes) == 0 {
				t.Errorf("%s: %s %v", d.Code, d.Message, d.Notes)
			}
		}
		return false
	}
	dir := t.TempDir()
	paths, err := s.Write(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, path := range paths[:len(s.Tables)] {
		flags = append(flags, "server="+filepath.Join(dir, path))
	}
	sources, err := data.Named(m.Parties(), flags)
	if err != nil {
		t.Fatal(err)
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	if !maps.Equal(b.Sizes.Common, s.Sizes) {
		t.Errorf("sizes %v, drawn with %v", b.Sizes.Common, s.Sizes)
	}
	return true
}
