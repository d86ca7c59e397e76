package release

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/vflc/vflc/runtime/encrypted/polynomial"
)

// Gradients are tables of sums at fitted points, each with noise of its own. With z = Map·(1, x) of the
// scaled columns x, an argument u of which each party has a part, the residual ψ and the weights κ and κ' of
// the step's Curve, and a weight s ≤ 1 of a row, a table has
//
//	Σ s²κ zzᵀ, Σ s⁴κ' zzᵀ, Σ s²ψ z, and of a normal response Σ ψ²:
//
// what the derivative of the third by the coefficients is made of, its covariance over responses, and a
// score. Map has no products of columns of two parties, so that each party has its part of z, which it holds
// to the square root of its Length; s² is about min(1, Norm²/‖z‖²). It depends on the columns alone, so that
// the score has mean 0 at the true coefficients however many rows are shortened. All this is made of sums and
// products of what parties have, and of polynomials, as it can be of encrypted numbers.
type Gradients struct {
	Map     [][]float64        `json:"map"`     // its first row is 1, 0, …
	Norm    float64            `json:"norm"`    // that ‖sz‖ is held to, but for the polynomial of s²
	Lengths map[string]float64 `json:"lengths"` // of ‖z‖², each party's part
	Steps   []*Step            `json:"steps"`

	weight *polynomial.Polynomial
	bound2 float64
}

// A Step is one table.
type Step struct {
	At    []float64          `json:"at"`              // β
	Scale float64            `json:"scale,omitempty"` // σ, in units of the scaled response; 0: it is binary
	Shape float64            `json:"shape"`           // see Curve
	Reach map[string]float64 `json:"reach"`           // where each party's part of the argument is held
	Rho   float64            `json:"rho"`
	Bits  uint               `json:"bits"`     // sums are in units of 2^−Bits
	Share *big.Int           `json:"variance"` // of one party's noise of the score, in units of 4^−Bits
	Sums  []*big.Int         `json:"sums"`     // upper triangles by rows, the score, the square

	curve *Curve // once it is made
}

// weighting is how much of the sensitivity each kind of sum has: a kind with weight w has noise of 1/w of the
// variance of the score's. Two tables are neighbours where one row differs. With B = Bound, c = Most, k =
// Steep, Frobenius norms, and s in z and ψ already, so that ‖z‖ ≤ B, rows (z, ψ) and (w, φ) of a normal
// response, where k = 1, have
//
//	‖zψ − wφ‖² + (c²/2B²)‖zzᵀ − wwᵀ‖² ≤ (c²/2B²)‖uuᵀ − vvᵀ‖² ≤ 4B²c²
//
// where u = (z, ψB/c) and v = (w, φB/c) are of length at most √2·B, and ‖uuᵀ − vvᵀ‖² ≤ 2·(2B²)². To this come
// s²zzᵀ with a quarter of the weight of zzᵀ, where ‖s²zzᵀ − t²wwᵀ‖² ≤ 2B⁴, and the squares, which differ by
// at most c², with the weight B²/4c²: 4½·B²c² in all.
//
// Of a binary response ‖zψ‖ ≤ Bc, and κ‖z‖² ≤ kB². With the angle's cosine t between z and w the first
// differs by at most 2B²c²(1+|t|) squared, and each matrix by k²B⁴·max(1, 2(1−t²)), a convex function's
// maximum over the lengths at their ends; the matrices have weights that add up to 0.35·c²/k²B², so that all
// is largest at |t| = 1: 4.35·B²c².
type weighting struct{ curvature, spread, square, sensitivity2 float64 }

func (g *Gradients) weighting(s *Step) weighting {
	curve := s.Curve()
	_, bound2 := g.Weight()
	return weightingOf(bound2, float64(curve.Most*curve.Most),
		float64(curve.Steep*curve.Steep), s.Scale > 0)
}

// weightingOf is that of B², c² and k².
func weightingOf(b, c, k float64, normal bool) weighting {
	if normal {
		return weighting{c / (2 * b), c / (8 * b), b / (4 * c), float64(4.5 * b * c)}
	}
	return weighting{c / (4 * k * b), c / (10 * k * b), 0, float64(4.35 * b * c)}
}

// entries is how many sums a table has for n coefficients.
func entries(n int, normal bool) int {
	if normal {
		return n*(n+1) + n + 1
	}
	return n*(n+1) + n
}

// Begin makes a step ready for sums of the release's rows: their units, and the variance of a share of noise.
// The error says that they would be too large, or that the step costs more than Terms have left.
func (m *Moments) Begin(s *Step) error {
	spent := m.Terms.ofMoments() + s.Rho
	for _, before := range m.Gradients.Steps {
		spent += before.Rho
	}
	if !m.Terms.NoNoise && !(s.Rho > 0 && spent <= m.Terms.Rho*(1+1e-9)) {
		return fmt.Errorf("a score of rho %g would make it %g in all, and %g is promised", s.Rho, spent,
			m.Terms.Rho)
	}
	if s.Scale > 0 && !(s.Shape > 0) {
		return errors.New("a score of a normal response has no shape")
	}
	m.Within(s)
	_, bound2 := m.Gradients.Weight()
	_, exponent := math.Frexp(float64(m.Rows) * max(bound2, 1))
	if exponent > 40 {
		return fmt.Errorf("%d rows are too many for sums of 62 bits", m.Rows)
	}
	s.Bits, s.Share = uint(min(40, 61-exponent)), new(big.Int)
	if !m.Terms.NoNoise {
		s.Share = s.variance(m.Gradients.weighting(s), entries(len(s.At), s.Scale > 0))
	}
	return nil
}

// Step adds a table, and charges the step's ρ for it, of which the sum is what Terms promise. values are the
// rows of each column, all parties', in this process: whoever runs it sees them.
func (m *Moments) Step(s *Step, values [][]float64) error {
	return m.step(s, values, rand.Reader)
}

func (m *Moments) step(s *Step, values [][]float64, random io.Reader) error {
	if err := m.Begin(s); err != nil {
		return err
	}
	s.Sums = m.score(s, values)
	units := slices.Repeat([]float64{math.Ldexp(1, int(s.Bits))}, len(s.Sums))
	for range m.Parties {
		for i, e := range m.StepNoise(s, units, random) {
			s.Sums[i].Add(s.Sums[i], e)
		}
	}
	return m.taken(s)
}

// taken adds a step whose sums are there.
func (m *Moments) taken(s *Step) (err error) {
	m.Gradients.Steps = append(m.Gradients.Steps, s)
	m.Digest, err = m.digest()
	return err
}

// score is the table without noise. Every entry of a row is rounded towards 0.
func (m *Moments) score(s *Step, values [][]float64) []*big.Int {
	n := len(s.At)
	curve, z := s.Curve(), make([][]float64, n)
	weight, _ := m.Gradients.Weight()
	z[0] = slices.Repeat([]float64{1}, m.Rows)
	q, u := make([]float64, m.Rows), make([]float64, m.Rows)
	for _, p := range Parties(m.Columns) {
		part := m.Part(p, m.ofParty(p, values))
		for i, v := range m.Argument(s, p, m.ofParty(p, values)) {
			u[i] += v
			q[i] += part.Squares[i]
		}
		for j, c := range m.Columns[:n-1] {
			if c.Owner == p {
				z[j+1], part.Columns = part.Columns[0], part.Columns[1:]
			}
		}
	}
	sums, one := make([]int64, entries(n, s.Scale > 0)), math.Ldexp(1, int(s.Bits))
	for i := range m.Rows {
		at, s2 := u[i], weight.At(q[i])
		if s.Scale == 0 {
			at += s.At[0]
		}
		psi := curve.residual(m.Columns[n-1].Scaled(values[n-1][i]), at)
		kappa, spread := curve.weights(at)
		k := 0
		add := func(v float64) { sums[k] += int64(float64(v * one)); k++ }
		for _, by := range []float64{float64(s2 * kappa), float64(s2 * s2 * spread)} {
			for a := range n {
				for _, zb := range z[a:] {
					add(by * float64(z[a][i]*zb[i]))
				}
			}
		}
		for _, v := range z {
			add(float64(s2*psi) * v[i])
		}
		if s.Scale > 0 {
			add(psi * psi)
		}
	}
	out := make([]*big.Int, len(sums))
	for i, v := range sums {
		out[i] = big.NewInt(v)
	}
	return out
}

// ofParty are the rows of a party's columns, by column.
func (m *Moments) ofParty(party string, values [][]float64) (out [][]float64) {
	for k, c := range m.Columns {
		if c.Owner == party {
			out = append(out, values[k])
		}
	}
	return out
}

func sorted(m map[string]float64) []string { return slices.Sorted(maps.Keys(m)) }

// Slack is how far a sum before noise may be from that of the rows: by rounding, of which two units do not
// come near it, or by encryption.
const Slack = 0x1p-21

// variance is σ² of a share of the score's noise: the sensitivity, to which each sum adds twice the Slack,
// squared, over 2ρ.
func (s *Step) variance(w weighting, sums int) *big.Int {
	wrong := 2 * Slack * math.Sqrt(float64(sums)*max(1, 2*w.curvature, 2*w.spread, w.square))
	d := math.Sqrt(w.sensitivity2) + float64(wrong)
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
	w := m.Gradients.weighting(s)
	v, _ := new(big.Float).SetInt(s.Share).Float64()
	v = math.Ldexp(v, -2*int(s.Bits)) * float64(m.Parties)
	out.OfGradient, out.OfCurvature, out.OfSpread = v, v/w.curvature, v/w.spread
	if w.square > 0 {
		out.Square, out.OfSquare = next(), v/w.square
	}
	return out
}

// Sensitivity is the largest difference of a score that has a Curve and a B², with what the other sums add
// to it.
func (c *Curve) Sensitivity(b2 float64, normal bool) float64 {
	return math.Sqrt(weightingOf(b2, float64(c.Most*c.Most), float64(c.Steep*c.Steep), normal).sensitivity2)
}

// whole reports whether gradients have the form that Score reads.
func (m *Moments) whole() error {
	if m.Gradients == nil {
		return nil
	}
	n := len(m.Columns)
	bad := len(m.Gradients.Map) != n
	bad = bad || !(m.Gradients.Norm >= 1 && m.Gradients.longest() > 0 && m.Gradients.longest() < 1e9)
	for _, row := range m.Gradients.Map {
		bad = bad || len(row) != n
	}
	for _, s := range m.Gradients.Steps {
		bad = bad || len(s.At) != n || len(s.Sums) != entries(n, s.Scale > 0) || s.Share == nil ||
			s.Bits > 62 ||
			!(s.reach() > 0 && s.reach() < 1e6) || !(s.Scale >= 0) ||
			!(s.Shape >= 0 && s.Shape < 1e3) || s.Scale > 0 && s.Shape == 0
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
func (c BoundedColumn) Scaled(v float64) float64 { return max(-1, min(1, (v-c.Middle())/c.Half())) }
