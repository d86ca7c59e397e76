package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// GuideDraw draws the coordinates e of auxiliary variables from normals with the given means and logarithms of sds, and standard noise eps: s = exp(logs)
// and e = mean + s·eps. It returns Σ logs + ½(eps² - e²) = Σ log N(e; 0, 1) - log N(e; mean, s²), summed in eight lanes.
func GuideDraw(n int, s, e, mean, logs, eps []float64) float64 {
	return guideDraw(active, n, s, e, mean, logs, eps)
}

func guideDrawGo(_ int, s, e, mean, logs, eps []float64) float64 {
	var sum [lanes]float64
	for i, l := range logs {
		sd, x := portable.Exp(l), eps[i]
		y := math.FMA(sd, x, mean[i])
		s[i], e[i] = sd, y
		acc := &sum[i%lanes]
		*acc = math.FMA(float64(-0.5*y), y, math.FMA(float64(0.5*x), x, *acc+l))
	}
	return fold(&sum)
}

// GuideGradient computes the derivatives in mean and logs of e = mean + s·eps, given adj, the adjoint of z = g + rho·e. The standard normal density of e is
// included, de = rho·adj - e, and the score of the draw is left out ("sticking the landing"): dmean = de + eps/s and dlogs = s·eps·dmean.
func GuideGradient(n int, de, dmean, dlogs []float64, rho float64, adj, e, s, eps []float64) {
	guideGradient(active, n, de, dmean, dlogs, rho, adj, e, s, eps)
}

func guideGradientGo(_ int, de, dmean, dlogs []float64, rho float64, adj, e, s, eps []float64) {
	for i, x := range eps {
		back := float64(adj[i]*rho) - e[i]
		d := back + x/s[i]
		de[i], dmean[i] = back, d
		dlogs[i] = float64(s[i]*x) * d
	}
}
