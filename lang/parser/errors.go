package parser

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// fault is an error that holds a diagnostic, without its file.
type fault struct{ d *diag.Diagnostic }

// Error returns the message.
func (f *fault) Error() string { return f.d.Message }

func (f *fault) note(format string, args ...any) *fault {
	f.d.Note(format, args...)
	return f
}

func faultf(code diag.Code, at source.Span, format string, args ...any) *fault {
	return &fault{&diag.Diagnostic{Code: code, Span: at, Message: fmt.Sprintf(format, args...)}}
}

// unexpected is the error of a token that the grammar does not allow. expected is the first term that the
// grammar expects there, in participle's notation.
type unexpected struct {
	token    lexer.Token
	expected string
}

// Error names the token. Users see the diagnostic that explain returns instead.
func (u *unexpected) Error() string { return "unexpected " + u.token.Value }

func (p *parser) errorf(code diag.Code, at source.Span, format string, args ...any) *diag.Diagnostic {
	return p.diags.Errorf(code, p.file, at, format, args...)
}

// report adds the diagnostic of err and returns the index of the word after which the search for the next
// statement begins.
func (p *parser) report(err error) int {
	f, ok := err.(*fault)
	at := p.start
	if !ok {
		u := p.asUnexpected(err)
		at = p.indexOf(u.token)
		if u.token.Type == invalidToken { // reported by the lexical check
			return at
		}
		f = p.explain(u, at)
	}
	f.d.File = p.file
	p.diags = append(p.diags, f.d)
	if f.d.Code == diag.KeywordAsName || p.inPlaceOfType(at) {
		at++
	}
	return at
}

// inPlaceOfType reports whether the keyword at word i, which was refused in the middle of a line, is followed
// by what follows a type and not by what follows a keyword.
func (p *parser) inPlaceOfType(i int) bool {
	return i > p.start && p.words[i].Type == keywordToken && !p.firstOnLine(i) &&
		(is(p.words[i+1], "[") || is(p.words[i+1], "("))
}

// asUnexpected translates participle's errors.
func (p *parser) asUnexpected(err error) *unexpected {
	switch e := err.(type) {
	case *unexpected:
		return e
	case *participle.UnexpectedTokenError:
		_, expected, _ := strings.Cut(e.Message(), " (expected ")
		return &unexpected{token: e.Unexpected, expected: head(expected)}
	case participle.Error: // a list longer than participle's limit
		return &unexpected{token: p.words[p.wordAt(e.Position().Offset)]}
	}
	return &unexpected{token: p.words[p.start]}
}

// head returns the first term of a production in participle's EBNF.
func head(production string) string {
	term, _, _ := strings.Cut(strings.TrimSuffix(production, ")"), " ")
	term = strings.TrimLeft(term, "(") // a literal bracket is in quotes
	return strings.Trim(term, "?*+")
}

func (p *parser) indexOf(t lexer.Token) int { return p.wordAt(t.Pos.Offset) }

// wordAt returns the index of the first word at or after an offset.
func (p *parser) wordAt(offset int) int {
	i := sort.Search(len(p.words), func(i int) bool { return p.words[i].Pos.Offset >= offset })
	return min(i, len(p.words)-1)
}

func spanOf(t lexer.Token) source.Span {
	return source.Span{Start: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
}

// before and after return the empty spans at the two ends of a token, for insertions.
func before(t lexer.Token) source.Span {
	return source.Span{Start: t.Pos.Offset, End: t.Pos.Offset}
}

func after(t lexer.Token) source.Span {
	end := t.Pos.Offset + len(t.Value)
	return source.Span{Start: end, End: end}
}

// maxQuoted is the largest number of runes of a token that a message repeats.
const maxQuoted = 40

// quote formats text of the source for a message.
func quote(text string) string {
	if r := []rune(text); len(r) > maxQuoted {
		text = string(r[:maxQuoted]) + "…"
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsGraphic(r) || r == unicode.ReplacementChar
	}) {
		return strconv.QuoteToGraphic(text)
	}
	return "`" + text + "`"
}

// EndOfFile is what messages call the end of a text that is a file.
const EndOfFile = "the end of the file"

// found describes an unexpected token.
func found(t lexer.Token) string {
	switch t.Type {
	case lexer.EOF:
		return EndOfFile
	case keywordToken:
		return "the keyword " + quote(t.Value)
	case numberToken:
		return "the number " + quote(t.Value)
	case stringToken:
		return "the string " + quote(t.Value)
	}
	return quote(t.Value)
}

const aColumn = "a column, an encoder or *"

// nonterminals describes the terms of the grammar to a user.
var nonterminals = map[string]string{
	"ident": "a name", "TypeSpec": "a type, such as real[N]", "BoundSpec": "lower = VALUE or upper = VALUE",
	"dist": "a distribution, such as normal(0, 1)",
	"expr": "an expression", "sized": "an expression", "weighting": "an expression",
	`"return"`: "`let`, `param` or `return`", `"{"`: "`=` with an expression, or a body in `{ … }`",
	"FnArg": "the name of an argument", "DistArg": "the name of a value or of an argument",
	"FamilySpec": "the name of a client", "Rho": "CLIENT: VALUE", "Term": "NAME = VALUE",
	"Category":   `a category, such as "A"`,
	"ColumnSpec": aColumn, "ColumnArg": aColumn, "Cell": aColumn,
	"<number>": aColumn, // what an argument of an encoder may be last
}

// wanted describes the head of a production to a user.
func wanted(expected string) string {
	if words, ok := nonterminals[expected]; ok {
		return words
	}
	if literal, err := strconv.Unquote(expected); err == nil {
		return quote(literal)
	}
	return "the end of the statement"
}
