package dist

import "github.com/vflc/vflc/stdlib/def"

// maxParams is the largest number of parameters of a distribution that pointwise serves.
const maxParams = 4

// A point is what a log density gives for one element: its value, and its derivatives in x and in the
// parameters.
type point struct {
	lp, dx float64
	dtheta [maxParams]float64
}

// pointwise is a log density that is written for one element. f gives NaN outside the support and the
// domains.
func pointwise(b *def.Batch, f func(x float64, theta [maxParams]float64) point) float64 {
	var theta [maxParams]float64
	sum := 0.0
	for i := range b.N {
		for k := range b.Theta {
			theta[k] = b.Theta[k].At(i)
		}
		p := f(b.X.At(i), theta)
		sum += p.lp
		set(b.LP, i, p.lp)
		set(b.DX, i, p.dx)
		for k, d := range b.DTheta {
			set(d, i, p.dtheta[k])
		}
	}
	return finish(b, sum)
}
