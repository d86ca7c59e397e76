package main

import (
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/runtime/graph"
)

var update = flag.Bool("update", false, "take forms that have become vector functions from the list")

const singly = "testdata/singly.txt"

// What a model of one line computes row by row, for want of a vector function, stands in a list that may only
// grow shorter: a distribution or a function that is new has a vector form, or a line in the list.
func TestFormsGoByVectors(t *testing.T) {
	text, err := os.ReadFile(singly)
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Split(strings.TrimSpace(string(text)), "\n")
	var left []string
	for _, u := range uses(60) {
		g, err := beside.Load(u.text, u.data)
		if err != nil {
			t.Fatalf("%s: %v\n%s", u.name, err, u.text)
		}
		if len(g.Singly()) == 0 {
			continue
		}
		line := u.name + ": " + strings.Join(g.Singly(), ", ")
		if left = append(left, line); !slices.Contains(allowed, line) {
			t.Errorf("%s goes row by row", line)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(singly, []byte(strings.Join(left, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, line := range allowed {
		if !slices.Contains(left, line) {
			t.Errorf("%s: no form goes row by row any more; take it from the list by -update", line)
		}
	}
}

// A model of a matrix has the value and the gradient of that of the vector with the same numbers, and
// computes nothing row by row that this one does not.
func TestMatricesGoLikeVectors(t *testing.T) {
	for _, u := range uses(60) {
		if strings.Contains(u.text, "[G]") || !strings.Contains(u.name, ", ") ||
			strings.HasSuffix(u.name, "states") {
			continue
		}
		m := u
		m.text, m.data = strings.ReplaceAll(u.text, "[N]", "[R, N]"), beside.Tables{}
		for name, table := range u.data {
			if len(table.Dims) == 1 {
				table.Dims = []int{table.Dims[0] / 5, 5}
			}
			m.data[name] = table
		}
		var of [2]*graph.Graph
		var got [2][]float64
		for k, u := range []use{u, m} {
			g, err := beside.Load(u.text, u.data)
			if err != nil {
				t.Fatalf("%s: %v\n%s", u.name, err, u.text)
			}
			e := g.NewExec()
			e.Forward(beside.Point(g.Dim()))
			of[k], got[k] = g, append([]float64{e.Target()}, e.Grad()...)
		}
		for _, what := range of[1].Singly() {
			if !slices.Contains(of[0].Singly(), what) {
				t.Errorf("%s: of a matrix %s goes row by row", u.name, what)
			}
		}
		for i, want := range got[0] {
			if math.Abs(got[1][i]-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("%s: number %d of a matrix is %v, of the vector %v", u.name, i, got[1][i], want)
				break
			}
		}
	}
}
