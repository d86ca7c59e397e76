package release

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
)

// Blank is a release of which there are no sums yet: all that parties agree on before they send anything. The
// error says that its sums would be too large.
func Blank(family string, columns []BoundedColumn, rows int, t Terms) (*Moments, error) {
	m := &Moments{Format: Format, Family: family, Rows: rows, Columns: columns, Terms: t,
		Parties: len(Parties(columns)), Share: new(big.Int)}
	var err error
	if m.Bits, err = m.fine(); err == nil && !t.NoNoise {
		m.Share = m.variance()
	}
	return m, err
}

// Promise are the terms of a release of columns with a budget, or without noise; a norm of 0 clips no row.
func Promise(epsilon, delta, norm float64, noNoise bool, columns []BoundedColumn) Terms {
	t := Terms{Norms: Widest(columns), NoNoise: noNoise}
	for p := range t.Norms {
		if norm > 0 {
			t.Norms[p] = norm
		}
	}
	if !noNoise {
		t.Epsilon, t.Delta, t.Rho = epsilon, delta, Rho(epsilon, delta)
		t.Mu = Mu(t.Rho)
	}
	return t
}

// Own are the rows of one party on the grid, clipped within its bounds and its norm, column by column in the
// order of the release. values are those of its columns.
func (m *Moments) Own(party string, values [][]float64) [][]int64 {
	all := make([][]float64, len(m.Columns))
	for k, c := range m.Columns {
		if c.Owner == party {
			all[k], values = values[0], values[1:]
		}
	}
	var out [][]int64
	rows := m.integers(all)
	for k, c := range m.Columns {
		if c.Owner != party {
			continue
		}
		one := make([]int64, len(rows))
		for i, r := range rows {
			one[i] = r[k+1]
		}
		out = append(out, one)
	}
	return out
}

// Noise is a party's share of the noise of all sums, by the machine's cryptographic randomness or another
// source: zeros where a release has none.
func (m *Moments) Noise(random io.Reader) []*big.Int {
	if random == nil {
		random = rand.Reader
	}
	if m.Terms.NoNoise {
		out := make([]*big.Int, len(m.Columns)*(len(m.Columns)+3)/2+1)
		for i := range out {
			out[i] = new(big.Int)
		}
		return out
	}
	return m.share(random)
}

// Fill sets the sums of a blank release: those that are the same in all tables are known, and of is asked for
// each other, by the two entries of a row whose product it is, of which 0 is the 1.
func (m *Moments) Fill(of func(sum, i, j int) (*big.Int, error)) (err error) {
	known := new(big.Int).Lsh(big.NewInt(int64(m.Rows)), 2*m.Bits)
	m.Sums = nil
	m.each(func(i, j int) {
		v := known
		if err == nil && (i != j || !m.Known(i)) {
			v, err = of(len(m.Sums), i, j)
		}
		m.Sums = append(m.Sums, v)
	})
	if err == nil {
		m.Digest, err = m.digest()
	}
	return err
}

// Possible checks that rows within their norms and bounds, and the noise of all parties, can make the sums.
// The error names a sum that they cannot make: some party's share of its decryption is of another.
func (m *Moments) Possible() (err error) {
	variance, _ := new(big.Float).SetInt(m.Share).Float64()
	noise := float64(Tails * float64(m.Parties) * math.Sqrt(variance))
	names, most, k := []string{"1"}, []float64{1}, 0
	for _, c := range m.Columns {
		names, most = append(names, c.Name), append(most, min(1, m.Terms.Norms[c.Owner]))
	}
	m.each(func(i, j int) {
		v, _ := new(big.Float).SetInt(m.Sums[k]).Float64()
		size := float64(math.Ldexp(float64(m.Rows), 2*int(m.Bits)) * most[i] * most[j] * (1 + 0x1p-40))
		if k++; v > size+noise || v < -noise && i == j || v < -size-noise {
			err = fmt.Errorf("the sum of products of %s and %s is beyond what rows within their bounds can have",
				names[i], names[j])
		}
	})
	return err
}

// Unit is the 1 of a row on the grid.
func (m *Moments) Unit() int64 { return 1 << m.Bits }

// Agreed is the digest of what parties agree on before there are sums.
func (m *Moments) Agreed() ([]byte, error) {
	b := *m
	b.Sums, b.Digest, b.Signatures = nil, "", nil
	text, err := json.Marshal(&b)
	sum := sha256.Sum256(text)
	return sum[:], err
}

// A Signature is a party's of the digest of a release, with its certificate.
type Signature struct {
	Party string `json:"party"`
	Cert  []byte `json:"certificate"`
	Text  []byte `json:"signature"`
}

// Signed is what a party signs of a release in a project.
func Signed(project, digest string) []byte {
	return fmt.Appendf(nil, "vflc release v1\n%d %s\n%s\n", len(project), project, digest)
}

// digest is that of all but itself and the signatures of it.
func (m *Moments) digest() (string, error) {
	c := *m
	c.Digest, c.Signatures = "", nil
	b, err := json.Marshal(&c)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// A PartyRows is what one party has of the rows of scores: its columns of z, and of each row their squares
// together.
type PartyRows struct {
	Columns [][]float64
	Squares []float64
}

// Part is a party's. values are those of its columns, in the order of the release; the response has none in
// z.
func (m *Moments) Part(party string, values [][]float64) PartyRows {
	g, last := m.Gradients, len(m.Columns)-1
	out := PartyRows{Squares: make([]float64, m.Rows)}
	for j, row := range g.Map {
		if j == 0 || m.Columns[j-1].Owner != party {
			continue
		}
		z := m.combined(party, values, row[0], row[1:last+1])
		for i, v := range z {
			out.Squares[i] += float64(v * v)
		}
		out.Columns = append(out.Columns, z)
	}
	for i, q := range out.Squares {
		if q > g.Lengths[party] {
			out.Squares[i] = g.Lengths[party]
			for _, z := range out.Columns {
				z[i] *= math.Sqrt(g.Lengths[party] / q)
			}
		}
	}
	return out
}

// Argument is a party's part of the argument at a step, in each row.
func (m *Moments) Argument(s *Step, party string, values [][]float64) []float64 {
	constant, by := m.linear(s, party)
	out := m.combined(party, values, constant, by)
	for i, v := range out {
		out[i] = max(-s.Reach[party], min(s.Reach[party], v))
	}
	return out
}

// combined is a number plus a party's scaled columns times others.
func (m *Moments) combined(party string, values [][]float64, constant float64, by []float64) []float64 {
	out := slices.Repeat([]float64{constant}, m.Rows)
	for k, c := range m.Columns {
		if c.Owner != party {
			continue
		}
		if k < len(by) && by[k] != 0 {
			for i, v := range values[0] {
				out[i] += float64(by[k] * c.Scaled(v))
			}
		}
		values = values[1:]
	}
	return out
}

// Deviations are the standard deviations of one party's noise in the sums of a step.
func (m *Moments) Deviations(s *Step) (out []float64) {
	for _, v := range s.variances(m.Gradients.weighting(s)) {
		f, _ := new(big.Float).SetInt(v).Float64()
		if out = append(out, math.Ldexp(math.Sqrt(f), -int(s.Bits))); m.Terms.NoNoise {
			out[len(out)-1] = 0
		}
	}
	return out
}

// StepNoise is a party's share of the noise of a step's sums, in whole numbers of which units are 1: zeros
// where a release has none.
func (m *Moments) StepNoise(s *Step, units []float64, random io.Reader) (out []*big.Int) {
	if random == nil {
		random = rand.Reader
	}
	draw := &sampler{random: random}
	for i, v := range s.variances(m.Gradients.weighting(s)) {
		e := new(big.Int)
		if !m.Terms.NoNoise {
			by := new(big.Float).SetPrec(200).SetFloat64(math.Ldexp(units[i], -int(s.Bits)))
			of := new(big.Float).SetPrec(200).SetInt(v)
			whole, _ := of.Mul(of, by).Mul(of, by).Int(nil)
			e = draw.gaussian(whole.Add(whole, big.NewInt(1)))
		}
		out = append(out, e)
	}
	return out
}

// Opened adds a step of which sums were opened elsewhere.
func (m *Moments) Opened(s *Step, sums []float64) error {
	s.Sums = nil
	for _, v := range sums {
		whole, _ := new(big.Float).SetFloat64(math.Round(math.Ldexp(v, int(s.Bits)))).Int(nil)
		s.Sums = append(s.Sums, whole)
	}
	return m.taken(s)
}
