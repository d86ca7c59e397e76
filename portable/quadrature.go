package portable

// gaussNodes are the nodes above 0 and the weights of Gauss-Legendre quadrature with 16 nodes on [-1, 1].
var gaussNodes = [...][2]float64{
	{0.09501250983763744, 0.1894506104550685},
	{0.2816035507792589, 0.18260341504492358},
	{0.45801677765722737, 0.16915651939500254},
	{0.6178762444026438, 0.14959598881657674},
	{0.755404408355003, 0.12462897125553388},
	{0.8656312023878318, 0.09515851168249279},
	{0.9445750230732326, 0.062253523938647894},
	{0.9894009349916499, 0.027152459411754096},
}

// Gauss returns the integral from a to b of a function that is close to a polynomial of degree 31 between
// them.
func Gauss(a, b float64, f func(t float64) float64) float64 {
	middle, half, sum := float64(0.5*(a+b)), float64(0.5*(b-a)), 0.0
	for _, n := range gaussNodes {
		d := float64(half * n[0])
		sum += float64(n[1] * (float64(f(middle-d)) + float64(f(middle+d))))
	}
	return half * sum
}
