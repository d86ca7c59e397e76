package terminal

import (
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// UsualWidth is the width of a terminal that does not tell it.
const (
	UsualWidth  = 80
	usualHeight = 24
)

// A Sheet is written to before its text is shown on a terminal.
type Sheet struct {
	io.Writer
	Columns func() int // of the terminal
	Colours bool       // it takes escape sequences for colours
}

// Colours reports whether what is written to w may have escape sequences for colours.
func Colours(w io.Writer) bool {
	if s, ok := w.(*Sheet); ok {
		return s.Colours
	}
	return Is(w) && os.Getenv("NO_COLOR") == ""
}

// Width returns a function that gives the present width of the terminal that w is.
func Width(w io.Writer) func() int {
	if s, ok := w.(*Sheet); ok {
		return s.Columns
	}
	f, ok := w.(*os.File)
	if !ok {
		return func() int { return UsualWidth }
	}
	return func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return UsualWidth
	}
}

// TableWidth is the width that a table may have: that of the terminal it is written to, 0, without limit,
// elsewhere.
func TableWidth(w io.Writer) int {
	if _, sheet := w.(*Sheet); !sheet && !Is(w) {
		return 0
	}
	return Width(w)()
}

// A part of a line may be left out where the line is too long, those with the smallest drop first; 0: never.
type part struct {
	text string
	drop int
}

// within joins parts to a line of at most width columns.
func within(parts []part, width int) string {
	for length(parts) > width {
		first := 0
		for _, p := range parts {
			if p.drop > 0 && (first == 0 || p.drop < first) {
				first = p.drop
			}
		}
		if first == 0 {
			return cut(join(parts), width)
		}
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.drop == first })
	}
	return join(parts)
}

func length(parts []part) int { return utf8.RuneCountInString(join(parts)) }

func join(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// cut returns the first columns of a text.
func cut(text string, width int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), max(0, width))])
}

// Size returns the present width and height of the terminal that f is; the usual ones where it is none.
func Size(f *os.File) (width, height int) {
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
		return width, height
	}
	return UsualWidth, usualHeight
}
