package parser

import (
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// Limits that no realistic program reaches. They bound the height of a tree, so that neither the parser nor a
// later pass can exhaust the stack.
const (
	maxNesting = 256    // brackets, prefix operators and exponents inside each other
	maxNodes   = 50_000 // of one expression
)

// climber parses one expression by precedence climbing over the levels of ast.Precedence. The productions in
// the comments below, together with these levels, are the grammar of expressions; a test prints them into
// docs/language.md, and parses sentences of them.
type climber struct {
	*lexer.PeekingLexer
	nesting, nodes int
	weighting      bool // `^ (` outside brackets ends the expression
	formula        bool // the operators are those of a formula
}

// offset is where the next token begins.
func (c *climber) offset() int { return c.Peek().Pos.Offset }

// at returns the place from start to the end of the last token read.
func (c *climber) at(start int) ast.At {
	last := c.Range(c.RawCursor()-1, c.RawCursor())
	return ast.At{Start: start, End: spanOf(last[0]).End}
}

// count refuses an expression that has grown too large.
func (c *climber) count(t lexer.Token) error {
	if c.nodes++; c.nodes > maxNodes {
		return faultf(diag.TooLarge, spanOf(t), "this expression has more than %d parts", maxNodes)
	}
	return nil
}

// nested runs parse one level deeper.
func (c *climber) nested(parse func() error) error {
	t := *c.Peek()
	if c.nesting++; c.nesting > maxNesting {
		return faultf(diag.TooLarge, spanOf(t), "this expression is nested more than %d levels deep",
			maxNesting).note("Name its parts with `let`.")
	}
	err := parse()
	c.nesting--
	return err
}

// bracketed runs parse one level deeper and reads the closing bracket; `^ (` has its usual meaning inside.
func (c *climber) bracketed(closer string, parse func() error) error {
	weighting := c.weighting
	c.weighting = false
	defer func() { c.weighting = weighting }()
	if err := c.nested(parse); err != nil {
		return err
	}
	return c.expect(closer)
}

// accept reads the symbol or keyword if it is next.
func (c *climber) accept(value string) bool {
	if !is(*c.Peek(), value) {
		return false
	}
	c.Next()
	return true
}

// expect reads the symbol or keyword, which must be next.
func (c *climber) expect(value string) error {
	if !c.accept(value) {
		return &unexpected{token: *c.Peek(), expected: strconv.Quote(value)}
	}
	return nil
}

// list parses parts with commas between them.
func (c *climber) list(part func() error) error {
	for {
		if err := part(); err != nil {
			return err
		}
		t := *c.Peek()
		if !c.accept(",") {
			return nil
		}
		if err := c.count(t); err != nil {
			return err
		}
	}
}

// ident reads a name, which must be next.
func (c *climber) ident() (ast.Ident, error) {
	var i ident
	if i.Parse(c.PeekingLexer) != nil {
		return ast.Ident{}, &unexpected{token: *c.Peek(), expected: "ident"}
	}
	return ast.Ident(i), nil
}

// is reports whether t is the symbol or keyword value.
func is(t lexer.Token, value string) bool {
	return t.Value == value && (t.Type == symbolToken || t.Type == keywordToken)
}
