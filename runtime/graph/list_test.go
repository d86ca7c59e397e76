package graph

import (
	"testing"

	"github.com/vflc/vflc/stdlib/fn"
)

// TestList checks that the list of operations is complete: each documented and named once, and one for every
// structural function of the language.
func TestList(t *testing.T) {
	listed := map[string]bool{}
	for _, o := range ops {
		if o.name == "" || o.doc == "" || listed[o.name] {
			t.Errorf("operation %q has no name, no doc, or is listed twice", o.name)
		}
		if o.expand == nil && (o.infer == nil || o.forward == nil) {
			t.Errorf("operation %s has no shape or value", o.name)
		}
		listed[o.name] = true
	}
	for _, s := range fn.WithGrouped(fn.Structural()) {
		if !listed[s.Name] {
			t.Errorf("the structural function %s has no operation", s.Name)
		}
	}
}
