package parser

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
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
}

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

// Parse reads a distribution.
//
//	dist = ident "(" (arg ("," arg)*)? ")" .
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
			return a.Parse(lex)
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
func (a *arg) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{PeekingLexer: lex}
	start := c.offset()
	if named(lex) {
		name, _ := c.ident()
		lex.Next()
		a.Name = &name
	}
	if a.Value, err = c.whole(ast.Loosest); err == participle.NextMatch {
		err = &unexpected{token: *lex.Peek(), expected: "expr"}
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

// operator returns the next token and, if it is a binary operator, its precedence; else level 0.
func (c *climber) operator() (t lexer.Token, level int) {
	t = *c.Peek()
	if t.Type != symbolToken {
		return t, 0
	}
	level = ast.Precedence(t.Value)
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

// nameOrCall parses a name, and the arguments in parentheses behind it: expressions, or a comprehension. Only
// a density may have a `|`.
//
//	call = ident "(" (disjunction ("|" disjunction)? ("," disjunction)*)? ")" | total | grouped .
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
		call.Args, sum, err = c.arguments(&call.Name)
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
func (c *climber) arguments(name *ast.Ident) (args []ast.Expr, sum *ast.Sum, err error) {
	if is(*c.Peek(), ")") {
		return nil, nil, nil
	}
	for {
		x, err := c.binary(ast.Loosest)
		if err != nil {
			return nil, nil, err
		}
		if args = append(args, x); is(*c.Peek(), "for") {
			sum, err = c.comprehension(name.Name, args)
			return nil, sum, err
		}
		by := len(args) == 1 && beginsGroups(*c.Peek())
		if by {
			name.Name = ast.By(name.Name)
			c.Next()
		}
		if t := *c.Peek(); !by && !c.accept(",") && !(len(args) == 1 && givenOf(*name) && c.accept("|")) {
			return args, nil, nil
		} else if err := c.count(t); err != nil {
			return nil, nil, err
		}
	}
}

// byWord stands before groups in a call, where no name can follow.
const byWord = "by"

func beginsGroups(t lexer.Token) bool { return t.Type == identToken && t.Value == byWord }

// givenOf reports whether `|` may follow the first argument of a function: of densities only.
func givenOf(name ast.Ident) bool {
	_, _, _, ok := ast.Density(name.Name)
	return ok
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
