package leak_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/compiletest"
)

// refused reports whether check refuses a model by errors of one code. Another error is one of the test.
func refused(t *testing.T, text string, code diag.Code) bool {
	t.Helper()
	_, diags := compiletest.Try(t, source.New("m.vfl", text), check.Options{})
	for _, d := range diags {
		if d.Severity == diag.Error && d.Code != code {
			t.Fatalf("%s %s\n%s", d.Code, d.Message, text)
		}
	}
	return diags.HasErrors()
}

func draw(r *rand.Rand, to []float64) {
	for k := range to {
		to[k] = r.NormFloat64()
	}
}

// derivatives of a function by some numbers, by central differences.
func derivatives(f func() []float64, by []*float64) *mat.Dense {
	var out *mat.Dense
	for j, at := range by {
		old := *at
		*at = old + 0.5
		up := f()
		*at = old - 0.5
		down := f()
		*at = old
		if out == nil {
			out = mat.NewDense(len(up), len(by), nil)
		}
		for i := range up {
			out.Set(i, j, up[i]-down[i])
		}
	}
	return out
}

// without takes from the columns of a what is in the span of those of b.
func without(a, b *mat.Dense) *mat.Dense {
	var svd mat.SVD
	svd.Factorize(b, mat.SVDThin)
	var u, inside, part mat.Dense
	svd.UTo(&u)
	rank := 0
	for _, v := range svd.Values(nil) {
		if v > 1e-10*svd.Values(nil)[0] {
			rank++
		}
	}
	span := u.Slice(0, u.RawMatrix().Rows, 0, rank)
	inside.Mul(span.T(), a)
	part.Mul(span, &inside)
	out := mat.DenseCopyOf(a)
	out.Sub(out, &part)
	return out
}

// leastSquares is Levenberg and Marquardt's method; it returns the largest difference that is left. f returns
// what is given from one round to before another of all, each of the same length. in is the round that an
// unknown number is in, -1 for one in all of them.
func leastSquares(unknown []*float64, in []int, all int, f func(from, to int) []float64,
	want []float64) float64 {
	difference := func() (*mat.VecDense, float64, float64) {
		d, sum, most := mat.NewVecDense(len(want), nil), 0.0, 0.0
		for k, v := range f(0, all) {
			d.SetVec(k, want[k]-v)
			sum, most = sum+(want[k]-v)*(want[k]-v), max(most, math.Abs(want[k]-v))
		}
		return d, sum, most
	}
	d, sum, most := difference()
	damping := 1e-3
	for range 60 {
		if most < 1e-9 {
			break
		}
		const h = 1e-5
		j := mat.NewDense(len(want), len(unknown), nil)
		for k, at := range unknown {
			from, to := 0, all
			if in[k] >= 0 {
				from, to = in[k], in[k]+1
			}
			old := *at
			*at = old + h
			up := f(from, to)
			*at = old - h
			down := f(from, to)
			*at = old
			for i := range up {
				j.Set(from*len(want)/all+i, k, (up[i]-down[i])/(2*h))
			}
		}
		var normal mat.Dense
		normal.Mul(j.T(), j)
		var right, step mat.VecDense
		right.MulVec(j.T(), d)
		for k := range unknown {
			normal.Set(k, k, normal.At(k, k)*(1+damping)+1e-14)
		}
		if step.SolveVec(&normal, &right) != nil && step.Len() == 0 {
			damping *= 10
			continue
		}
		for k, at := range unknown {
			*at += step.AtVec(k)
		}
		if next, s, mo := difference(); s < sum {
			d, sum, most, damping = next, s, mo, damping/5
			continue
		}
		for k, at := range unknown {
			*at -= step.AtVec(k)
		}
		damping *= 4
	}
	return most
}
