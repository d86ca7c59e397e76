// Package console drives programs at a pseudo-terminal, as a person would: it types, waits for what the
// program shows, and reads the screen. It is for tests.
package console

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// A screen is what a terminal shows, with what has scrolled off its top. It knows the sequences that programs
// of this project write, and no others.
type screen struct {
	width, height int
	lines         [][]cell // all, the newest last
	top           int      // the first line on the screen
	row, col      int      // of the cursor; row counts from 0 among all lines
	rest          []byte   // of a sequence that has not ended
	unknown       []string // sequences that it does not know
}

// A cell is one column: a character, or nothing behind one that takes two.
type cell string

func newScreen(width, height int) *screen { return &screen{width: width, height: height} }

// write shows what a program writes.
func (s *screen) write(b []byte) {
	b = append(s.rest, b...)
	for len(b) > 0 {
		n := s.one(b)
		if n == 0 {
			break
		}
		b = b[n:]
	}
	s.rest = append([]byte(nil), b...)
}

// one shows the first character or sequence, and returns its length; 0 where it has not ended.
func (s *screen) one(b []byte) int {
	switch b[0] {
	case '\r':
		s.col = 0
	case '\n':
		s.down()
	case '\b':
		s.col = max(0, s.col-1)
	case '\a':
	case '\t':
		s.col = min(s.width-1, (s.col/8+1)*8)
	case 0x1b:
		return s.sequence(b)
	default:
		if !utf8.FullRune(b) {
			return 0
		}
		r, n := utf8.DecodeRune(b)
		s.put(r)
		return n
	}
	return 1
}

func (s *screen) down() {
	s.row++
	if s.row-s.top >= s.height {
		s.top++
	}
}

// put shows a character. One that does not fit begins the next line.
func (s *screen) put(r rune) {
	w := runewidth.RuneWidth(r)
	if w == 0 {
		return
	}
	if s.col+w > s.width {
		s.col = 0
		s.down()
	}
	s.set(s.col, cell(string(r)))
	for k := 1; k < w; k++ {
		s.set(s.col+k, "")
	}
	s.col += w
}

func (s *screen) set(col int, c cell) {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
	line := s.lines[s.row]
	for len(line) <= col {
		line = append(line, " ")
	}
	line[col] = c
	s.lines[s.row] = line
}

// sequence obeys a control sequence.
func (s *screen) sequence(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' {
		s.unknown = append(s.unknown, strconv.Quote(string(b[:2])))
		return 2
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			s.obey(b[i], string(b[2:i]))
			return i + 1
		}
	}
	return 0
}

func (s *screen) obey(final byte, args string) {
	n, err := strconv.Atoi(args)
	if err != nil {
		n = 1
	}
	switch final {
	case 'A':
		s.row = max(s.top, s.row-n)
	case 'C':
		s.col = min(s.width-1, s.col+n)
	case 'H':
		s.row, s.col = s.top, 0
	case 'J':
		if args == "2" {
			s.top, s.row = len(s.lines), len(s.lines)
			return
		}
		if s.row == s.top && s.col == 0 { // as of tmux: what is on the screen goes above it
			s.top, s.row = max(s.top, len(s.lines)), max(s.top, len(s.lines))
			return
		}
		s.eraseLine()
		if s.row+1 < len(s.lines) {
			s.lines = s.lines[:s.row+1]
		}
	case 'K':
		s.eraseLine()
	case 'm', 'h', 'l':
	default:
		s.unknown = append(s.unknown, "ESC["+args+string(final))
	}
}

// eraseLine erases from the cursor to the end of the line.
func (s *screen) eraseLine() {
	if s.row < len(s.lines) && s.col < len(s.lines[s.row]) {
		s.lines[s.row] = s.lines[s.row][:s.col]
	}
}

// text is everything that was shown and not erased.
func (s *screen) text() string {
	var b strings.Builder
	for _, line := range s.lines {
		var one strings.Builder
		for _, c := range line {
			one.WriteString(string(c))
		}
		b.WriteString(strings.TrimRight(one.String(), " ") + "\n")
	}
	return b.String()
}

// cursorLine is the line that the cursor is on.
func (s *screen) cursorLine() string {
	if s.row >= len(s.lines) {
		return ""
	}
	var one strings.Builder
	for _, c := range s.lines[s.row] {
		one.WriteString(string(c))
	}
	return one.String()
}
