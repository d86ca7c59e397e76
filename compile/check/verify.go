package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Verify checks the facts that Check recorded: every expression has a type; its owners are the parties whose
// private names occur in it, found again from the names; the prior of a party's parameter uses no other
// party's private names; shapes broadcast. The error names the first wrong fact: a fault of the checker.
func (p *Program) Verify() error {
	v := &verifier{Program: p, values: map[*Symbol]reach{}, selves: map[string]reach{}}
	for _, step := range []func() error{v.symbols, v.statements, v.likelihoods, v.noise} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	*Program
	values map[*Symbol]reach // of lets and generated quantities
	selves map[string]reach  // of the arrays of the recursions around, by name
}

// A reach is what an expression depends on, found from its names.
type reach struct {
	owners types.Owners
	random bool
}

func (r reach) join(s reach) reach { return reach{r.owners.Join(s.owners), r.random || s.random} }

// symbols checks that every declared value has a home that exists.
func (v *verifier) symbols() error {
	for _, s := range v.Order {
		client, isClient := v.Client(s.Owner)
		switch {
		case v.Symbols[s.Name] != s:
			return fmt.Errorf("%s is declared twice", s.Name)
		case s.Kind == Let && s.Owner == "": // it is evaluated where it is used
		case !isClient && s.Owner != Shared && s.Owner != v.Server && s.Owner != v.For:
			return fmt.Errorf("%s belongs to %q, which is not a party", s.Name, s.Owner)
		case s.Family && !client.Family:
			return fmt.Errorf("each member of %s has a %s, but it is not a family", s.Owner, s.Name)
		case len(s.Type.Dims) > 3:
			return fmt.Errorf("%s has %d dimensions", s.Name, len(s.Type.Dims))
		}
	}
	return nil
}

// statements checks every expression that a statement evaluates.
func (v *verifier) statements() error {
	for _, s := range v.File.Stmts {
		for _, e := range v.evaluated(s) {
			if _, err := v.expr(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluated lists the expressions of a statement that have a type: not sizes, nor the values of consts.
func (v *verifier) evaluated(s ast.Stmt) []ast.Expr {
	var out []ast.Expr
	var t *ast.Type
	var d *ast.Dist
	var clauses []*ast.Arg
	switch s := s.(type) {
	case *ast.Data:
		t = s.Type
	case *ast.Param:
		t, d, clauses = s.Type, s.Dist, s.Truncate
	case *ast.Contribution:
		t = s.Type
	case *ast.Weight:
		t = s.Type
	case *ast.Let:
		out = append(out, s.Value)
	case *ast.Generate:
		d, clauses = s.Dist, s.Truncate
		if s.Value != nil {
			out = append(out, s.Value)
		}
	case *ast.Aux:
		d = s.Dist
	case *ast.Send:
		if cut := v.Symbols[s.Name.Name]; cut != nil && cut.Kind == Cut {
			out = append(out, s.Value)
		}
	case *ast.Factor:
		out = append(out, s.Value)
	case *ast.Likelihood:
		d, clauses = s.Dist, slices.Concat(s.Truncate, s.Censor)
		out = append(out, s.Left, s.Weights, s.Power)
	}
	if t != nil {
		for _, b := range t.Bounds {
			out = append(out, b.Value)
		}
	}
	if d != nil {
		for _, a := range slices.Concat(d.Args, clauses) {
			out = append(out, v.component(a.Value)...)
		}
	}
	return slices.DeleteFunc(out, func(e ast.Expr) bool { return e == nil })
}

// component lists the arguments of a component of a mixture; any other argument is itself.
func (v *verifier) component(e ast.Expr) []ast.Expr {
	if call, ok := e.(*ast.Call); ok {
		if _, dist := v.Universe.Dist(call.Name.Name); dist {
			if _, typed := v.Info[e]; !typed {
				return call.Args
			}
		}
	}
	return []ast.Expr{e}
}

// expr checks an expression and all below it, and returns what its names depend on.
func (v *verifier) expr(e ast.Expr) (reach, error) {
	info, ok := v.Info[e]
	if !ok {
		return reach{}, fmt.Errorf("%s has no facts", format.Expr(e))
	}
	if x, ok := e.(*ast.Recur); ok {
		old, inside := v.selves[x.Step.Name.Name]
		v.selves[x.Step.Name.Name] = reach{random: info.Random}
		for _, p := range x.Parts {
			r, err := v.expr(p.Value)
			if err != nil {
				return r, err
			}
			v.selves[p.Name.Name] = r
		}
		defer func() {
			if delete(v.selves, x.Step.Name.Name); inside {
				v.selves[x.Step.Name.Name] = old
			}
		}()
	}
	r := v.leaf(e)
	for _, child := range v.operands(e) {
		below, err := v.expr(child)
		if err != nil {
			return r, err
		}
		r = r.join(below)
	}
	if s, ok := e.(*ast.Sum); ok && s.Family != nil && len(r.owners) > 0 && v.For == "" {
		r.owners = r.owners.Join(types.Owners{v.Server}) // several members: no single one owns it
	}
	if !slices.Equal(info.Owners, r.owners) || info.Random != r.random {
		return r, fmt.Errorf("%s depends on names of: %s (parameters: %t), but is recorded "+
			"as depending on: %s (%t)", format.Expr(e), r.owners, r.random, info.Owners, info.Random)
	}
	return r, nil
}

// operands lists the parts of an expression that have values of their own.
func (v *verifier) operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.Paren:
		return []ast.Expr{e.X}
	case *ast.Unary:
		return []ast.Expr{e.X}
	case *ast.Transpose:
		return []ast.Expr{e.X}
	case *ast.Binary:
		if e.Op != ".." {
			return []ast.Expr{e.X, e.Y}
		}
	case *ast.Call:
		return e.Args
	case *ast.Array:
		return e.Elems
	case *ast.Sum:
		return []ast.Expr{e.Body}
	case *ast.Recur:
		var out []ast.Expr
		for _, i := range e.Init {
			out = append(out, i.Value)
		}
		for _, s := range e.Steps() {
			out = append(out, s.Value)
		}
		if o := e.Ode; o != nil {
			out = append(out, o.Times, e.Init[0].Index)
			if o.By != nil {
				out = append(out, o.By)
			}
		}
		return out
	case *ast.Index:
		return v.indexed(e)
	}
	return nil
}

// indexed lists what is indexed, unless it is the value of a member, and the levels that index it.
func (v *verifier) indexed(e *ast.Index) []ast.Expr {
	var out []ast.Expr
	if _, typed := v.Info[e.X]; typed {
		out = append(out, e.X)
	}
	for _, a := range e.Args {
		if !a.Slice && (v.ofLevels(a.Lo) || v.listed(a.Lo)) {
			out = append(out, a.Lo)
		}
	}
	return out
}

// leaf is what a name, a member's value, or the numbers in subscripts and ranges depend on.
func (v *verifier) leaf(e ast.Expr) reach {
	switch e := e.(type) {
	case *ast.Name:
		return v.named(e.Name)
	case *ast.Index:
		r := reach{}
		for _, a := range e.Args {
			r.owners = r.owners.Join(v.CountedBy(a.Lo)).Join(v.CountedBy(a.Hi))
		}
		if n, ok := e.X.(*ast.Name); ok {
			if _, typed := v.Info[n]; !typed {
				return r.join(v.named(n.Name))
			}
		}
		return r
	case *ast.Recur:
		owners := v.CountedBy(e.Lo).Join(v.CountedBy(e.Hi))
		for _, i := range e.Init {
			owners = owners.Join(v.CountedBy(i.Index))
		}
		return reach{owners: owners}
	case *ast.Sum:
		return reach{owners: v.CountedBy(e.Lo).Join(v.CountedBy(e.Hi))}
	case *ast.Binary:
		if e.Op == ".." {
			return reach{owners: v.CountedBy(e)}
		}
	}
	return reach{}
}

func (v *verifier) named(name string) reach {
	if r, ok := v.selves[name]; ok {
		return r
	}
	s := v.Symbols[name]
	if s == nil {
		if z := v.Sizes[name]; z != nil {
			return reach{owners: v.private(z)}
		}
		return reach{} // the variable of a comprehension
	}
	switch s.Kind {
	case Let:
		return v.value(s, s.Decl.(*ast.Let).Value)
	case Generated:
		return reach{owners: s.Owners, random: s.Random}
	case Data, Param, Receive, Aux, Cut:
		r := reach{random: s.Kind != Data || s.Imputed()}
		if s.Owner != Shared {
			r.owners = types.Owners{s.Owner}
		}
		return r
	}
	return reach{}
}

// private returns the only client in whose declarations a size occurs.
func (v *verifier) private(z *Size) types.Owners {
	if name, ok := z.Owners.Sole(); ok && name != Shared && v.For == "" {
		return z.Owners
	}
	return nil
}

// value is the reach of a let, which is checked where it is declared.
func (v *verifier) value(s *Symbol, e ast.Expr) reach {
	r, ok := v.values[s]
	if !ok {
		r, _ = v.expr(e)
		v.values[s] = r
	}
	return r
}

// likelihoods checks that the left side is data, that arguments broadcast to it, and that priors use only
// what their party holds.
func (v *verifier) likelihoods() error {
	for _, l := range v.Likelihoods {
		left := v.Info[l.Shape()]
		owners := left.Owners
		if !l.Factor() && left.Random && v.ImputedBy(l) == nil || l.Dist.Discrete &&
			!left.Type.Elem.Integral() {
			return fmt.Errorf("%s: the left side is %s (parameters: %t)", format.Stmt(l.Stmt), left.Type,
				left.Random)
		}
		for k, e := range append(slices.Clone(l.Args), l.Stmt.Weights) {
			if e == nil {
				continue
			}
			owners = owners.Join(v.Info[e].Owners)
			if !suits(l.Dist, k, v.Info[e].Type, left.Type) {
				return fmt.Errorf("%s: %s is %s", format.Stmt(l.Stmt), format.Expr(e), v.Info[e].Type)
			}
		}
		if !slices.Equal(owners, l.Owners) {
			return fmt.Errorf("%s depends on names of: %s, but is recorded as depending on: %s",
				format.Stmt(l.Stmt), owners, l.Owners)
		}
	}
	return v.priors()
}

func (v *verifier) priors() error {
	for _, s := range v.Order {
		home := s.Owner
		if home == Shared {
			home = v.Server
		}
		for k, a := range s.Args {
			if s.Kind == Param && a != nil &&
				!(v.Info[a].Owners.Within(home) && suits(s.Dist, k, v.Info[a].Type, s.Type)) {
				return fmt.Errorf("the prior of %s at %s needs %s, which is %s of: %s", s.Name, home,
					format.Expr(a), v.Info[a].Type, v.Info[a].Owners)
			}
		}
	}
	return nil
}

// suits reports whether argument k of a distribution goes with the left side; the one after the last are the
// weights.
func suits(d *def.Dist, k int, arg, left types.Type) bool {
	rank := 0
	if k < len(d.Params) {
		rank = d.Params[k].Rank
	}
	n := len(arg.Dims) - rank
	if n < 0 {
		return rank == 1
	}
	return fills(types.Type{Dims: arg.Dims[:n]}, outcomes(d, left))
}

// fills reports whether an argument broadcasts to the left side.
func fills(arg, left types.Type) bool {
	dims, ok := types.Broadcast(arg.Dims, left.Dims)
	return ok && types.Type{Dims: dims}.SameShape(left)
}

// noise checks that the standard deviations given for auxiliary variables are such.
func (v *verifier) noise() error {
	if v.For == "" && len(v.Clients) == 0 && !v.Transform.Kind.Pooled() {
		return fmt.Errorf("transform %s without clients", v.Transform.Kind)
	}
	for _, c := range v.Clients {
		if rho := v.Transform.RhoOf(c.Name); !(rho >= 0) || math.IsInf(rho, 1) {
			return fmt.Errorf("the noise of %s has sd %v", c.Name, rho)
		}
	}
	return nil
}
