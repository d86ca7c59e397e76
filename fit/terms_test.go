package fit

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"gonum.org/v1/gonum/mat"
)

// A basis has observations y of an intercept and a Gaussian process in functions F of frequencies f.
type basis struct {
	Y []float64   `json:"y"`
	F [][]float64 `json:"F"`
	W []float64   `json:"f"`
}

// newBasis has functions that are nearly collinear over the data, with each other and with the intercept
// (Solin and Särkkä 2020, Hilbert space methods for reduced-rank Gaussian process regression).
func newBasis(n, k int) basis {
	const edge = 2.4
	r, b := rand.New(rand.NewPCG(8, 2)), basis{}
	for j := range k {
		b.W = append(b.W, math.Pi*float64(j+1)/(2*edge))
	}
	for i := range n {
		s, row := 3.4*(float64(i)/float64(n)-0.5), []float64(nil)
		for _, w := range b.W {
			row = append(row, math.Sin((s+edge)*w)/math.Sqrt(edge))
		}
		b.F = append(b.F, row)
		b.Y = append(b.Y, 0.3+0.5*math.Sin(2*s)+0.3*s+0.3*r.NormFloat64())
	}
	return b
}

// means are those of l, a and sigma, by quadrature over their logarithms: all that y depends on linearly is
// integrated out, with the eigenvalues of the covariance of y in terms of the functions.
func (b basis) means() [3]float64 {
	k := len(b.W) + 1
	design := mat.NewDense(len(b.Y), k, nil)
	for i, row := range b.F {
		design.SetRow(i, append([]float64{1}, row...))
	}
	var gram mat.Dense
	var by mat.VecDense
	y := mat.NewVecDense(len(b.Y), b.Y)
	gram.Mul(design.T(), design)
	by.MulVec(design.T(), y)
	var at [][3]float64
	var logs []float64
	scales := make([]float64, k)
	for logL := -3.0; logL < 2; logL += 0.1 {
		for logA := -3.5; logA < 1.8; logA += 0.09 {
			l, a := math.Exp(logL), math.Exp(logA)
			scales[0] = 1
			for j, w := range b.W {
				scales[1+j] = a * math.Sqrt(l) * math.Exp(-0.25*l*w*l*w)
			}
			scaled, side := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
			for i := range k {
				side.SetVec(i, scales[i]*by.AtVec(i))
				for j := range i + 1 {
					scaled.SetSym(i, j, scales[i]*gram.At(i, j)*scales[j])
				}
			}
			var eigen mat.EigenSym
			var vectors mat.Dense
			var along mat.VecDense
			eigen.Factorize(scaled, true)
			eigen.VectorsTo(&vectors)
			along.MulVec(vectors.T(), side)
			prior := -0.5*(logL+0.5)*(logL+0.5)/0.25 - 0.5*a*a + logA
			for logS := -1.5; logS < -0.9; logS += 0.025 {
				s := math.Exp(logS)
				v, squares := -float64(len(b.Y))*logS+prior-0.5*s*s+logS, mat.Dot(y, y)
				for j, e := range eigen.Values(nil) {
					e = max(e, 0)
					v -= 0.5 * math.Log1p(e/s/s)
					squares -= along.AtVec(j) * along.AtVec(j) / (s*s + e)
				}
				at, logs = append(at, [3]float64{l, a, s}), append(logs, v-0.5*squares/s/s)
			}
		}
	}
	most, total, sums := slices.Max(logs), 0.0, [3]float64{}
	for i, v := range logs {
		w := math.Exp(v - most)
		total += w
		for j, x := range at[i] {
			sums[j] += w * x
		}
	}
	for j := range sums {
		sums[j] /= total
	}
	return sums
}

// Coefficients of basis functions and an intercept, which are sampled by what data say of all together, leave
// the scales with the means that quadrature gives, within 4 Monte Carlo standard errors, and an effective
// draw takes less than a tenth of the gradients that it takes in the coordinates of the model.
func TestTermsTogetherAreExactAndCostLess(t *testing.T) {
	b := newBasis(200, 12)
	table, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	text := `data y : real[N]
data F : real[N, K]
data f : real[K]
param l           ~ lognormal(-0.5, 0.5)
param a           ~ half_normal(1)
param sigma       ~ half_normal(1)
param m           ~ normal(0, 1)
param z : real[K] ~ normal(0, 1)
y ~ normal(m + F * (a * sqrt(l) * exp(-0.25 * (l * f)^2) .* z), sigma)
`
	of := func(coordinates string) *Result {
		b := bindFiles(t, text, stdlib.NoTransform, 1, map[string]string{"data.json": string(table)})
		return run(t, b, map[string]string{"draws": "2000", "coordinates": coordinates})
	}
	together := of("auto")
	for k, want := range b.means() {
		draws := together.Draws.Column(k)
		if got, mcse := mean(draws), posterior.MCSEMean(draws); math.Abs(got-want) > 4*mcse {
			t.Errorf("the mean of %s is %.4f (Monte Carlo error %.4f), want %.4f", together.Draws.Names()[k],
				got, mcse, want)
		}
	}
	fewer, more := gradients(together), gradients(of("declared"))
	t.Logf("%.1f, %.1f", fewer, more)
	if !(10*fewer < more) {
		t.Errorf("%.1f gradients an effective draw, in coordinates of the model %.1f", fewer, more)
	}
}
