package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// nameOrCall parses a name, and the arguments in parentheses behind it: expressions, or a comprehension. Only
// a density may have a `|`.
//
//	call = ident "(" (disjunction ("|" disjunction)? ("," disjunction)*)? ")" | total | grouped | solved .
//	solved = "ode" "(" disjunction ("," disjunction)* ("," named)* ")" .
//	total = "sum" "(" disjunction comprehension ")" .
//	grouped = ident "(" disjunction "by" disjunction ("," disjunction)* ")" .
func (c *climber) nameOrCall() (ast.Expr, error) {
	name, err := c.ident()
	if err != nil {
		return nil, err
	}
	if !c.accept("(") {
		return &ast.Name{At: name.At, Name: name.Name}, nil
	}
	call := &ast.Call{Name: name}
	var sum *ast.Sum
	err = c.bracketed(")", func() (err error) {
		sum, err = c.arguments(call)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case sum != nil:
		sum.At = c.at(name.Start)
		return sum, nil
	}
	call.At = c.at(name.Start)
	return call, nil
}

// arguments parses the inside of a call. One by groups gets its name.
func (c *climber) arguments(call *ast.Call) (sum *ast.Sum, err error) {
	name, formula := &call.Name, c.formula
	if is(*c.Peek(), ")") {
		return nil, nil
	}
	c.formula = false // a term of a formula takes expressions
	defer func() { c.formula = formula }()
	for {
		if name.Name == odeWord && c.beginsNamed() {
			a, err := c.named()
			if err != nil {
				return nil, err
			}
			call.Named = append(call.Named, a)
		} else if x, err := c.binary(ast.Loosest); err != nil {
			return nil, err
		} else if call.Args = append(call.Args, x); is(*c.Peek(), "for") {
			return c.comprehension(name.Name, call.Args)
		}
		first := len(call.Args) == 1 && len(call.Named) == 0
		by := first && beginsGroups(*c.Peek())
		if by {
			name.Name = ast.By(name.Name)
			c.Next()
		}
		if t := *c.Peek(); !by && !c.accept(",") && !(first && givenOf(*name) && c.accept("|")) {
			return nil, nil
		} else if err := c.count(t); err != nil {
			return nil, err
		}
	}
}

// beginsNamed reports whether a name and `=` stand here.
func (c *climber) beginsNamed() bool {
	if c.Peek().Type != identToken {
		return false
	}
	here := c.MakeCheckpoint()
	defer c.LoadCheckpoint(here)
	c.Next()
	return is(*c.Peek(), "=")
}

// byWord stands before groups in a call, where no name can follow.
const byWord = "by"

func beginsGroups(t lexer.Token) bool { return t.Type == identToken && t.Value == byWord }

// givenOf reports whether `|` may follow the first argument of a function: of densities only. One that is
// misspelt gets a message about its name.
func givenOf(name ast.Ident) bool {
	_, _, _, ok := ast.Density(name.Name)
	return ok || ast.LikeDensity(name.Name)
}

// comprehension parses what follows the body of a sum over a family or a range, or of an array, which has no
// name.
//
//	comprehension = "for" ident "in" (ident | sum ".." sum) .
func (c *climber) comprehension(name string, args []ast.Expr) (*ast.Sum, error) {
	t := *c.Next()
	if name != "sum" && name != "" || len(args) != 1 {
		return nil, faultf(diag.Comprehension, spanOf(t), "a comprehension is written sum(EXPRESSION for NAME "+
			"in FAMILY or RANGE), or [EXPRESSION for NAME in RANGE]")
	}
	s := &ast.Sum{Body: args[0]}
	var err error
	if s.Var, err = c.ident(); err != nil {
		return nil, err
	}
	if err = c.expect("in"); err != nil {
		return nil, err
	}
	over, err := c.binary(ast.Ranged)
	if err != nil {
		return nil, err
	}
	switch over := over.(type) {
	case *ast.Binary:
		if s.Lo, s.Hi = over.X, over.Y; over.Op == ".." {
			return s, nil
		}
	case *ast.Name:
		s.Family = &ast.Ident{At: over.At, Name: over.Name}
		return s, nil
	}
	return nil, faultf(diag.Comprehension, over.Span(), "expected the name of a family, or a range LOW..HIGH")
}

// index parses the inside of X[…].
func (c *climber) index(start int, x ast.Expr) (ast.Expr, error) {
	n := &ast.Index{X: x}
	formula := c.formula
	c.formula = false // where `:` makes a slice
	defer func() { c.formula = formula }()
	err := c.bracketed("]", func() error {
		return c.list(func() error {
			s, err := c.subscript()
			n.Args = append(n.Args, s)
			return err
		})
	})
	n.At = c.at(start)
	return n, err
}

// subscript parses a value or a slice; both ends of a slice may be left out.
//
//	subscript = disjunction (":" disjunction?)? | ":" disjunction? .
func (c *climber) subscript() (s *ast.Subscript, err error) {
	start := c.offset()
	s = &ast.Subscript{}
	if !is(*c.Peek(), ":") {
		if s.Lo, err = c.binary(ast.Loosest); err != nil {
			return nil, err
		}
	}
	if s.Slice = c.accept(":"); s.Slice && beginsExpr(*c.Peek()) {
		if s.Hi, err = c.binary(ast.Loosest); err != nil {
			return nil, err
		}
	}
	s.At = c.at(start)
	return s, nil
}
