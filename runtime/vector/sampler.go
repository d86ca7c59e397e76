package vector

import "math"

// Adam moves x one step of the method of Kingma and Ba (2015) along the derivatives d, with moments that are
// not divided by 1-beta1 and 1-beta2: m ← beta1·m + d and v ← beta2·v + d², x ← x + m/√(scale·v + least). At
// step t of a rate, with k = rate·(1-beta1)/(1-beta1^t), scale is (1-beta2)/(1-beta2^t)/k² and least
// (floor/k)². The floor is inside the root, where it costs nothing; beside a derivative of its size at most
// it makes a difference. The root is within 8·10⁻⁷ of its value.
func Adam(n int, x, m, v, d []float64, scale, least, beta1, beta2 float64) {
	adam(active, n, x, m, v, d, scale, least, beta1, beta2)
}

// inverseRoot returns 1/√x to 8·10⁻⁷ of its value for x > 0, normal and finite. It repeats the operations of
// the assembly, which are several times as fast as the instructions: an estimate from the bits of x (Lomont
// 2003), and a polynomial in its error.
func inverseRoot(x float64) float64 {
	r := math.Float64frombits(0x5fe6eb50c7b537a9 - math.Float64bits(x)>>1)
	e := math.FMA(-float64(x*r), r, 1)
	return float64(math.FMA(math.FMA(math.FMA(0.3130540588477246, e, 0.3762790102392069), e,
		0.5000004234440376), e, 0.9999992536241897) * r)
}

func adamGo(n int, x, m, v, d []float64, scale, least, beta1, beta2 float64) {
	for i, slope := range d[:n] {
		m[i] = math.FMA(beta1, m[i], slope)
		v[i] = math.FMA(slope, slope, float64(beta2*v[i]))
		x[i] = math.FMA(m[i], inverseRoot(math.FMA(v[i], scale, least)), x[i])
	}
}

// LeapfrogStart sets p1 = p + half·d and x1 = x + eps·(mass·p1): the first half of a leapfrog step. d is the
// gradient of the log density at x, mass the diagonal of the inverse mass matrix, half is eps/2. p1 and x1
// may be the slices p and x.
func LeapfrogStart(n int, p1, x1, p, x, d, mass []float64, half, eps float64) {
	leapfrogStart(active, n, p1, x1, p, x, d, mass, half, eps)
}

func leapfrogStartGo(n int, p1, x1, p, x, d, mass []float64, half, eps float64) {
	for i := range n {
		q := math.FMA(half, d[i], p[i])
		x1[i] = math.FMA(eps, float64(mass[i]*q), x[i])
		p1[i] = q
	}
}

// LeapfrogEnd sets p1 = p + half·d, the second half of a leapfrog step, and returns Σ mass·p1², twice the
// kinetic energy, in the order of Sum.
func LeapfrogEnd(n int, p1, p, d, mass []float64, half float64) float64 {
	return leapfrogEnd(active, n, p1, p, d, mass, half)
}

func leapfrogEndGo(n int, p1, p, d, mass []float64, half float64) float64 {
	var sums partial
	for i := range n {
		q := math.FMA(half, d[i], p[i])
		p1[i] = q
		s := &sums[i/lanes%4][i%lanes]
		*s = math.FMA(float64(mass[i]*q), q, *s)
	}
	return sums.sum()
}

// RotateStart is the first half of a step that turns around mean exactly: p' = p + half·(d + v), then x1 = x
// + less·(x - mean) + sin·(mass·p'), v1 = cos·v + sin·p' and p1 = cos·p' - sin·v, less being cos - 1. d is
// the gradient of the log density at x, v = (x - mean)/mass.
func RotateStart(n int, p1, x1, v1, p, x, v, d, mean, mass []float64, half, less, cos, sin float64) {
	rotateStart(active, n, p1, x1, v1, p, x, v, d, mean, mass, half, less, cos, sin)
}

func rotateStartGo(n int, p1, x1, v1, p, x, v, d, mean, mass []float64, half, less, cos, sin float64) {
	for i := range n {
		q, u, y := p[i], v[i], x[i]
		q = math.FMA(half, u+d[i], q)
		y = math.FMA(less, y-mean[i], y)
		x1[i] = math.FMA(sin, float64(q*mass[i]), y)
		p1[i] = float64(cos*q) - float64(sin*u)
		v1[i] = math.FMA(sin, q, float64(cos*u))
	}
}

// RotateEnd sets p1 = p + half·(d + v), the second half of the step, and returns Σ mass·p1², twice the
// kinetic energy, in the order of Sum.
func RotateEnd(n int, p1, p, v, d, mass []float64, half float64) float64 {
	return rotateEnd(active, n, p1, p, v, d, mass, half)
}

func rotateEndGo(n int, p1, p, v, d, mass []float64, half float64) float64 {
	var sums partial
	for i := range n {
		q := math.FMA(half, v[i]+d[i], p[i])
		p1[i] = q
		s := &sums[i/lanes%4][i%lanes]
		*s = math.FMA(float64(mass[i]*q), q, *s)
	}
	return sums.sum()
}

// Turn makes x1 = x + sin·(M⁻¹p), with a mass matrix M, the end of a rotation around mean: it adds less·(x -
// mean) to x1, and sets v1 = cos·v + sin·p and p = cos·p - sin·v, less being cos - 1 and v = M(x - mean).
func Turn(n int, x1, v1, p, x, v, mean []float64, less, cos, sin float64) {
	turn(active, n, x1, v1, p, x, v, mean, less, cos, sin)
}

func turnGo(n int, x1, v1, p, x, v, mean []float64, less, cos, sin float64) {
	for i := range n {
		q, u := p[i], v[i]
		x1[i] = math.FMA(less, x[i]-mean[i], x1[i])
		p[i] = float64(cos*q) - float64(sin*u)
		v1[i] = math.FMA(sin, q, float64(cos*u))
	}
}

// Turns computes in one pass the products whose signs are the U-turn criterion of two adjacent trajectories.
// left and right are the sums of the momenta along each; p0 and p1 the momenta at the beginning and end of
// the left one, p2 and p3 of the right one; mass as in LeapfrogStart. It sets rho = left + right and out = {
// v0·rho, v3·rho, v0·(left+p2), v2·(left+p2), v1·(right+p1), v3·(right+p1) } with v = mass·p: the criterion
// of Stan since 2.21, for the whole trajectory and across the join of both; the sums are multiplied by the
// masses. Each sum has eight lanes.
func Turns(n int, out *[6]float64, rho, left, right, p0, p1, p2, p3, mass []float64) {
	if n <= 0 {
		*out = [6]float64{}
	}
	turns(active, n, out, rho, left, right, p0, p1, p2, p3, mass)
}

func turnsGo(n int, out *[6]float64, rho, left, right, p0, p1, p2, p3, mass []float64) {
	var s [6][lanes]float64
	for i := range n {
		l := i % lanes
		m, whole := mass[i], left[i]+right[i]
		onLeft, onRight := left[i]+p2[i], right[i]+p1[i]
		vWhole, vLeft, vRight := m*whole, m*onLeft, m*onRight
		s[0][l] = math.FMA(p0[i], vWhole, s[0][l])
		s[1][l] = math.FMA(p3[i], vWhole, s[1][l])
		s[2][l] = math.FMA(p0[i], vLeft, s[2][l])
		s[3][l] = math.FMA(p2[i], vLeft, s[3][l])
		s[4][l] = math.FMA(p1[i], vRight, s[4][l])
		s[5][l] = math.FMA(p3[i], vRight, s[5][l])
		rho[i] = whole
	}
	for j := range out {
		out[j] = fold(&s[j])
	}
}
