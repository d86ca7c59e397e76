package compile

import (
	"fmt"
	"io"

	"github.com/vflc/vflc/lang/diag"
)

// A pass is one step on the way from text to graphs. T is what it reads and completes: a *Model, or a *Bound.
type pass[T any] struct {
	name string
	doc  string // one sentence
	// run adds the pass's result. The error reports a fault that no diagnostic describes.
	run func(T) (diag.List, error)
	// dump prints the result; nil where another command prints it.
	dump func(T, io.Writer) error
	// verify reports what in the result contradicts mathematics or the privacy contract: never a fault of the
	// user. nil where a later pass verifies it.
	verify func(T) error
	// observed is true where the pass judges what was observed.
	observed bool
}

// run runs passes up to the first that finds an error, and counts those that found none.
func run[T any](t T, passes []pass[T], done *int) (diag.List, error) {
	var diags diag.List
	for _, p := range passes {
		found, err := p.run(t)
		if diags = append(diags, found...); err != nil || diags.HasErrors() {
			return diags, err
		}
		*done++
	}
	return diags, nil
}

// verify checks the results of passes in their order; the error names the first whose result is wrong.
func verify[T any](t T, passes []pass[T]) error {
	for _, p := range passes {
		if p.verify == nil {
			continue
		}
		if err := p.verify(t); err != nil {
			return fmt.Errorf("compile: after %s: %w", p.name, err)
		}
	}
	return nil
}

// A Stage is a pass whose result can be printed.
type Stage struct{ Name, Doc string }

// Stages lists, in order, what Model.Dump prints.
func Stages() []Stage {
	var out []Stage
	for _, p := range modelPasses() {
		if p.dump != nil {
			out = append(out, Stage{p.name, p.doc})
		}
	}
	return out
}
