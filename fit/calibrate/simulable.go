package calibrate

import (
	"fmt"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/simulate"
)

// Simulable returns an error for a model whose responses cannot be replaced by simulated values.
func Simulable(b *compile.Bound, m *simulate.Model) error {
	if len(m.Undrawn) > 0 {
		return fmt.Errorf("the model has %s", m.Undrawn[0])
	}
	for k := range m.Responses {
		if err := replaceable(b, m, k); err != nil {
			return err
		}
	}
	return nil
}

// replaceable returns an error for a response that cannot be drawn, or not be put in place of the observed one.
func replaceable(b *compile.Bound, m *simulate.Model, k int) error {
	y := m.Responses[k]
	switch {
	case y.Data == "":
		return fmt.Errorf("the left side of a likelihood is %s; new data can be drawn only where it is the name of data", y.Left)
	case y.Weighted:
		return fmt.Errorf("the likelihood of %s has weights, so it is not a distribution to draw data from", y.Name)
	}
	if err := y.Drawable(); err != nil {
		return err
	}
	for j, other := range m.Responses {
		if j != k && other.Data == y.Data && other.Holder == y.Holder {
			return fmt.Errorf("%s has two likelihoods, and data can be drawn from only one", y.Data)
		}
	}
	if uses(b, y.Data) > statements(b, y.Data) {
		return fmt.Errorf("%s is used in the model beyond the left side of its likelihood; what depends on the response cannot be simulated before it", y.Data)
	}
	return nil
}

// uses counts the occurrences of a name in the model's expressions. What is generated is no part of what is drawn.
func uses(b *compile.Bound, name string) int {
	n := 0
	ast.Walk(b.File, func(node ast.Node) bool {
		if _, generated := node.(*ast.Generate); generated {
			return false
		}
		if x, ok := node.(*ast.Name); ok && x.Name == name {
			n++
		}
		return true
	})
	return n
}

// statements counts the likelihoods with a name as their left side.
func statements(b *compile.Bound, name string) int {
	n := 0
	for _, l := range b.Checked.Likelihoods {
		if x, ok := l.Stmt.Left.(*ast.Name); ok && x.Name == name {
			n++
		}
	}
	return n
}
