package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/vflc/vflc/lang/source"
)

// Text writes diagnostics for people: place, severity, code and message on one line, then the source line
// with the span underlined, notes and fixes. colour adds the colour sequences of terminals. Text writes all
// of l: pass l.Shown() for what a user should see.
func Text(w io.Writer, l List, colour bool) error {
	r := &renderer{colour: colour}
	for i, d := range l {
		if i > 0 && !(d.inData() && l[i-1].inData()) {
			r.WriteString("\n")
		}
		r.diagnostic(d)
	}
	_, err := io.WriteString(w, r.String())
	return err
}

// String returns the severity as messages print it.
func (s Severity) String() string {
	return [...]string{Error: "error", Warning: "warning", Info: "info"}[s]
}

// ANSI sequences (ECMA-48, Select Graphic Rendition).
const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	green  = "\x1b[32m"
	blue   = "\x1b[34m"
	reset  = "\x1b[0m"
)

type renderer struct {
	strings.Builder
	colour bool
}

// paint returns text in a colour, or as it is without colours.
func (r *renderer) paint(colour, text string) string {
	if !r.colour || text == "" {
		return text
	}
	return colour + text + reset
}

func (r *renderer) diagnostic(d *Diagnostic) {
	colour := [...]string{Error: red, Warning: yellow, Info: blue}[d.Severity]
	if d.inData() {
		r.inData(d, colour)
	} else {
		fmt.Fprintf(r, "%s %s %s\n", r.paint(bold, where(d)),
			r.paint(colour, fmt.Sprintf("%s %s:", d.Severity, d.Code)), r.paint(bold, Printable(d.Message)))
	}
	if d.File != nil {
		r.excerpt(d.File, d.Span, colour, '^')
	}
	for _, n := range d.Notes {
		r.note(n)
	}
	for _, f := range d.Fixes {
		r.fix(d.File, f)
	}
}

// inData reports whether the place of a diagnostic is in a table. Such a diagnostic is one line, in the
// format of compilers and linters.
func (d *Diagnostic) inData() bool { return d.File == nil && d.Data != "" }

// inData writes FILE:LINE: message [code].
func (r *renderer) inData(d *Diagnostic, colour string) {
	severity := ""
	if d.Severity == Warning {
		severity = r.paint(colour, "warning:") + " "
	}
	fmt.Fprintf(r, "%s %s%s %s\n", r.paint(bold, where(d)), severity, r.paint(bold, Printable(d.Message)),
		r.paint(colour, "["+string(d.Code)+"]"))
}

// where returns the place of a diagnostic with a colon, or "vflc:" if it has none.
func where(d *Diagnostic) string {
	switch {
	case d.File != nil:
		return place(d.File, d.Span) + ":"
	case d.Data != "":
		return d.Data + ":"
	}
	return "vflc:"
}

func place(f *source.File, at source.Span) string {
	p := f.Position(at.Start)
	return fmt.Sprintf("%s:%d:%d", f.Name, p.Line, p.Column)
}

func (r *renderer) note(n Note) {
	message := Printable(n.Message)
	if n.File == nil {
		fmt.Fprintf(r, "  %s %s\n", r.paint(blue, "note:"), message)
		return
	}
	fmt.Fprintf(r, "  %s %s: %s\n", r.paint(blue, "note:"), place(n.File, n.Span), message)
	r.excerpt(n.File, n.Span, blue, '-')
}

// fix writes the line as it is after the fix.
func (r *renderer) fix(f *source.File, x Fix) {
	fmt.Fprintf(r, "  %s %s\n", r.paint(green, "fix:"), Printable(x.Message))
	if f == nil || x.Span.Start > x.Span.End || x.Span.End > len(f.Text) {
		return
	}
	fixed := source.New(f.Name, f.Text[:x.Span.Start]+x.Text+f.Text[x.Span.End:])
	changed := source.Span{Start: x.Span.Start, End: x.Span.Start + len(strings.TrimRight(x.Text, " "))}
	r.excerpt(fixed, changed, green, '+')
}

// excerpt writes the line where a span begins, and underlines the part of the span on that line with mark. An
// empty span gets one mark, except in a fix that adds nothing.
func (r *renderer) excerpt(f *source.File, at source.Span, colour string, mark rune) {
	p := f.Position(at.Start)
	line := f.Line(p.Line)
	start := offsetOf(line, p.Column)
	line, start, end := clip(line, start, min(start+max(at.End-at.Start, 0), len(line)))
	number := fmt.Sprintf("%5d", p.Line)
	shown, columns := display(line)
	fmt.Fprintf(r, "%s %s\n", r.paint(blue, number+" |"), strings.TrimRight(shown, " "))
	length := columns[max(start, end)] - columns[start]
	if length == 0 && mark == '+' {
		return
	}
	under := strings.Repeat(" ", columns[start]) + r.paint(colour,
		strings.Repeat(string(mark), max(length, 1)))
	fmt.Fprintf(r, "%s %s\n", r.paint(blue, strings.Repeat(" ", len(number))+" |"), under)
}

// clipBefore and clipBehind are the numbers of bytes of a long line that are shown before and after the start
// of a span.
const (
	clipBefore = 60
	clipBehind = 100
)

// clip cuts a long line at both ends and shifts the span accordingly.
func clip(line string, start, end int) (string, int, int) {
	if cut := start + clipBehind; cut < len(line) {
		for ; !utf8.RuneStart(line[cut]); cut-- {
		}
		line, end = line[:cut]+"…", min(end, cut)
	}
	if cut := start - clipBefore; cut > len("…") {
		for ; !utf8.RuneStart(line[cut]); cut-- {
		}
		shift := cut - len("…")
		line, start, end = "…"+line[cut:], start-shift, end-shift
	}
	return line, start, end
}

// offsetOf returns the byte offset of a 1-based column of line.
func offsetOf(line string, column int) int {
	for i := range line {
		if column--; column == 0 {
			return i
		}
	}
	return len(line)
}

// tabStop is the distance between tab stops, in columns.
const tabStop = 4

// widths measures runes the same way in every locale.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

// display returns line as it can be shown on a terminal, and for each byte offset the display column where it
// begins.
func display(line string) (shown string, columns []int) {
	var b strings.Builder
	columns = make([]int, len(line)+1)
	column := 0
	for i, r := range line {
		_, n := utf8.DecodeRuneInString(line[i:])
		for j := i; j < i+n; j++ {
			columns[j] = column
		}
		text := cell(r, column)
		b.WriteString(text)
		column += widths.StringWidth(text)
	}
	columns[len(line)] = column
	return b.String(), columns
}

// cell returns the text to show for a rune at a display column: blanks for a tab, a replacement character for
// a rune that could control the terminal.
func cell(r rune, column int) string {
	switch {
	case r == '\t':
		return strings.Repeat(" ", tabStop-column%tabStop)
	case !unicode.IsGraphic(r):
		return string(unicode.ReplacementChar)
	}
	return string(r)
}

// Printable replaces the runes of a text that could control the terminal.
func Printable(message string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, message)
}
