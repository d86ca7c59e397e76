package split

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
)

// String is the likelihood as a program writes it, without its arguments.
func (p ManifestPower) String() string {
	return p.Response + " ~ " + p.Distribution + "(…) ^ (" + p.Exponent + ")"
}

// likelihood checks a likelihood that has a power or reads the sum of the others' z. What the server receives
// of it is the adjoint of that sum, a function of everything in the likelihood: so the response is shared,
// and the client's own names enter in its cuts alone.
func (e *examiner) likelihood(s *ast.Likelihood) {
	l := e.checked(s)
	if l != nil && !e.client() && e.powers {
		for _, x := range append(slices.Clone(l.Args), s.Left) {
			if x != nil && slices.ContainsFunc(namesIn(x), func(name string) bool {
				return e.cut(name) != nil
			}) {
				e.errorf(diag.UnlistedChannel, s,
					"the server evaluates a likelihood at what clients send, but under transform %s, which "+
						"the manifest names, clients do that", e.manifest.Transform)
				return
			}
		}
	}
	if l == nil || s.Power == nil && !e.readsSum(l) {
		return
	}
	found := ManifestPower{Party: e.party, Response: format.Expr(s.Left), Distribution: s.Dist.Name.Name,
		Exponent: "1"}
	if s.Power != nil {
		found.Exponent = format.Expr(s.Power)
	}
	home := found
	home.Home = true
	if slices.Contains(e.manifest.Powers, home) {
		e.seen[found.String()] = true
		return
	}
	if !slices.Contains(e.manifest.Powers, found) {
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no likelihood %s of %s", found, e.party)
		return
	}
	e.seen[found.String()] = true
	for _, x := range []ast.Expr{s.Left, s.Weights} {
		if x != nil && slices.ContainsFunc(namesIn(x), e.private) {
			e.errorf(diag.ClientData, x,
				"the server would learn data of %s: a likelihood that reads the others' sum has a shared "+
					"response and shared weights", e.party)
			return
		}
	}
	for _, a := range l.Args {
		e.onlyCuts(a)
	}
}

// noSums checks that a prior or a cut of a client does not read the others' sum: its adjoint would hold a
// parameter that the client's data may determine.
func (e *examiner) noSums(s ast.Node) {
	ast.Walk(s, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && e.client() && e.sum(name.Name, e.party) != nil {
			e.errorf(diag.UnlistedChannel, name,
				"the manifest lists no use of %s here: only a likelihood that it lists reads the others' sum",
				name.Name)
		}
		return true
	})
}

func (e *examiner) checked(s *ast.Likelihood) *check.Likelihood {
	for _, l := range e.Likelihoods {
		if l.Stmt == s {
			return l
		}
	}
	return nil
}

// readsSum reports whether a sum of the others' z enters a likelihood at a client.
func (e *examiner) readsSum(l *check.Likelihood) bool {
	return e.client() && slices.ContainsFunc(append([]ast.Expr{l.Stmt.Left, l.Stmt.Weights}, l.Args...),
		func(x ast.Expr) bool {
			return x != nil && slices.ContainsFunc(namesIn(x), func(n string) bool {
				return e.sum(n, e.party) != nil
			})
		})
}

// private reports whether a name is the party's own: data that are not shared, or a parameter.
func (e *examiner) private(name string) bool {
	s := e.Symbols[name]
	return s != nil && (s.Kind == check.Data && s.Owner != check.Shared || s.Kind == check.Param)
}

// received reports whether a name is a value of another party.
func (e *examiner) received(name string) bool {
	s := e.Symbols[name]
	return s != nil && s.Kind == check.Receive
}

// onlyCuts checks that the party's own names enter an argument in whole cuts only: the cuts that its
// auxiliary variables are normal around. In a sum the terms of whole cuts are taken out first; what is left
// may hold a cut further inside, beside something received.
func (e *examiner) onlyCuts(x ast.Expr) {
	if x == nil || !slices.ContainsFunc(namesIn(x), e.private) ||
		slices.ContainsFunc(e.cuts(1), func(c []string) bool {
			return slices.Equal(c, []string{term(x, 1)})
		}) {
		return
	}
	var own []string
	inside := map[string]ast.Expr{}
	sum, direction := false, 1
	flatten(x, 1, func(t ast.Expr, sign int) {
		sum = sum || t != x
		if name, ok := t.(*ast.Name); ok && e.received(name.Name) && e.sum(name.Name, e.party) != nil {
			direction = sign
		}
		if names := namesIn(t); slices.ContainsFunc(names, e.private) {
			own = append(own, term(t, sign))
			if slices.ContainsFunc(names, e.received) {
				inside[term(t, sign)] = t
			}
		}
	})
	if !sum {
		e.operands(x)
		return
	}
	for _, t := range e.withoutCuts(own, direction) {
		if inside[t] == nil {
			e.notCut(x)
			return
		}
		e.onlyCuts(inside[t])
	}
}

// cuts lists the terms of the cut of each auxiliary variable, and the cut as one term, with a sign, those of
// most terms first.
func (e *examiner) cuts(sign int) [][]string {
	var out [][]string
	for _, s := range e.Order {
		if s.Kind != check.Aux {
			continue
		}
		var terms []string
		flatten(s.Args[0], sign, func(t ast.Expr, sign int) { terms = append(terms, term(t, sign)) })
		out = append(out, terms, []string{term(s.Args[0], sign)})
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) })
	return out
}

// withoutCuts takes the terms of whole cuts out of some terms. direction is the sign of the others' sum
// beside them, which is theirs too.
func (e *examiner) withoutCuts(terms []string, direction int) []string {
	for _, c := range e.cuts(direction) {
		rest, whole := slices.Clone(terms), true
		for _, t := range c {
			at := slices.Index(rest, t)
			if whole = whole && at >= 0; !whole {
				break
			}
			rest = slices.Delete(rest, at, at+1)
		}
		if whole {
			terms = rest
		}
	}
	return terms
}

// operands applies onlyCuts to the operands of an expression that is no sum.
func (e *examiner) operands(x ast.Expr) {
	if _, ok := x.(*ast.Name); ok {
		e.notCut(x)
		return
	}
	ast.Walk(x, func(n ast.Node) bool {
		if n == ast.Node(x) {
			return true
		}
		if operand, ok := n.(ast.Expr); ok {
			e.onlyCuts(operand)
			return false
		}
		return true
	})
}

func (e *examiner) notCut(x ast.Expr) {
	e.errorf(diag.ClientData, x,
		"the server would learn more of %s than its cuts: own data and parameters enter this likelihood "+
			"other than in the cut of an auxiliary variable", e.party)
}

// flatten calls f with the terms of a sum and their signs.
func flatten(x ast.Expr, sign int, f func(ast.Expr, int)) {
	switch x := x.(type) {
	case *ast.Paren:
		flatten(x.X, sign, f)
	case *ast.Unary:
		if x.Op == "-" {
			sign = -sign
		}
		flatten(x.X, sign, f)
	case *ast.Binary:
		switch x.Op {
		case "+", "-":
			flatten(x.X, sign, f)
			if x.Op == "-" {
				sign = -sign
			}
			flatten(x.Y, sign, f)
			return
		}
		f(x, sign)
	default:
		f(x, sign)
	}
}

// term writes a term with its sign.
func term(x ast.Expr, sign int) string {
	if sign < 0 {
		return "-" + format.Expr(x)
	}
	return "+" + format.Expr(x)
}
