package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// These words begin a recursion and a differential equation where a name follows.
const (
	recurWord = "recur"
	odeWord   = ast.OdeWord
)

// recursion parses a recursion or a differential equation, if one begins here: alone, or in parentheses,
// since its parts are separated by commas.
//
//	recursion = "recur" entry ("," entry)* "for" ident "in" sum ".." sum | solution .
func (c *climber) recursion() (ast.Expr, bool, error) {
	start := *c.Peek()
	if start.Type != identToken || start.Value != recurWord && start.Value != odeWord {
		return nil, false, nil
	}
	here := c.MakeCheckpoint()
	if c.Next(); c.Peek().Type != identToken {
		c.LoadCheckpoint(here)
		return nil, false, nil
	}
	out := &ast.Recur{}
	if start.Value == odeWord {
		out.Ode = &ast.Ode{}
	}
	err := c.nested(func() error { return c.entries(out, start) })
	out.At = c.at(start.Pos.Offset)
	return out, true, err
}

// entries parses what follows the word recur.
func (c *climber) entries(out *ast.Recur, start lexer.Token) (err error) {
	for {
		e, derivative, err := c.entry()
		if err != nil {
			return err
		}
		if err := c.count(start); err != nil {
			return err
		}
		if last := !c.accept(","); derivative != (last && out.Ode != nil) {
			return c.misplacedDerivative(e, out)
		} else if last {
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
	if out.Ode != nil {
		err = c.solved(out.Ode)
	} else if out.Lo, err = c.binary(ast.Additive); err == nil {
		if err = c.expect(".."); err == nil {
			out.Hi, err = c.binary(ast.Additive)
		}
	}
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

// solved parses what follows `for t in` in a differential equation.
//
//	solution = "ode" entry ("," entry)* "," derivative "for" ident "in" sum ("by" ident "in" sum)? ("with" "(" named ("," named)* ")")? .
func (c *climber) solved(out *ast.Ode) (err error) {
	if out.Times, err = c.binary(ast.Additive); err != nil {
		return err
	}
	if c.word(byWord) {
		member, err := c.ident()
		if err != nil {
			return err
		}
		out.Member = &member
		if err = c.expect("in"); err != nil {
			return err
		}
		if out.By, err = c.binary(ast.Additive); err != nil {
			return err
		}
	}
	if !c.word("with") {
		return nil
	}
	if err = c.expect("("); err != nil {
		return err
	}
	return c.bracketed(")", func() error {
		return c.list(func() error {
			a, err := c.named()
			out.Settings = append(out.Settings, a)
			return err
		})
	})
}

// word reads a word, if it stands here.
func (c *climber) word(word string) bool {
	if t := *c.Peek(); t.Type != identToken || t.Value != word {
		return false
	}
	c.Next()
	return true
}

// named parses an argument with its name.
//
//	named = ident "=" disjunction .
func (c *climber) named() (a *ast.Arg, err error) {
	start := c.offset()
	name, err := c.ident()
	if err != nil {
		return nil, err
	}
	a = &ast.Arg{Name: &name}
	if err = c.expect("="); err != nil {
		return nil, err
	}
	a.Value, err = c.binary(ast.Loosest)
	a.At = c.at(start)
	return a, err
}

// misplacedDerivative refuses z'[t] other than as the last entry of a differential equation, which needs it.
func (c *climber) misplacedDerivative(e *ast.Entry, out *ast.Recur) error {
	name := e.Name.Name
	if out.Ode == nil {
		return faultf(diag.OdeForm, e.Span(), "%[1]s'[…] is the derivative of a differential equation, and this is "+
			"a recursion", name).note("a differential equation begins with `ode`")
	}
	return faultf(diag.OdeForm, e.Span(), "a differential equation gives the state at one time, and last its derivative").
		note("write ode %[1]s[0] = …, %[1]s'[t] = … for t in times", name)
}

// entry parses the definition of an entry, or of its derivative.
//
//	entry = ident "[" disjunction "]" "=" disjunction .
//	derivative = ident "'" "[" disjunction "]" "=" disjunction .
func (c *climber) entry() (e *ast.Entry, derivative bool, err error) {
	start := c.offset()
	e = &ast.Entry{}
	if e.Name, err = c.ident(); err != nil {
		return nil, false, err
	}
	derivative = c.accept("'")
	if err = c.expect("["); err != nil {
		return nil, false, err
	}
	err = c.bracketed("]", func() (err error) { e.Index, err = c.binary(ast.Loosest); return err })
	if err != nil {
		return nil, false, err
	}
	if err = c.expect("="); err != nil {
		return nil, false, err
	}
	if e.Value, err = c.binary(ast.Loosest); err != nil {
		return nil, false, err
	}
	e.At = c.at(start)
	return e, derivative, nil
}
