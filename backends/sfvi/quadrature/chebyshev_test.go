package quadrature

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/density"
)

// poissonRows are Poisson counts, each likelihood to the power 1/J.
func poissonRows(y []float64, clients float64) *rows {
	return newRows(density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, len(y))},
		Evaluate: func(_, eta, lp, slope, _, _ []float64) {
			for i, e := range eta[:len(y)] {
				lp[i], slope[i] = (y[i]*e-math.Exp(e))/clients, (y[i]-math.Exp(e))/clients
			}
		}}, nil)
}

// A client's share of the log density is the J-th part of the log of a mean over the noise of all clients,
// here by drawing that; its slope is its derivative. Interpolated over many predictors it is the same.
func TestShareOfNoisyLikelihood(t *testing.T) {
	y := []float64{0, 1, 3, 7, 2}
	eta := []float64{-0.4, 0.6, 1.1, 1.4, -1}
	const rho, draws = 0.4, 400000
	for _, clients := range []int{1, 2, 3, 7} {
		j := float64(clients)
		r := poissonRows(y, j)
		for i := range r.curvature {
			r.curvature[i] = math.Exp(eta[i]+1) / j
		}
		r.share(j, j*rho*rho, rho*rho)
		lp, slope := make([]float64, len(y)), make([]float64, len(y))
		r.density(nil, eta, lp, slope, nil)
		mean, square := make([]float64, len(y)), make([]float64, len(y))
		random := rand.New(rand.NewPCG(1, 2))
		e := make([]float64, clients)
		for range draws {
			all := 0.0
			for k := range e {
				e[k] = rho * random.NormFloat64()
				all += e[k]
			}
			for i, at := range eta {
				l := 0.0
				for _, own := range e {
					x := at + all - own
					l += (y[i]*x - math.Exp(x)) / j
				}
				p := math.Exp(l - j*lp[i])
				mean[i] += p / draws
				square[i] += p * p / draws
			}
		}
		for i, m := range mean {
			if se := math.Sqrt((square[i] - m*m) / draws); math.Abs(m-1) > 4.5*se+1e-9 {
				t.Errorf("J = %d, row %d: the mean over draws is %.5f ± %.5f times what is integrated",
					clients, i, m, se)
			}
		}
		const h = 1e-4
		up, down := make([]float64, len(y)), make([]float64, len(y))
		at := append([]float64(nil), eta...)
		for i := range at {
			at[i] = eta[i] + h
		}
		r.density(nil, at, up, r.at, nil)
		for i := range at {
			at[i] = eta[i] - h
		}
		r.density(nil, at, down, r.at, nil)
		for i := range at {
			if d := (up[i] - down[i]) / (2 * h); math.Abs(d-slope[i]) > 1e-7*(1+math.Abs(d)) {
				t.Errorf("J = %d, row %d: the slope is %.9f, by differences %.9f", clients, i, slope[i], d)
			}
		}
	}
	r := poissonRows(y, 3)
	for i := range r.curvature {
		r.curvature[i] = 1
	}
	r.share(3, 3*rho*rho, rho*rho)
	many, got := make([]float64, 300*len(y)), make([]float64, 300)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range many {
		many[i] = eta[i%len(y)] + 0.3*random.NormFloat64()
	}
	if !r.interpolated(many, got) {
		t.Fatal("nothing is interpolated")
	}
	for c := range got {
		want := 0.0
		r.density(nil, many[c*len(y):], r.lp, r.at, nil)
		for _, v := range r.lp {
			want += v
		}
		if math.Abs(got[c]-want) > 1e-7 {
			t.Errorf("draw %d: %.9f is interpolated, want %.9f", c, got[c], want)
		}
	}
}
