package parser

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// A window shows participle some statements of the file at a time. Participle's lexer takes its tokens one by
// one into a slice that grows, so a lexer of the whole file would copy it several times; a window is filled
// again and again.
type window struct {
	*lexer.PeekingLexer
	capacity int // how many tokens it can hold
	from, to int // the words that it holds: from, up to but not including to
}

// windowWords is how many words a window holds, if a statement begins behind them.
const windowWords = 64

// seek moves to word i, where a statement begins.
func (p *parser) seek(i int) {
	w := &p.window
	if i < w.from || i >= w.to-1 && w.to < len(p.words) {
		p.fill(i, p.windowEnd(i))
	} else if w.Cursor() > i-w.from {
		w.LoadCheckpoint(lexer.Checkpoint{})
	}
	for w.from+w.Cursor() < i {
		w.Next()
	}
}

// windowEnd returns the end of the words that a window from word i on has to hold: up to a word that no
// statement before it can contain. That is a keyword that begins statements, outside the braces of functions;
// it is in the window, so that what is said of a statement that is not finished there names it.
func (p *parser) windowEnd(i int) int {
	depth := 0
	for j := i; j < len(p.words); j++ {
		switch t := p.words[j]; {
		case t.Type == keywordToken:
			if _, begins := p.grammar.find(t.Value); begins && depth == 0 && j >= i+windowWords {
				return j + 1
			}
		case is(t, "{"):
			depth++
		case is(t, "}"):
			depth = max(0, depth-1)
		}
	}
	return len(p.words)
}

// fill makes the window show the words from one up to but not including another.
func (p *parser) fill(from, to int) {
	w := &p.window
	w.from, w.to = from, to
	if n := to - from + 1; n > w.capacity {
		w.capacity = max(n, 2*w.capacity)
		lex, err := lexer.Upgrade(&blanks{w.capacity})
		if err != nil {
			panic("parser: " + err.Error()) // blanks has no errors
		}
		w.PeekingLexer = lex
	}
	room := w.Range(0, lexer.RawCursor(w.capacity))
	n := copy(room, p.words[from:to])
	if last := p.words[to-1]; !last.EOF() {
		room[n] = lexer.EOFToken(last.Pos)
	}
	w.LoadCheckpoint(lexer.Checkpoint{})
}

// blanks is a lexer of so many tokens, which are to be replaced.
type blanks struct{ left int }

// Next returns a token, and EOF at the end.
func (b *blanks) Next() (lexer.Token, error) {
	if b.left--; b.left == 0 {
		return lexer.EOFToken(lexer.Position{}), nil
	}
	return lexer.Token{Type: symbolToken}, nil
}
