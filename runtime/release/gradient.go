package release

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"

	"github.com/vflc/vflc/portable"
)

// Gradients are tables of sums at fitted points, each with noise of its own. With z = Map·(1, x) of the
// scaled columns x, η = zᵀβ, and a weight s ≤ 1 of a row, a table has
//
//	Σ s²κ zzᵀ, Σ s⁴κ zzᵀ, Σ s²ψ z, and of a normal response Σ ψ²:
//
// the derivative of the third by −β, its covariance over responses, and a score. A normal response y has the
// residual ψ = (y−η)/σ, held to ±Clip, κ = 1, and s = min(1, Bound/‖z‖). Of a binary one, whose Clip is 0,
// with p = 1/(1+exp(−η)) and m = max(p, 1−p), ψ = y − p, κ = p(1−p), and s = min(1, Bound/m‖z‖). s depends on
// the columns alone, so that the score has mean 0 at the true coefficients however many rows are shortened.
type Gradients struct {
	Map   [][]float64 `json:"map"`   // its first row is 1, 0, …
	Bound float64     `json:"bound"` // B
	Clip  float64     `json:"clip,omitempty"`
	Steps []*Step     `json:"steps"`
}

// A Step is one table.
type Step struct {
	At    []float64  `json:"at"`              // β
	Scale float64    `json:"scale,omitempty"` // σ, in units of the scaled response
	Rho   float64    `json:"rho"`
	Bits  uint       `json:"bits"`     // sums are in units of 2^−Bits
	Share *big.Int   `json:"variance"` // of one party's noise of the score, in units of 4^−Bits
	Sums  []*big.Int `json:"sums"`     // upper triangles by rows, the score, the square
}

// weighting is how much of the sensitivity each kind of sum has: a kind with weight w has noise of 1/w of the
// variance of the score's. Two tables are neighbours where one row differs. With B = Bound, c = Clip,
// Frobenius norms, and s in z and ψ already, so that ‖z‖ ≤ B, rows (z, ψ) and (w, φ) of a normal response
// have
//
//	‖zψ − wφ‖² + (c²/2B²)‖zzᵀ − wwᵀ‖² ≤ (c²/2B²)‖uuᵀ − vvᵀ‖² ≤ 4B²c²
//
// where u = (z, ψB/c) and v = (w, φB/c) are of length at most √2·B, and ‖uuᵀ − vvᵀ‖² ≤ 2·(2B²)². To this come
// s²zzᵀ with a quarter of the weight of zzᵀ, where ‖s²zzᵀ − t²wwᵀ‖² ≤ 2B⁴, and the squares, which differ by
// at most c², with the weight B²/4c²: 4½·B²c² in all.
//
// Of a binary response ‖zψ‖ ≤ B, and κ‖z‖² = (m‖z‖)²(1−m)/m ≤ B². With the angle's cosine t between z and w
// the first differs by at most 2B²(1+|t|) squared, and each matrix by B⁴·max(1, 2(1−t²)), a convex function's
// maximum over the lengths at their ends; the matrices have weights that add up to 0.35/B², so that all is
// largest at |t| = 1: 4.35·B².
type weighting struct{ curvature, spread, square, sensitivity2 float64 }

func (g *Gradients) weighting() weighting {
	b, c := float64(g.Bound*g.Bound), float64(g.Clip*g.Clip)
	if g.Clip > 0 {
		return weighting{c / (2 * b), c / (8 * b), b / (4 * c), float64(4.5 * b * c)}
	}
	return weighting{1 / (4 * b), 1 / (10 * b), 0, float64(4.35 * b)}
}

// entries is how many sums a table has for n coefficients.
func (g *Gradients) entries(n int) int {
	if g.Clip > 0 {
		return n*(n+1) + n + 1
	}
	return n*(n+1) + n
}

// Step adds the table at β, and charges ρ for it, of which the sum is what Terms promise. values are the rows
// of each column, all parties', in this process: whoever runs it sees them.
func (m *Moments) Step(values [][]float64, at []float64, scale, rho float64) error {
	return m.step(values, at, scale, rho, rand.Reader)
}

func (m *Moments) step(values [][]float64, at []float64, scale, rho float64, random io.Reader) error {
	g := m.Gradients
	w := g.weighting()
	_, exponent := math.Frexp(float64(m.Rows) * max(g.Bound, g.Clip) * max(g.Bound, g.Clip))
	if exponent > 40 {
		return fmt.Errorf("%d rows are too many for sums of 62 bits", m.Rows)
	}
	s := &Step{At: at, Scale: scale, Rho: rho, Bits: uint(min(40, 61-exponent)), Share: new(big.Int)}
	s.Sums = m.score(s, values)
	if !m.Terms.NoNoise {
		s.Share = s.variance(w, len(s.Sums))
		draw := &sampler{random: random}
		for range m.Parties {
			for i, v := range s.variances(w) {
				s.Sums[i].Add(s.Sums[i], draw.gaussian(v))
			}
		}
	}
	g.Steps = append(g.Steps, s)
	var err error
	m.Digest, err = m.digest()
	return err
}

// score is the table without noise. Every entry of a row is rounded towards 0.
func (m *Moments) score(s *Step, values [][]float64) []*big.Int {
	n := len(s.At)
	sums := make([]int64, m.Gradients.entries(n))
	x, z, one := make([]float64, n), make([]float64, n), math.Ldexp(1, int(s.Bits))
	for i := range m.Rows {
		x[0] = 1
		for k, c := range m.Columns[:n-1] {
			x[k+1] = c.Scaled(values[k][i])
		}
		eta, length := 0.0, 0.0
		for j, row := range m.Gradients.Map {
			z[j] = dot(row, x)
			eta += float64(z[j] * s.At[j])
			length += float64(z[j] * z[j])
		}
		psi, kappa, most := m.residual(s, m.Columns[n-1].Scaled(values[n-1][i]), eta)
		s2 := min(1, float64(m.Gradients.Bound*m.Gradients.Bound)/float64(most*most*length))
		k := 0
		add := func(v float64) { sums[k] += int64(float64(v * one)); k++ }
		for _, by := range []float64{float64(s2 * kappa), float64(s2 * s2 * kappa)} {
			for a := range n {
				for _, zb := range z[a:] {
					add(by * float64(z[a]*zb))
				}
			}
		}
		for _, v := range z {
			add(float64(s2*psi) * v)
		}
		if m.Gradients.Clip > 0 {
			add(psi * psi)
		}
	}
	out := make([]*big.Int, len(sums))
	for i, v := range sums {
		out[i] = big.NewInt(v)
	}
	return out
}

// residual is ψ and κ, and what Bound holds the length times, so that ‖z‖·|ψ| is bounded.
func (m *Moments) residual(s *Step, y, eta float64) (psi, kappa, most float64) {
	if c := m.Gradients.Clip; c > 0 {
		return max(-c, min(c, (y-eta)/s.Scale)), 1, 1
	}
	p := 1 / (1 + portable.Exp(-eta))
	return float64((1+y)/2) - p, float64(p * (1 - p)), max(p, 1-p)
}

// variance is σ² of a share of the score's noise: the sensitivity, to which rounding adds less than two units
// a sum, squared, over 2ρ.
func (s *Step) variance(w weighting, sums int) *big.Int {
	rounded := 2 * math.Sqrt(float64(sums)*max(1, w.curvature, w.square))
	d := math.Sqrt(w.sensitivity2) + math.Ldexp(rounded, -int(s.Bits))
	v := new(big.Float).SetMantExp(new(big.Float).SetPrec(200).SetFloat64(d*d/(2*s.Rho)), 2*int(s.Bits))
	out, _ := v.Int(nil)
	return out.Add(out, big.NewInt(1))
}

// variances are those of one party's noise in each sum: that of the score over the weight of each kind, and
// half of that off a diagonal, which stands twice in a matrix.
func (s *Step) variances(w weighting) (out []*big.Int) {
	of := func(weight float64) *big.Int {
		v := new(big.Float).SetPrec(200).SetInt(s.Share)
		whole, _ := v.Quo(v, big.NewFloat(weight)).Int(nil)
		return whole.Add(whole, big.NewInt(1))
	}
	n := len(s.At)
	for _, weight := range []float64{w.curvature, w.spread} {
		for a := range n {
			out = append(append(out, of(weight)), slices.Repeat([]*big.Int{of(2 * weight)}, n-a-1)...)
		}
	}
	out = append(out, slices.Repeat([]*big.Int{of(1)}, n)...)
	if w.square > 0 {
		out = append(out, of(w.square))
	}
	return out
}

// A Score is a table as numbers, with the variances of the noise of all parties in it: of a matrix, that of
// an element of the diagonal, of which the others have half.
type Score struct {
	Curvature, Spread                           [][]float64
	Gradient                                    []float64
	Square                                      float64
	OfCurvature, OfSpread, OfGradient, OfSquare float64
}

// Score is the table of a step.
func (m *Moments) Score(s *Step) Score {
	n, k := len(s.At), 0
	next := func() float64 {
		v, _ := new(big.Float).SetInt(s.Sums[k]).Float64()
		k++
		return math.Ldexp(v, -int(s.Bits))
	}
	square := func() [][]float64 {
		out := make([][]float64, n)
		for i := range out {
			out[i] = make([]float64, n)
		}
		for i := range n {
			for j := i; j < n; j++ {
				out[i][j] = next()
				out[j][i] = out[i][j]
			}
		}
		return out
	}
	out := Score{Curvature: square(), Spread: square(), Gradient: make([]float64, n)}
	for i := range n {
		out.Gradient[i] = next()
	}
	w := m.Gradients.weighting()
	v, _ := new(big.Float).SetInt(s.Share).Float64()
	v = math.Ldexp(v, -2*int(s.Bits)) * float64(m.Parties)
	out.OfGradient, out.OfCurvature, out.OfSpread = v, v/w.curvature, v/w.spread
	if w.square > 0 {
		out.Square, out.OfSquare = next(), v/w.square
	}
	return out
}

// Sensitivity is the largest difference of the score, with what the other sums add to it.
func (g *Gradients) Sensitivity() float64 { return math.Sqrt(g.weighting().sensitivity2) }

// whole reports whether gradients have the form that Score reads.
func (m *Moments) whole() error {
	if m.Gradients == nil {
		return nil
	}
	n := len(m.Columns)
	bad := len(m.Gradients.Map) != n || !(m.Gradients.Bound > 0) || !(m.Gradients.Clip >= 0)
	for _, row := range m.Gradients.Map {
		bad = bad || len(row) != n
	}
	for _, s := range m.Gradients.Steps {
		bad = bad || len(s.At) != n || len(s.Sums) != m.Gradients.entries(n) || s.Share == nil || s.Bits > 62
		for _, v := range s.Sums {
			bad = bad || v == nil
		}
	}
	if bad {
		return errors.New("its gradients have not the form of its columns")
	}
	return nil
}

// Scaled is a value of the column, held to its bounds, as −1 … 1.
func (c Column) Scaled(v float64) float64 { return max(-1, min(1, (v-c.Middle())/c.Half())) }

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
