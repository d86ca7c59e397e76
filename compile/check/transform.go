package check

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib"
)

// transform chooses the transform from the statement and the command line.
func (c *checker) transform() {
	t := &c.Transform
	t.RhoBy = map[string]float64{}
	if c.For != "" {
		return
	}
	if len(c.Clients) > 0 {
		t.Kind, t.Implied = stdlib.DefaultTransform, true
	}
	if s := c.stmt; s != nil {
		t.Implied = false
		if kind, ok := c.Universe.Transform(s.Kind.Name); ok {
			t.Kind = kind
		} else {
			c.unknownTransform(s.Kind)
		}
		if t.Kind.CutsCross() && (s.Rho != nil || len(s.RhoBy) > 0) {
			c.errorf(diag.BadTransform, s, "transform %s has no rho: the cuts cross without noise", t.Kind).
				Note("write `transform %s`, or choose %s, under which the noise has sd rho", t.Kind,
					list(noisy()))
		}
		if s.Rho != nil {
			t.Rho = c.rho(s.Rho)
		}
		c.promise(s)
		for _, r := range s.RhoBy {
			if _, ok := c.Client(r.Client.Name); !ok {
				c.unknownClient(r.Client)
				continue
			}
			t.RhoBy[r.Client.Name] = c.rho(r.Value)
		}
	}
	if kind := c.options.Transform; kind.Name != "" {
		t.Kind, t.Implied = kind, false
	}
	if c.options.Rho > 0 {
		t.Rho, t.RhoBy = c.options.Rho, map[string]float64{}
	}
	for name, r := range c.options.RhoBy {
		t.RhoBy[name] = r
	}
	if len(c.Clients) == 0 && !t.Kind.Released() {
		t.Kind = stdlib.NoTransform
	}
	c.holders()
}

// holders has several parties with responses evaluate their likelihoods, where the transform allows it.
func (c *checker) holders() {
	for _, l := range c.Likelihoods {
		switch kind := c.Transform.Kind; {
		case l.Home == c.Server:
		case kind.Released(), c.options.Encrypted:
			c.secondResponse(l)
			return
		default:
			c.Transform.Kind = kind.ByHolders()
		}
	}
}

// secondResponse reports responses at several parties where one evaluates, or releases, everything.
func (c *checker) secondResponse(l *Likelihood) {
	code, out := diag.NotEncrypted, "another `--wire`"
	why := "of rows that stay encrypted one party evaluates the likelihoods"
	if c.Transform.Kind.Released() {
		code, out = diag.TwoResponses, "`transform augmented`"
		why = "the sums that are released once are of one party's responses"
	}
	c.errorf(code, l.Stmt.Left, "%s belongs to %s, and the response of another likelihood of several parties to another party: %s",
		format.Expr(l.Stmt.Left), l.Home, why).
		Note("use %s, or fit a model for each response", out)
}

// promise reads what a release promises.
func (c *checker) promise(s *ast.Transform) {
	t := &c.Transform
	if !t.Kind.Released() {
		if len(s.Terms) > 0 {
			c.errorf(diag.BadTransform, s.Terms[0], "transform %s has no %s", t.Kind, s.Terms[0].Name.Name).
				Note("a privacy budget is that of transform %s", stdlib.Private)
		}
		return
	}
	of := map[string]*float64{"epsilon": &t.Epsilon, "delta": &t.Delta, "norm": &t.Norm}
	for _, a := range s.Terms {
		value, ok := c.ConstValue(a.Value)
		to := of[a.Name.Name]
		if to == nil || *to > 0 || !ok || !(value > 0) || math.IsInf(value, 1) {
			c.errorf(diag.BadTransform, a,
				"a release takes epsilon, delta and norm, each once and a positive constant")
			return
		}
		*to = value
	}
	switch {
	case s.Rho != nil || len(s.RhoBy) > 0 || t.Delta >= 1:
		c.errorf(diag.BadTransform, s, "a release has no rho, and its delta is below 1")
	case (t.Epsilon == 0 || t.Delta == 0) && !c.options.Accept.Code(diag.NoBudget):
		c.errorf(diag.NoBudget, s, "a release needs a budget: epsilon and delta").
			Note("write `transform private(epsilon = 3, delta = 1e-6)`; delta is far below 1 " +
				"over the number of rows")
	}
}

// noisy lists the names of the transforms that have a rho.
func noisy() (names []string) {
	for _, t := range stdlib.NoisyTransforms() {
		names = append(names, t.Name)
	}
	return names
}

func (c *checker) unknownTransform(name ast.Ident) {
	d := c.errorf(diag.BadTransform, name, "%q is not a transform", name.Name)
	if near := Nearest(name.Name, c.Universe.Transforms()); near != "" {
		d.Note("did you mean %s? `vflc doc transform` says what it is", near)
	} else {
		d.Note("transforms are %s", list(c.Universe.Transforms()))
	}
}

func (c *checker) rho(e ast.Expr) float64 {
	v, ok := c.ConstValue(e)
	if !ok {
		c.errorf(diag.BadTransform, e, "rho is a constant")
		return 0
	}
	if !(v > 0) || math.IsInf(v, 1) {
		c.errorf(diag.BadTransform, e, "rho is a standard deviation: a number above 0, not %v", v).
			Note("the model without noise is `transform exact`, under which the cuts themselves cross")
		return 0
	}
	return v
}

// unknownClient reports a rho for a client that the model has not.
func (c *checker) unknownClient(at ast.Ident) {
	d := c.errorf(diag.UnknownParty, at, "%q is not a client of this model", at.Name)
	var names []string
	for _, cl := range c.Clients {
		names = append(names, cl.Name)
	}
	switch near := Nearest(at.Name, names); {
	case at.Name == c.Server:
		d.Note("%s is the server, which evaluates the likelihood: only clients add noise to what they send",
			at.Name)
	case near != "":
		likeName(d, near)
	case len(names) > 0:
		d.Note("its clients are %s", list(names))
	default:
		d.Note("it has none: only clients add noise to what they send")
	}
}
