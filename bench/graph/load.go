package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/graph"
)

const party = "registry"

// load compiles a model's text, with data in memory, to the graph of the pooled model at one party.
func load(text string, values tables) (*graph.Graph, error) {
	m, diags := compile.Compile(source.New("model.vfl", "server "+party+"\n"+text+"transform none\n"),
		check.Options{})
	if diags.HasErrors() {
		return nil, failure(diags)
	}
	bindings := data.Bindings{}
	for name, t := range values {
		bindings[name] = &data.BoundValue{Recipe: data.Recipe{Name: name, Rank: len(t.dims), Levels: t.levels,
			Encoders: t.encoders}, Dims: t.dims, Values: t.values, ByRow: true}
	}
	b, diags, err := compile.BindValues(m, map[string]data.Bindings{party: bindings}, nil)
	if diags.HasErrors() {
		return nil, failure(diags)
	}
	if err != nil {
		return nil, err
	}
	return b.Lowered[0].Spec.Graph, nil
}

func failure(l diag.List) error { return errors.New(l[0].Message) }

// printLoad times a logistic regression from its text, with data in memory, to the first gradient.
func printLoad() error {
	text, err := os.ReadFile(filepath.Join("examples", "logistic.vfl"))
	if err != nil {
		return err
	}
	values := regression(500, 20)
	var took []time.Duration
	for range rounds {
		runtime.GC()
		begin := time.Now()
		if _, diags := parser.Parse(source.New("logistic.vfl", string(text))); diags.HasErrors() {
			return failure(diags)
		}
		g, err := load(logistic, values)
		if err != nil {
			return err
		}
		e := g.NewExec()
		e.Forward(make([]float64, g.Dim()))
		e.Target()
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	fmt.Printf("load of a logistic regression of 500×20, text to first gradient: %.2f ms\n",
		float64(took[len(took)/2])/1e6)
	return nil
}
