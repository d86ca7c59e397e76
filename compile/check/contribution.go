package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// contribution checks what a client adds from a module that is not at hand: some real values that depend on
// parameters of the client, as every other party sees them.
func (c *checker) contribution(s *ast.Contribution) {
	owner, family, ok := c.owner(s.Owner)
	t, lower, upper, good := c.declaredType(s.Type)
	c.fail(s.Name.Name) // until every check has passed
	_, client := c.Client(owner)
	switch {
	case !ok || !good:
		return
	case c.For == "" && !client:
		d := c.errorf(diag.BadContribution, s,
			"a contribution belongs to a client, which keeps what it is made of to itself").Note(
			"name the client: contribution %s : %s @ CLIENT", s.Name.Name, t,
		)
		if s.Owner != nil && s.Owner.Name != DefaultServer {
			d.Note("%s is the server: what it adds stands in the model", owner)
		}
		return
	case family:
		c.errorf(diag.BadContribution, s.Owner,
			"%s is a family, whose members run the same code, and a contribution is of one client's own code",
			owner)
		return
	case t.Elem != types.Real || lower != nil || upper != nil:
		c.errorf(diag.BadContribution, s.Type, "a contribution is real, without bounds")
		return
	}
	delete(c.failed, s.Name.Name)
	flat, _ := c.Universe.Dist(stdlib.Flat)
	c.declare(&Symbol{Name: s.Name.Name, Kind: Param, Ident: s.Name, Decl: s, Type: t, Owner: owner,
		Dist: flat, Args: make([]ast.Expr, len(flat.Params)), Opaque: true})
}
