// Package release makes of the rows of all parties one vector with noise: second moments of bounded columns,
// with a theorem of differential privacy. What is computed from the vector costs no more privacy.
package release

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// A BoundedColumn is one that enters the moments: as the model names it, its owner, and the public bounds by
// which it is scaled to [−1, 1]. A Binary column is −1 or 1, so that its square is known.
type BoundedColumn struct {
	Name   string  `json:"name"`
	Owner  string  `json:"owner"`
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
	Binary bool    `json:"binary,omitempty"`
}

// Middle and Half are what the scaled column is 0 and 1 at.
func (c BoundedColumn) Middle() float64 { return float64((c.Lower + c.Upper) / 2) }

// Half is the distance of a bound from the middle.
func (c BoundedColumn) Half() float64 { return (c.Upper - c.Lower) / 2 }

// Terms are what a release promises. Without noise it promises nothing.
type Terms struct {
	Epsilon float64            `json:"epsilon"`
	Delta   float64            `json:"delta"`
	Rho     float64            `json:"rho"` // zero-concentrated: see Rho
	Mu      float64            `json:"mu"`  // see Mu
	Norms   map[string]float64 `json:"norms"`
	// of Rho, that the moments have beside gradients; 0: all of it
	Part    float64 `json:"part,omitempty"`
	NoNoise bool    `json:"no_noise,omitempty"`
}

// ofMoments is the ρ of the moments.
func (t Terms) ofMoments() float64 {
	if t.Part > 0 {
		return t.Rho * t.Part
	}
	return t.Rho
}

// Moments are Σ v vᵀ over rows v = (1, columns), scaled, with noise. The last column is the response.
type Moments struct {
	Format  int             `json:"format"`
	Family  string          `json:"family"`
	Rows    int             `json:"rows"`
	Columns []BoundedColumn `json:"columns"`
	Terms   Terms           `json:"terms"`
	Bits    uint            `json:"bits"` // an entry of a row is a whole number of 2^−Bits
	// of one party's noise of the square of a column, in units of 4^−Bits; half of it for a product
	Share   *big.Int   `json:"variance"`
	Parties int        `json:"parties"` // each of which adds a share
	Sums    []*big.Int `json:"sums"`    // the upper triangle by rows, in units of 4^−Bits
	Digest  string     `json:"digest"`  // SHA-256 of the same without it

	Gradients *Gradients `json:"gradients,omitempty"`
	// Signatures are of the digest, by each party of a run across processes.
	Signatures []Signature `json:"signatures,omitempty"`
}

// Format is the version of the file.
const Format = 1

const (
	grid     = 20 // bits of an entry at most
	mostBits = 57 // of a sum: encrypted.LogInteger
)

// Tails is how many standard deviations room is made for: a discrete Gaussian is beyond with probability
// below 2·exp(−14²/2) < 2^-140.
const Tails = 14

// Parties lists the owners of columns, in the order of their first.
func Parties(columns []BoundedColumn) (out []string) {
	for _, c := range columns {
		if !slices.Contains(out, c.Owner) {
			out = append(out, c.Owner)
		}
	}
	return out
}

// Open adds up what all parties contribute to the moments and opens the sum. values has the rows of each
// column. Each party's part of a row is clipped to its norm. Every party adds noise of the full variance:
// whoever takes away the shares of all others but one has a sum with the noise of one, and the guarantee is
// about that.
//
// Two tables are neighbours where one person's row differs; the number of rows is public. With ‖v‖² ≤ B² = 1
// + Σ B_j²,
//
//	‖vvᵀ − wwᵀ‖_F² = ‖v‖⁴ + ‖w‖⁴ − 2(vᵀw)² ≤ 2B⁴,
//
// and a product off the diagonal stands in that norm twice. Each has discrete Gaussian noise, of variance σ²
// on the diagonal and σ²/2 off it, so that the release has zero-concentrated privacy ρ = Σ_d Δ_d²/2σ² + Σ_o
// Δ_o²/σ² ≤ 2B⁴/2σ² (Canonne, Kamath and Steinke 2020, proposition 5 and composition): σ² = B⁴/ρ. Entries are
// rounded towards 0 before they are multiplied, and norms are held on the integers, so that rounding adds
// nothing to the sensitivity. The squares of 1 and of binary columns are the same in all tables and have no
// noise.
func Open(family string, columns []BoundedColumn, values [][]float64, t Terms) (*Moments, error) {
	return open(family, columns, values, t, rand.Reader)
}

func open(family string, columns []BoundedColumn, values [][]float64, t Terms, random io.Reader) (*Moments,
	error) {
	m, err := Blank(family, columns, len(values[0]), t)
	if err != nil {
		return nil, err
	}
	m.Sums = m.plain(m.integers(values))
	if !t.NoNoise {
		for range m.Parties {
			for i, e := range m.share(random) {
				m.Sums[i].Add(m.Sums[i], e)
			}
		}
	}
	m.Digest, err = m.digest()
	return m, err
}

// bound2 is B².
func (m *Moments) bound2() float64 { return bound2(m.Columns, m.Terms) }

func bound2(columns []BoundedColumn, t Terms) float64 {
	b := 1.0
	for _, p := range Parties(columns) {
		b += float64(t.Norms[p] * t.Norms[p])
	}
	return b
}

// Noise is the Variance that moments of columns have by terms of which they have all.
func Noise(columns []BoundedColumn, t Terms) float64 {
	return float64(len(Parties(columns))) * bound2(columns, t) * bound2(columns, t) / t.Rho
}

// fine is how many bits entries have, so that sums and the noise of all parties, of at most Tails standard
// deviations each, stay below 2^mostBits: encrypted, they are whole numbers modulo a prime.
func (m *Moments) fine() (uint, error) {
	most := float64(float64(m.Rows) * m.bound2())
	if !m.Terms.NoNoise {
		most += float64(Tails * float64(m.Parties) * m.bound2() / math.Sqrt(m.Terms.ofMoments()))
	}
	_, exponent := math.Frexp(most)
	b := (mostBits - exponent) / 2
	if b < 10 {
		return 0, fmt.Errorf("%d rows are too many for sums of %d bits, or there is too much noise in them",
			m.Rows, mostBits)
	}
	return uint(min(b, grid)), nil
}

// variance is σ² of a share, in units of the sums and rounded up to an even number.
func (m *Moments) variance() *big.Int {
	v := new(big.Float).SetPrec(200).SetFloat64(m.bound2() * m.bound2() / m.Terms.ofMoments())
	v.SetMantExp(v, int(4*m.Bits))
	half, _ := v.Quo(v, big.NewFloat(2)).Int(nil)
	return half.Add(half, big.NewInt(1)).Lsh(half, 1)
}

// share is the noise of one party.
func (m *Moments) share(random io.Reader) []*big.Int {
	s := &sampler{random: random}
	half := new(big.Int).Rsh(m.Share, 1)
	out := make([]*big.Int, 0, len(m.Sums))
	m.each(func(i, j int) {
		switch {
		case i != j:
			out = append(out, s.gaussian(half))
		case m.Known(i):
			out = append(out, new(big.Int))
		default:
			out = append(out, s.gaussian(m.Share))
		}
	})
	return out
}

// Known reports whether the square of entry i of a row, of which 0 is the 1, is the same in all tables: that
// of a binary column is where its party's norm clips no row.
func (m *Moments) Known(i int) bool {
	if i == 0 {
		return true
	}
	c, n := m.Columns[i-1], 0.0
	for _, of := range m.Columns {
		if of.Owner == c.Owner {
			n++
		}
	}
	return c.Binary && m.Terms.Norms[c.Owner]*m.Terms.Norms[c.Owner] >= n
}

// Widest is the norm of each party that clips no row: the square root of how many columns it has.
func Widest(columns []BoundedColumn) map[string]float64 {
	out := map[string]float64{}
	for _, c := range columns {
		n := math.Round(out[c.Owner]*out[c.Owner]) + 1
		if out[c.Owner] = math.Sqrt(n); float64(out[c.Owner]*out[c.Owner]) < n {
			out[c.Owner] = math.Nextafter(out[c.Owner], n)
		}
	}
	return out
}

// each visits the upper triangle by rows.
func (m *Moments) each(visit func(i, j int)) {
	for i := range len(m.Columns) + 1 {
		for j := i; j <= len(m.Columns); j++ {
			visit(i, j)
		}
	}
}

// integers are the rows on the grid, party by party within its norm.
func (m *Moments) integers(values [][]float64) [][]int64 {
	one := math.Ldexp(1, int(m.Bits))
	rows := make([][]int64, m.Rows)
	for i := range rows {
		rows[i] = append(make([]int64, 0, len(values)+1), int64(one))
		for k, c := range m.Columns {
			if values[k] == nil { // of another party, elsewhere
				rows[i] = append(rows[i], 0)
				continue
			}
			rows[i] = append(rows[i], int64(float64(c.Scaled(values[k][i])*one)))
		}
		for _, p := range Parties(m.Columns) {
			m.clip(rows[i], p, one*m.Terms.Norms[p])
		}
	}
	return rows
}

// clip shortens one party's part of a row to its norm.
func (m *Moments) clip(row []int64, party string, norm float64) {
	for {
		square := 0.0 // whole numbers below 2^53
		for k, c := range m.Columns {
			if c.Owner == party {
				square += float64(float64(row[k+1]) * float64(row[k+1]))
			}
		}
		if square <= norm*norm {
			return
		}
		// so that each time some entry is less, also where rounding alone is beyond
		by := norm / math.Sqrt(square) * (1 - 0x1p-40)
		for k, c := range m.Columns {
			if c.Owner == party {
				row[k+1] = int64(float64(row[k+1]) * by)
			}
		}
	}
}

// plain are the sums without noise.
func (m *Moments) plain(rows [][]int64) []*big.Int {
	var out []*big.Int
	m.each(func(i, j int) {
		sum := int64(0)
		for _, r := range rows {
			sum += r[i] * r[j]
		}
		out = append(out, big.NewInt(sum))
	})
	return out
}

// Matrix is Σ v vᵀ with noise, and Variance that of the noise of the square of a column, of all parties; half
// of it is that of a product.
func (m *Moments) Matrix() [][]float64 {
	d := len(m.Columns) + 1
	out := make([][]float64, d)
	for i := range out {
		out[i] = make([]float64, d)
	}
	k := 0
	m.each(func(i, j int) {
		v, _ := new(big.Float).SetInt(m.Sums[k]).Float64()
		out[i][j] = math.Ldexp(v, -2*int(m.Bits))
		out[j][i] = out[i][j]
		k++
	})
	return out
}

// Variance is that of the noise of all parties in the square of a column.
func (m *Moments) Variance() float64 {
	v, _ := new(big.Float).SetInt(m.Share).Float64()
	return float64(m.Parties) * math.Ldexp(v, -4*int(m.Bits))
}

// JSON is the file.
func (m *Moments) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", " ")
	return append(b, '\n'), err
}

// Parse reads what JSON wrote. The error says what is wrong with the file.
func Parse(b []byte) (*Moments, error) {
	m := &Moments{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, err
	}
	switch n := len(m.Columns) + 1; {
	case m.Format != Format:
		return nil, fmt.Errorf("it has format %d, and this version reads %d", m.Format, Format)
	case n < 2 || n > 1<<bits.UintSize/4 || len(m.Sums) != n*(n+1)/2 || m.Share == nil || m.Rows < 1 ||
		slices.Contains(m.Sums, nil):
		return nil, errors.New("it has not as many sums as its columns have products")
	}
	if sum, err := m.digest(); err != nil || sum != m.Digest {
		return nil, errors.New("its digest is another than that of its contents")
	}
	return m, m.whole()
}
