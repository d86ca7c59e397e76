// Package source holds source files and positions in them.
package source

import "sort"

// A File is one source text with a name to show in messages.
type File struct {
	Name  string
	Text  string
	lines []int // byte offset of the start of each line
}

// New returns a file with its line table built.
func New(name, text string) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// A Span is the half-open byte range [Start, End) of a file.
type Span struct{ Start, End int }

// Join returns the smallest span that covers both.
func (s Span) Join(t Span) Span {
	if t.Start < s.Start {
		s.Start = t.Start
	}
	if t.End > s.End {
		s.End = t.End
	}
	return s
}

// A Position is a 1-based line and a 1-based column counted in runes.
type Position struct{ Line, Column int }

// Position returns the line and column of a byte offset; offsets outside the text are clamped to it.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.Text))
	line := sort.SearchInts(f.lines, offset+1) - 1
	return Position{Line: line + 1, Column: len([]rune(f.Text[f.lines[line]:offset])) + 1}
}

// Line returns the text of a 1-based line without its line ending, or "" if there is no such line.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lines) {
		return ""
	}
	end := len(f.Text)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	text := f.Text[f.lines[line-1]:end]
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	return text
}
