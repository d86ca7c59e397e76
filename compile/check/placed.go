package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// placed reports likelihoods that no party can evaluate. One of several parties is the server's, which has
// its response or shares it.
func (c *checker) placed() {
	if c.For != "" {
		return
	}
	for _, l := range c.Likelihoods {
		if _, alone := l.Owners.Sole(); alone {
			continue // this party sees all of it
		}
		left := c.Info[l.Stmt.Left].Owners
		party, one := left.Sole()
		cl, client := c.Client(party)
		switch others := without(l.Owners, party); {
		case len(left) > 1:
			c.errorf(diag.SplitResponse, l.Stmt.Left, "the left side has data of several parties, and none of "+
				"them has all of it: %s", left).
				Note("a response belongs to one party or is `@ shared`; what the others add to it stands " +
					"behind `~`")
		case !one || !client:
		case others.Within(c.Server) && c.serverKeeps(l, party):
		case cl.Family:
			c.errorf(diag.MemberResponse, l.Stmt.Left, "every member of %s has a response of its own here, and "+
				"the distribution uses names of other parties: %s", party, others).
				Note("a likelihood of every member uses its own names and shared ones; a response of all " +
					"members is `@ shared`, or belongs to the server")
		default:
			c.secondResponse(l, party, others)
		}
	}
}

func without(o types.Owners, party string) types.Owners {
	return slices.DeleteFunc(slices.Clone(o), func(p string) bool { return p == party })
}

// serverKeeps reports the parameters of the server in a likelihood that would be a client's alone without
// them. It returns false where there are data of the server too.
func (c *checker) serverKeeps(l *Likelihood, client string) bool {
	var kept []*ast.Name
	data := false
	for _, e := range append(slices.Clone(l.Args), l.Stmt.Weights) {
		c.serverNames(e, func(n *ast.Name, s *Symbol) {
			data = data || s.Kind != Param
			if !slices.ContainsFunc(kept, func(k *ast.Name) bool { return k.Name == n.Name }) {
				kept = append(kept, n)
			}
		})
	}
	if data || len(kept) == 0 {
		return false
	}
	for _, n := range kept {
		d := c.errorf(diag.ServerName, n, "the response %s belongs to the client %s, which does not see %s: "+
			"that is private to %s", format.Expr(l.Stmt.Left), client, n.Name, c.Server)
		c.share(d, c.Symbols[n.Name])
	}
	return true
}

// serverNames calls found with the names of the server in an expression, through lets.
func (c *checker) serverNames(e ast.Expr, found func(*ast.Name, *Symbol)) {
	if e == nil {
		return
	}
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || c.Symbols[name.Name] == nil {
			return true
		}
		switch s := c.Symbols[name.Name]; {
		case s.Kind == Let && slices.Contains(s.Owners, c.Server):
			c.serverNames(s.Decl.(*ast.Let).Value, found)
		case s.Owner == c.Server && (s.Kind == Param || s.Kind == Data):
			found(name, s)
		}
		return true
	})
}

// secondResponse reports a likelihood of several parties whose response is not the server's, but a client's.
func (c *checker) secondResponse(l *Likelihood, client string, others types.Owners) {
	d := c.errorf(diag.TwoResponses, l.Stmt.Left, "the response %s belongs to %s, but its distribution uses names "+
		"of %s, and %s evaluates the likelihoods of several parties", format.Expr(l.Stmt.Left), client, others,
		c.Server)
	for _, o := range c.Likelihoods {
		left := c.Info[o.Stmt.Left].Owners
		if _, alone := o.Owners.Sole(); !alone && len(left) == 1 && left[0] != client {
			d.NoteAt(c.File.Source, o.Stmt.Left.Span(), "the response of this one belongs to %s", left[0])
			break
		}
	}
	d.Note("one party evaluates them all, the one that has their responses: make %s `@ shared` if every party "+
		"may hold it, let its distribution use names of %s and shared ones alone, or fit it in a model of its own",
		format.Expr(l.Stmt.Left), client)
}
