package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// The functions of this file are passes over auxiliary variables z = g + rho·e of variational inference,
// whose guide draws e from a normal with a mean and a standard deviation s = exp(logs) by standard noise eps,
// or by its opposite. Each is one pass, since on long vectors reading and writing takes the time.

// GuideDraw sets s = sign·exp(logs), e = mean + s·eps and z = g + rho·e, where sign is 1 or, for the opposite
// noise, -1. It returns Σ logs + ½(eps² - e²) = Σ log N(e; 0, 1) - log N(e; mean, s²), summed in eight lanes.
func GuideDraw(n int, s, e, z, mean, logs, eps, g []float64, rho, sign float64) float64 {
	return guideDraw(active, n, s, e, z, mean, logs, eps, g, rho, sign)
}

// GuideDrawSloped is GuideDraw with the mean plus slope·diff, where it sets diff = g - centre.
func GuideDrawSloped(n int, s, e, z, diff, mean, slope, logs, eps, g, centre []float64, rho,
	sign float64) float64 {
	return guideDrawSloped(active, n, s, e, z, diff, mean, slope, logs, eps, g, centre, rho, sign)
}

// GuideDrawApart is GuideDraw with the mean plus precision·(centre - g).
func GuideDrawApart(n int, s, e, z, mean, logs, eps, g, centre []float64, rho, sign,
	precision float64) float64 {
	return guideDrawApart(active, n, s, e, z, mean, logs, eps, g, centre, rho, sign, precision)
}

// draw does what these have in common in element i, with the mean of e, and returns the element's term added
// to sum.
func draw(i int, s, e, z, logs, eps, g []float64, rho, sign, mean, sum float64) float64 {
	l, x := logs[i], eps[i]
	sd := float64(portable.Exp(l) * sign)
	y := math.FMA(sd, x, mean)
	s[i], e[i], z[i] = sd, y, math.FMA(rho, y, g[i])
	return sum + math.FMA(math.FMA(-y, y, float64(x*x)), 0.5, l)
}

func guideDrawGo(n int, s, e, z, mean, logs, eps, g []float64, rho, sign float64) float64 {
	var sum [lanes]float64
	for i := range n {
		sum[i%lanes] = draw(i, s, e, z, logs, eps, g, rho, sign, mean[i], sum[i%lanes])
	}
	return fold(&sum)
}

func guideDrawSlopedGo(n int, s, e, z, diff, mean, slope, logs, eps, g, centre []float64, rho,
	sign float64) float64 {
	var sum [lanes]float64
	for i := range n {
		diff[i] = g[i] - centre[i]
		sum[i%lanes] = draw(i, s, e, z, logs, eps, g, rho, sign, math.FMA(slope[i], diff[i], mean[i]),
			sum[i%lanes])
	}
	return fold(&sum)
}

func guideDrawApartGo(n int, s, e, z, mean, logs, eps, g, centre []float64, rho, sign,
	precision float64) float64 {
	var sum [lanes]float64
	for i := range n {
		sum[i%lanes] = draw(i, s, e, z, logs, eps, g, rho, sign, math.FMA(precision, centre[i]-g[i], mean[i]),
			sum[i%lanes])
	}
	return fold(&sum)
}

// GuideBack computes the derivatives by mean and logs of a draw, given adj, the adjoint of z. With de =
// rho·adj - e, where the standard normal density of e is included and the score of the draw is left out
// ("sticking the landing"), they are dmean = de + eps/s and dlogs = s·eps·dmean, each times weight; rho is
// given divided by it. It sets w = adj + own, and returns the sum of the squares of the derivatives, in eight
// lanes.
func GuideBack(n int, w, dmean, dlogs []float64, rho, weight float64, adj, own, e, s, eps []float64) float64 {
	return guideBack(active, n, w, dmean, dlogs, rho, weight, adj, own, e, s, eps)
}

// GuideBackSloped is GuideBack after GuideDrawSloped. It sets dslope = dmean·diff, w = adj + own + slope·de,
// and seed = -slope·dmean, the derivative by the centre.
func GuideBackSloped(n int, w, seed, dmean, dslope, dlogs []float64, rho, weight float64, adj, own, e, s, eps,
	diff, slope []float64) float64 {
	return guideBackSloped(active, n, w, seed, dmean, dslope, dlogs, rho, weight, adj, own, e, s, eps, diff,
		slope)
}

// GuideBackApart is GuideBack after GuideDrawApart. It sets w = own + weight·precision·e, and seed =
// precision·dmean, the derivative by the centre.
func GuideBackApart(n int, w, seed, dmean, dlogs []float64, rho, weight, precision float64, adj, own, e, s,
	eps []float64) float64 {
	return guideBackApart(active, n, w, seed, dmean, dlogs, rho, weight, precision, adj, own, e, s, eps)
}

// GuideBackNet is GuideBack where mean and logs are functions of g. Through g the whole of the density of the
// draw changes, so that the derivatives on this way are imean = weight·de and ilogs = s·eps·imean + weight.
func GuideBackNet(n int, w, dmean, dlogs, imean, ilogs []float64, rho, weight float64, adj, own, e, s,
	eps []float64) {
	guideBackNet(active, n, w, dmean, dlogs, imean, ilogs, rho, weight, adj, own, e, s, eps)
}

// back does what these have in common in element i.
func back(i int, rho, weight float64, adj, e, s, eps []float64) (de, dmean, dlogs float64) {
	raw := float64(adj[i]*rho) - e[i]
	dmean = (raw + eps[i]/s[i]) * weight
	return raw * weight, dmean, float64(s[i]*eps[i]) * dmean
}

func guideBackGo(n int, w, dmean, dlogs []float64, rho, weight float64, adj, own, e, s,
	eps []float64) float64 {
	var sum [lanes]float64
	for i := range n {
		_, dm, dl := back(i, rho, weight, adj, e, s, eps)
		w[i], dmean[i], dlogs[i] = adj[i]+own[i], dm, dl
		sum[i%lanes] += math.FMA(dl, dl, float64(dm*dm))
	}
	return fold(&sum)
}

func guideBackSlopedGo(n int, w, seed, dmean, dslope, dlogs []float64, rho, weight float64, adj, own, e, s,
	eps, diff, slope []float64) float64 {
	var sum [lanes]float64
	for i := range n {
		de, dm, dl := back(i, rho, weight, adj, e, s, eps)
		ds := float64(dm * diff[i])
		w[i], seed[i] = math.FMA(slope[i], de, adj[i]+own[i]), -float64(slope[i]*dm)
		dmean[i], dslope[i], dlogs[i] = dm, ds, dl
		sum[i%lanes] += math.FMA(dl, dl, math.FMA(ds, ds, float64(dm*dm)))
	}
	return fold(&sum)
}

func guideBackApartGo(n int, w, seed, dmean, dlogs []float64, rho, weight, precision float64, adj, own, e, s,
	eps []float64) float64 {
	var sum [lanes]float64
	both := float64(weight * precision)
	for i := range n {
		_, dm, dl := back(i, rho, weight, adj, e, s, eps)
		w[i], seed[i] = math.FMA(both, e[i], own[i]), float64(dm*precision)
		dmean[i], dlogs[i] = dm, dl
		sum[i%lanes] += math.FMA(dl, dl, float64(dm*dm))
	}
	return fold(&sum)
}

func guideBackNetGo(n int, w, dmean, dlogs, imean, ilogs []float64, rho, weight float64, adj, own, e, s,
	eps []float64) {
	for i := range n {
		de, dm, dl := back(i, rho, weight, adj, e, s, eps)
		w[i], dmean[i], dlogs[i], imean[i] = adj[i]+own[i], dm, dl, de
		ilogs[i] = float64(float64(s[i]*eps[i])*de) + weight
	}
}
