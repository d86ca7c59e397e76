package splitmodel

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
)

// atCut has z at the cuts, so that every transform is the true model.
type atCut struct{}

func (atCut) Value(_ int, g, z []float64) { copy(z, g) }

func (atCut) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

// A Point is a density with its gradient, by the names of the parameters.
type Point struct {
	Log      float64
	Gradient map[string][]float64
}

// A Refusal is why a model does not compile or bind.
type Refusal struct{ *diag.Diagnostic }

func (r Refusal) Error() string { return string(r.Code) + " " + r.Message }

// Evaluate compiles a model under a transform, verifies every pass, loads the parties' programs with the
// tables, which are written to a folder, and returns the sum of the parties' log densities, with its
// gradient, where z is at the cuts, at so many points. The densities of rows are lowered too. An error is a
// Refusal, or a fault of the compiler.
func Evaluate(f compiletest.Fixture, kind def.Transform, dir string, points int) ([]Point, error) {
	b, err := bound(f, kind, diag.AcceptanceNames(), dir)
	if err != nil {
		return nil, err
	}
	if _, diags := b.Generative(); diags.HasErrors() {
		return nil, fmt.Errorf("no densities of rows: %w", Refusal{diags.Shown()[0]})
	}
	var out []Point
	for n := range points {
		p, err := evaluate(b, n)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// bound compiles and binds a model, and verifies every pass. An error is a Refusal, or a fault of the
// compiler.
func bound(f compiletest.Fixture, kind def.Transform, accepted diag.Accepted, dir string) (
	*compile.BoundModel, error) {
	m, diags := compile.Compile(source.New("model.vfl", f.Text),
		check.Options{Transform: kind, Accept: accepted})
	if err := m.Verify(); err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, Refusal{diags.Shown()[0]}
	}
	sources, err := f.Sources(dir, m)
	if err != nil {
		return nil, err
	}
	b, diags, err := compile.Bind(m, sources, f.Joining())
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, Refusal{diags.Shown()[0]}
	}
	return b, b.Verify()
}

// evaluate returns the density at a point that the number, the names of parameters and their elements decide.
func evaluate(b *compile.BoundModel, number int) (Point, error) {
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		return Point{}, err
	}
	blocks := env.Blocks()
	theta, grad, lp := make([][]float64, len(blocks)), make([][]float64, len(blocks)),
		make([]float64, len(blocks))
	for k, spec := range b.Plan.Parties {
		theta[k], grad[k] = make([]float64, blocks[k].Dim()), make([]float64, blocks[k].Dim())
		for _, p := range spec.Graph.Params() {
			for i := range p.Len {
				h := fnv.New32a()
				_, _ = fmt.Fprint(h, pooledName(spec.Party, p.Name), " ", i, " ", number)
				theta[k][p.Offset+i] = float64(h.Sum32()%1000)/1000 - 0.5
			}
		}
	}
	if err := env.Density(context.Background(), theta, atCut{}, grad, lp); err != nil {
		return Point{}, err
	}
	out := Point{Gradient: map[string][]float64{}}
	for k, spec := range b.Plan.Parties {
		out.Log += lp[k]
		for _, p := range spec.Graph.Params() {
			out.Gradient[pooledName(spec.Party, p.Name)] = grad[k][p.Offset:][:p.Len]
		}
	}
	return out, nil
}

// pooledName is what the pooled model calls a parameter of a party: of a member of a family, with its number.
func pooledName(party, name string) string {
	_, member, in := strings.Cut(party, "[")
	if !in {
		return name
	}
	return fmt.Sprintf("%s[%s", name, member)
}

// Compare evaluates a model under a transform, and says where its density or gradient differs from the pooled
// model's by more than what rounding explains; "" where it does not. An error is a Refusal under the
// transform, or a fault of the compiler.
func Compare(f compiletest.Fixture, kind def.Transform, dir string, want []Point) (
	string, error) {
	got, err := Evaluate(f, kind, dir, len(want))
	if err != nil {
		return "", err
	}
	for n := range want {
		if d := want[n].differs(got[n]); d != "" {
			return d, nil
		}
	}
	return "", nil
}

// differs says by how much another density or gradient is more than 1e-9, or 1e-7, away.
func (p Point) differs(o Point) string {
	if !(math.Abs(o.Log-p.Log) <= 1e-9*math.Max(1, math.Abs(p.Log))) {
		return fmt.Sprintf("the log density is %v, of the pooled model %v", o.Log, p.Log)
	}
	largest := 1.0
	for _, g := range p.Gradient {
		for _, v := range g {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	for name, g := range p.Gradient {
		h := o.Gradient[name]
		if len(h) != len(g) {
			return fmt.Sprintf("%s has %d coordinates, in the pooled model %d", name, len(h), len(g))
		}
		for i := range g {
			if !(math.Abs(h[i]-g[i]) <= 1e-7*largest) {
				return fmt.Sprintf("the derivative by %s, coordinate %d, is %v, of the pooled model %v", name,
					i+1, h[i], g[i])
			}
		}
	}
	return ""
}

// refusals are why models that are drawn may be refused: under noise a place that takes none; under power a
// response of the server alone, a cut not in one sum alone, a factor, rows that cannot be taken apart.
func refusals(kind def.Transform) (out []diag.Code) {
	if kind.Noise() {
		out = append(out, diag.NoCut)
	}
	if kind.AtClients() {
		out = append(out, diag.PowerResponse, diag.PowerData, diag.PowerNotAdditive, diag.PowerFactor,
			diag.PowerJoint)
	}
	return out
}

// A Tally is how a number of drawn models compare with the pooled ones, by transform.
type Tally struct {
	Transform string
	Compared  int
	Refused   map[diag.Code]int
	Faults    []string // with the model: it differs, is refused for another reason, or breaks the compiler
}

// Count draws models, from a number on, and compares each under exact, augmented and power. Tables are
// written to a folder.
func Count(from uint64, models int, dir string) []Tally {
	out := []Tally{{Transform: "exact"}, {Transform: "augmented"}, {Transform: "power"}}
	for seed := from; seed < from+uint64(models); seed++ {
		f := Draw(seed)
		want, err := Evaluate(f, stdlib.NoTransform, dir, 2)
		for i := range out {
			if err != nil {
				out[i].Faults = append(out[i].Faults,
					fmt.Sprintf("model %d, pooled: %v\n%s", seed, err, f.Text))
				continue
			}
			out[i].add(seed, f, dir, want)
		}
	}
	return out
}

func (t *Tally) add(seed uint64, f compiletest.Fixture, dir string, want []Point) {
	kind, _ := stdlib.TransformNamed(t.Transform)
	difference, err := Compare(f, kind, dir, want)
	var why Refusal
	if errors.As(err, &why) && slices.Contains(refusals(kind), why.Code) {
		if t.Refused == nil {
			t.Refused = map[diag.Code]int{}
		}
		t.Refused[why.Code]++
		return
	}
	if t.Compared++; err != nil {
		difference = err.Error()
	}
	if difference != "" {
		t.Faults = append(t.Faults,
			fmt.Sprintf("model %d under %s: %s\n%s", seed, t.Transform, difference, f.Text))
	}
}
