package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// recurWord begins a recursion where a name follows.
const recurWord = "recur"

// recursion parses a recursion, if one begins here: alone, or in parentheses, since its parts are separated
// by commas.
//
//	recursion = "recur" entry ("," entry)* "for" ident "in" sum ".." sum .
func (c *climber) recursion() (ast.Expr, bool, error) {
	start := *c.Peek()
	if start.Type != identToken || start.Value != recurWord {
		return nil, false, nil
	}
	here := c.MakeCheckpoint()
	if c.Next(); c.Peek().Type != identToken {
		c.LoadCheckpoint(here)
		return nil, false, nil
	}
	out := &ast.Recur{}
	err := c.nested(func() error { return c.entries(out, start) })
	out.At = c.at(start.Pos.Offset)
	return out, true, err
}

// entries parses what follows the word recur.
func (c *climber) entries(out *ast.Recur, start lexer.Token) (err error) {
	for {
		e, err := c.entry()
		if err != nil {
			return err
		}
		if err := c.count(start); err != nil {
			return err
		}
		if !c.accept(",") {
			out.Step = e
			break
		}
		out.Init = append(out.Init, e)
	}
	if err = c.expect("for"); err != nil {
		return err
	}
	if out.Var, err = c.ident(); err != nil {
		return err
	}
	if err = c.expect("in"); err != nil {
		return err
	}
	if out.Lo, err = c.binary(ast.Additive); err != nil {
		return err
	}
	if err = c.expect(".."); err != nil {
		return err
	}
	out.Hi, err = c.binary(ast.Additive)
	initial := out.Init
	out.Init = nil
	for _, e := range initial {
		if n, ok := e.Index.(*ast.Name); ok && n.Name == out.Var.Name {
			out.Parts = append(out.Parts, e)
		} else {
			out.Init = append(out.Init, e)
		}
	}
	return err
}

// entry parses the definition of an entry.
//
//	entry = ident "[" disjunction "]" "=" disjunction .
func (c *climber) entry() (e *ast.Entry, err error) {
	start := c.offset()
	e = &ast.Entry{}
	if e.Name, err = c.ident(); err != nil {
		return nil, err
	}
	if err = c.expect("["); err != nil {
		return nil, err
	}
	err = c.bracketed("]", func() (err error) { e.Index, err = c.binary(ast.Loosest); return err })
	if err != nil {
		return nil, err
	}
	if err = c.expect("="); err != nil {
		return nil, err
	}
	if e.Value, err = c.binary(ast.Loosest); err != nil {
		return nil, err
	}
	e.At = c.at(start)
	return e, nil
}
