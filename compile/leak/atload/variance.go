package atload

import "math"

// variances returns, for a cut over draws of the parameters, the mean over its elements of their variances, and the variance over its rows of their means,
// a mean over columns. Draws at which the cut is not finite are replaced, from some point on by such as hardly overflow; ok is false where they run out.
func (d *drawer) variances(k int) (v, m float64, ok bool) {
	s := d.probe.Sent[k]
	w := welford{mean: make([]float64, s.Rows*s.Cols), square: make([]float64, s.Rows*s.Cols)}
	for n := 0; w.n < draws; n++ {
		if n == 8*draws {
			return 0, 0, false
		}
		d.stream.Next()
		scale := 0.0
		if n >= 4*draws {
			scale = 1
		}
		d.draw(scale)
		if out := d.exec.Output(k); finite(out) {
			w.add(out)
		}
	}
	for _, x := range w.square {
		v += x / float64(draws-1) / float64(len(w.square))
	}
	for j := range s.Cols {
		m += spread(w.mean[j*s.Rows:(j+1)*s.Rows]) / float64(s.Cols)
	}
	return v, m, true
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// A welford holds running means and sums of squared deviations, element by element.
type welford struct {
	n            int
	mean, square []float64
}

func (w *welford) add(x []float64) {
	w.n++
	for i, v := range x {
		delta := v - w.mean[i]
		w.mean[i] += delta / float64(w.n)
		w.square[i] += delta * (v - w.mean[i])
	}
}

// spread is the variance of some numbers, 0 for fewer than two.
func spread(v []float64) float64 {
	w := welford{mean: []float64{0}, square: []float64{0}}
	for _, x := range v {
		w.add([]float64{x})
	}
	if w.n < 2 {
		return 0
	}
	return w.square[0] / float64(w.n-1)
}
