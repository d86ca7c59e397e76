package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/vflc/vflc/lang/source"
)

// lines translates between bytes of a text and the positions of an editor, whose characters are counted in
// bytes or, as is the rule, in units of UTF-16.
type lines struct {
	text   string
	starts []int // the byte at which each line begins
	bytes  bool
}

func newLines(text string, bytes bool) *lines {
	l := &lines{text: text, starts: []int{0}, bytes: bytes}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// line is the text of a line, with its end cut off.
func (l *lines) line(n int) string {
	end := len(l.text)
	if n+1 < len(l.starts) {
		end = l.starts[n+1]
	}
	return strings.TrimRight(l.text[l.starts[n]:end], "\r\n")
}

// units is how many units of UTF-16 a character takes.
func units(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// offset is the byte of a position. What lies behind the end of a line, or of the text, is that end.
func (l *lines) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(l.starts) {
		return len(l.text)
	}
	line, at := l.line(p.Line), 0
	if l.bytes {
		at = min(max(p.Character, 0), len(line))
		for at > 0 && at < len(line) && !utf8.RuneStart(line[at]) {
			at--
		}
		return l.starts[p.Line] + at
	}
	for left := p.Character; left > 0 && at < len(line); {
		r, n := utf8.DecodeRuneInString(line[at:])
		if left -= units(r); left < 0 {
			break
		}
		at += n
	}
	return l.starts[p.Line] + at
}

// position is that of a byte. One outside the text is its end.
func (l *lines) position(offset int) position {
	offset = min(max(offset, 0), len(l.text))
	n := sort.SearchInts(l.starts, offset+1) - 1
	before := l.text[l.starts[n]:offset]
	if l.bytes {
		return position{n, len(before)}
	}
	count := 0
	for _, r := range before {
		count += units(r)
	}
	return position{n, count}
}

func (l *lines) rangeOf(s source.Span) textRange {
	return textRange{l.position(s.Start), l.position(s.End)}
}

func (l *lines) span(r textRange) source.Span {
	return source.Span{Start: l.offset(r.Start), End: max(l.offset(r.Start), l.offset(r.End))}
}

// common is how many bytes two texts have in common at their beginnings, and then at their ends, in whole
// characters.
func common(a, b string) (head, tail int) {
	most := min(len(a), len(b))
	for head < most && a[head] == b[head] {
		head++
	}
	for head > 0 && (head < len(a) && !utf8.RuneStart(a[head]) || head < len(b) && !utf8.RuneStart(b[head])) {
		head--
	}
	for tail < most-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(a[len(a)-tail]) {
		tail--
	}
	return head, tail
}

// moved is where a byte of an older text stands now, if it lies outside of what has changed.
func moved(old, now string, at int) (int, bool) {
	if old == now {
		return at, true
	}
	head, tail := common(old, now)
	switch {
	case at <= head:
		return at, true
	case at >= len(old)-tail:
		return at + len(now) - len(old), true
	}
	return 0, false
}
