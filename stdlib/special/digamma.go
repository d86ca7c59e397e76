package special

import "math"

// Digamma returns the derivative of lgamma at x > 0, infinite at 0, NaN elsewhere. Its relative accuracy holds at the root 1.4616… too, since the interval
// [1, 2] uses the rational form (x - root)·(c + P(x-1)/Q(x-1)) of Boost.Math (digamma_imp_1_2, Maddock), with the root in three parts.
func Digamma(x float64) float64 {
	switch {
	case x == 0:
		return -1 / x
	case !(x > 0):
		return math.NaN()
	}
	if x >= large {
		return digammaLarge(x)
	}
	shift := 0.0
	for x > 2 {
		x--
		shift += 1 / x
	}
	if x < 1 {
		shift -= 1 / x
		x++
	}
	return shift + digammaNearRoot(x)
}

// digammaLarge is the asymptotic series, NIST DLMF 5.11.2.
func digammaLarge(x float64) float64 {
	return math.Log(x) + digammaTail(x)
}

// digammaTail returns digamma(x) - log(x) for x ≥ large.
func digammaTail(x float64) float64 {
	r := 1 / x
	s := r * r
	return -0.5*r - s*(1./12-s*(1./120-s*(1./252-s*(1./240-s*(1./132-s*(691./32760-s*(1./12-s*(3617./8160))))))))
}

func digammaNearRoot(x float64) float64 {
	const (
		root1 = 1569415565.0 / 1073741824.0
		root2 = 381566830.0 / 1073741824.0 / 1073741824.0
		root3 = 0.9016312093258695918615325266959189453125e-19
		c     = 0.99558162689208984375
	)
	t := x - 1
	p := 0.254798510611315515235 + t*(-0.314628554532916496608+t*(-0.665836341559876230295+
		t*(-0.314767657147375752913+t*(-0.0541156266153505273939+t*-0.00289268368333918761452))))
	q := 1 + t*(2.1195759927055347547+t*(1.54350554664961128724+t*(0.486986018231042975162+
		t*(0.0660481487173569812846+t*(0.00298999662592323990972+t*(-0.165079794012604905639e-5+t*0.317940243105952177571e-7))))))
	g := x - root1 - root2 - root3
	return g*c + g*(p/q)
}

// DigammaDiff returns digamma(x+a) - digamma(x) for x > 0 and a ≥ 0.
func DigammaDiff(x, a float64) float64 {
	if x < large {
		return Digamma(x+a) - Digamma(x)
	}
	return math.Log1p(a/x) + (digammaTail(x+a) - digammaTail(x))
}
