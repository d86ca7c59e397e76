package released

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/release"
)

// rowsDrawn is how many rows bound draws.
const rowsDrawn = 500

// marginals are means of the columns, of the 1 first, and covariances of the others, as far as moments
// tell: variances within what is possible, that of a binary column as its mean gives it, and products
// drawn to 0 by as much as they are noise.
func (w *where) marginals() (mean []float64, cov [][]float64) {
	all, n, last := w.Matrix(), float64(w.Rows), len(w.Columns)
	mean, cov = make([]float64, last), zeros(last-1)
	mean[0] = 1
	square, pairs := 0.0, 0.0
	for i := range cov {
		m := all[0][i+1] / n
		mean[i+1] = max(-.999, min(.999, m))
		for j := range i {
			cov[i][j] = all[i+1][j+1]/n - float64(mean[i+1]*mean[j+1])
			square += float64(cov[i][j] * cov[i][j])
			pairs++
		}
		most := 1 - float64(mean[i+1]*mean[i+1])
		if cov[i][i] = max(w.floor(), min(all[i+1][i+1]/n-float64(m*m), most)); w.Columns[i].Binary {
			cov[i][i] = max(w.floor(), most)
		}
	}
	by := 1 - pairs*w.noise()*w.noise()/max(square, 1e-300)
	for i := range cov {
		for j := range i {
			cov[i][j] *= max(0, by)
			cov[j][i] = cov[i][j]
		}
	}
	return mean, cov
}

// floor is the least variance of a column that the noise of the moments lets see.
func (w *where) floor() float64 { return max(1e-6, w.noise()) }

// drawn are rows with what the moments tell of each column alone, and of the covariances: a binary one
// has its frequency, another the beta distribution between its bounds with the mean and variance. They
// are those that the Map makes of columns, with means of 0.
func (w *where) drawn() [][]float64 {
	if w.rows != nil {
		return w.rows
	}
	mean, cov := w.marginals()
	r, n, whiten := rand.New(rand.NewPCG(1, 1)), len(cov), zeros(len(cov))
	w.rows = make([][]float64, rowsDrawn)
	for i := range w.rows {
		w.rows[i] = make([]float64, n)
	}
	for j := range n {
		draw := likely(mean[j+1], cov[j][j], w.Columns[j].Binary)
		for i, k := range r.Perm(rowsDrawn) { // a Latin hypercube
			w.rows[i][j] = (draw((float64(k)+.5)/rowsDrawn) - mean[j+1]) / math.Sqrt(cov[j][j])
		}
		copy(whiten[j], w.Gradients.Map[j+1][1:])
	}
	root := spectral(product(whiten, product(cov, whiten)), func(l float64) float64 {
		return math.Sqrt(max(0, l))
	})
	for i, row := range w.rows {
		w.rows[i] = append([]float64{1}, times(root, row)...)
	}
	return w.rows
}

// bound chooses to which norms rows are shortened: where intervals of the coefficients are expected to be
// narrowest, between the noise, which grows with norms, and the information of the rows that are shortened,
// of those that are drawn. Whatever comes out is valid; columns of another shape lose width.
func (w *where) bound(rho float64) {
	best, norm := math.Inf(1), 0.0
	for _, s := range w.shaped(rho) {
		for square := float64(len(w.at)); square < float64(100*len(w.at)); square *= 1.25 {
			if v := w.lossOf(s, square); v < best {
				best, norm = v, math.Sqrt(square)
			}
		}
	}
	w.Hold(norm)
}

// step is a score where w is, with the shape of residuals that is expected to be best.
func (w *where) step(rho float64) (out *release.Step) {
	best := math.Inf(1)
	for _, s := range w.shaped(rho) {
		if v := w.lossOf(s, float64(w.Gradients.Norm*w.Gradients.Norm)); v < best {
			best, out = v, s
		}
	}
	return out
}

// enough is how many root mean squares of each party's part of the argument must not be held, so that what is
// held makes no bias beside an interval.
const enough = 4

// shaped are the scores that are tried, where w is: with shapes of residuals whose polynomials reach far
// enough, or that which reaches farthest.
func (w *where) shaped(rho float64) (out []*release.Step) {
	shapes := []float64{0, .3, .5, .7, .85, 1}
	if w.normal() {
		shapes = []float64{4, 2.8, 2, 1.4, 1, .7, .5} // the first reaches farthest
	}
	for _, shape := range shapes {
		s := &release.Step{At: w.at, Scale: w.scale, Shape: shape, Rho: rho}
		if w.Within(s) >= enough || len(out) == 0 {
			out = append(out, s)
		}
	}
	return out
}

// lossOf is the variance of coefficients over that which the rows themselves give, of their mean, where
// the squares of rows are held to one.
func (w *where) lossOf(s *release.Step, square float64) (sum float64) {
	rows, sensitivity := w.drawn(), s.Curve().Sensitivity(square, w.normal())
	sampling, noise := 1.0, float64(w.Parties)*sensitivity*sensitivity/float64(2*s.Rho*float64(w.Rows))
	if w.Terms.NoNoise {
		noise = 0
	}
	if w.normal() {
		h := bentAt(s.Shape, 1)
		sampling, noise = h.square/float64(h.slope*h.slope), noise/float64(h.slope*h.slope)
	}
	n := len(w.at)
	all, curvature, spread := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, z := range rows {
		ofRow, kappa, kappa2 := w.weigh(z, w.at, s.Shape)
		s2 := min(1, square/dot(z, z))
		for j, v := range z {
			k := float64(v*v) / rowsDrawn
			all[j] += float64(ofRow * k)
			curvature[j] += float64(s2 * kappa * k)
			spread[j] += float64(s2 * s2 * kappa2 * k)
		}
	}
	for j, c := range curvature {
		sum += float64((float64(sampling*spread[j]) + noise) / float64(c*c) * all[j])
	}
	return sum
}

// weigh is the information of a row on its predictor at a point, and κ and κ' of it with a shape.
func (w *where) weigh(z, at []float64, shape float64) (information, slope, spread float64) {
	if w.normal() {
		return 1, 1, 1
	}
	t := portable.Tanh(float64(dot(z, at) / 2))
	information = float64((1 - float64(t*t)) / 4)
	by := 1 - float64(shape*t*t)
	return information, float64(information * by), float64(information * by * by)
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// likely is the quantile function of a column between −1 and 1 of which the mean and the variance are
// known.
func likely(mean, variance float64, binary bool) func(u float64) float64 {
	const pieces = 128
	var total [pieces + 1]float64
	a := max(.05, float64((1-float64(mean*mean))/variance)-1) // a + b
	p := float64((1 + mean) / 2)
	for k := range pieces {
		x := (float64(k) + .5) / pieces
		total[k+1] = total[k] + portable.Exp(float64((float64(a*p)-1)*portable.Log(x))+
			float64((float64(a*(1-p))-1)*portable.Log1p(-x)))
	}
	return func(u float64) float64 {
		if binary {
			return portable.Where(u < p, 1, -1)
		}
		k := 0
		for k < pieces-1 && total[k+1] < u*total[pieces] {
			k++
		}
		return float64(float64(float64(2*float64(k))+1)/pieces) - 1
	}
}
