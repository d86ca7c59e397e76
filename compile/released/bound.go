package released

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/release"
)

// rowsDrawn is how many rows bound draws.
const rowsDrawn = 2000

// marginals are means and variances of the columns, of the 1 first, as far as moments with a noise of mean
// products tell.
func (w *where) marginals() (mean, variance []float64) {
	all, n, last := w.Matrix(), float64(w.Rows), len(w.Columns)
	mean, variance = make([]float64, last), make([]float64, last)
	mean[0] = 1
	for k := 1; k < last; k++ {
		m := all[0][k] / n
		mean[k] = max(-.999, min(.999, m))
		most := 1 - float64(mean[k]*mean[k])
		variance[k] = max(w.floor(), min(all[k][k]/n-float64(m*m), most))
	}
	return mean, variance
}

// floor is the least variance of a column that the noise of the moments lets see.
func (w *where) floor() float64 { return max(1e-6, math.Sqrt(w.Variance()/2)/float64(w.Rows)) }

// drawn are rows with what the moments tell of each column alone: a binary one has its frequency, another the
// beta distribution between its bounds with the mean and variance. Columns have mean 0 and variance 1 then,
// but for the 1.
func (w *where) drawn() [][]float64 {
	mean, variance := w.marginals()
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([][]float64, rowsDrawn)
	for i := range rows {
		rows[i] = make([]float64, len(mean))
		rows[i][0] = 1
	}
	for j := 1; j < len(mean); j++ {
		draw := likely(mean[j], variance[j], w.Columns[j-1].Binary)
		for i := range rows {
			rows[i][j] = (draw(r.Float64()) - mean[j]) / math.Sqrt(variance[j])
		}
	}
	return rows
}

// bound chooses to which norms rows are shortened, and the shape of residuals: where intervals of the
// coefficients are expected to be narrowest, between the noise, which grows with norms, and the information
// of the rows that are shortened, of those that are drawn. Whatever comes out is valid; columns of another
// shape lose width.
func (w *where) bound(rho float64) {
	rows, last := w.drawn(), len(w.at)
	g, best := w.Gradients, math.Inf(1)
	norm, shape := 0.0, 0.0
	for _, g.Shape = range w.shapes() {
		s := &release.Step{At: w.at, Scale: w.scale}
		w.Within(s)
		curve := s.Curve(g.Shape)
		for square := float64(last); square < float64(100*last); square *= 1.25 {
			if v := w.lossOf(rows, curve, square, rho); v < best {
				best, norm, shape = v, math.Sqrt(square), g.Shape
			}
		}
	}
	g.Shape = shape
	w.Hold(norm)
}

// shapes are those that are tried.
func (w *where) shapes() []float64 {
	if w.normal() {
		return []float64{.5, .7, 1, 1.4, 2, 2.8, 4}
	}
	return []float64{0, .3, .5, .7, .85, 1}
}

// lossOf is the variance of coefficients over that which the rows themselves give, of their mean, where the
// squares of rows are held to one.
func (w *where) lossOf(rows [][]float64, curve *release.Curve, square, rho float64) (sum float64) {
	sensitivity := curve.Sensitivity(square, w.normal())
	sampling, noise := 1.0, float64(w.Parties)*sensitivity*sensitivity/float64(2*rho*float64(w.Rows))
	if w.Terms.NoNoise {
		noise = 0
	}
	if w.normal() {
		h := bentAt(w.Gradients.Shape, 1)
		sampling, noise = h.square/float64(h.slope*h.slope), noise/float64(h.slope*h.slope)
	}
	n := len(w.at)
	all, curvature, spread := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, z := range rows {
		ofRow, kappa, kappa2, length := w.weigh(z)
		s2 := min(1, square/length)
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

// weigh is the information of a row on its predictor, κ and κ' of it, and its square.
func (w *where) weigh(z []float64) (information, slope, spread, square float64) {
	eta := 0.0
	for j, v := range z {
		eta += float64(v * w.at[j])
		square += float64(v * v)
	}
	if w.normal() {
		return 1, 1, 1, square
	}
	t := portable.Tanh(float64(eta / 2))
	information = float64((1 - float64(t*t)) / 4)
	by := 1 - float64(w.Gradients.Shape*t*t)
	return information, float64(information * by), float64(information * by * by), square
}

// likely is the quantile function of a column between −1 and 1 of which the mean and the variance are known.
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
