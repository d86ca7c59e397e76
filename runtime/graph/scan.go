package graph

import "math"

// A scan adds to rows, one after another, multiples of rows before them.
type scan struct {
	first, by, count int // rows, in their order
	begin, end       int // of these, those in which all terms take part
	low, steps       int // rows that have factors
	terms            []scanTerm
	columns          [2][]float64                // the first
	all              func(s *scan, from, to int) // makes rows in which all terms take part
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
	c.begin, c.all = min(c.begin, c.end), c.loop()
	return c
}

// bind sets the columns of rows, and the factors of the terms.
func (s *scan) bind(y []float64, rows int, factors []operand) {
	for k := range s.columns {
		s.columns[k] = y[min(k*rows, len(y)-rows):][:rows]
	}
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
	if s.begin < s.end {
		s.all(s, s.begin, s.end)
	}
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

// loop is the loop over rows in which all terms take part.
func (s *scan) loop() func(s *scan, from, to int) {
	columns, far := 1, 0
	for _, m := range s.terms {
		columns, far = max(columns, m.to+1, m.from+1), max(far, -m.offset*s.by)
	}
	switch n := len(s.terms); {
	case columns == 1 && far == 1:
		return (*scan).one
	case columns == 1 && far == 2 && n == 2:
		if s.terms[0].offset != -s.by { // the nearest row first
			s.terms[0], s.terms[1] = s.terms[1], s.terms[0]
		}
		return (*scan).second
	case columns == 2 && far == 1:
		return (*scan).two
	}
	return (*scan).any
}

// any is the loop of any recursion.
func (s *scan) any(from, to int) {
	for i := from; i < to; i++ {
		t := s.first + i*s.by
		for k := range s.terms {
			m := &s.terms[k]
			m.a[t] = math.FMA(m.factor[(t+m.of-s.low)*m.each], m.b[t+m.offset], m.a[t])
		}
	}
}

// factors returns the factors of a term, the position of that for row t, and the way to the next.
func (s *scan) factors(m *scanTerm, t int) (f []float64, at, each int) {
	return m.factor, (t + m.of - s.low) * m.each, m.each * s.by
}

// one is the loop of a column whose rows follow from the row before each.
func (s *scan) one(from, to int) {
	m, t := &s.terms[0], s.first+from*s.by
	y := m.a
	f, i, each := s.factors(m, t)
	v := y[t-s.by]
	for range to - from {
		v = math.FMA(f[i], v, y[t])
		y[t] = v
		t, i = t+s.by, i+each
	}
}

// second is the loop of a column whose rows follow from the two rows before each.
func (s *scan) second(from, to int) {
	m, t := &s.terms[0], s.first+from*s.by
	y := m.a
	f, i, each := s.factors(m, t)
	g, j, every := s.factors(&s.terms[1], t)
	v, w := y[t-s.by], y[t-2*s.by]
	for range to - from {
		v, w = math.FMA(f[i], v, math.FMA(g[j], w, y[t])), v
		y[t] = v
		t, i, j = t+s.by, i+each, j+every
	}
}

// two is the loop of two columns whose rows follow from the row before each.
func (s *scan) two(from, to int) {
	zero := [1]float64{}
	f, at, each := [4][]float64{zero[:], zero[:], zero[:], zero[:]}, [4]int{}, [4]int{}
	t, by := s.first+from*s.by, s.by
	for k := range s.terms {
		m := &s.terms[k]
		j := 2*m.to + m.from
		f[j], at[j], each[j] = s.factors(m, t)
	}
	p, q := s.columns[0], s.columns[1]
	v, w := p[t-by], q[t-by]
	a, b, c, d := f[0], f[1], f[2], f[3]
	i, j, k, l := at[0], at[1], at[2], at[3]
	for range to - from {
		x, z := float64(b[j]*w), float64(c[k]*v) // beside the other products, not before them
		v, w = math.FMA(a[i], v, p[t])+x, math.FMA(d[l], w, q[t])+z
		p[t], q[t] = v, w
		t, i, j, k, l = t+by, i+each[0], j+each[1], k+each[2], l+each[3]
	}
}
