package compile

import (
	"fmt"
	"math"
	"slices"
)

// A variation is how a cut varies over draws of the parameters.
type variation struct {
	draws float64 // the mean over its elements of their variances over draws
	rows  float64 // the variance over its rows of their means over draws, a mean over columns
	// bad describes an element that is not finite; "" where enough draws were taken.
	bad string
}

// variation draws the parameters of a cut. Draws at which it is not finite are replaced, from some point on
// by such as hardly overflow, until they run out.
func (d *priorDrawer) variation(k int) (v variation) {
	s := d.probe.Sent[k]
	w := welford{mean: make([]float64, s.Rows*s.Cols), square: make([]float64, s.Rows*s.Cols)}
	for n := 0; w.n < priorDraws; n++ {
		if n == 8*priorDraws {
			return v
		}
		scale := 0.0
		if n >= 4*priorDraws {
			scale = 1
		}
		d.stream.Next()
		d.draw(scale)
		if out := d.exec.Output(k); finite(out) {
			w.add(out)
		} else {
			i := slices.IndexFunc(out, notFinite)
			v.bad = fmt.Sprintf("element %d is %v", i+1, out[i])
		}
	}
	v.bad = ""
	for _, x := range w.square {
		v.draws += x / float64(priorDraws-1) / float64(len(w.square))
	}
	for j := range s.Cols {
		v.rows += spread(w.mean[j*s.Rows:(j+1)*s.Rows]) / float64(s.Cols)
	}
	return v
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

func finite(v []float64) bool { return !slices.ContainsFunc(v, notFinite) }

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
		w.square[i] += float64(delta * (v - w.mean[i]))
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
