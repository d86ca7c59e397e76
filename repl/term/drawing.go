package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A drawing is the prompt and the line on the terminal, over as many rows as they need.
type drawing struct {
	w             io.Writer
	width, height func() int
	rows          []int // columns of the rows that are on the terminal
	row, col      int   // where the cursor is among them
}

// forget is called when something else was written since.
func (d *drawing) forget() { d.rows, d.row, d.col = nil, 0, 0 }

// A layout is a text in rows, none wider than the terminal, with the place of the cursor.
type layout struct {
	rows     []string
	columns  []int
	row, col int
}

// tabWidth is the number of columns of a tab in a line.
const tabWidth = 4

// lay lays out a line, which may hold line ends, with the prompt in front of its first line and another in
// front of the others.
func lay(prompt, more string, line []rune, pos, width int) layout {
	var l layout
	var b strings.Builder
	col := 0
	next := func() {
		l.rows, l.columns = append(l.rows, b.String()), append(l.columns, col)
		b.Reset()
		col = 0
	}
	put := func(text string, w int) {
		if col+w > width {
			next()
		}
		b.WriteString(text)
		col += w
	}
	for _, r := range prompt {
		put(string(r), columnsOf(r))
	}
	for i := 0; ; i++ {
		if col >= width {
			next()
		}
		if i == pos {
			l.row, l.col = len(l.rows), col
		}
		if i == len(line) {
			break
		}
		switch r := line[i]; r {
		case '\n':
			next()
			for _, r := range more {
				put(string(r), columnsOf(r))
			}
		case '\t':
			put(strings.Repeat(" ", min(tabWidth, width)), min(tabWidth, width))
		default:
			put(visible(r), columnsOf(r))
		}
	}
	next()
	return l
}

// visible is a character as it is shown: those that would move the cursor are not.
func visible(r rune) string {
	if r < ' ' || r == 0x7f {
		return "?"
	}
	return string(r)
}

func columnsOf(r rune) int {
	if r < ' ' || r == 0x7f {
		return 1
	}
	return runewidth.RuneWidth(r)
}

// draw draws a line over what was drawn before. A line of more rows than the terminal has is shown in part,
// around the cursor.
func (d *drawing) draw(prompt, more string, line []rune, pos int) {
	l := lay(prompt, more, line, pos, d.width())
	if most := max(1, d.height()-1); len(l.rows) > most {
		from := min(max(0, l.row-most/2), len(l.rows)-most)
		l.rows, l.columns, l.row = l.rows[from:from+most], l.columns[from:from+most], l.row-from
	}
	var b strings.Builder
	b.WriteString(d.start() + d.over(l) + toEnd)
	if up := len(l.rows) - 1 - l.row; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteString("\r")
	if l.col > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", l.col)
	}
	io.WriteString(d.w, b.String())
	d.rows, d.row, d.col = l.columns, l.row, l.col
}

// The sequences that clear the terminal from the cursor: its row, and all below too.
const (
	toRowEnd = "\x1b[K"
	toEnd    = "\x1b[J"
)

// start moves to where the drawing begins. Where the terminal has become narrower since, rows take several.
// What is there is written over, row by row, and cleared after the last: a terminal that is cleared from its
// first row takes the rows for text that is finished, and keeps them above, as tmux does.
func (d *drawing) start() string {
	width, above := d.width(), 0
	for _, n := range d.rows[:min(d.row, len(d.rows))] {
		above += max(1, (n+width-1)/width)
	}
	above += d.col / width
	if above > 0 {
		return fmt.Sprintf("\x1b[%dA\r", above)
	}
	return "\r"
}

// over is the rows of a layout, each clearing what is left of the row that it is written over. A full one
// leaves nothing; there, the sequence would clear its last character. The last row is never full.
func (d *drawing) over(l layout) string {
	var b strings.Builder
	for i, row := range l.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(row)
		if l.columns[i] < d.width() {
			b.WriteString(toRowEnd)
		}
	}
	return b.String()
}

// all draws a whole text, however many rows it has, and goes to the row below.
func (d *drawing) all(prompt, more string, line []rune) {
	l := lay(prompt, more, line, len(line), d.width())
	io.WriteString(d.w, d.start()+d.over(l)+toEnd+"\r\n")
	d.forget()
}

// leave goes to the row below the line, after a mark at its end, where the cursor is.
func (d *drawing) leave(mark string) {
	io.WriteString(d.w, mark+"\r\n")
	d.forget()
}

// above writes lines in place of the drawing, which is to be drawn again below them. They are narrower than
// the terminal.
func (d *drawing) above(lines []string) {
	io.WriteString(d.w, d.start()+strings.Join(lines, toRowEnd+"\r\n")+toEnd+"\r\n")
	d.forget()
}

// clear clears the whole terminal.
func (d *drawing) clear() {
	io.WriteString(d.w, "\x1b[H\x1b[2J")
	d.forget()
}

func (d *drawing) bell() { io.WriteString(d.w, "\a") }
