package compile

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// Generated lists the generated quantities in the order of their declarations.
func (m *Model) Generated() []*check.Symbol {
	var out []*check.Symbol
	for _, s := range m.Checked.Order {
		if s.Kind == check.Generated {
			out = append(out, s)
		}
	}
	return out
}

// Pool compiles the model again with the transform that pools.
func (m *Model) Pool() (*Model, diag.List) {
	o := m.options
	o.Transform, o.Rho, o.RhoBy = stdlib.NoTransform, 0, nil
	return Compile(m.Source, o)
}

// Quantities lowers generated quantities of m for evaluation at given parameters, in one process, with the
// data of b. m is b's model with further lets and generated quantities, compiled with a transform that pools:
// its data and sizes are those of b. The result holds the quantities named, in the order of their
// declarations.
func (b *BoundModel) Quantities(m *Model, names ...string) (*model.SimulatedModel, diag.List) {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	return lower.Quantities(m.Cuts, b.Values, b.Sizes, names)
}
