package graph_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/kernel"
	"pgregory.net/rapid"
)

// models are graphs with every superinstruction, and with none.
func models() map[string]func(testing.TB, *graph.Builder) {
	m := map[string]func(testing.TB, *graph.Builder){
		"schools": eightSchools, "priors": tenPriors, "multilevel": poissonMultilevel(700, 5), "many levels": poissonMultilevel(700, 90),
		"logistic": func(tb testing.TB, b *graph.Builder) { newLogisticData(500, 20).model(tb, b) },
	}
	for name := range elementwiseModels {
		m[name] = elementwiseModel(name, 333)
	}
	return m
}

// evaluated returns the value and, after it, the gradient.
func evaluated(g *graph.Graph, x []float64) []float64 {
	e := g.NewExec()
	e.Forward(x)
	return append([]float64{e.Target()}, e.Grad()...)
}

// sameEvaluation compares values and gradients, to 1e-13 of the greatest of them.
func sameEvaluation(t rapid.TB, what any, got, plain []float64) {
	t.Helper()
	scale := 1.0
	for _, v := range plain[1:] {
		scale = max(scale, math.Abs(v))
	}
	if !near(got[0], plain[0], 1e-13) {
		t.Errorf("%v: value %v, without superinstructions %v", what, got[0], plain[0])
	}
	for i, v := range plain {
		if i > 0 && !(math.Abs(v-got[i]) <= 1e-13*scale) {
			t.Errorf("%v: derivative %d is %v, without superinstructions %v", what, i-1, got[i], v)
		}
	}
}

// TestPlain checks that a graph gives the same with and without superinstructions.
func TestPlain(t *testing.T) {
	for name, model := range models() {
		g, x := made(t, model, false)
		plain, _ := made(t, model, true)
		sameEvaluation(t, name, evaluated(g, x), evaluated(plain, x))
	}
}

// TestPlainRandom is TestPlain for random graphs.
func TestPlainRandom(t *testing.T) {
	tl := newTools(t)
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRecipe(rt)
		roles := make([]role, len(r.leaves))
		p, q := r.buildWith(t, tl, roles, nil, false), r.buildWith(t, tl, roles, nil, true)
		sameEvaluation(rt, p.g, evaluated(p.g, p.load(p.g.NewExec())), evaluated(q.g, q.load(q.g.NewExec())))
	})
}

// printBits asks TestBits to print what it computes.
const printBits = "VFLC_TEST_PRINT_BITS"

// TestBits checks that all models give the same bits on every set of kernels, each in a process of its own.
func TestBits(t *testing.T) {
	if os.Getenv(printBits) != "" {
		for name, model := range models() {
			g, x := made(t, model, false)
			for i, v := range evaluated(g, x) {
				fmt.Printf("bits %s %d %x\n", name, i, math.Float64bits(v))
			}
		}
		return
	}
	want := bitsOn(t, kernel.Portable)
	for _, set := range kernel.Sets() {
		for line := range bitsOn(t, set) {
			if !want[line] {
				t.Fatalf("%v: %s, which is not what %v gives", set, line, kernel.Portable)
			}
		}
	}
}

// bitsOn returns the lines that TestBits prints on a set of kernels.
func bitsOn(t *testing.T, set kernel.Set) map[string]bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBits$")
	cmd.Env = append(os.Environ(), printBits+"=1", kernel.Variable+"="+set.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", set, err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "bits ") {
			lines[line] = true
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%v: nothing printed", set)
	}
	return lines
}
