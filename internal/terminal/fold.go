package terminal

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Fold breaks a line at blanks where it is wider than so many columns. Further lines begin behind so many
// blanks.
func Fold(line string, width, indent int) string {
	if runewidth.StringWidth(line) <= width {
		return line
	}
	words := strings.TrimLeft(line, " ")
	margin := strings.Repeat(" ", indent)
	var b strings.Builder
	b.WriteString(line[:len(line)-len(words)])
	col := b.Len()
	for i, word := range strings.Split(words, " ") {
		w := runewidth.StringWidth(word)
		switch {
		case i == 0:
		case col+1+w > width:
			b.WriteString("\n" + margin)
			col = indent
		default:
			b.WriteString(" ")
			col++
		}
		b.WriteString(word)
		col += w
	}
	return b.String()
}
