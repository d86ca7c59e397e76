package check

import (
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// unknownModule explains a name with a point whose first part is no module that the model imports.
func (c *checker) unknownModule(d *diag.Diagnostic, e *ast.Call) {
	first, rest, _ := strings.Cut(e.Name.Name, ".")
	_, standard := c.Universe.Module(first)
	switch {
	case standard:
		d.Note("the module %s is not imported: write import %s at the top", first, first)
	case c.Symbols[first] != nil && c.isFunction(rest):
		d.Note("values have no methods: write %s(%s, …), or for a product %s * b", rest, first, first)
	case c.isFunction(rest):
		d.Fix(e.Name.Span(), rest, "a function is called by its own name")
	default:
		d.Note("before the point stands a module that the model imports, as in import nn and nn.dense(X, 8)")
	}
}
