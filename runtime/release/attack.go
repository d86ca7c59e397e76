package release

import "math/big"

// Guesses are how often whoever knows all rows of a table but one value of one, and two candidates for
// that, of which one is true, tells which by the likelihood of the opened sums: of a column, for as many
// rows as were tried, with the value of the next row for the other candidate. Half is a guess.
type Guesses struct {
	Column      string
	Tried, Told int
}

// Found reports whether nine in ten values or more are told. All rows have the same noise, so that a
// share in one release is far from its expectation now and then, which MostTold bounds.
func (t Guesses) Found() bool { return 10*t.Told >= 9*t.Tried }

// Verdict is that in words.
func (t Guesses) Verdict() string {
	if t.Found() {
		return "found"
	}
	return "not found"
}

// MostTold bounds the share that anybody but the party of the last share of noise can expect to tell:
// Φ(μ/2), of the best test between two tables of which both are as likely (Dong, Roth and Su 2022).
func (m *Moments) MostTold() float64 { return normal(m.Terms.Mu / 2) }

// Attack tries that for at most so many rows of each column of the table of which this is the release.
func (m *Moments) Attack(values [][]float64, most int) (out []Guesses) {
	opened, variance := m.opened()
	noise := difference(opened, m.tables(values))
	one := *m
	one.Rows = 1
	for k, c := range m.Columns {
		t := Guesses{Column: c.Name}
		for i := 0; i < m.Rows && t.Tried < most; i++ {
			next := values[k][(i+1)%m.Rows]
			if next == values[k][i] {
				continue
			}
			row := make([][]float64, len(values))
			for j := range row {
				row[j] = values[j][i : i+1]
			}
			truth := one.tables(row)
			row[k] = []float64{next}
			likelihood := 0.0 // that of the true value over that of the other, its logarithm
			for s, d := range difference(one.tables(row), truth) {
				likelihood += float64(d*(d-float64(2*noise[s]))) / variance[s]
			}
			if t.Tried++; likelihood > 0 {
				t.Told++
			}
		}
		out = append(out, t)
	}
	return out
}

// tables are all sums of rows without noise.
func (m *Moments) tables(values [][]float64) []*big.Int {
	out := m.plain(m.integers(values))
	if m.Gradients != nil {
		for _, s := range m.Gradients.Steps {
			out = append(out, m.score(s, values)...)
		}
	}
	return out
}

// opened are all sums as they were opened, with the variance of the noise in each; 1 where it has none.
func (m *Moments) opened() (sums []*big.Int, variance []float64) {
	add := func(v *big.Int, times float64) {
		of, _ := new(big.Float).SetInt(v).Float64()
		variance = append(variance, max(1, of*times*float64(m.Parties)))
	}
	sums = append(sums, m.Sums...)
	m.each(func(i, j int) {
		if i == j {
			add(m.Share, 1)
		} else {
			add(m.Share, .5)
		}
	})
	if m.Gradients != nil {
		for _, s := range m.Gradients.Steps {
			sums = append(sums, s.Sums...)
			for _, v := range s.variances(m.Gradients.weighting(s)) {
				if s.Share.Sign() == 0 {
					v = s.Share
				}
				add(v, 1)
			}
		}
	}
	return sums, variance
}

// difference are a − b as numbers.
func difference(a, b []*big.Int) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i], _ = new(big.Float).SetInt(new(big.Int).Sub(a[i], b[i])).Float64()
	}
	return out
}
