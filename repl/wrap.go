package repl

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// wrapped breaks the lines of a text at blanks where they are wider than the terminal. Further lines begin where the first one's text does.
func (s *Session) wrapped(text string) string {
	if !s.Wrap {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = folded(line, s.Width())
	}
	return strings.Join(lines, "\n")
}

// folded breaks one line.
func folded(line string, width int) string {
	if runewidth.StringWidth(line) <= width {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var b strings.Builder
	col := 0
	for i, word := range strings.Split(line[len(indent):], " ") {
		w := runewidth.StringWidth(word)
		switch {
		case i == 0:
			b.WriteString(indent)
			col = len(indent)
		case col+1+w > width:
			b.WriteString("\n" + indent)
			col = len(indent)
		default:
			b.WriteString(" ")
			col++
		}
		b.WriteString(word)
		col += w
	}
	return b.String()
}
