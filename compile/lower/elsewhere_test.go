package lower_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// A sample is two positive numbers, two vectors and a symmetric positive definite matrix of size 3, and the
// weights of the elements of a result.
type sample struct {
	s, t    float64
	u, v, w []float64
	a       *mat.Dense
}

func (k *sample) weighted(of func(i int) float64) (sum float64) {
	for i, w := range k.w {
		sum += w * of(i)
	}
	return sum
}

// rows weights the elements of a matrix by the weights of its rows and columns.
func (k *sample) rows(of func(i, j int) float64) float64 {
	return k.weighted(func(i int) float64 { return k.weighted(func(j int) float64 { return of(i, j) }) })
}

func (k *sample) matrix(m mat.Matrix) float64 { return k.rows(m.At) }

func (k *sample) dot() float64 { return mat.Dot(mat.NewVecDense(3, k.u), mat.NewVecDense(3, k.v)) }

func (k *sample) covariance(of func(d float64) float64) float64 {
	return k.rows(func(i, j int) float64 { return k.s * k.s * of(math.Abs(k.u[i]-k.u[j])/k.t) })
}

func (k *sample) solved() float64 {
	var x mat.VecDense
	if err := x.SolveVec(k.a, mat.NewVecDense(3, k.v)); err != nil {
		panic(err)
	}
	return k.weighted(x.AtVec)
}

// structural are functions of arrays that names known elsewhere are replaced by: a number with a call of it,
// and what those who have the name define.
var structural = map[string]struct {
	text string
	want func(k *sample) float64
}{
	"col_means": {"dot(w, F(A))", func(k *sample) float64 {
		return k.weighted(func(j int) float64 { return mat.Sum(k.a.ColView(j)) / 3 })
	}},
	"col_sums": {"dot(w, F(A))", func(k *sample) float64 {
		return k.weighted(func(j int) float64 { return mat.Sum(k.a.ColView(j)) })
	}},
	"row_means": {"dot(w, F(A))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return mat.Sum(k.a.RowView(i)) / 3 })
	}},
	"row_sums": {"dot(w, F(A))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return mat.Sum(k.a.RowView(i)) })
	}},
	"rowdot": {"dot(w, F(A, A))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return mat.Dot(k.a.RowView(i), k.a.RowView(i)) })
	}},
	"dot": {"F(u, v)", (*sample).dot},
	"where": {"dot(w, F(u > v, u, v))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return max(k.u[i], k.v[i]) })
	}},
	"pow": {"dot(w, F(exp(u), v))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return math.Pow(math.Exp(k.u[i]), k.v[i]) })
	}},
	"log_sum_exp": {"dot(w, F(u, v))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return math.Log(math.Exp(k.u[i]) + math.Exp(k.v[i])) })
	}},
	"min": {"dot(w, F(u, v))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return min(k.u[i], k.v[i]) })
	}},
	"max": {"dot(w, F(u, v))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return max(k.u[i], k.v[i]) })
	}},
	"rep": {"dot(w, F(s, 3))", func(k *sample) float64 {
		return k.weighted(func(int) float64 { return k.s })
	}},
	"append": {"dot(append(w, w), F(u, v))", func(k *sample) float64 {
		return k.weighted(func(i int) float64 { return k.u[i] + k.v[i] })
	}},
	"cholesky": {"dot(w, F(A) * w)", func(k *sample) float64 {
		var c mat.Cholesky
		c.Factorize(mat.NewSymDense(3, k.a.RawMatrix().Data))
		var l mat.TriDense
		c.LTo(&l)
		return k.matrix(&l)
	}},
	"solve": {"dot(w, F(A, v))", (*sample).solved},
	"diag":  {"dot(w, F(v) * w)", func(k *sample) float64 { return k.matrix(mat.NewDiagDense(3, k.v)) }},
	"gp_exp_quad": {"dot(w, F(u, s, t) * w)", func(k *sample) float64 {
		return k.covariance(func(d float64) float64 { return math.Exp(-d * d / 2) })
	}},
	"gp_matern32": {"dot(w, F(u, s, t) * w)", func(k *sample) float64 {
		return k.covariance(func(d float64) float64 {
			return (1 + math.Sqrt(3)*d) * math.Exp(-math.Sqrt(3)*d)
		})
	}},
	"gp_matern52": {"dot(w, F(u, s, t) * w)", func(k *sample) float64 {
		return k.covariance(func(d float64) float64 {
			return (1 + math.Sqrt(5)*d + 5*d*d/3) * math.Exp(-math.Sqrt(5)*d)
		})
	}},
}

func drawn(r *rand.Rand) *sample {
	k := &sample{s: math.Exp(r.NormFloat64() / 2), t: math.Exp(r.NormFloat64() / 2),
		a: mat.NewDense(3, 3, nil)}
	for range 3 {
		k.u, k.v, k.w = append(k.u, r.NormFloat64()), append(k.v, r.NormFloat64()),
			append(k.w, 0.1+r.ExpFloat64())
	}
	b := mat.NewDense(3, 3, append(append(append([]float64(nil), k.u...), k.v...), k.w...))
	k.a.Mul(b, b.T())
	for i := range 3 {
		k.a.Set(i, i, k.a.At(i, i)+1)
	}
	return k
}

func list(x []float64) string { return strings.ReplaceAll(fmt.Sprintf("%.17f", x), " ", ", ") }

// A function of arrays that is put in the place of a name known elsewhere has the value of that one.
func TestArrayFunctionsKnownElsewhereAgree(t *testing.T) {
	u, r := stdlib.New(), rand.New(rand.NewPCG(7, 8))
	for _, f := range diag.Foreigns(diag.Functions) {
		if _, is := u.Structural(f.Write); !f.Same || !is {
			continue
		}
		c, ok := structural[f.Write]
		if !ok {
			t.Errorf("%s: no value of %s to compare with", f.Name, f.Write)
			continue
		}
		k := drawn(r)
		text := fmt.Sprintf("const s = %.17f\nconst t = %.17f\nlet u = %s\nlet v = %s\nlet w = "+
			"%s\nlet A = [%s, %s, %s]\n", k.s, k.t, list(k.u), list(k.v), list(k.w),
			list(k.a.RawRowView(0)), list(k.a.RawRowView(1)), list(k.a.RawRowView(2)))
		text += "data y : real[N]\nparam z ~ normal(0, 1)\ny ~ normal(z, 1)\nfactor z * " +
			strings.ReplaceAll(c.text, "F(", f.Write+"(") + "\n"
		j := newJoint(t, fixture{Text: text, Tables: map[string]string{"server": "y\n0\n"}}.Bind(t,
			check.Options{}).Plan, 0)
		at := func(z float64) float64 { j.theta[0][0] = z; return j.value(t) }
		got, want := (at(1)-at(-1))/2, c.want(k)
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s is %v, and %s has %v", c.text, got, f.Name, want)
		}
	}
}
