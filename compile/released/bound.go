package released

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
)

// rowsDrawn is how many rows bound draws.
const rowsDrawn = 2000

// bound chooses where rows and residuals are held: where intervals of the coefficients are expected to be
// narrowest, between the noise, which grows with both, and the information of the rows that are shortened.
// Rows are drawn for it with what the moments tell of each column alone: a binary one has its frequency,
// another the beta distribution between its bounds with the mean and variance. Whatever comes out is valid;
// columns of another shape lose width.
func (w *where) bound(mean, variance []float64, rho float64) {
	r, last := rand.New(rand.NewPCG(1, 1)), len(mean)
	rows := make([][]float64, rowsDrawn)
	for i := range rows {
		rows[i] = make([]float64, last)
		rows[i][0] = 1
	}
	for j := 1; j < last; j++ {
		draw := likely(mean[j], variance[j], w.Columns[j-1].Binary)
		for i := range rows {
			rows[i][j] = (draw(r.Float64()) - mean[j]) / math.Sqrt(variance[j])
		}
	}
	g, best := w.Gradients, math.Inf(1)
	g.Bound = math.Sqrt(float64(last))
	clips := []float64{0}
	if g.Clip > 0 {
		clips = []float64{.8, 1, 1.2, 1.4, 1.7, 2, 2.5, 3}
	}
	bound, clip := g.Bound, g.Clip
	for square := float64(last); square < float64(100*last); square *= 1.25 {
		g.Bound = math.Sqrt(square)
		loss := w.lossOf(rows)
		for _, c := range clips {
			g.Clip = c
			sampling, noise := 1.0,
				float64(w.Parties)*g.Sensitivity()*g.Sensitivity()/float64(2*rho*float64(w.Rows))
			if c > 0 {
				h := huberOf(c, 1)
				sampling, noise = h.square/float64(h.slope*h.slope), noise/float64(h.slope*h.slope)
			}
			if w.Terms.NoNoise {
				noise = 0
			}
			if v := loss(sampling, noise); v < best {
				best, bound, clip = v, g.Bound, c
			}
		}
	}
	g.Bound, g.Clip = bound, clip
}

// lossOf is the variance of coefficients over that which the rows themselves give, of their mean, given the
// variance of a residual and that of the noise a row.
func (w *where) lossOf(rows [][]float64) func(sampling, noise float64) float64 {
	n := len(w.at)
	all, curvature, spread := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, z := range rows {
		eta, length := 0.0, 0.0
		for j, v := range z {
			eta += float64(v * w.at[j])
			length += float64(v * v)
		}
		kappa, most := 1.0, 1.0
		if w.Gradients.Clip == 0 && w.scale == 0 {
			p := 1 / (1 + portable.Exp(-eta))
			kappa, most = float64(p*(1-p)), max(p, 1-p)
		}
		s2 := min(1, float64(w.Gradients.Bound*w.Gradients.Bound)/float64(most*most*length))
		for j, v := range z {
			k := kappa * float64(v*v) / rowsDrawn
			all[j] += k
			curvature[j] += float64(s2 * k)
			spread[j] += float64(s2 * s2 * k)
		}
	}
	return func(sampling, noise float64) (sum float64) {
		for j, c := range curvature {
			sum += float64((float64(sampling*spread[j]) + noise) / float64(c*c) * all[j])
		}
		return sum
	}
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
