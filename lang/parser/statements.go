package parser

import (
	"strconv"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// The statements with types, distributions and arguments are read here, and not by tags on the tree: they are the most frequent ones, and reading one by its tags
// takes several times as long. An error is participle.NextMatch where no node of the kind begins, or unexpected, or a fault.

// unexpected is the error of a token that the grammar does not allow. expected is the first term that the grammar expects there, in participle's notation.
type unexpected struct {
	token    lexer.Token
	expected string
}

// Error names the token. Users see the diagnostic that explain returns instead.
func (u *unexpected) Error() string { return "unexpected " + u.token.Value }

// accept reads the symbol or keyword if it is next.
func accept(lex *lexer.PeekingLexer, value string) bool {
	if !is(*lex.Peek(), value) {
		return false
	}
	lex.Next()
	return true
}

// expect reads the symbol or keyword, which must be next.
func expect(lex *lexer.PeekingLexer, value string) error {
	if !accept(lex, value) {
		return &unexpected{token: *lex.Peek(), expected: strconv.Quote(value)}
	}
	return nil
}

// must makes the absence of a node an error.
func must(err error, lex *lexer.PeekingLexer, expected string) error {
	if err == participle.NextMatch {
		return &unexpected{token: *lex.Peek(), expected: expected}
	}
	return err
}

// parseType reads ELEM[(LEVELS)][<bounds>][[dims]].
func parseType(lex *lexer.PeekingLexer, t *ast.Type) (err error) {
	t.Pos = lex.Peek().Pos
	if err = t.Elem.Parse(lex); err != nil {
		return err
	}
	if accept(lex, "(") {
		if t.Levels, err = expression(lex); err != nil {
			return err
		}
		if err = expect(lex, ")"); err != nil {
			return err
		}
	}
	if accept(lex, "<") {
		if err = parseBounds(lex, t); err != nil {
			return err
		}
	}
	if accept(lex, "[") {
		for more := true; more; more = accept(lex, ",") {
			dim, err := expression(lex)
			if err != nil {
				return err
			}
			t.Dims = append(t.Dims, dim)
		}
		if err = expect(lex, "]"); err != nil {
			return err
		}
	}
	t.EndPos = lex.RawPeek().Pos
	return nil
}

// bounds reads one bound, or two.
func parseBounds(lex *lexer.PeekingLexer, t *ast.Type) error {
	for more := true; more; more = len(t.Bounds) < 2 && accept(lex, ",") {
		b := &ast.Bound{}
		if err := parseBound(lex, b); err != nil {
			return must(err, lex, "Bound")
		}
		t.Bounds = append(t.Bounds, b)
	}
	return expect(lex, ">")
}

// parseBound reads lower = EXPR or upper = EXPR.
func parseBound(lex *lexer.PeekingLexer, b *ast.Bound) (err error) {
	b.Pos = lex.Peek().Pos
	if err = b.Which.Parse(lex); err != nil {
		return err
	}
	if err = expect(lex, "="); err != nil {
		return err
	}
	if b.Value, err = parseSized(lex); err != nil {
		return must(err, lex, "Sized")
	}
	b.EndPos = lex.RawPeek().Pos
	return nil
}

// parseDist reads NAME(args).
func parseDist(lex *lexer.PeekingLexer, d *ast.Dist) (err error) {
	d.Pos = lex.Peek().Pos
	if err = d.Name.Parse(lex); err != nil {
		return err
	}
	if err = expect(lex, "("); err != nil {
		return err
	}
	begin := lex.Cursor()
	for more := !is(*lex.Peek(), ")"); more; more = accept(lex, ",") {
		a := &ast.Arg{}
		if err = parseArg(lex, a); err != nil && lex.Cursor() == begin { // arguments are optional
			break
		} else if err != nil {
			return err
		}
		d.Args = append(d.Args, a)
	}
	if err = expect(lex, ")"); err != nil {
		return err
	}
	d.EndPos = lex.RawPeek().Pos
	return nil
}

// parseArg reads [NAME =] EXPR.
func parseArg(lex *lexer.PeekingLexer, a *ast.Arg) (err error) {
	a.Pos = lex.Peek().Pos
	if named(lex) {
		a.Name = &ast.Ident{}
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
func named(lex *lexer.PeekingLexer) bool {
	if lex.Peek().Type != identToken {
		return false
	}
	here := lex.MakeCheckpoint()
	lex.Next()
	named := is(*lex.Peek(), "=")
	lex.LoadCheckpoint(here)
	return named
}

// expression reads an expression, which must be next.
func expression(lex *lexer.PeekingLexer) (ast.Expr, error) {
	x, err := parseExpr(lex)
	return x, must(err, lex, "Expr")
}

// parseLet reads let NAME [: TYPE] = EXPR [@ OWNER].
func parseLet(lex *lexer.PeekingLexer, s *ast.Let) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = declared(lex, "let", &s.Name); err != nil {
		return err
	}
	if err = expect(lex, "="); err != nil {
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

// parseParam reads param NAME [: TYPE] ~ DIST(args) [truncate(ARG, …)] [noncentered] [@ OWNER].
func parseParam(lex *lexer.PeekingLexer, s *ast.Param) (err error) {
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
	s.Noncentered = accept(lex, "noncentered")
	if s.Owner, err = owner(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// parseLikelihood reads EXPR ~ DIST(args) [truncate(ARG, …)] [censor(ARG, …)] [weights EXPR] [^ (EXPR)].
func parseLikelihood(lex *lexer.PeekingLexer, s *ast.Likelihood) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Left, err = parseExpr(lex); err != nil {
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
	if accept(lex, "weights") {
		if s.Weights, err = parseWeighting(lex); err != nil {
			return must(err, lex, "Weighting")
		}
	}
	if accept(lex, "^") {
		if err = expect(lex, "("); err != nil {
			return err
		}
		if s.Power, err = expression(lex); err != nil {
			return err
		}
		if err = expect(lex, ")"); err != nil {
			return err
		}
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// declared reads KEYWORD NAME [: TYPE].
func declared(lex *lexer.PeekingLexer, keyword string, name *ast.Ident) (*ast.Type, error) {
	if t := lex.Peek(); t.Value != keyword || t.Type != keywordToken && t.Type != identToken { // some are keywords where a name follows
		return nil, participle.NextMatch
	}
	lex.Next()
	if err := name.Parse(lex); err != nil {
		return nil, must(err, lex, "Ident")
	}
	if !accept(lex, ":") {
		return nil, nil
	}
	t := &ast.Type{}
	return t, must(parseType(lex, t), lex, "Type")
}

// distribution reads ~ DIST(args).
func distribution(lex *lexer.PeekingLexer) (*ast.Dist, error) {
	if err := expect(lex, "~"); err != nil {
		return nil, err
	}
	d := &ast.Dist{}
	return d, must(parseDist(lex, d), lex, "Dist")
}

// clause reads WORD(ARG, …), if it is next.
func clause(lex *lexer.PeekingLexer, word string) (args []*ast.Arg, err error) {
	if !accept(lex, word) {
		return nil, nil
	}
	if err = expect(lex, "("); err != nil {
		return nil, err
	}
	for more := true; more; more = accept(lex, ",") {
		a := &ast.Arg{}
		if err = parseArg(lex, a); err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	return args, expect(lex, ")")
}

// owner reads @ OWNER, if it is next.
func owner(lex *lexer.PeekingLexer) (*ast.Ident, error) { return behindWord(lex, "@") }

// behindWord reads WORD NAME, if it is next.
func behindWord(lex *lexer.PeekingLexer, word string) (*ast.Ident, error) {
	if !accept(lex, word) {
		return nil, nil
	}
	name := &ast.Ident{}
	return name, must(name.Parse(lex), lex, "Ident")
}

// typed reads KEYWORD NAME : TYPE.
func typed(lex *lexer.PeekingLexer, keyword string, name *ast.Ident) (*ast.Type, error) {
	t, err := declared(lex, keyword, name)
	if t == nil && err == nil {
		err = expect(lex, ":")
	}
	return t, err
}

// parseData reads data NAME : TYPE [@ OWNER] [from COLUMNS] [missing KIND [~ DIST(args)]].
func parseData(column func(*lexer.PeekingLexer) (*ast.Column, error)) func(*lexer.PeekingLexer, *ast.Data) error {
	return func(lex *lexer.PeekingLexer, s *ast.Data) (err error) {
		s.Pos = lex.Peek().Pos
		if s.Type, err = typed(lex, "data", &s.Name); err != nil {
			return err
		}
		if s.Owner, err = owner(lex); err != nil {
			return err
		}
		for more := accept(lex, "from"); more; more = accept(lex, ",") {
			c, err := column(lex)
			if err != nil {
				return err
			}
			s.From = append(s.From, c)
		}
		if s.Missing, err = behindWord(lex, "missing"); err != nil {
			return err
		}
		if s.Missing != nil && is(*lex.Peek(), "~") {
			if s.Impute, err = distribution(lex); err != nil {
				return err
			}
		}
		s.EndPos = lex.RawPeek().Pos
		return nil
	}
}

// parseWeight reads weight NAME [: TYPE] [init KIND] [@ OWNER].
func parseWeight(lex *lexer.PeekingLexer, s *ast.Weight) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = declared(lex, "weight", &s.Name); err != nil {
		return err
	}
	if s.Init, err = behindWord(lex, "init"); err != nil {
		return err
	}
	if s.Owner, err = owner(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// parseContribution reads contribution NAME : TYPE [@ OWNER].
func parseContribution(lex *lexer.PeekingLexer, s *ast.Contribution) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = typed(lex, "contribution", &s.Name); err != nil {
		return err
	}
	if s.Owner, err = owner(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// parseGenerate reads generate NAME [: TYPE] = EXPR [@ OWNER], or with ~ DIST(args) [truncate(ARG, …)] in the place of the value.
func parseGenerate(lex *lexer.PeekingLexer, s *ast.Generate) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = declared(lex, "generate", &s.Name); err != nil {
		return err
	}
	if is(*lex.Peek(), "~") {
		if s.Dist, err = distribution(lex); err != nil {
			return err
		}
		if s.Truncate, err = clause(lex, "truncate"); err != nil {
			return err
		}
	} else if err = expect(lex, "="); err != nil {
		return err
	} else if s.Value, err = expression(lex); err != nil {
		return err
	}
	if s.Owner, err = owner(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// parseAux reads aux NAME : TYPE ~ DIST(args).
func parseAux(lex *lexer.PeekingLexer, s *ast.Aux) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = typed(lex, "aux", &s.Name); err != nil {
		return err
	}
	if s.Dist, err = distribution(lex); err != nil {
		return err
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// parseReceive reads receive NAME : TYPE from PARTY.
func parseReceive(lex *lexer.PeekingLexer, s *ast.Receive) (err error) {
	s.Pos = lex.Peek().Pos
	if s.Type, err = typed(lex, "receive", &s.Name); err != nil {
		return err
	}
	if err = expect(lex, "from"); err != nil {
		return err
	}
	if err = s.From.Parse(lex); err != nil {
		return must(err, lex, "Ident")
	}
	s.EndPos = lex.RawPeek().Pos
	return nil
}

// parseInner reads a statement inside a function.
func parseInner(lex *lexer.PeekingLexer) (ast.Inner, error) {
	switch lex.Peek().Value {
	case "let":
		s := &ast.Let{}
		return s, parseLet(lex, s)
	case "param":
		s := &ast.Param{}
		return s, parseParam(lex, s)
	case "weight":
		s := &ast.Weight{}
		return s, parseWeight(lex, s)
	}
	return nil, participle.NextMatch
}
