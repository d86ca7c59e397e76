package repl

import (
	"strings"

	"github.com/vflc/vflc/internal/terminal"
)

// wrapped breaks the lines of a text at blanks where they are wider than the terminal. Further lines begin
// where the first one's text does.
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
	return terminal.Fold(line, width, len(line)-len(strings.TrimLeft(line, " ")))
}
