package repl

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/parser"
)

// Lines reads units from text that is not typed at a terminal.
type Lines struct{ r *bufio.Reader }

// NewLines reads units from r.
func NewLines(r io.Reader) *Lines { return &Lines{bufio.NewReader(r)} }

// Next returns the next unit. A statement goes on in the next line where that begins with a blank, or where
// it cannot end yet; the next line is therefore read before a statement is answered, and not before a command
// or a question is. The error is io.EOF after the last.
func (l *Lines) Next() (string, error) {
	var unit strings.Builder
	for {
		line, err := l.r.ReadString('\n')
		unit.WriteString(line)
		if err != nil {
			if strings.TrimSpace(unit.String()) == "" {
				return "", err
			}
			return unit.String(), nil
		}
		text := unit.String()
		switch {
		case strings.TrimSpace(text) == "":
			unit.Reset()
		case More(text):
		case !isStatement(text) || !l.indented():
			return text, nil
		}
	}
}

// indented reports whether the next line begins with a blank.
func (l *Lines) indented() bool {
	next, err := l.r.Peek(1)
	return err == nil && (next[0] == ' ' || next[0] == '\t')
}

// isStatement reports whether a text begins a statement of vfl.
func isStatement(text string) bool {
	if markOf(strings.TrimSpace(text)) != 0 {
		return false
	}
	words := parser.Words(text)
	if len(words) == 0 {
		return true // a comment
	}
	return slices.Contains(parser.Keywords(), text[words[0].Start:words[0].End]) ||
		strings.Contains(text, "~")
}

// Units divides a text into units.
func Units(text string) []string {
	var out []string
	l := NewLines(strings.NewReader(text))
	for {
		unit, err := l.Next()
		if err != nil {
			return out
		}
		out = append(out, unit)
	}
}
