package inline

import (
	"fmt"
	"github.com/vflc/vflc/compile/check"

	"github.com/vflc/vflc/lang/ast"
)

// Verify checks that a file has no functions left, and that every node that a call put into it tells where it
// was written.
func Verify(file *check.Linked) error {
	for _, s := range file.File.Stmts {
		switch s.(type) {
		case *ast.Fn, *ast.Import:
			return fmt.Errorf("%T is left", s)
		}
	}
	for n, o := range file.Calls {
		if o.File == nil || o.At.Start < 0 || o.At.End > len(o.File.Text) || o.At.Start >= o.At.End {
			return fmt.Errorf("%T of %s has no place there", n, o.Function)
		}
	}
	return nil
}
