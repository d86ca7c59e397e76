package parser

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
	"golang.org/x/text/unicode/norm"

	"github.com/vflc/vflc/lang/source"
)

// The token types. The grammar does not see space, comments and lines of other languages.
const (
	identToken lexer.TokenType = lexer.EOF - 1 - iota
	keywordToken
	numberToken
	stringToken
	symbolToken
	invalidToken // text that is not a token: the lexer goes on after it, and the grammar never accepts it
	spaceToken
	commentToken
	refusedToken // a line of another language, which has been reported
)

// reserved lists the words that cannot be names.
var reserved = set("server client data param let const fn import transform factor generate contribution " +
	"return shared for in from missing init truncate censor noncentered weights")

// Reserved lists the words that cannot be names, sorted.
func Reserved() []string { return slices.Sorted(maps.Keys(reserved)) }

// longestReserved is the length of the longest of them.
const longestReserved = len("contribution")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// definition names the token types for the grammar's tags. It makes no lexer: participle is given tokens.
type definition struct{ lexer.Definition }

// Symbols implements lexer.Definition.
func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Ident": identToken, "Number": numberToken, "String": stringToken,
	}
}

// tokenize splits text into its tokens, without the blanks between them, and an EOF token. Their places have
// an offset and a line.
func tokenize(text string) []lexer.Token {
	tokens := make([]lexer.Token, 0, len(text)*3/8+2) // few texts have more
	each(text, func(t lexer.Token) { tokens = append(tokens, t) })
	return tokens
}

// each calls yield with the tokens of tokenize.
func each(text string, yield func(lexer.Token)) {
	pos := lexer.Position{Line: 1}
	before := "" // the last token that is not a comment
	for pos.Offset < len(text) {
		typ, n := scan(text[pos.Offset:], pos.Offset == 0)
		t := lexer.Token{Type: typ, Value: text[pos.Offset : pos.Offset+n], Pos: pos}
		pos.Offset += n
		switch typ {
		case identToken:
			if len(t.Value) <= longestReserved && reserved[t.Value] && !namesParty(before, t.Value) {
				t.Type = keywordToken
			}
		case spaceToken, commentToken, invalidToken:
			pos.Line += strings.Count(t.Value, "\n")
		}
		if typ == spaceToken {
			continue
		}
		if typ != commentToken {
			before = t.Value
		}
		yield(t)
	}
	yield(lexer.EOFToken(pos))
}

// Words returns the places of the tokens in text that the grammar reads: all but blanks, comments and
// semicolons.
func Words(text string) []source.Span {
	var out []source.Span
	each(text, func(t lexer.Token) {
		if !elided(t) && !is(t, ";") && !t.EOF() {
			out = append(out, spanOf(t))
		}
	})
	return out
}

// namesParty reports whether word, reserved elsewhere, names a party: `@ shared`, `send z to server`.
func namesParty(before, word string) bool {
	if word != "server" && word != "shared" {
		return false
	}
	return before == "@" || before == "to" || before == "from" || before == "for"
}

// scan returns the type and length of the first token of s, which is not empty.
func scan(s string, first bool) (lexer.TokenType, int) {
	switch c := s[0]; {
	case isSpace(c):
		return spaceToken, span(s, isSpace)
	case letter(s) > 0:
		return scanWord(s)
	case isDigit(c):
		return scanNumber(s)
	case c == '"':
		return scanString(s)
	case strings.HasPrefix(s, "//"):
		return commentToken, lineLength(s)
	case strings.HasPrefix(s, "/*"):
		return scanBlockComment(s)
	case first && strings.HasPrefix(s, "\ufeff"): // a byte order mark
		return spaceToken, len("\ufeff")
	case len(s) > 1 && twoByteSymbols[s[:2]]:
		return symbolToken, 2
	case c == '.' && len(s) > 1 && isDigit(s[1]):
		return scanNumber(s)
	case strings.IndexByte("+-*/^'!<>=~@:,;()[]{}|", c) >= 0:
		return symbolToken, 1
	}
	return invalidToken, invalidLength(s)
}

var twoByteSymbols = set("&& || == != <= >= .* ./ ..")

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) }

// span returns how many leading bytes of s satisfy in.
func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// letter returns the length of the letter of a name that s begins with, 0 where there is none. A letter has
// one form: of µ and μ, which look alike, it is the one that NFKC normalisation leaves as it is.
func letter(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == '_' || unicode.IsLetter(r) && norm.NFKC.IsNormalString(s[:n]) {
		return n
	}
	return 0
}

// nameLength returns the length of the letters and digits that s begins with.
func nameLength(s string) int {
	n := 0
	for n < len(s) {
		k := letter(s[n:])
		if k == 0 && !isDigit(s[n]) {
			break
		}
		n += max(k, 1)
	}
	return n
}

// scanWord reads a name, or names joined by points: what a module or a component holds. A name that continues
// with what is nearly a letter, as a mark or a digit outside ASCII, is one invalid token.
func scanWord(s string) (lexer.TokenType, int) {
	n := nameLength(s)
	for n+1 < len(s) && s[n] == '.' && letter(s[n+1:]) > 0 {
		n += 1 + nameLength(s[n+1:])
	}
	if n < len(s) && isForeignLetter(s[n:]) {
		return invalidToken, n + invalidLength(s[n:])
	}
	return identToken, n
}

// scanNumber reads 1, 1.5, .5, 1e-3 or 1_000. A malformed number (1., 2x, 1__0) is one invalid token.
func scanNumber(s string) (lexer.TokenType, int) {
	n := span(s, isWord)
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) && (n == 0 || wellFormed(s[:n])) {
		n += 1 + span(s[n+1:], isWord)
	}
	if c := s[n-1]; (c == 'e' || c == 'E') && n+1 < len(s) && (s[n] == '-' || s[n] == '+') &&
		isDigit(s[n+1]) {
		n += 1 + span(s[n+1:], isWord)
	}
	if openPoint(s[n:]) {
		return invalidToken, n + 1 + span(s[n+1:], isWord)
	}
	if !wellFormed(s[:n]) {
		return invalidToken, n
	}
	return numberToken, n
}

// openPoint reports whether s begins with a point that belongs to no operator: the point of `1.`.
func openPoint(s string) bool {
	return strings.HasPrefix(s, ".") && (len(s) == 1 || !twoByteSymbols[s[:2]])
}

// wellFormed reports whether s is digits, digits . digits or . digits, and then [e [sign] digits], with
// single underscores between digits.
func wellFormed(s string) bool {
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], strings.TrimLeft(s[i+1:], "+-")
		if !digits(exponent) {
			return false
		}
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	return (digits(whole) || point && whole == "") && (!point || digits(fraction))
}

func digits(s string) bool {
	for _, part := range strings.Split(s, "_") {
		if part == "" || span(part, isDigit) != len(part) {
			return false
		}
	}
	return true
}

// scanString reads a string up to its closing quote; without one on the line, the rest of the line is
// invalid.
func scanString(s string) (lexer.TokenType, int) {
	end := lineLength(s)
	for i := 1; i < end; i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return stringToken, i + 1
		}
	}
	return invalidToken, end
}

// lineLength returns the length of s up to its first line ending.
func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return len(strings.TrimSuffix(s[:n], "\r"))
	}
	return len(s)
}

func scanBlockComment(s string) (lexer.TokenType, int) {
	if n := strings.Index(s[2:], "*/"); n >= 0 {
		return commentToken, n + 4
	}
	return invalidToken, len(s)
}

// invalidLength returns the length of the invalid token that s begins with: one foreign word, a run of bytes
// that are not UTF-8 or of control characters, or one character.
func invalidLength(s string) int {
	class := classify(s)
	if class == otherCharacter {
		_, n := utf8.DecodeRuneInString(s)
		return n
	}
	n := 0
	for n < len(s) && (classify(s[n:]) == class || class == foreignLetter && isWord(s[n])) {
		_, size := utf8.DecodeRuneInString(s[n:])
		n += size
	}
	return n
}
