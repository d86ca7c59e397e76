package fit

import (
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
)

// Improper reports the parameters that cannot be drawn from their priors.
func Improper(b *compile.BoundModel, m *model.SimulatedModel) (diags diag.List) {
	for i := range m.Params {
		p := &m.Params[i]
		if p.Improper != "" {
			diags.Errorf(diag.Undrawable, b.Source, placeOf(b, p).Span(), "%s %s", p.Name, p.Improper).
				Note("to draw from the model, give it a prior that is a distribution, as wide as you like")
		}
	}
	return diags
}

// placeOf is the place of a parameter, or of the distribution of missing cells.
func placeOf(b *compile.BoundModel, p *model.Param) ast.Node {
	name := p.Name
	if p.Imputed != nil {
		name = p.Imputed.Data
	} else if member, own, ok := strings.Cut(name, "]."); ok && strings.HasPrefix(p.Owner, member) {
		name = own // of a member of a family
	}
	if s := b.Checked.Symbols[name]; s != nil {
		return s.Ident
	}
	return b.File
}
