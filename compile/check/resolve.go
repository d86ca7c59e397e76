package check

import (
	"slices"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// parties collects the server, the clients, the kind of program and every declared name, before anything is
// resolved.
func (c *checker) parties() {
	c.later = map[string]ast.Ident{}
	var server *ast.Server
	for i, s := range c.File.Stmts {
		switch s := s.(type) {
		case *ast.Program:
			if i > 0 {
				c.errorf(diag.Misplaced, s, "`program` must be the first statement of a party program")
				continue
			}
			c.Name, c.For = s.Name.Name, s.For.Name
		case *ast.Server:
			if server != nil {
				c.errorf(diag.DeclaredTwice, s, "there can be one server; %s is declared already",
					server.Name.Name).NoteAt(c.File.Source, server.Span(), "declared here")
				continue
			}
			server = s
			c.Server = s.Name.Name
			c.note(s.Name)
			c.declare(&Symbol{Name: s.Name.Name, Kind: Party, Ident: s.Name, Decl: s})
		}
	}
	for _, s := range c.File.Stmts {
		switch s := s.(type) {
		case *ast.Client:
			for _, f := range s.Clients {
				c.client(s, f)
			}
		case *ast.Data:
			c.note(s.Name)
		case *ast.Param:
			c.note(s.Name)
		case *ast.Contribution:
			c.note(s.Name)
		case *ast.Weight:
			c.note(s.Name)
		case *ast.Let:
			c.note(s.Name)
		case *ast.Generate:
			c.note(s.Name)
		case *ast.Const:
			c.note(s.Name)
		case *ast.Aux:
			c.note(s.Name)
		case *ast.Receive:
			c.note(s.Name)
		}
	}
}

func (c *checker) note(name ast.Ident) {
	if _, ok := c.later[name.Name]; !ok {
		c.later[name.Name] = name
	}
}

func (c *checker) client(s *ast.Client, f *ast.Family) {
	if f.Name.Name == c.Server || f.Name.Name == Shared {
		c.errorf(diag.DeclaredTwice, f.Name, "%q already names the %s", f.Name.Name,
			map[bool]string{true: "server", false: "shared data"}[f.Name.Name == c.Server])
		return
	}
	c.note(f.Name)
	client := Client{Name: f.Name.Name, Family: f.Count != nil, Count: types.Const(1), Span: f.Span()}
	switch n := f.Count.(type) {
	case *ast.Number:
		if !n.Int || n.Value < 1 {
			c.errorf(diag.NotSize, n, "a family has a whole number of members, at least 1")
			return
		}
		client.Count = types.Const(int(n.Value))
	case *ast.Name:
		client.Count = types.Named(n.Name)
	}
	if c.declare(&Symbol{Name: f.Name.Name, Kind: Party, Ident: f.Name, Decl: s, Family: client.Family}) {
		c.Clients = append(c.Clients, client)
	}
}

// declare adds a symbol; a name that is taken is an error.
func (c *checker) declare(s *Symbol) bool {
	if old, ok := c.Symbols[s.Name]; ok {
		c.errorf(diag.DeclaredTwice, s.Ident, "%s is declared twice", s.Name).NoteAt(c.File.Source,
			old.Ident.Span(), "first declared here, as %s", old.Kind)
		return false
	}
	if z := c.Sizes[s.Name]; z != nil && c.For == "" && (s.Kind == Param || s.Kind == Let ||
		s.Kind == Generated || s.Kind == Data && !(s.Type.Elem == types.Int && s.Type.Scalar())) {
		c.errorf(diag.DeclaredTwice, s.Ident,
			"%s is a size already: sizes and all other names are of one kind", s.Name).NoteAt(c.File.Source,
			z.Span, "it is bound here").Note("give one of the two another name")
		c.fail(s.Name)
		return false
	}
	if _, suffix, _, density := ast.Density(s.Name); density {
		c.errorf(diag.DensityName, s.Ident, "a name that ends in %s is that of a density function",
			suffix).Note("give it another name")
		c.fail(s.Name)
		return false
	}
	c.Symbols[s.Name] = s
	if s.Kind != Party {
		c.Order = append(c.Order, s)
	}
	return true
}

// owner resolves the name after `@`; absent, it is the server, or in a party program the party itself.
func (c *checker) owner(at *ast.Ident) (name string, family, ok bool) {
	home := c.Server
	if c.For != "" {
		home = c.For
	}
	if at == nil {
		return home, false, true
	}
	switch {
	case at.Name == Shared:
		return Shared, false, true
	case c.For != "":
		c.errorf(diag.Misplaced, at, "in a party program only shared data have `@`; %s owns everything else",
			c.For)
		return "", false, false
	case at.Name == c.Server, at.Name == DefaultServer:
		return c.Server, false, true
	}
	if cl, found := c.Client(at.Name); found {
		return cl.Name, cl.Family, true
	}
	d := c.errorf(diag.UnknownParty, at, "%q is not a party of this model", at.Name)
	names := []string{c.Server, Shared}
	for _, cl := range c.Clients {
		names = append(names, cl.Name)
	}
	if near := Nearest(at.Name, names); near != "" {
		likeName(d, near)
	} else {
		d.Note("add `client %s` at the top, or declare it @ one of: %s", at.Name, list(names))
	}
	return "", false, false
}

// elsewhere explains a name that is known elsewhere; false means that it is not. The fix is the name here
// that means the same with the same arguments: fits says whether one can have them.
func elsewhere(d *diag.Diagnostic, space diag.Namespace, at ast.Ident, fits func(name string) bool) bool {
	f, ok := diag.Elsewhere(space, at.Name)
	switch {
	case !ok:
		return false
	case f.Same && fits(f.Write):
		d.Fix(at.Span(), f.Write, "%s", f.Sentence())
	default:
		d.Note("%s", f.Sentence())
	}
	return true
}

// always is for names without arguments.
func always(string) bool { return true }

// Nearest returns the known name that is closest to what was written, or "" where none is near.
func Nearest(name string, known []string) string {
	best, distance := "", 1+(len(name)+1)/3
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// perhaps proposes a thing of the language whose name is near. It is no fix: names that differ by a letter
// are of different values, as median and mean are.
func perhaps(d *diag.Diagnostic, near string) {
	d.Note("did you mean %s? `vflc doc %s` says what it is", near, near)
}

// likeName proposes a name of the model that is near. It is no fix either: beta_b, where beta_a is declared
// and beta_b is not, would run with the wrong one.
func likeName(d *diag.Diagnostic, near string) { d.Note("did you mean %s?", near) }

// lookup resolves a name in an expression.
func (c *checker) lookup(n *ast.Name) *Symbol {
	for i := len(c.vars) - 1; i >= 0; i-- {
		if c.vars[i].Name == n.Name {
			return c.vars[i]
		}
	}
	if s, ok := c.Symbols[n.Name]; ok {
		s.used = true
		return s
	}
	return nil
}

// unknown reports a name that nothing declares, or that is declared further down.
func (c *checker) unknown(n *ast.Name) {
	if c.failed[n.Name] {
		return
	}
	if at, ok := c.later[n.Name]; ok && c.generatedBelow(n.Name) {
		c.errorf(diag.UsedEarly, n, "%s is computed after inference, from each draw: the model cannot use it",
			n.Name).
			NoteAt(c.File.Source, at.Span(),
				"declared here").Note("define it by `let` above its first use: let %s = …", n.Name)
		return
	}
	if at, ok := c.later[n.Name]; ok {
		if c.circular(n) {
			return
		}
		c.errorf(diag.UsedEarly, n, "%s is used before it is declared", n.Name).
			NoteAt(c.File.Source, at.Span(), "declared here: move it above its first use")
		return
	}
	c.failed[n.Name] = true // each name is reported once
	d := c.errorf(diag.UnknownName, n, "nothing is named %q", n.Name)
	if elsewhere(d, diag.Values, ast.Ident{At: n.At, Name: n.Name}, always) {
		return
	}
	if matrix, ok := strings.CutSuffix(n.Name, ".T"); ok && c.Symbols[matrix] != nil {
		d.Fix(n.Span(), matrix+"'", "the transpose is written with '")
		return
	}
	switch near := Nearest(n.Name, c.names()); {
	case near != "":
		likeName(d, near)
	case c.isDist(n.Name):
		d.Note("%s", afterTilde(n.Name))
	case c.isFunction(n.Name):
		d.Note("%s is a function: write %s(…)", n.Name, n.Name)
	default:
		d.Note("declare it as data, param, let or const")
	}
}

// circular reports a name that is used in its own declaration, or in one on which its own depends: no order
// of the two helps.
func (c *checker) circular(n *ast.Name) bool {
	declared := map[string]ast.Stmt{}
	var here string
	for _, s := range c.File.Stmts {
		name := ""
		switch s := s.(type) {
		case *ast.Let:
			name = s.Name.Name
		case *ast.Param:
			name = s.Name.Name
		default:
			continue
		}
		declared[name] = s
		if s.Span().Start <= n.Span().Start && n.Span().End <= s.Span().End {
			here = name
		}
	}
	if here == "" {
		return false
	}
	if here == n.Name {
		d := c.errorf(diag.UsedEarly, n, "%s is declared by itself", n.Name)
		if _, ok := declared[here].(*ast.Let); ok {
			d.Note("a let has one value and does not change: give the new value a name of its own; one " +
				"that follows from the value before it is a recursion, let h : real[T] = recur …")
		} else {
			d.Note("the prior of a parameter has numbers, data and other parameters: param %s ~ normal(0, 1)",
				here)
		}
		return true
	}
	path := []string{n.Name}
	for seen := map[string]bool{}; len(path) > 0; {
		name := path[0]
		path = path[1:]
		s := declared[name]
		if s == nil || seen[name] {
			continue
		}
		seen[name] = true
		if ast.Mentions(s, here) {
			c.errorf(diag.UsedEarly, n, "%s and %s are declared by one another, so that neither has a value",
				here, n.Name).
				NoteAt(c.File.Source, s.Span(),
					"this needs %s, which needs %s: write one of them without the other", here, n.Name)
			return true
		}
		for other := range declared {
			if ast.Mentions(s, other) {
				path = append(path, other)
			}
		}
	}
	return false
}

// generatedBelow reports whether a name is declared as a generated quantity.
func (c *checker) generatedBelow(name string) bool {
	return slices.ContainsFunc(c.File.Stmts, func(s ast.Stmt) bool {
		g, ok := s.(*ast.Generate)
		return ok && g.Name.Name == name
	})
}

// afterTilde says where a distribution stands.
func afterTilde(name string) string {
	return name +
		" is a distribution: it stands after `~`, or in a mixture, without brackets around the components: " +
		"y ~ mixture(w, normal(0, 1), normal(5, 2))"
}

func (c *checker) isFunction(name string) bool {
	_, elementwise := c.Universe.Func(name)
	_, structural := c.Universe.Structural(name)
	return elementwise || structural
}

func (c *checker) isDist(name string) bool {
	_, ok := c.Universe.Dist(name)
	return ok
}

func (c *checker) names() []string {
	var names []string
	for name := range c.Symbols {
		names = append(names, name)
	}
	for name := range c.Sizes {
		names = append(names, name)
	}
	for _, v := range c.vars {
		names = append(names, v.Name)
	}
	sort.Strings(names)
	return names
}

func list(names []string) string {
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}

// unknownDist reports a distribution that does not exist, with the nearest that does.
func (c *checker) unknownDist(whole ast.Node, at ast.Ident, args []*ast.Arg) {
	if c.failed[distKey(at.Name)] {
		return
	}
	for _, s := range c.File.Stmts {
		if s, ok := s.(*ast.Distribution); ok && s.Name.Name == at.Name {
			c.errorIn(whole, diag.UsedEarly, at, "%s is used before it is declared", at.Name).
				NoteAt(c.File.Source, s.Name.Span(), "declared here: move it above its first use")
			return
		}
	}
	d := c.errorIn(whole, diag.UnknownDist, at, "%q is not a distribution", at.Name)
	if elsewhere(d, diag.Distributions, at, func(name string) bool { return c.takes(name, args) }) {
		return
	}
	if c.isFunction(at.Name) {
		d.Note("%s is a function: after `~` stands a distribution, and `let` or `=` defines a value", at.Name)
		return
	}
	if near := Nearest(at.Name, c.Universe.Dists()); near != "" {
		if found, _ := c.Universe.Dist(near); found.Declared {
			likeName(d, near)
		} else {
			perhaps(d, near)
		}
		return
	}
	d.Note("`vflc doc` lists the distributions of this version")
}
