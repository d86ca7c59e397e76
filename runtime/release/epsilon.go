package release

// Epsilon is the ε at δ of releases whose zero-concentrated privacy is ρ together: the smallest at which
// Delta is at most δ, and 0 of ρ = 0.
func Epsilon(rho, delta float64) float64 {
	low, high := 0.0, 1e-6
	if rho <= 0 {
		return 0
	}
	for Delta(rho, high) > delta {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := low + float64((high-low)/2); Delta(rho, middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
