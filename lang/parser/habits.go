package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A line is the words of one statement as its layout shows it: to the end of the line, or further where
// brackets are open or an operator ends it.
type line struct {
	words    []lexer.Token
	depths   []int  // of open brackets before each word
	density  []bool // whether each word stands directly inside the brackets of a density function
	open     []bool // the brackets that are open at the end: whether each is that of a density function
	from, to int    // in the tokens of the file
}

// A habit is something that another language writes in a way of its own. found returns the first and the last
// word of it in a line.
type habit struct {
	found   func(l line) (first, last int, ok bool)
	message string // what it is, and what stands here for it
	note    string // an example
}

// habits looks for the mistakes of a file that does not parse. It reports each line with a habit of another
// language once, in the words of that language, and leaves it out: nothing else is said of it. A line within
// a statement that was read without an error has none.
func (p *parser) habits(read []ast.Stmt) {
	lines := slices.DeleteFunc(p.lines(), func(l line) bool {
		whole := l.span()
		return slices.ContainsFunc(read, func(s ast.Stmt) bool {
			return s.Span().Start <= whole.Start && whole.End <= s.Span().End
		})
	})
	for _, l := range lines {
		for _, h := range foreignPrograms {
			if first, last, ok := h.found(l); ok {
				p.habit(h, l, first, last)
				p.tokens = p.tokens[len(p.tokens)-1:]
				return
			}
		}
	}
	var kept []lexer.Token
	at := 0
	for _, l := range lines {
		for _, h := range foreignLines {
			first, last, ok := h.found(l)
			if !ok {
				continue
			}
			p.habit(h, l, first, last)
			whole := l.span()
			refused := p.tokens[l.from]
			refused.Type, refused.Value = refusedToken, p.file.Text[whole.Start:whole.End]
			kept, at = append(append(kept, p.tokens[at:l.from]...), refused), l.to
			break
		}
	}
	if at > 0 {
		p.tokens = append(kept, p.tokens[at:]...)
	}
}

func (p *parser) habit(h habit, l line, first, last int) {
	p.attempted = true
	p.errorf(diag.ForeignHabit, spanOf(l.words[first]).Join(spanOf(l.words[last])), "%s",
		h.message).Note("%s", h.note)
}

// lines divides the tokens.
func (p *parser) lines() []line {
	var out []line
	var l line
	depth := 0
	for i, t := range p.tokens {
		if t.EOF() || elided(t) {
			continue
		}
		if n := len(l.words); n > 0 {
			last := l.words[n-1]
			newLine := last.Pos.Line+strings.Count(last.Value, "\n") < t.Pos.Line
			if newLine && (depth <= 0 && !continues[last.Value] && !continues[t.Value] || p.keyword(t)) ||
				is(last, ";") && depth <= 0 {
				out, l, depth = append(out, l), line{}, 0
			}
		}
		if len(l.words) == 0 {
			l.from = i
		}
		l.words, l.depths, l.to = append(l.words, t), append(l.depths, depth), i+1
		l.density = append(l.density, len(l.open) > 0 && l.open[len(l.open)-1])
		if closerOf(t) != "" {
			depth++
			_, _, _, density := ast.Density(l.at(len(l.words) - 2))
			l.open = append(l.open, density && t.Value == "(")
		} else if isCloser(t) {
			depth--
			l.open = l.open[:max(0, len(l.open)-1)]
		}
	}
	if len(l.words) > 0 {
		out = append(out, l)
	}
	return out
}

// keyword reports whether a word begins statements and nothing else.
func (p *parser) keyword(t lexer.Token) bool {
	_, ok := p.grammar.find(t.Value)
	return ok && t.Type == keywordToken
}

// continues lists the words that do not end a line, or begin one.
var continues = set("|| && == != < <= > >= + - * / .* ./ ^ = ~ , { else")

func (l line) span() source.Span { return spanOf(l.words[0]).Join(spanOf(l.words[len(l.words)-1])) }

// at returns the text of word i, "" beyond the end.
func (l line) at(i int) string {
	if i < 0 || i >= len(l.words) {
		return ""
	}
	return l.words[i].Value
}

// touch reports whether no space stands between words i and i+1.
func (l line) touch(i int) bool {
	return i >= 0 && i+1 < len(l.words) &&
		l.words[i].Pos.Offset+len(l.words[i].Value) == l.words[i+1].Pos.Offset
}

func (l line) name(i int) bool {
	return i >= 0 && i < len(l.words) && (l.words[i].Type == identToken || l.words[i].Type == keywordToken)
}

// operand reports whether word i is a name or a number.
func (l line) operand(i int) bool {
	return i >= 0 && i < len(l.words) && (l.words[i].Type == identToken || l.words[i].Type == numberToken)
}

// inside returns the innermost bracket that is open before word i, "" for none.
func (l line) inside(i int) string {
	depth := 0
	for i--; i >= 0; i-- {
		switch {
		case isCloser(l.words[i]):
			depth++
		case closerOf(l.words[i]) != "" && depth == 0:
			return l.at(i)
		case closerOf(l.words[i]) != "":
			depth--
		}
	}
	return ""
}

// ofDensity reports whether word i stands directly inside the brackets of a density function.
func (l line) ofDensity(i int) bool { return l.density[i] }

// where returns the first word that a condition holds for, -1 for none.
func (l line) where(holds func(i int) bool) int {
	for i := range l.words {
		if holds(i) {
			return i
		}
	}
	return -1
}

// index returns the first word with a text, -1 for none.
func (l line) index(text string) int { return l.where(func(i int) bool { return l.at(i) == text }) }

// depth is how many brackets are open before word i.
func (l line) depth(i int) int { return l.depths[i] }

// begins finds lines that begin with one of several words, followed by one of others.
func begins(first, then string) func(line) (int, int, bool) {
	a, b := set(first), set(then)
	return func(l line) (int, int, bool) { return 0, 1, a[l.at(0)] && b[l.at(1)] }
}

// word finds words that one condition holds for, with the one behind it.
func word(holds func(l line, i int) bool) func(line) (int, int, bool) {
	return func(l line) (int, int, bool) {
		i := l.where(func(i int) bool { return holds(l, i) })
		return i, min(i+1, len(l.words)-1), i >= 0
	}
}
