package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
	"golang.org/x/text/unicode/norm"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// maxDiagnostics is the number of diagnostics after which a parse stops. It bounds the work that a malicious
// file can cause.
const maxDiagnostics = 100

// lexical reports errors within single tokens.
func (p *parser) lexical() {
	for _, t := range p.tokens {
		if len(p.diags) >= maxDiagnostics {
			return
		}
		switch t.Type {
		case invalidToken:
			p.invalid(t)
		case numberToken:
			p.checkRange(t)
		case stringToken:
			p.checkEscapes(t)
			p.checkText(t)
		case commentToken:
			p.checkText(t)
		}
	}
}

// invalid explains an invalid token.
func (p *parser) invalid(t lexer.Token) {
	switch {
	case t.Value[0] == '"':
		end := after(t)
		if i := strings.IndexAny(t.Value, ",)]"); i > 0 { // a column's name hardly has one
			end = source.Span{Start: t.Pos.Offset + i, End: t.Pos.Offset + i}
		}
		p.errorf(diag.OpenString, spanOf(t), "this string has no closing quote on its line").Fix(end, `"`,
			"close it")
	case strings.HasPrefix(t.Value, "/*"):
		opener := source.Span{Start: t.Pos.Offset, End: t.Pos.Offset + 2}
		p.errorf(diag.OpenComment, opener, "this comment has no closing */").Note("write */ where it ends")
	case isDigit(t.Value[0]), len(t.Value) > 1 && t.Value[0] == '.' && isDigit(t.Value[1]):
		p.badNumber(t)
	default:
		p.badCharacter(t)
	}
}

// badNumber explains malformed numbers such as 1., 2x and 1__000.
func (p *parser) badNumber(t lexer.Token) {
	d := p.errorf(diag.BadNumber, spanOf(t), "%s is not a number", quote(t.Value))
	n := span(t.Value, isDigit)
	head, rest := t.Value[:n], t.Value[n:]
	switch {
	case strings.HasPrefix(rest, ".") && wellFormed(head+".0"+rest[1:]):
		d.Message += ": digits follow the point"
		d.Fix(spanOf(t), head+".0"+rest[1:], "write the digit after the point")
	case wellFormed(strings.Trim(squeeze(t.Value), "_")):
		d.Message += ": an underscore stands alone between two digits"
		d.Fix(spanOf(t), strings.Trim(squeeze(t.Value), "_"), "write it with single underscores")
	case head != "0" && head != "" && rest != "" && isLetter(rest[0]) && span(rest, isWord) == len(rest) &&
		!strings.EqualFold(rest, "e"):
		d.Message += fmt.Sprintf(", and a name cannot begin with a digit; a product needs its %s", quote("*"))
		d.Fix(spanOf(t), head+" * "+rest, "write the product")
	}
}

// squeeze replaces each run of underscores by one.
func squeeze(s string) string {
	for strings.Contains(s, "__") {
		s = strings.ReplaceAll(s, "__", "_")
	}
	return s
}

// badCharacter explains a character that vfl does not use.
func (p *parser) badCharacter(t lexer.Token) {
	if p.forbidden(t, 0) {
		return
	}
	if strings.IndexFunc(t.Value, func(r rune) bool {
		return r >= utf8.RuneSelf && isForeignLetter(string(r))
	}) >= 0 {
		p.badName(t)
		return
	}
	d := p.errorf(diag.BadCharacter, spanOf(t), "the character %s has no meaning here", quote(t.Value))
	if text, ok := meant[t.Value]; ok {
		d.Fix(spanOf(t), text, "write it as the language does")
	}
	if r, _ := utf8.DecodeRuneInString(t.Value); unicode.IsNumber(r) {
		d.Note("the digits of a name are 0-9, as in x_1, and a power is written x^2")
	}
}

// badName refuses a name with what is nearly a letter, once for each name, and gives the usual letters.
func (p *parser) badName(t lexer.Token) {
	for _, u := range p.tokens {
		if u.Pos.Offset >= t.Pos.Offset {
			break
		}
		if u.Type == invalidToken && u.Value == t.Value {
			return
		}
	}
	d := p.errorf(diag.BadCharacter, spanOf(t),
		"%s is not a name: names use letters, the digits 0-9 and _", quote(t.Value))
	if spelt := norm.NFKC.String(t.Value); nameLength(spelt) == len(spelt) {
		d.Note("write %s wherever it stands, in the usual letters", spelt)
	}
}

// checkText refuses control characters and invalid UTF-8 in a string or comment.
func (p *parser) checkText(t lexer.Token) {
	for i := 0; i < len(t.Value); {
		if p.forbidden(t, i) {
			return
		}
		r, n := utf8.DecodeRuneInString(t.Value[i:])
		// a terminal would write over the line
		if i += n; r == '\r' && !strings.HasPrefix(t.Value[i:], "\n") {
			at := source.Span{Start: t.Pos.Offset + i - 1, End: t.Pos.Offset + i}
			p.errorf(diag.ControlCharacter, at, "a carriage return stands only at the end of a line").Fix(at,
				"", "delete it")
			return
		}
	}
}

// forbidden reports whether the character at byte i of t is not allowed anywhere in a file, and if so adds a
// diagnostic.
func (p *parser) forbidden(t lexer.Token, i int) bool {
	r, n := utf8.DecodeRuneInString(t.Value[i:])
	at := source.Span{Start: t.Pos.Offset + i, End: t.Pos.Offset + i + n}
	whole := at
	for strings.HasPrefix(t.Value[whole.End-t.Pos.Offset:], t.Value[i:i+n]) { // it often stands in a row
		whole.End += n
	}
	switch classify(t.Value[i:]) {
	case notUTF8:
		p.errorf(diag.NotUTF8, at, "the byte 0x%02X is not part of UTF-8 text",
			t.Value[i]).Note("Save the file in the encoding UTF-8.")
	case controlCharacter:
		p.errorf(diag.ControlCharacter, at, "the control character U+%04X may not stand in a program",
			r).Fix(whole, "", "delete it")
	default:
		return false
	}
	return true
}

// maxWhole is 2^53: a float64 represents every whole number up to it.
const maxWhole = 1 << 53

// checkRange refuses numbers that are too large for a float64.
func (p *parser) checkRange(t lexer.Token) {
	digits := strings.ReplaceAll(t.Value, "_", "")
	var err error
	if whole(t.Value) {
		var whole uint64
		if whole, err = strconv.ParseUint(digits, 10, 64); err == nil && whole > maxWhole {
			err = strconv.ErrRange
		}
	} else {
		_, err = strconv.ParseFloat(digits, 64)
	}
	if err != nil {
		p.errorf(diag.BadNumber, spanOf(t), "%s is too large: whole numbers go to 2^53, others to 1.79e308",
			quote(t.Value))
	}
}

// checkEscapes refuses a backslash that is not followed by a quote or a backslash.
func (p *parser) checkEscapes(t lexer.Token) {
	for i := 1; i < len(t.Value)-1; i++ {
		if t.Value[i] != '\\' {
			continue
		}
		if next := t.Value[i+1]; next != '"' && next != '\\' {
			at := source.Span{Start: t.Pos.Offset + i, End: t.Pos.Offset + i + 1}
			p.errorf(diag.BadEscape, at, `a backslash in a string stands before " or \ only`).Fix(at, `\\`,
				"write the backslash itself")
		}
		i++
	}
}
