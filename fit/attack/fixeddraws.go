package attack

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/backends"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A fit by fixed draws separates a sum by the draws themselves. They come in pairs of opposite noise, and
// half the difference of a pair is ALε in coordinates of the span: A the clients' columns, L the factors of
// their covariances and ε noise, which stays. So C_t = AL_tE in evaluation t, and C_tC₁⁺ = A L_tL₁⁻¹ A⁻¹: the
// eigenvectors lie in one client's columns each, as L is block-diagonal by client. They are single columns
// where q(θ) is diagonal. A third evaluation couples those of one client.

// fixedDraws are half the differences of the pairs of draws, of some evaluations.
type fixedDraws struct {
	seen, columns int
	batches       [][][]float64
	mean          []float64 // of the first pair of the newest evaluation: the total at the mean of q(θ)
}

// mostFixed bounds the evaluations that are kept: those whose number is a power of two.
const mostFixed = 7

// take takes the first message of an evaluation.
func (f *fixedDraws) take(columns int, more bool, column func(k int) []float64) {
	if more && columns != f.columns || columns < 2 { // a further message, or one of other points
		return
	}
	f.columns = columns
	f.mean = column(0)
	vec.Accumulate(len(f.mean), f.mean, column(1))
	vec.Scale(len(f.mean), f.mean, f.mean, 0.5)
	if f.seen++; f.seen&(f.seen-1) != 0 || bits.Len(uint(f.seen)) > mostFixed {
		return
	}
	var batch [][]float64
	for k := 0; k+1 < columns && len(batch) < mostAtDraws; k += 2 {
		a, b := column(k), column(k+1)
		vec.Sub(len(a), a, a, b)
		vec.Scale(len(a), a, a, 0.5)
		batch = append(batch, a)
	}
	f.batches = append(f.batches, batch)
}

// turns are C_tC₁⁺ of the evaluations after the first, from pairs of every residue modulo each of a number of
// parts; nil where a linear map does not follow.
func (f *fixedDraws) turns(basis [][]float64, part, parts int) (out []*mat.Dense) {
	var first *mat.Dense
	for _, batch := range f.batches {
		c := mat.NewDense((len(batch)-part+parts-1)/parts, len(basis), nil)
		for k := part; k < len(batch); k += parts {
			for j, u := range basis {
				c.Set(k/parts, j, vec.Dot(len(u), u, batch[k]))
			}
		}
		if first == nil {
			first = c
			continue
		}
		if n, r := c.Dims(); n < r+2 {
			return nil
		}
		var turn, left mat.Dense
		if turn.Solve(first, c) != nil {
			continue
		}
		left.Mul(first, &turn)
		left.Sub(c, &left)
		if mat.Norm(&left, 2) <= believed*mat.Norm(c, 2) {
			out = append(out, mat.DenseCopyOf(turn.T()))
		}
	}
	return out
}

// eigenvectors are those of length 1 of a matrix whose eigenvalues are real, and how far these are apart; nil
// where they are not.
func eigenvectors(of *mat.Dense) (*mat.Dense, float64) {
	var eigen mat.Eigen
	if !eigen.Factorize(of, mat.EigenRight) {
		return nil, 0
	}
	n, _ := of.Dims()
	var v mat.CDense
	eigen.VectorsTo(&v)
	var values []float64
	for _, x := range eigen.Values(nil) {
		if math.Abs(imag(x)) > 0 {
			return nil, 0
		}
		values = append(values, real(x))
	}
	out := mat.NewDense(n, n, nil)
	for j := range n {
		for i := range n {
			out.Set(i, j, real(v.At(i, j)))
		}
		length := mat.Norm(out.ColView(j), 2)
		for i := range n {
			out.Set(i, j, out.At(i, j)/length)
		}
	}
	slices.Sort(values)
	return out, apart(values)
}

// separated separates with the evaluation whose eigenvalues are farthest apart; nil where there is none.
func (f *fixedDraws) separated(basis [][]float64) (*separation, int) {
	turns := f.turns(basis, 0, 1)
	return byTurns(turns, [2][]*mat.Dense{f.turns(basis, 0, 2), f.turns(basis, 1, 2)}), len(turns)
}

// byTurns separates by the eigenvectors of matrices that are block-diagonal by client in coordinates of its
// columns: by those of the one whose eigenvalues are farthest apart, and by what couples them in the others.
// The halves are the same from half of what these follow from; nil where there is none.
func byTurns(turns []*mat.Dense, halves [2][]*mat.Dense) *separation {
	if len(turns) == 0 || len(halves[0]) != len(turns) || len(halves[1]) != len(turns) {
		return nil
	}
	s := &separation{chains: len(turns)}
	at, best := -1, 0.0
	for k, t := range turns {
		if v, far := eigenvectors(t); v != nil && far > best {
			s.directions, at, best = v, k, far
		}
	}
	s.inverse = new(mat.Dense)
	if at < 0 || s.inverse.Inverse(s.directions) != nil {
		return nil
	}
	first, _ := eigenvectors(halves[0][at])
	second, _ := eigenvectors(halves[1][at])
	s.alike(first, second)
	var others []coupled
	for k, t := range turns {
		if k != at {
			others = append(others, coupled{s.turned(t), s.turned(halves[0][k]), s.turned(halves[1][k])})
		}
	}
	s.divide(others)
	return s
}

// turned are the couplings of directions in a matrix that is not symmetric.
func (s *separation) turned(of *mat.Dense) *mat.Dense {
	var half, k mat.Dense
	half.Mul(s.inverse, of)
	k.Mul(&half, s.directions)
	n, _ := k.Dims()
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			scale := math.Sqrt(math.Abs(float64(k.At(i, i) * k.At(j, j))))
			out.Set(i, j, max(math.Abs(k.At(i, j)), math.Abs(k.At(j, i)))/scale)
		}
	}
	return out
}

// separate separates the sum.
func (f *fixedDraws) separate(out *Separation, picks []int, members []member) {
	out.By, out.Of = byDraws, max(0, len(f.batches)-1)
	var all [][]float64
	for _, batch := range f.batches {
		all = append(all, batch...)
	}
	basis := orthonormal(all)
	if out.Dimensions = len(basis); len(basis) == 0 || len(basis) > mostRank {
		out.Missing = "the draws show no small span"
		return
	}
	found, chains := f.separated(basis)
	out.Chains = chains
	switch {
	case found != nil:
	case chains == 0:
		out.Missing = "too few draws or evaluations, or what the clients add is no " +
			"linear function of the draws"
	default:
		out.Missing = "the draws of all evaluations differ by a factor alone"
	}
	if found == nil {
		return
	}
	n := len(picks)
	s := &sums{rows: n, places: picks, base: &steps{rows: n, rank: len(basis)}}
	mean := make([]float64, header+len(basis))
	for k, u := range basis {
		s.base.basis = append(s.base.basis, u...)
		mean[header+k] = vec.Dot(n, u, f.mean)
	}
	s.kept = [][][]float64{{mean}}
	s.describe(out, found, members, "draws", "more evaluations")
}

func (f *fixedDraws) state(c *backends.Codec, n int) {
	batches := len(f.batches)
	c.Ints(&f.seen, &f.columns, &batches)
	pairs := min(f.columns/2, mostAtDraws)
	if batches < 0 || batches > mostFixed || f.columns < 0 {
		c.Fail(fmt.Errorf("%d evaluations of %d draws were kept", batches, f.columns))
		return
	}
	for len(f.batches) < batches {
		f.batches = append(f.batches, make([][]float64, pairs))
	}
	if batches > 0 && f.mean == nil {
		f.mean = make([]float64, n)
	}
	c.Floats(f.mean)
	for _, batch := range f.batches {
		for i := range batch {
			if batch[i] == nil {
				batch[i] = make([]float64, n)
			}
			c.Floats(batch[i])
		}
	}
}
