package parser

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// whole parses an expression, if one begins here.
func (c *climber) whole(level int) (ast.Expr, error) {
	if !beginsExpr(*c.Peek()) {
		return nil, participle.NextMatch
	}
	if level == ast.Loosest && !c.weighting {
		if e, ok, err := c.recursion(); ok {
			return e, err
		}
	}
	return c.binary(level)
}

func beginsExpr(t lexer.Token) bool {
	return t.Type == identToken || t.Type == numberToken || t.Type == symbolToken &&
		strings.Contains("(-+![", t.Value) || t.Type == stringToken
}

// operator returns the next token and, if it is a binary operator, its precedence; else level 0.
func (c *climber) operator() (t lexer.Token, level int) {
	t = *c.Peek()
	if t.Type != symbolToken {
		return t, 0
	}
	if level = ast.Precedence(t.Value); c.formula {
		level = ast.InFormula(t.Value)
	}
	if level == ast.Power && c.weighting && c.opensAfter() {
		return t, 0
	}
	return t, level
}

// opensAfter reports whether the token after the next one is an opening parenthesis.
func (c *climber) opensAfter() bool {
	here := c.MakeCheckpoint()
	defer c.LoadCheckpoint(here)
	c.Next()
	return is(*c.Peek(), "(")
}

// binary parses operands joined by operators of at least the given level, left to right. Comparisons and
// ranges do not chain; `^` belongs to power.
func (c *climber) binary(level int) (ast.Expr, error) {
	start := c.offset()
	x, err := c.prefix()
	if err != nil {
		return nil, err
	}
	for {
		op, at := c.operator()
		if at < level || at == 0 || at >= ast.Power {
			return x, nil
		}
		from := c.RawCursor()
		c.Next()
		y, err := c.binary(at + 1)
		if err != nil {
			return nil, err
		}
		if x, err = c.joined(start, op, x, y); err != nil {
			return nil, err
		}
		if next, again := c.operator(); ast.Single(at) && again == at {
			return nil, c.chained(at, op, next, c.text(from, op))
		}
	}
}

func (c *climber) joined(start int, op lexer.Token, x, y ast.Expr) (ast.Expr, error) {
	return &ast.Binary{At: c.at(start), Op: op.Value, OpAt: spanOf(op), X: x, Y: y}, c.count(op)
}

// text returns the source read since op, which was next at the cursor from.
func (c *climber) text(from lexer.RawCursor, op lexer.Token) string {
	var b strings.Builder
	end := op.Pos.Offset + len(op.Value)
	for _, t := range c.Range(from+1, c.RawCursor()) {
		if end < t.Pos.Offset && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Value)
		end = t.Pos.Offset + len(t.Value)
	}
	return b.String()
}

// chained refuses a < b < c and 1..2..9.
func (c *climber) chained(level int, first, second lexer.Token, middle string) error {
	if level == ast.Ranged {
		return faultf(diag.BadRange, spanOf(second), "a range has two ends, and steps of 1").
			note("every second number is [2 * k for k in 1..K]")
	}
	f := faultf(diag.ChainedComparison, spanOf(second),
		"comparisons do not chain: %s and %s need an operator between them", quote(first.Value),
		quote(second.Value))
	f.d.Fix(before(second), "&& "+middle+" ", "compare twice")
	return f
}

// prefix parses prefix operators and their operand. They bind looser than `^`: -a^2 is -(a^2).
//
//	prefix = power | ("-" | "+" | "!") prefix .
func (c *climber) prefix() (ast.Expr, error) {
	op := *c.Peek()
	if op.Type != symbolToken || op.Value != "-" && op.Value != "+" && op.Value != "!" {
		return c.power()
	}
	u := &ast.Unary{Op: op.Value}
	c.Next()
	err := c.nested(func() (err error) {
		u.X, err = c.prefix()
		return err
	})
	if err != nil {
		return nil, err
	}
	u.At = c.at(op.Pos.Offset)
	return u, c.count(op)
}

// power parses X ^ Y, which groups to the right and lets the exponent have a sign.
//
//	power = postfix ("^" prefix)? .
func (c *climber) power() (ast.Expr, error) {
	start := c.offset()
	x, err := c.postfix()
	if err != nil {
		return nil, err
	}
	op, level := c.operator()
	if level != ast.Power {
		return x, nil
	}
	c.Next()
	var y ast.Expr
	err = c.nested(func() (err error) {
		y, err = c.prefix()
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.joined(start, op, x, y)
}

// postfix parses a primary expression and the indices and transposes after it.
//
//	postfix = primary ("'" | "[" subscript ("," subscript)* "]")* .
func (c *climber) postfix() (ast.Expr, error) {
	start := c.offset()
	x, err := c.primary()
	for err == nil {
		t := *c.Peek()
		switch {
		case c.accept("'"):
			x = &ast.Transpose{At: c.at(start), X: x}
		case c.accept("["):
			x, err = c.index(start, x)
		case is(t, "("):
			return nil, faultf(diag.NotCallable, spanOf(t),
				"only a name can be called").note("A product needs its %s.", quote("*"))
		default:
			return x, nil
		}
		if err == nil {
			err = c.count(t)
		}
	}
	return nil, err
}

// primary parses what operators join.
//
//	primary = <number> | <string> | call | ident | "(" expr ")" | "[" disjunction (elements | ("," disjunction)*) "]" .
func (c *climber) primary() (ast.Expr, error) {
	t := *c.Peek()
	switch {
	case t.Type == numberToken:
		c.Next()
		n := number(t.Value)
		n.At = c.at(t.Pos.Offset)
		return &n, nil
	case t.Type == stringToken:
		c.Next()
		return &ast.Text{At: c.at(t.Pos.Offset), Text: unquote(t.Value)}, nil
	case t.Type == identToken:
		return c.nameOrCall()
	case c.accept("("):
		return c.paren(t.Pos.Offset)
	case c.accept("["):
		return c.array(t)
	}
	return nil, &unexpected{token: t, expected: "expr"}
}

// number returns the literal of text. A value out of range is infinite, and the lexical check reports it.
func number(text string) ast.Number {
	value, _ := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return ast.Number{Text: text, Value: value, Int: whole(text)}
}

// whole reports whether a number is written without point or exponent.
func whole(text string) bool { return !strings.ContainsAny(text, ".eE") }

func (c *climber) paren(start int) (ast.Expr, error) {
	p := &ast.Paren{}
	err := c.bracketed(")", func() (err error) {
		if e, ok, err := c.recursion(); ok {
			p.X = e
			return err
		}
		p.X, err = c.binary(ast.Loosest)
		return err
	})
	p.At = c.at(start)
	return p, err
}

// array parses the inside of an array, whose bracket is read: elements one by one, or a comprehension.
//
//	elements = "for" ident "in" sum ".." sum .
func (c *climber) array(open lexer.Token) (ast.Expr, error) {
	a, s := &ast.Array{}, (*ast.Sum)(nil)
	err := c.bracketed("]", func() error {
		return c.list(func() error {
			x, err := c.binary(ast.Loosest)
			if a.Elems = append(a.Elems, x); err == nil && is(*c.Peek(), "for") {
				s, err = c.comprehension("", a.Elems)
			}
			return err
		})
	})
	if s != nil {
		s.At, s.Each = c.at(open.Pos.Offset), true
		return s, err
	}
	a.At = c.at(open.Pos.Offset)
	return a, err
}
