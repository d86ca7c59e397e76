package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// placed finds the party that evaluates each likelihood, and reports those that none can evaluate. One of
// several parties is evaluated by the party with its response, by the server where all hold it; the only
// party with such responses is the server.
func (c *checker) placed() {
	var holders types.Owners
	for _, l := range c.Likelihoods {
		if l.Home = c.Server; c.several(l) {
			holders = holders.Join(c.Info[l.Stmt.Left].Owners)
		}
	}
	for _, l := range c.Likelihoods {
		if !c.several(l) {
			continue
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
		case len(holders) > 1:
			l.Home = party
			c.atHome(l, party)
		default:
			c.onlyResponse(l, party, others)
		}
	}
}

// AtHome reports whether a client evaluates the likelihood of a response because it holds it, and not the
// server or every client.
func (p *Program) AtHome(response string) bool {
	return slices.ContainsFunc(p.Likelihoods, func(l *Likelihood) bool {
		return !l.Factor() && l.Home != p.Server && format.Expr(l.Stmt.Left) == response
	})
}

// several reports whether a likelihood of a model has names of several parties.
func (c *checker) several(l *Likelihood) bool {
	_, alone := l.Owners.Sole()
	return c.For == "" && !alone && len(l.Owners) > 0
}

// atHome reports what the server has in a likelihood that a client evaluates: it sends shared parameters, and
// nothing of its own.
func (c *checker) atHome(l *Likelihood, client string) {
	if c.serverKeeps(l, client) {
		return
	}
	reported := false
	for _, e := range append(slices.Clone(l.Args), l.Stmt.Weights) {
		c.serverNames(e, func(n *ast.Name, s *Symbol) {
			if s.Kind != Data || reported {
				return
			}
			reported = true
			c.errorf(diag.CoordinatorData, n, "%s evaluates this likelihood, whose response it holds, and %s "+
				"belongs to %s, which coordinates several parties with responses and contributes nothing itself",
				client, n.Name, c.Server).
				Note("let a client hold it: `client NAME` and `%s … @ NAME`; or declare it `@ shared` if every "+
					"party may hold it", n.Name)
		})
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
	seen := map[string]bool{} // a recursion names itself
	var look func(e ast.Expr)
	look = func(e ast.Expr) {
		ast.Walk(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || c.Symbols[name.Name] == nil {
				return true
			}
			switch s := c.Symbols[name.Name]; {
			case s.Kind == Let && slices.Contains(s.Owners, c.Server) && !seen[s.Name]:
				seen[s.Name] = true
				look(s.Decl.(*ast.Let).Value)
			case s.Owner == c.Server && (s.Kind == Param || s.Kind == Data):
				found(name, s)
			}
			return true
		})
	}
	if e != nil {
		look(e)
	}
}

// onlyResponse reports a likelihood of several parties whose response is a client's, the only one with such
// responses, which is not the server.
func (c *checker) onlyResponse(l *Likelihood, client string, others types.Owners) {
	c.errorf(diag.TwoResponses, l.Stmt.Left, "the response %s belongs to %s, but its distribution uses names of "+
		"%s, and %s evaluates the likelihoods of several parties", format.Expr(l.Stmt.Left), client, others,
		c.Server).
		Note("one party has all responses of such likelihoods, and is the server: write `server %s`", client)
}
