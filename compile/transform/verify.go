package transform

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// Verify checks what the parties evaluate against the model: the powers of each likelihood sum to 1 over
// those who evaluate it, every cut of it enters; no party uses another's private names, except parameters
// that the server sends; what is received is what is sent. The error names the first violation: a fault of
// Apply.
func (p *Program) Verify() error {
	if p.For != "" || p.Transform.Kind.Pooled() {
		return nil // evaluated as written
	}
	v := &verifier{Program: p}
	for _, k := range p.Likelihoods {
		if err := v.likelihood(k); err != nil {
			return fmt.Errorf("%s: %w", format.Stmt(k.Stmt), err)
		}
	}
	return v.channels()
}

type verifier struct{ *Program }

// likelihood checks who evaluates a statement, and with what.
func (v *verifier) likelihood(k *cut.Likelihood) error {
	total, count := 0.0, 0
	for _, q := range v.Parties {
		for _, l := range q.Likelihoods {
			if l.At != k.Stmt.At {
				continue
			}
			if home := cmp.Or(k.Party, k.Home); home != q.Name && (k.Party != "" || home != v.Server) {
				return fmt.Errorf("%s evaluates a likelihood that belongs to %s", q.Name, home)
			}
			power := 1.0
			if l.Power != nil {
				power = v.value(l.Power)
			}
			total, count = total+float64(power*float64(v.members(q))), count+1
			if err := v.statement(q, k, l); err != nil {
				return fmt.Errorf("at %s: %w", q.Name, err)
			}
		}
	}
	if k.Party != "" {
		total = float64(count) // each member of a family has a term of its own
	}
	if count == 0 || math.Abs(total-1) > 1e-12 {
		return fmt.Errorf("its powers sum to %v over %d programs", total, count)
	}
	return nil
}

// members counts the parties that run a program; a size that depends on data has an arbitrary value.
func (v *verifier) members(q *PartyShare) int {
	c, ok := v.Client(q.Name)
	if !ok {
		return 1
	}
	n, _ := c.Count.Eval(size)
	return n
}

// size gives every size name a value of its own above 1.
func size(name string) (int, bool) {
	n := 2
	for _, r := range name {
		n = (31*n + int(r)) % 1009
	}
	return n + 2, true
}

// value evaluates a power: numbers and sizes under + - * and /.
func (v *verifier) value(e ast.Expr) float64 {
	switch e := e.(type) {
	case *ast.Number:
		return e.Value
	case *ast.Name:
		n, _ := size(e.Name)
		return float64(n)
	case *ast.Unary:
		return -v.value(e.X)
	case *ast.Binary:
		x, y := v.value(e.X), v.value(e.Y)
		return map[string]float64{"+": x + y, "-": x - y, "*": x * y, "/": x / y}[e.Op]
	}
	return math.NaN()
}

// statement checks that a party may see every name in its statement, and that all cuts enter it, exact or by
// their z.
func (v *verifier) statement(q *PartyShare, k *cut.Likelihood, l *ast.Likelihood) error {
	names := map[string]bool{}
	ast.Walk(l, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			names[name.Name] = true
		}
		return true
	})
	for _, e := range expressions(l) {
		for name, owner := range v.Private(e) {
			sent := owner == v.Server && slices.ContainsFunc(v.Params, func(p *cut.Param) bool {
				return p.Name == name
			})
			if owner != q.Name && !sent {
				return fmt.Errorf("it would see %s of %s", name, owner)
			}
		}
	}
	for _, g := range k.Groups {
		others := names[OthersName(v.Program.Program, g)] && q.Sum(OthersName(v.Program.Program, g)) != nil
		for _, c := range g.Cuts {
			alone := v.one(c).Name
			z := names[c.Name] && slices.Contains(q.Received, c) || names[alone] && q.Sum(alone) != nil
			exact := c.Client == q.Name && (!v.several(c) || others)
			if !z && !exact && !(others && c.Client != q.Name) {
				return fmt.Errorf("%s = %s does not enter", c.Name, format.Expr(c.Expr))
			}
		}
	}
	return nil
}

func expressions(l *ast.Likelihood) []ast.Expr {
	out := []ast.Expr{l.Left, l.Weights}
	for _, a := range slices.Concat(l.Dist.Args, l.Truncate, l.Censor) {
		out = append(out, a.Value)
	}
	return out
}

// channels checks that each client sends cuts of its own, that the server receives these and no more, and
// that each has a reader.
func (v *verifier) channels() error {
	var sent []*cut.Expression
	for _, q := range v.Parties[1:] {
		for _, c := range q.Sent {
			if c.Client != q.Name || slices.Contains(sent, c) {
				return fmt.Errorf("%s sends %s of %s", q.Name, c.Name, c.Client)
			}
			sent = append(sent, c)
		}
	}
	received := v.Parties[0].Received
	for _, c := range received {
		if !slices.Contains(sent, c) {
			return fmt.Errorf("%s is received, but no party sends it", c.Name)
		}
		if !v.read(c) {
			return fmt.Errorf("%s is sent, but enters no likelihood and no generated quantity", c.Name)
		}
	}
	if len(received) != len(sent) {
		return fmt.Errorf("%d cuts are sent and %d received", len(sent), len(received))
	}
	for _, q := range v.Parties[1:] {
		for _, s := range q.Sums {
			for _, c := range s.Cuts {
				if (c.Client != q.Name || v.several(c)) && !slices.Contains(sent, c) {
					return fmt.Errorf("%s needs %s, which no party sends", q.Name, c.Name)
				}
			}
		}
	}
	return nil
}

// read reports whether a party evaluates a likelihood with the z of a cut that is not its own.
func (v *verifier) read(c *cut.Expression) bool {
	for _, q := range v.Parties[1:] {
		for _, s := range q.Sums {
			if slices.Contains(s.Cuts, c) && (c.Client != q.Name || v.several(c)) {
				return true
			}
		}
	}
	found := false
	var readers []ast.Node
	for _, l := range v.Parties[0].Likelihoods {
		readers = append(readers, l)
	}
	for _, g := range v.Parties[0].Generated {
		readers = append(readers, g)
	}
	for _, l := range readers {
		ast.Walk(l, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			found = found || ok && name.Name == c.Name
			return !found
		})
	}
	return found
}
