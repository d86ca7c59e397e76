package leak_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/lang/diag"
)

// A seenClient is what a server has of a client with the cut X * B and the likelihood y ~ bernoulli_logit(Z *
// B): by round the cut, and the log density.
type seenClient struct {
	x, z, b *mat.Dense
	y, lp   []float64
}

func seeClient(r *rand.Rand, rounds int) *seenClient {
	s := &seenClient{mat.NewDense(2*rows, columns, nil), mat.NewDense(rows, columns, nil),
		mat.NewDense(rounds, columns, nil), make([]float64, rows), make([]float64, rounds)}
	for _, m := range []*mat.Dense{s.x, s.z, s.b} {
		draw(r, m.RawMatrix().Data)
	}
	s.b.Scale(2, s.b)
	for i := range s.y {
		s.y[i] = float64(r.IntN(2))
	}
	for t := range s.lp {
		b := s.b.RowView(t)
		s.lp[t] = -mat.Dot(b, b) / 8 // the prior is normal(0, 2)
		for i, y := range s.y {
			eta := mat.Dot(s.z.RowView(i), b)
			s.lp[t] += y*eta - math.Log1p(math.Exp(eta))
		}
	}
	return s
}

// coordinates of the cuts in their span, one a row, and those of the columns of X.
func (s *seenClient) coordinates() (at, basis *mat.Dense) {
	var cuts, right mat.Dense
	cuts.Mul(s.b, s.x.T())
	var svd mat.SVD
	svd.Factorize(&cuts, mat.SVDThin)
	svd.VTo(&right)
	at, basis = new(mat.Dense), new(mat.Dense)
	span := right.Slice(0, 2*rows, 0, columns)
	at.Mul(&cuts, span)
	basis.Mul(s.x.T(), span)
	return at, basis
}

// A parameter that a cut and a likelihood of the client have in common does not protect the rows of the
// likelihood: least squares over the log densities, which begin at random numbers and know nothing but the
// cuts, find all of them up to the basis that the cuts leave open, and up to their signs, which no term but a
// sum of all rows tells.
func TestRowsFromACutAndALogDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	s := seeClient(r, 200)
	at, basis := s.coordinates()
	const linear, quadratic = rows * columns, rows*columns + columns
	guess := make([]float64, quadratic+4)
	unknown := make([]*float64, len(guess))
	for k := range guess {
		unknown[k] = &guess[k]
	}
	in := slices.Repeat([]int{-1}, len(unknown))
	value := func(int, int) []float64 {
		out := make([]float64, len(s.lp))
		for t := range out {
			c := at.RawRowView(t)
			out[t] = guess[linear]*c[0] + guess[linear+1]*c[1] - guess[quadratic]*c[0]*c[0] -
				guess[quadratic+1]*c[0]*c[1] - guess[quadratic+2]*c[1]*c[1] + guess[quadratic+3]
			for i := range rows {
				out[t] -= math.Log(math.Cosh((guess[2*i]*c[0] + guess[2*i+1]*c[1]) / 2))
			}
		}
		return out
	}
	for range 20 {
		if draw(r, guess); leastSquares(unknown, in, 1, value, s.lp) < 1e-8 {
			break
		}
	}
	var inverse, truth mat.Dense
	if err := inverse.Inverse(basis.T()); err != nil {
		t.Fatal(err)
	}
	truth.Mul(s.z, &inverse)
	for i := range rows {
		near := math.Inf(1)
		for k := range rows {
			for _, sign := range []float64{-1, 1} {
				near = min(near, math.Hypot(sign*guess[2*k]-truth.At(i, 0), sign*guess[2*k+1]-truth.At(i, 1)))
			}
		}
		if size := math.Hypot(truth.At(i, 0), truth.At(i, 1)); !(near < 0.01*size) {
			t.Errorf("row %d of Z is found within %v, of %v", i, near, size)
		}
	}
}

// A cut that is a parameter for each row tells it as it is: of a likelihood with it the log density is then
// linear in the responses, and as many rounds as there are rows give these.
func TestResponsesFromACutOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	cuts, known := mat.NewDense(2*rows, rows, nil), mat.NewVecDense(2*rows, nil)
	draw(r, cuts.RawMatrix().Data)
	z := mat.NewVecDense(rows, nil)
	for i := range rows {
		z.SetVec(i, float64(r.IntN(2)))
	}
	lp := mat.NewVecDense(2*rows, nil)
	for k := range 2 * rows {
		sum := 0.0
		for i := range rows {
			e := cuts.At(k, i)
			sum += z.AtVec(i)*e - math.Log1p(math.Exp(e)) - e*e/2
			known.SetVec(k, known.AtVec(k)-math.Log1p(math.Exp(e))-e*e/2)
		}
		lp.SetVec(k, sum)
	}
	var found mat.VecDense
	if lp.SubVec(lp, known); found.SolveVec(cuts, lp) != nil || !mat.EqualApprox(&found, z, 1e-9) {
		t.Errorf("found %v, not %v", mat.Formatted(found.T()), mat.Formatted(z.T()))
	}
	own := using("e") + "t ~ normal(m + e, s)\nZ ~ bernoulli_logit(e)\ntransform exact\n"
	if !refused(t, own, diag.OwnLeak) {
		t.Error("not refused")
	}
}

// So check refuses a parameter in both, unless the likelihood shows sums of products alone, or the cut does
// not tell the parameter.
func TestParametersInCutsAndOwnLikelihoods(t *testing.T) {
	const model = `client a, b
data y : binary[N] @ shared
data X : real[N, P] @ a
data Z : real[M, P] @ a
data x : real[N] @ a
data z : real[M] @ a
data v : binary[M] @ a
data r : real[M] @ a
data g : level(N)[N] @ a
data h : level(N)[M] @ a
data r2 : level(N)[N] @ shared
param m ~ normal(0, 1)
param B : real[P] ~ normal(0, 1) @ a
param C : real[P] ~ normal(B, 1) @ a
param e : real[N] ~ normal(0, 1) @ a
param k ~ half_normal(1) @ a
param w ~ normal(0, 1) @ b
let l = row_sums(X .* row(B))
y ~ bernoulli_logit(m + CUT + w)
OWN
`
	for _, c := range []struct {
		cut, own string
		refused  bool
	}{
		{"X * B", "v ~ bernoulli_logit(Z * B)", true},
		{"X * B", "v ~ bernoulli_logit(Z * B + k)", true},
		{"sum(X * B by g)", "v ~ bernoulli_logit(Z * B)", true},
		{"cumulative_sum(X * B)", "v ~ bernoulli_logit(Z * B)", true},
		{"log_sum_exp(X * B by g)", "v ~ bernoulli_logit(Z * B)", false}, // of several, in one number
		{"sum(e by g)", "v ~ bernoulli_logit(Z * B)", false},
		{"X * B", "v ~ bernoulli_logit(tanh(Z * B))", true},
		{"X * B", "r ~ student_t(4, Z * B, k)", true},
		{"X * B", "v ~ bernoulli_logit(Z * C)", false},
		{"X * B", "r ~ normal(Z * B, k)", false}, // products of columns
		{"X * B", "v ~ bernoulli_logit(k)", false},
		{"k * (X * B)", "v ~ bernoulli_logit(Z * B)", false}, // up to a number that is another in each round
		{"x * B[1]", "v ~ bernoulli_logit(z * B[2])", false}, // another element
		{"x * B[1]", "v ~ bernoulli_logit(z * B[1])", true},
		{"x * B[1]", "v ~ bernoulli_logit(Z * B)", false},
		{"X * B + B[1]", "v ~ bernoulli_logit(Z * B)", true},
		{"X * B + mean(e)", "v ~ bernoulli_logit(Z * B)", true}, // one number more
		{"X * B + mean(e)", "v ~ bernoulli_logit(z .* e[h])", false},
		{"e[r2]", "v ~ bernoulli_logit(z .* e[h])", true},
		{"X * B + e", "v ~ bernoulli_logit(z .* e[h])", false},
		{"l", "v ~ bernoulli_logit(Z * B)", true},
		{"X * B + e", "v ~ bernoulli_logit(Z * B)", false}, // a parameter for each row hides the rest
		{"exp(k)", "v ~ bernoulli_logit(z * k)", true},     // a cut without data tells k
		{"B[1] + 0 * x * k", "v ~ bernoulli_logit(Z * B)", true},
		{"B[1]", "r ~ normal(Z * B, k)", false},
		{"B[1]", "r ~ student_t(4, Z * B, k)", true},
		{"k", "r ~ student_t(4, k, 1)", true}, // a sum over rows of a known point
	} {
		text := strings.NewReplacer("CUT", c.cut, "OWN", c.own).Replace(model)
		if got := refused(t, text, diag.OwnLeak); got != c.refused {
			t.Errorf("%s, %s: refused: %t", c.cut, c.own, got)
		}
	}
}

// The gradient of a shared parameter in a likelihood of few numbers of the client is a function of these, one
// in each round, which leaves a cut of data times them no other basis.
func TestNumbersBesideSharedParameters(t *testing.T) {
	const model = `client a, b
data y : count[N] @ shared
data s : real[N] @ shared
data r : real[M] @ a
data g : level(G)[M] @ a
data X : real[N, P] @ a
param m ~ normal(0, 1)
param c ~ normal(0, 1) @ shared
param B : real[P] ~ normal(0, 1) @ a
param C : real[P] ~ normal(0, 1) @ a
param w ~ normal(0, 1) @ b
y ~ poisson_log(m + CUT + w)
OWN
`
	for _, c := range []struct {
		cut, own string
		refused  bool
	}{
		{"X * B", "s ~ normal(c - B[1], exp(B[2] / 2))", true},
		{"X * B", "r ~ normal(c - B[1], exp(B[2] / 2))", true},
		{"2 * tanh(X * B)", "s ~ normal(c - B[1], exp(B[2] / 2))", true},
		{"X * B + 2 * tanh(X * C)", "s ~ normal(c - B[1], 1)", true},
		{"X * B", "s ~ normal(c - C[1], exp(C[2] / 2))", false}, // of others
		{"X * B", "s ~ normal(c, 1)", false},
		{"B[1]", "s ~ normal(c - B[1], exp(B[2] / 2))", false}, // no data
	} {
		text := strings.NewReplacer("CUT", c.cut, "OWN", c.own).Replace(model)
		if got := refused(t, text, diag.GradientLeak); got != c.refused {
			t.Errorf("%s, %s: refused: %t", c.cut, c.own, got)
		}
	}
}
