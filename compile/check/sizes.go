package check

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
)

// collectSizes finds every name that binds a size, before names are resolved: a bare name in a data shape,
// level(R), a family's [J], `data K : int`, or a whole const.
func (c *checker) collectSizes() {
	for _, s := range c.File.Stmts {
		switch s := s.(type) {
		case *ast.Client:
			for _, f := range s.Clients {
				if n, ok := f.Count.(*ast.Name); ok {
					c.bindSize(n.Name, n.Span())
				}
			}
		case *ast.Data:
			if s.Type == nil {
				continue
			}
			for _, d := range append(append([]ast.Expr(nil), s.Type.Dims...), s.Type.Levels) {
				if n, ok := d.(*ast.Name); ok {
					c.bindSize(n.Name, n.Span())
				}
			}
			if s.Type.Elem.Name == "int" && len(s.Type.Dims) == 0 {
				c.bindSize(s.Name.Name, s.Name.Span())
			}
		case *ast.Const:
			c.bindSize(s.Name.Name, s.Name.Span())
		case *ast.Levels:
			c.bindSize(s.Name.Name, s.Name.Span())
		}
	}
	for _, name := range c.options.Sizes {
		c.bindSize(name, source.Span{})
	}
	for _, s := range c.File.Stmts {
		c.sizeUses(s)
	}
	for _, z := range c.Sizes {
		if z.Member != "" && len(z.Owners) != 1 {
			z.Member = ""
		}
	}
}

func (c *checker) bindSize(name string, at source.Span) {
	if z := c.Sizes[name]; z == nil {
		c.Sizes[name] = &Size{Name: name, Span: at, Bound: true}
	}
}

// sizeUses records among whose declarations a size occurs.
func (c *checker) sizeUses(s ast.Stmt) {
	var owner *ast.Ident
	var t *ast.Type
	switch s := s.(type) {
	case *ast.Data:
		owner, t = s.Owner, s.Type
	case *ast.Param:
		owner, t = s.Owner, s.Type
	case *ast.Contribution:
		owner, t = s.Owner, s.Type
	case *ast.Weight:
		owner, t = s.Owner, s.Type
	case *ast.Let:
		owner, t = s.Owner, s.Type
		if owner == nil {
			return
		}
	case *ast.Generate:
		owner, t = s.Owner, s.Type
		if owner == nil {
			return
		}
	case *ast.Client:
		for _, f := range s.Clients {
			if n, ok := f.Count.(*ast.Name); ok {
				c.Sizes[n.Name].Owners = c.Sizes[n.Name].Owners.Join(types.Owners{c.Server, Shared})
			}
		}
		return
	default:
		return
	}
	name := c.Server
	if owner != nil && owner.Name != DefaultServer {
		name = owner.Name
	}
	if c.For != "" && owner == nil {
		name = c.For
	}
	if t == nil {
		return
	}
	for _, d := range append(append([]ast.Expr(nil), t.Dims...), t.Levels) {
		if d == nil {
			continue
		}
		ast.Walk(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Name); ok {
				if z := c.Sizes[id.Name]; z != nil {
					z.Owners = z.Owners.Join(types.Owners{name})
					if cl, is := c.Client(name); is && cl.Family {
						z.Member = name
					}
				}
			}
			return true
		})
	}
}

// size resolves a size expression; a problem is reported.
func (c *checker) size(e ast.Expr) (types.Size, bool) {
	s, at, err := c.sizeOf(e)
	if err != nil {
		if n, ok := at.(*ast.Name); ok && c.failed[n.Name] {
			return s, false
		}
		c.reportSize(at, err)
		return s, false
	}
	return s, true
}

// whole is size for a number in an index or at the end of a range, which may be a let.
func (c *checker) whole(e ast.Expr) (types.Size, bool) {
	defer func(before bool) { c.lets = before }(c.lets)
	c.lets = true
	return c.size(e)
}

// errUnbound marks a size name that nothing binds.
type errUnbound struct{ name string }

func (e errUnbound) Error() string { return fmt.Sprintf("nothing binds the size %s", e.name) }

// errEarly marks a const that is a size above its declaration: there it would be another size than below.
type errEarly struct{}

func (errEarly) Error() string { return "used before it is declared" }

// constBelow reports whether a name is declared as a const further down.
func (c *checker) constBelow(name string) bool {
	if _, later := c.later[name]; !later {
		return false
	}
	return slices.ContainsFunc(c.File.Stmts, func(s ast.Stmt) bool {
		k, ok := s.(*ast.Const)
		return ok && k.Name.Name == name
	})
}

func (c *checker) reportSize(at ast.Node, err error) {
	if _, early := err.(errEarly); early {
		c.unknown(at.(*ast.Name))
		return
	}
	if u, ok := err.(errUnbound); ok {
		if c.failed[u.name] {
			return
		}
		c.fail(u.name)
		d := c.errorf(diag.UnboundSize, at, "%v", err)
		var known []string
		for n, z := range c.Sizes {
			if z.Bound {
				known = append(known, n)
			}
		}
		sort.Strings(known)
		if near := Nearest(u.name, known); near != "" {
			likeName(d, near)
			// of modules: one cannot write them here
		} else if known = slices.DeleteFunc(known, func(n string) bool {
			return strings.Contains(n, ".")
		}); len(known) > 0 {
			d.Note("bound here: %s", strings.Join(known, ", "))
		}
		d.Note("a size is bound by the shape of data, by level(%[1]s), by a family [%[1]s], by `data %[1]s "+
			": int`, or by `const %[1]s = 5`", u.name)
		return
	}
	c.errorf(diag.NotSize, at, "%v", err).Note("sizes are whole numbers, size names and +, - and * of them")
}

// sizeOf evaluates a size expression; an error comes with its node.
func (c *checker) sizeOf(e ast.Expr) (types.Size, ast.Node, error) {
	switch e := e.(type) {
	case *ast.Number:
		if !e.Int || e.Value < 0 || e.Value > math.MaxInt32 {
			return types.Size{}, e, fmt.Errorf("%s is not a size", e.Text)
		}
		return types.Const(int(e.Value)), e, nil
	case *ast.Paren:
		return c.sizeOf(e.X)
	case *ast.Name:
		for i := len(c.vars) - 1; i >= 0; i-- {
			if c.vars[i].Name == e.Name && c.vars[i].over == "" {
				return types.Named(e.Name), e, nil
			}
		}
		if s := c.Symbols[e.Name]; s != nil {
			s.used = true
			if s.Kind == Const && s.Type.Elem == types.Int {
				return types.Const(int(s.Value)), e, nil
			}
			if l, ok := s.Decl.(*ast.Let); ok && c.lets && s.Kind == Let && s.Type.Scalar() && !s.Random {
				size, at, err := c.sizeOf(l.Value)
				if err != nil {
					at = e
				}
				return size, at, err
			}
			if s.Kind != Data || s.Type.Elem != types.Int || !s.Type.Scalar() {
				return types.Size{}, e, fmt.Errorf("%s is %s, not a size", e.Name, article(s.Kind))
			}
		}
		if c.Symbols[e.Name] == nil && c.constBelow(e.Name) {
			return types.Size{}, e, errEarly{}
		}
		if z := c.Sizes[e.Name]; z != nil {
			return types.Named(e.Name), e, nil
		}
		return types.Size{}, e, errUnbound{e.Name}
	case *ast.Unary:
		if e.Op == "-" {
			x, at, err := c.sizeOf(e.X)
			return types.Size{}.Add(x, -1), at, err
		}
	case *ast.Binary:
		x, at, err := c.sizeOf(e.X)
		if err != nil {
			return x, at, err
		}
		y, at, err := c.sizeOf(e.Y)
		if err != nil {
			return y, at, err
		}
		switch e.Op {
		case "+":
			return x.Add(y, 1), e, nil
		case "-":
			return x.Add(y, -1), e, nil
		case "*":
			return x.Mul(y), e, nil
		}
	}
	return types.Size{}, e, fmt.Errorf("this is not a size")
}

func article(k Kind) string {
	s := k.String()
	switch k {
	case Aux, IndexVar:
		return "an " + s
	case Data:
		return s
	}
	return "a " + s
}

// sizesBound drops names that turned out not to be sizes: unused as sizes, consts are harmless.
func (c *checker) sizesBound() {
	for name := range c.Sizes {
		if s := c.Symbols[name]; s != nil && s.Kind == Const {
			delete(c.Sizes, name) // folded into the shapes already
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
