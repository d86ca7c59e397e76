package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// prior checks that the party that keeps a parameter can evaluate its prior.
func (c *checker) prior(s *ast.Param, sym *Symbol, owners types.Owners) {
	home := sym.Owner
	if home == Shared {
		home = c.Server // a shared parameter is kept by the server, where its prior counts once
	}
	if owners.Within(home) {
		return
	}
	values := []ast.Expr{sym.Lower, sym.Upper}
	for _, a := range s.Dist.Args {
		values = append(values, a.Value)
	}
	for _, e := range values {
		if info, ok := c.Info[e]; ok && !info.Owners.Within(home) {
			c.foreign(e, home, sym)
		}
	}
}

// length checks that the sizes of a parameter are not data of another party.
func (c *checker) length(sym *Symbol) {
	home := sym.Owner
	if home == Shared {
		home = c.Server
	}
	t := sym.DeclaredType()
	if t == nil {
		return
	}
	for _, d := range t.Dims {
		if owners := c.CountedBy(d); !owners.Within(home) {
			c.errorf(diag.ClientData, d,
				"client data would be read by another party: this size of %s is private data of %s", sym.Name,
				owners).
				Note("make the data `@ shared` if every party may hold them")
		}
	}
}

// CountedBy returns the clients whose own whole-number data occur in a subscript or in the range of a sum.
// Sizes bound by the shapes of data do not count: all parties know them.
func (p *Program) CountedBy(e ast.Expr) types.Owners {
	var owners types.Owners
	if e == nil {
		return nil
	}
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			s := p.Symbols[name.Name]
			if s != nil && s.Kind == Let {
				owners = owners.Join(p.CountedBy(s.Decl.(*ast.Let).Value))
			} else if s != nil && s.Kind == Data && s.Type.Elem == types.Int {
				if _, client := p.Client(s.Owner); client {
					owners = owners.Join(types.Owners{s.Owner})
				}
			}
		}
		return true
	})
	return owners
}

// foreign reports the names in an expression that the party home cannot see.
func (c *checker) foreign(e ast.Expr, home string, sym *Symbol) {
	reported := false
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || reported {
			return !reported
		}
		info, ok := c.Info[name]
		if !ok || info.Owners.Within(home) {
			return true
		}
		reported = true
		other := info.Owners[0]
		s := c.Symbols[name.Name]
		if home != c.Server && other == c.Server {
			d := c.errorf(diag.ServerName, name,
				"%s belongs to the client %s, which does not see %s: that is private to %s", sym.Name, home,
				name.Name, c.Server)
			c.share(d, s)
			return false
		}
		d := c.errorf(diag.ForeignPrior, name,
			"the prior of %s is evaluated at %s, which does not see %s: that is private to %s", sym.Name,
			home, name.Name, other)
		if s != nil && s.Kind == Param {
			d.Note("declare %s `@ shared`, so that %s keeps it, or give %s a prior of its own", name.Name,
				c.Server, sym.Name)
		} else {
			d.Note("data of one client are never seen by another party; make them `@ " +
				"shared` if all may hold them")
		}
		return false
	})
}

func (c *checker) assertOwner(s *ast.Let, owner string, owners types.Owners) {
	if owner == Shared && owners.Shared() || owner != Shared && owners.Within(owner) {
		return
	}
	if _, alone := owners.Sole(); owner == c.Server && !alone {
		return // the server may hold what is computed from cuts
	}
	c.errorf(diag.LetOwner, *s.Owner, "%s is declared @ %s, but it depends on names of: %s", s.Name.Name,
		owner, owners).
		Note("a let belongs to the party that holds all of its names: leave the owner out, and the " +
			"compiler cuts what each client contributes, or name each client's part by a let of its own")
}

// share offers to let every party see a name of the server.
func (c *checker) share(d *diag.Diagnostic, s *Symbol) {
	if s == nil || s.Kind != Param {
		d.Note("declare it `@ shared` if every party may hold it")
		return
	}
	if owner := ownerOf(s.Decl); owner != nil {
		d.Fix(owner.Span(), Shared, "let every party that uses it see %s", s.Name)
	} else {
		end := s.Decl.Span()
		end.Start = end.End
		d.Fix(end, " @ shared", "let every party that uses it see %s", s.Name)
	}
	d.Note("a shared parameter is kept by %s and sent to the clients that use it", c.Server)
}

// aux checks an auxiliary variable of a party program: z ~ normal(cut, rho).
func (c *checker) aux(s *ast.Aux) {
	t, _, _, ok := c.declaredType(s.Type)
	if !ok {
		c.fail(s.Name.Name)
		return
	}
	dist, args, _, random, ok := c.distribution(s.Dist, t, s.Name.Name)
	c.fail(s.Name.Name) // until every check has passed
	if !ok {
		return
	}
	if dist.Name != stdlib.Noise || args[0] == nil || args[1] == nil {
		c.errorf(diag.BadAux, s.Dist, "an auxiliary variable is normal around its cut, with a constant rho")
		return
	}
	if rho, constant := c.ConstValue(args[1]); !constant || !(rho > 0) {
		c.errorf(diag.BadAux, args[1], "rho is a constant above 0")
		return
	}
	if !random {
		c.errorf(diag.ClientData, args[0], "data of %s would leave it: a cut depends on a parameter", c.For)
		return
	}
	delete(c.failed, s.Name.Name)
	c.declare(&Symbol{Name: s.Name.Name, Kind: Aux, Ident: s.Name, Decl: s, Type: t, Owner: c.For, Dist: dist,
		Args: args, used: true})
}

func (c *checker) receive(s *ast.Receive) {
	t, lower, upper, ok := c.declaredType(s.Type)
	if !ok {
		c.fail(s.Name.Name)
		return
	}
	family := false
	if cl, found := c.Client(s.From.Name); found {
		family = cl.Family
	}
	sym := &Symbol{Name: s.Name.Name, Kind: Receive, Ident: s.Name, Decl: s, Type: t, Owner: c.For,
		Family: family, Lower: lower, Upper: upper, used: true}
	if family {
		sym.Owner = s.From.Name
	}
	c.declare(sym)
}

func (c *checker) send(s *ast.Send) {
	switch {
	case s.Value == nil:
		c.sendNamed(s)
	case c.isClient():
		c.sendCut(s)
	default:
		c.sendSum(s.Value)
	}
}

// sendNamed checks `send z_1 to …` and `send b to …`.
func (c *checker) sendNamed(s *ast.Send) {
	sym := c.lookup(&ast.Name{Name: s.Name.Name})
	if sym == nil {
		c.unknown(&ast.Name{At: s.Name.At, Name: s.Name.Name})
		return
	}
	sym.sent = true
	if sym.Kind == Param && c.isClient() {
		c.errorf(diag.WrongRole, s,
			"a client may send only its auxiliary variables or its cuts, and %s is a parameter: a client "+
				"does not send its parameters", sym.Name)
		return
	}
	if relayed := sym.Kind == Receive && !c.isClient() && !sym.Family; sym.Kind != Aux && sym.Kind != Param &&
		!relayed {
		c.errorf(diag.BadSend, s.Name,
			"%s is %s: a client sends its auxiliary variables or its cuts, the server its parameters and "+
				"sums of what it received", sym.Name, article(sym.Kind))
	}
}

// sendCut checks `send z_1 = EXPR to …`, by which a client sends a cut itself: real, a function of a
// parameter, and of something that is its own.
func (c *checker) sendCut(s *ast.Send) {
	name := s.Name.Name
	c.fail(name) // until every check has passed
	info, ok := c.expr(s.Value)
	switch {
	case !ok:
		return
	case slices.ContainsFunc(c.File.Stmts, isAux):
		c.errorf(diag.BareCut, s,
			"%s is sent without noise beside an auxiliary variable: a client sends auxiliary "+
				"variables, or its cuts themselves", name)
		return
	case !c.readsOwn(s.Value):
		c.errorf(diag.WrongRole, s,
			"a client may send only its auxiliary variables or its cuts, and %s is made of what %s received",
			name, c.For)
		return
	case !info.Random:
		c.errorf(diag.ClientData, s.Value, "data of %s would leave it: a cut depends on a parameter", c.For)
		return
	case info.Type.Elem != types.Real:
		c.errorf(diag.BareCut, s.Value, "%s is %s, but a cut is real", name, info.Type)
		return
	}
	delete(c.failed, name)
	c.declare(&Symbol{Name: name, Kind: Cut, Ident: s.Name, Decl: s, Type: types.Type{Dims: info.Type.Dims},
		Owner: c.For, Args: []ast.Expr{s.Value}, used: true, sent: true})
}

// isClient reports whether a party program is a client's: the server has no auxiliary variables, and sends
// nothing that is computed from data or parameters.
func (c *checker) isClient() bool {
	if c.options.Server != "" {
		return c.For != c.options.Server
	}
	return slices.ContainsFunc(c.File.Stmts, func(s ast.Stmt) bool {
		send, _ := s.(*ast.Send)
		return isAux(s) || send != nil && send.Value != nil && c.readsOwn(send.Value)
	})
}

func isAux(s ast.Stmt) bool {
	_, aux := s.(*ast.Aux)
	return aux
}

// readsOwn reports whether an expression of a party program mentions data or a parameter that the program
// declares.
func (c *checker) readsOwn(e ast.Expr) bool {
	own := false
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			s := c.Symbols[name.Name]
			own = own || s != nil && (s.Kind == Param || s.Kind == Data && s.Owner != Shared)
		}
		return !own
	})
	return own
}

// onePeer notes whether a program is a client's, and checks that a client's program names one other party,
// its server. (The loader, which knows the server's name, checks more.)
func (c *checker) onePeer() {
	c.AtClient = c.For != "" && c.isClient()
	if !c.AtClient {
		return
	}
	peer := ""
	for _, s := range c.File.Stmts {
		var named []ast.Ident
		switch s := s.(type) {
		case *ast.Send:
			named = s.To
		case *ast.Receive:
			named = []ast.Ident{s.From}
		}
		for _, p := range named {
			if peer == "" {
				peer = p.Name
			}
			if p.Name != peer {
				c.errorf(diag.WrongPeer, p,
					"%s exchanges messages with %s and with %s: a client has one peer, its server", c.For,
					peer, p.Name)
				return
			}
		}
	}
}

// unsent reports auxiliary variables that no statement sends.
func (c *checker) unsent() {
	for _, s := range c.Order {
		if s.Kind == Aux && !s.sent {
			c.errorf(diag.Unsent, s.Ident, "%s is never sent: a client sends every auxiliary variable",
				s.Name)
		}
	}
}

// sendSum checks `send o = z_2 + others(z_1) to …`: a sum of received values.
func (c *checker) sendSum(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Paren:
		c.sendSum(e.X)
		return
	case *ast.Name:
		if sym := c.lookup(e); sym != nil && sym.Kind == Receive {
			return
		} else if sym == nil {
			c.unknown(e)
			return
		}
	case *ast.Binary:
		if e.Op == "+" {
			c.sendSum(e.X)
			c.sendSum(e.Y)
			return
		}
	case *ast.Sum:
		if x, ok := e.Body.(*ast.Index); ok && e.Family != nil {
			if n, ok := x.X.(*ast.Name); ok && c.Symbols[n.Name] != nil && c.Symbols[n.Name].Kind == Receive {
				return
			}
		}
	case *ast.Call:
		if e.Name.Name == "others" && len(e.Args) == 1 {
			if n, ok := e.Args[0].(*ast.Name); ok {
				if sym := c.lookup(n); sym != nil && sym.Kind == Receive && sym.Family {
					return
				}
			}
		}
	}
	c.errorf(diag.BadSend, e, "the server forwards only sums of what it received")
}
