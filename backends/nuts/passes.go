package nuts

import "github.com/vflc/vflc/runtime/kernel"

// products is how many scalars Stan's criterion takes for two runs of states that meet: those of kernel.Turns.
const products = 6

// denseTurns is kernel.Turns where velocities are stored; it adds to out.
func denseTurns(out *[products]float64, sum, left, right, p1, p2, v0, v1, v2, v3 []float64) {
	n := len(sum)
	left, right, p1, p2 = left[:n], right[:n], p1[:n], p2[:n]
	v0, v1, v2, v3 = v0[:n], v1[:n], v2[:n], v3[:n]
	for i := range sum {
		whole, begin, end := left[i]+right[i], left[i]+p2[i], right[i]+p1[i]
		sum[i] = whole
		out[0] += float64(v0[i] * whole)
		out[1] += float64(v3[i] * whole)
		out[2] += float64(v0[i] * begin)
		out[3] += float64(v2[i] * begin)
		out[4] += float64(v1[i] * end)
		out[5] += float64(v3[i] * end)
	}
}

// shift sets z = g + scale·e and returns Σe².
func shift(z, g, e []float64, scale float64) float64 {
	n := len(z)
	kernel.Scale(n, z, e, scale)
	kernel.Accumulate(n, z, g)
	return kernel.Dot(n, e, e)
}

// unshift is its reverse: the seeds w on the cut, and the gradient grad of e with its standard normal prior.
func unshift(w, grad, adj, own, e []float64, scale float64) {
	n := len(w)
	kernel.Add(n, w, adj, own)
	kernel.Scale(n, grad, adj, scale)
	kernel.Sub(n, grad, grad, e)
}
