package data

import "sort"

// lines holds the line numbers of cells or rows in the order of the file. A sequence of equally spaced ones
// is one mark: a table without blank lines and line breaks in cells has a single mark.
type lines struct {
	marks []mark
	n     int
}

// A mark is the start of a sequence: the element at, at+1, … are on line, line+step, …
type mark struct{ at, line, step int }

// add appends the line of the next element.
func (l *lines) add(line int) {
	if k := len(l.marks) - 1; k >= 0 {
		m := &l.marks[k]
		if l.n == m.at+1 {
			m.step = line - m.line
		}
		if line == m.line+(l.n-m.at)*m.step {
			l.n++
			return
		}
	}
	l.marks = append(l.marks, mark{at: l.n, line: line})
	l.n++
}

// at is the line of the i-th element.
func (l *lines) at(i int) int {
	k := sort.Search(len(l.marks), func(k int) bool { return l.marks[k].at > i }) - 1
	m := l.marks[k]
	return m.line + (i-m.at)*m.step
}
