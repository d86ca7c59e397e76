package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// The terms that the grammar of statements takes from here. Participle calls their Parse, which returns
// NextMatch where none begins.
type (
	ident     ast.Ident
	expr      struct{ ast.Expr }
	sized     struct{ ast.Expr } // without comparison at its top, so that `>` may close bounds
	weighting struct{ ast.Expr } // at whose top `^ (` belongs to the likelihood
	dist      ast.Dist
	arg       ast.Arg
)

// Parse reads a name.
//
//	ident = <ident> .
func (i *ident) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != identToken {
		return participle.NextMatch
	}
	i.At, i.Name = ast.At(spanOf(*t)), t.Value
	lex.Next()
	return nil
}

// Parse reads an expression.
//
//	expr = disjunction | recursion .
func (e *expr) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{PeekingLexer: lex}
	e.Expr, err = c.whole(ast.Loosest)
	return err
}

// Parse reads an expression in a bound.
//
//	sized = sum .
func (e *sized) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{PeekingLexer: lex}
	e.Expr, err = c.whole(ast.Additive)
	return err
}

// Parse reads an expression of weights.
//
//	weighting = disjunction .
func (e *weighting) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{PeekingLexer: lex, weighting: true}
	e.Expr, err = c.whole(ast.Loosest)
	return err
}

// Parse reads a distribution, or a family with a formula.
//
//	dist = glm | ident "(" (arg ("," arg)*)? ")" .
//	glm = "glm" "(" ident "," formula ("," ident "=" disjunction)* ("," "priors" "=" "[" prior ("," prior)* "]")? ")" .
//	formula = sign? crossed (sign crossed)* .
//	sign = "+" | "-" .
//	crossed = interaction (("*" | "/") interaction)* .
//	interaction = raised (":" raised)* .
//	raised = variable ("^" <number>)? .
//	variable = <number> | call | ident | "(" formula ("|" crossed | "||" crossed)? ")" .
//	prior = interaction "~" ident "(" disjunction ("," disjunction)* ")" .
func (d *dist) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{PeekingLexer: lex}
	start := c.offset()
	if err = (*ident)(&d.Name).Parse(lex); err != nil {
		return err
	}
	if err = c.expect("("); err != nil {
		return err
	}
	if beginsExpr(*c.Peek()) { // arguments are optional
		err = c.list(func() error {
			a := &arg{}
			d.Args = append(d.Args, (*ast.Arg)(a))
			return a.parse(climber{PeekingLexer: lex, formula: d.Name.Name == ast.GLM})
		})
	}
	if err == nil {
		err = c.expect(")")
	}
	d.At = c.at(start)
	return err
}

// Parse reads an argument of a distribution.
//
//	arg = (ident "=")? expr .
func (a *arg) Parse(lex *lexer.PeekingLexer) error { return a.parse(climber{PeekingLexer: lex}) }

func (a *arg) parse(c climber) (err error) {
	start := c.offset()
	if named(c.PeekingLexer) {
		name, _ := c.ident()
		c.Next()
		a.Name = &name
	}
	if a.Value, err = c.whole(ast.Loosest); err == participle.NextMatch {
		err = &unexpected{token: *c.Peek(), expected: "expr"}
	}
	a.At = c.at(start)
	return err
}

// named reports whether a name and `=` are next.
func named(lex *lexer.PeekingLexer) bool {
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	return lex.Next().Type == identToken && is(*lex.Peek(), "=")
}
