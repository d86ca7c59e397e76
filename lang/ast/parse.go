package ast

import (
	"strconv"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The nodes below read themselves: participle calls their Parse in the place of their tags. They are the most frequent ones, and reading one by its tags
// takes several times as long. An error is participle.NextMatch where no node of the kind begins, or Unexpected, or an error of an expression.

// The types of the tokens that the nodes tell apart.
const (
	IdentToken   = lexer.EOF - 1
	KeywordToken = lexer.EOF - 2
	SymbolToken  = lexer.EOF - 3 // the parser has other types, below it
)

// Expressions reads the expressions of the nodes below; the parser sets it.
var Expressions struct {
	Expr      func(*lexer.PeekingLexer) (Expr, error)
	Sized     func(*lexer.PeekingLexer) (Sized, error)
	Weighting func(*lexer.PeekingLexer) (Weighting, error)
}

// Unexpected is the error of a token that the grammar does not allow. Expected is the first term that the grammar expects there, in participle's notation.
type Unexpected struct {
	Token    lexer.Token
	Expected string
}

// Error names the token. Users see a diagnostic of the parser instead.
func (u *Unexpected) Error() string { return "unexpected " + u.Token.Value }

// Is reports whether t is the symbol or keyword value.
func Is(t *lexer.Token, value string) bool {
	return t.Value == value && (t.Type == SymbolToken || t.Type == KeywordToken)
}

// Accept reads the symbol or keyword if it is next.
func Accept(lex *lexer.PeekingLexer, value string) bool {
	if !Is(lex.Peek(), value) {
		return false
	}
	lex.Next()
	return true
}

// Expect reads the symbol or keyword, which must be next.
func Expect(lex *lexer.PeekingLexer, value string) error {
	if !Accept(lex, value) {
		return &Unexpected{Token: *lex.Peek(), Expected: strconv.Quote(value)}
	}
	return nil
}

// must makes the absence of a node an error.
func must(err error, lex *lexer.PeekingLexer, expected string) error {
	if err == participle.NextMatch {
		return &Unexpected{Token: *lex.Peek(), Expected: expected}
	}
	return err
}

// Parse reads a name.
func (i *Ident) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != IdentToken {
		return participle.NextMatch
	}
	i.Pos, i.Name = t.Pos, t.Value
	lex.Next()
	i.EndPos = lex.RawPeek().Pos
	return nil
}

// Parse reads ELEM[(LEVELS)][<bounds>][[dims]].
func (t *Type) Parse(lex *lexer.PeekingLexer) (err error) {
	t.Pos = lex.Peek().Pos
	if err = t.Elem.Parse(lex); err != nil {
		return err
	}
	if Accept(lex, "(") {
		if t.Levels, err = expression(lex); err != nil {
			return err
		}
		if err = Expect(lex, ")"); err != nil {
			return err
		}
	}
	if Accept(lex, "<") {
		if err = t.bounds(lex); err != nil {
			return err
		}
	}
	if Accept(lex, "[") {
		for more := true; more; more = Accept(lex, ",") {
			dim, err := expression(lex)
			if err != nil {
				return err
			}
			t.Dims = append(t.Dims, dim)
		}
		if err = Expect(lex, "]"); err != nil {
			return err
		}
	}
	t.EndPos = lex.RawPeek().Pos
	return nil
}

// bounds reads one bound, or two.
func (t *Type) bounds(lex *lexer.PeekingLexer) error {
	for more := true; more; more = len(t.Bounds) < 2 && Accept(lex, ",") {
		b := &Bound{}
		if err := b.Parse(lex); err != nil {
			return must(err, lex, "Bound")
		}
		t.Bounds = append(t.Bounds, b)
	}
	return Expect(lex, ">")
}

// Parse reads lower = EXPR or upper = EXPR.
func (b *Bound) Parse(lex *lexer.PeekingLexer) (err error) {
	b.Pos = lex.Peek().Pos
	if err = b.Which.Parse(lex); err != nil {
		return err
	}
	if err = Expect(lex, "="); err != nil {
		return err
	}
	if b.Value, err = Expressions.Sized(lex); err != nil {
		return must(err, lex, "Sized")
	}
	b.EndPos = lex.RawPeek().Pos
	return nil
}

// Parse reads NAME(args).
func (d *Dist) Parse(lex *lexer.PeekingLexer) (err error) {
	d.Pos = lex.Peek().Pos
	if err = d.Name.Parse(lex); err != nil {
		return err
	}
	if err = Expect(lex, "("); err != nil {
		return err
	}
	begin := lex.Cursor()
	for more := !Is(lex.Peek(), ")"); more; more = Accept(lex, ",") {
		a := &Arg{}
		if err = a.Parse(lex); err != nil && lex.Cursor() == begin { // arguments are optional
			break
		} else if err != nil {
			return err
		}
		d.Args = append(d.Args, a)
	}
	if err = Expect(lex, ")"); err != nil {
		return err
	}
	d.EndPos = lex.RawPeek().Pos
	return nil
}

// Parse reads [NAME =] EXPR.
func (a *Arg) Parse(lex *lexer.PeekingLexer) (err error) {
	a.Pos = lex.Peek().Pos
	if a.named(lex) {
		a.Name = &Ident{}
		if err = a.Name.Parse(lex); err != nil {
			return err
		}
		lex.Next()
	}
	if a.Value, err = expression(lex); err != nil {
		return err
	}
	a.EndPos = lex.RawPeek().Pos
	return nil
}

// named reports whether a name and `=` are next.
func (a *Arg) named(lex *lexer.PeekingLexer) bool {
	if lex.Peek().Type != IdentToken {
		return false
	}
	here := lex.MakeCheckpoint()
	lex.Next()
	named := Is(lex.Peek(), "=")
	lex.LoadCheckpoint(here)
	return named
}

// expression reads an expression, which must be next.
func expression(lex *lexer.PeekingLexer) (Expr, error) {
	x, err := Expressions.Expr(lex)
	return x, must(err, lex, "Expr")
}

// Parse reads let NAME [: TYPE] = EXPR [@ OWNER].
func (s *Let) Parse(lex *lexer.PeekingLexer) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = declared(lex, "let", &s.Name); err != nil {
		return err
	}
	if err = Expect(lex, "="); err != nil {
		return err
	}
	if s.Value, err = expression(lex); err != nil {
		return err
	}
	if s.Owner, err = owner(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// Parse reads param NAME [: TYPE] ~ DIST(args) [truncate(ARG, …)] [noncentered] [@ OWNER].
func (s *Param) Parse(lex *lexer.PeekingLexer) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = declared(lex, "param", &s.Name); err != nil {
		return err
	}
	if s.Dist, err = distribution(lex); err != nil {
		return err
	}
	if s.Truncate, err = clause(lex, "truncate"); err != nil {
		return err
	}
	s.Noncentered = Accept(lex, "noncentered")
	if s.Owner, err = owner(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// Parse reads EXPR ~ DIST(args) [truncate(ARG, …)] [censor(ARG, …)] [weights EXPR] [^ (EXPR)].
func (s *Likelihood) Parse(lex *lexer.PeekingLexer) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Left, err = Expressions.Expr(lex); err != nil {
		return err
	}
	if s.Dist, err = distribution(lex); err != nil {
		return err
	}
	if s.Truncate, err = clause(lex, "truncate"); err != nil {
		return err
	}
	if s.Censor, err = clause(lex, "censor"); err != nil {
		return err
	}
	if Accept(lex, "weights") {
		if s.Weights, err = Expressions.Weighting(lex); err != nil {
			return must(err, lex, "Weighting")
		}
	}
	if Accept(lex, "^") {
		if err = Expect(lex, "("); err != nil {
			return err
		}
		if s.Power, err = expression(lex); err != nil {
			return err
		}
		if err = Expect(lex, ")"); err != nil {
			return err
		}
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// declared reads KEYWORD NAME [: TYPE].
func declared(lex *lexer.PeekingLexer, keyword string, name *Ident) (*Type, error) {
	if !Accept(lex, keyword) {
		return nil, participle.NextMatch
	}
	if err := name.Parse(lex); err != nil {
		return nil, must(err, lex, "Ident")
	}
	if !Accept(lex, ":") {
		return nil, nil
	}
	t := &Type{}
	return t, must(t.Parse(lex), lex, "Type")
}

// distribution reads ~ DIST(args).
func distribution(lex *lexer.PeekingLexer) (*Dist, error) {
	if err := Expect(lex, "~"); err != nil {
		return nil, err
	}
	d := &Dist{}
	return d, must(d.Parse(lex), lex, "Dist")
}

// clause reads WORD(ARG, …), if it is next.
func clause(lex *lexer.PeekingLexer, word string) (args []*Arg, err error) {
	if !Accept(lex, word) {
		return nil, nil
	}
	if err = Expect(lex, "("); err != nil {
		return nil, err
	}
	for more := true; more; more = Accept(lex, ",") {
		a := &Arg{}
		if err = a.Parse(lex); err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	return args, Expect(lex, ")")
}

// owner reads @ OWNER, if it is next.
func owner(lex *lexer.PeekingLexer) (*Ident, error) {
	if !Accept(lex, "@") {
		return nil, nil
	}
	name := &Ident{}
	return name, must(name.Parse(lex), lex, "Ident")
}
