package check

import (
	"math"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// The settings of a differential equation.
const (
	odeRelative = "rel_tol"
	odeAbsolute = "abs_tol"
	odeSteps    = "max_num_steps"
)

// OdeSettings are the settings of a differential equation: those that are written, else the defaults.
func (p *Program) OdeSettings(o *ast.Ode) (relative, absolute float64, steps int) {
	v := map[string]float64{odeRelative: 1e-6, odeAbsolute: 1e-6, odeSteps: 10000}
	for _, a := range o.Settings {
		if x, ok := p.ConstValue(a.Value); ok {
			v[a.Name.Name] = x
		}
	}
	return v[odeRelative], v[odeAbsolute], int(v[odeSteps])
}

// ode types a differential equation: a row of states for each time.
func (c *checker) ode(e *ast.Recur) (out ExprInfo, ok bool) {
	if !c.recurNames(e) || !c.odeSettings(e.Ode) {
		return out, false
	}
	if len(e.Init) != 1 {
		c.errorf(diag.OdeForm, e, "a differential equation gives the state at one time").
			Note("write ode %[1]s[0] = …, %[1]s'[%[2]s] = … for %[2]s in times", e.Step.Name.Name, e.Var.Name)
		return out, false
	}
	times, ok := c.odeData(e.Ode.Times, 1)
	if !ok {
		return out, false
	}
	before := len(c.vars)
	defer func() { c.vars = c.vars[:before] }()
	owners := times.Owners
	if e.Ode.Member != nil {
		by, ok := c.odeGroups(e.Ode, times.Type)
		if !ok {
			return out, false
		}
		owners = owners.Join(by)
		c.vars = append(c.vars, indexOf(*e.Ode.Member))
	}
	t0, ok := c.odeData(e.Init[0].Index, 0)
	if !ok {
		return out, false
	}
	first, ok := c.expr(e.Init[0].Value)
	if !ok || !c.odeReads(e, e.Init[0].Value) || !c.numeric(e.Init[0].Value, first.Type, ast.OdeWord) {
		return out, false
	}
	if len(first.Type.Dims) > 2 {
		c.errorf(diag.OdeForm, e.Init[0].Value, "a state is a number, a vector or a matrix, but this is %s",
			first.Type).Note("solve an equation for each matrix, or let each be a row of one matrix")
		return out, false
	}
	out = ExprInfo{Type: types.Type{Dims: append([]types.Size{times.Type.Dims[0]}, first.Type.Dims...)}}
	self := &Symbol{Name: e.Step.Name.Name, Kind: Let, Ident: e.Step.Name, Type: out.Type, Owner: Shared,
		Random: first.Random}
	body, ok := c.step(e, indexOf(e.Var), self)
	if ok && body.Random && !self.Random {
		self.Random = true
		body, ok = c.step(e, indexOf(e.Var), self)
	}
	if !ok || !c.ofGroups(e) {
		return out, false
	}
	if !body.Type.SameShape(types.Type{Dims: first.Type.Dims}) {
		c.errorf(diag.OdeForm, e.Step.Value, "the state is %s, but its derivative is %s",
			types.Type{Dims: first.Type.Dims}, types.Type{Dims: body.Type.Dims}).
			Note("the derivative has an element for each of the state; append(a, b) joins numbers to a vector")
		return out, false
	}
	out.Owners = owners.Join(t0.Owners).Join(first.Owners).Join(body.Owners)
	out.Random = first.Random || body.Random
	return out, true
}

// odeData types times, of so many axes.
func (c *checker) odeData(e ast.Expr, axes int) (ExprInfo, bool) {
	info, ok := c.expr(e)
	if !ok || !c.numeric(e, info.Type, ast.OdeWord) {
		return info, false
	}
	if info.Random {
		c.errorf(diag.OdeTimes, e, "times are data, but %s depends on parameters", format.Expr(e)).
			Note("scale the derivative instead: y(t·b) has the derivative b·f(t·b, y)")
		return info, false
	}
	if len(info.Type.Dims) != axes {
		c.errorf(diag.OdeTimes, e, "%s, but this is %s", map[bool]string{true: "the times are a vector",
			false: "the time at which a differential equation begins is a number"}[axes == 1], info.Type)
		return info, false
	}
	return info, true
}

// odeGroups types the level by which groups are made.
func (c *checker) odeGroups(o *ast.Ode, times types.Type) (types.Owners, bool) {
	info, ok := c.expr(o.By)
	if !ok {
		return nil, false
	}
	if !c.ofLevels(o.By) || !info.Type.SameShape(times) {
		c.errorf(diag.OdeForm, o.By, "groups are made by data of levels, one for each time, but this is %s",
			info.Type).Note("declare data subject : level(S)[%s]", times.Dims[0])
		return nil, false
	}
	return info.Owners, true
}

// odeSettings checks that the settings are known, positive constants.
func (c *checker) odeSettings(o *ast.Ode) bool {
	var seen []string
	for _, a := range o.Settings {
		name := a.Name.Name
		v, constant := c.ConstValue(a.Value)
		switch {
		case name != odeRelative && name != odeAbsolute && name != odeSteps:
			c.errorf(diag.OdeForm, a, "ode has no setting %s", name).
				Note("they are t0, by, %s, %s and %s", odeRelative, odeAbsolute, odeSteps)
			return false
		case slices.Contains(seen, name):
			c.errorf(diag.OdeForm, a, "%s is given twice", name)
			return false
		case !constant || !(v > 0) || math.IsInf(v, 0) || name == odeSteps && (v != math.Floor(v) || v > 1e9):
			c.errorf(diag.OdeForm, a, "%s is %s", name, map[bool]string{true: "a whole number from 1 to 1e9",
				false: "a constant above 0"}[name == odeSteps])
			return false
		}
		seen = append(seen, name)
	}
	return true
}

// odeReads checks that the derivative reads the state at the time alone, other arrays by member, and no array
// by the time, which is any number.
func (c *checker) odeReads(e *ast.Recur, n ast.Node) bool {
	name, t := e.Step.Name.Name, e.Var.Name
	switch n := n.(type) {
	case *ast.Name:
		if n.Name == name || e.Part(n.Name) != nil {
			c.errorf(diag.OdeReads, n, "inside its equation %s is read at the time: %s[%s]", n.Name, n.Name, t)
			return false
		}
	case *ast.Recur:
		return c.selfReferences(e, n)
	case *ast.Sum:
		if e.Binds(n.Var.Name) {
			return c.selfReferences(e, n)
		}
	case *ast.Index:
		x, named := n.X.(*ast.Name)
		now, plain := n.Args[0].Lo.(*ast.Name)
		at := plain && !n.Args[0].Slice && now.Name == t
		of := named && (x.Name == name || e.Part(x.Name) != nil)
		rest := n.Args
		if of && at {
			rest = rest[1:]
		} else if of {
			c.errorf(diag.OdeReads, n, "%s is read at the time alone: %s[%s]", x.Name, x.Name, t)
			return false
		} else if !c.odeReads(e, n.X) {
			return false
		}
		return c.odeSubscripts(e, rest, of)
	}
	for _, child := range ast.Children(n) {
		if !c.odeReads(e, child) {
			return false
		}
	}
	return true
}

// odeSubscripts checks that the time is no subscript, and the member the first one of an array.
func (c *checker) odeSubscripts(e *ast.Recur, subscripts []*ast.Subscript, own bool) bool {
	for k, a := range subscripts {
		if t := e.Var.Name; ast.Mentions(a, t) {
			c.errorf(diag.OdeReads, a, "%s is the time, which is no index", t).
				Note("what moves with time is a formula of %s", t)
			return false
		}
		n, plain := a.Lo.(*ast.Name)
		m := e.Ode.Member
		first := k == 0 && plain && !own && !a.Slice && m != nil && n.Name == m.Name
		if m != nil && ast.Mentions(a, m.Name) && !first {
			c.errorf(diag.OdeReads, a, "%s chooses along the first axis alone: cl[%s]", m.Name, m.Name).
				Note("give what it chooses a let of its own, with the groups along its first axis")
			return false
		}
	}
	return true
}

// ofGroups checks that what the member chooses has an element for each group.
func (c *checker) ofGroups(e *ast.Recur) bool {
	if e.Ode.Member == nil {
		return true
	}
	level, good := c.Info[e.Ode.By].Type, true
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(*ast.Index)
		if !ok {
			return good
		}
		member, ok := x.Args[0].Lo.(*ast.Name)
		if ok && member.Name == e.Ode.Member.Name && !c.categoriesAlong(level, c.Info[x.X].Type.Dims[0]) {
			c.errorf(diag.OdeReads, x, "%s is %s, and has no element for each of the %s groups", format.Expr(x.X),
				c.Info[x.X].Type, c.categoryCount(level))
			good = false
		}
		return good
	})
	return good
}

// odeCall reports a call of `ode` that inlining has left as it is.
func (c *checker) odeCall(e *ast.Call) {
	const form = "write ode(f, y0, times, a, …) with fn f(t, y, a, …) = …; behind it may stand t0 = …, by = LEVEL, " +
		"rel_tol = …, abs_tol = …, max_num_steps = …"
	if len(e.Args) < 3 {
		c.errorf(diag.OdeForm, e, "ode takes a function, the initial state and the times").Note(form)
		return
	}
	c.errorf(diag.OdeForm, e.Args[0], "%s is no function that is declared with fn", format.Expr(e.Args[0])).Note(form)
}
