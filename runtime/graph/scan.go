package graph

import "math"

// A scan adds to rows, one after another, multiples of rows before them.
type scan struct {
	first, by, count int // rows, in their order
	begin, end       int // of these, those in which all terms take part
	low, steps       int // rows that have factors
	terms            []scanTerm
}

// A scanTerm adds factor·(row t + offset of column from) to row t of column to. The factor is that of row
// t + of, if there is one.
type scanTerm struct {
	to, from   int
	offset, of int
	a, b       []float64 // the columns
	factor     []float64
	each       int // distance of factors: 0 where there is one for all rows
}

// scan is the order in which rows follow from each other or, back, adjoints from those of later rows.
func (s *stepper) scan(back bool) scan {
	n := s.steps()
	c := scan{first: s.at(0), by: 1, count: n, end: n, low: s.low(), steps: n}
	if s.Down {
		c.by = -1
	}
	if back {
		c.first, c.by = s.at(n-1), -c.by
	}
	nearest := n
	for _, m := range s.terms {
		if !back {
			c.terms = append(c.terms, scanTerm{to: m.entry, from: m.lag.entry, offset: m.offset})
			continue
		}
		far := max(m.offset, -m.offset)
		c.terms = append(c.terms, scanTerm{to: m.lag.entry, from: m.entry, offset: -m.offset, of: -m.offset})
		c.begin, nearest, c.count = max(c.begin, far), min(nearest, far), max(c.count, n+far)
	}
	if back && len(c.terms) > 0 {
		c.end = n + nearest
	}
	c.begin = min(c.begin, c.end)
	return c
}

// bind sets the columns of rows, and the factors of the terms.
func (s *scan) bind(y []float64, rows int, factors []operand) {
	for k := range s.terms {
		m := &s.terms[k]
		m.a, m.b, m.factor, m.each = y[m.to*rows:][:rows], y[m.from*rows:][:rows], factors[k].val.buf, 0
		if len(m.factor) > 1 {
			m.each = 1
		}
	}
}

func (s *scan) run() {
	s.some(0, s.begin)
	s.all(s.begin, s.end)
	s.some(s.end, s.count)
}

// some makes the rows from one to another in which not all terms need take part.
func (s *scan) some(from, to int) {
	for i := from; i < to; i++ {
		t := s.first + i*s.by
		for k := range s.terms {
			m := &s.terms[k]
			if at := t + m.of - s.low; at >= 0 && at < s.steps {
				m.a[t] = math.FMA(m.factor[at*m.each], m.b[t+m.offset], m.a[t])
			}
		}
	}
}

// all makes rows in which all terms take part.
func (s *scan) all(from, to int) {
	if len(s.terms) == 1 && s.terms[0].to == s.terms[0].from && s.terms[0].offset == -s.by {
		s.one(from, to)
		return
	}
	for i := from; i < to; i++ {
		t := s.first + i*s.by
		for k := range s.terms {
			m := &s.terms[k]
			m.a[t] = math.FMA(m.factor[(t+m.of-s.low)*m.each], m.b[t+m.offset], m.a[t])
		}
	}
}

// one is all for a column whose rows follow from the one before each.
func (s *scan) one(from, to int) {
	if from >= to {
		return
	}
	m := &s.terms[0]
	t := s.first + from*s.by
	y, f, at, each := m.a, m.factor, (t+m.of-s.low)*m.each, m.each*s.by
	v := y[t-s.by]
	for range to - from {
		v = math.FMA(f[at], v, y[t])
		y[t] = v
		t, at = t+s.by, at+each
	}
}
