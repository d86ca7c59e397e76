package kernel

// Sum returns Σ a. Element i goes to partial sum i mod 4 (the last n mod 4 elements to the first); then (s0+s1)+(s2+s3).
func Sum(n int, a []float64) float64 {
	a = a[:n]
	var s0, s1, s2, s3 float64
	i := 3
	for ; i < n; i += 4 {
		s0 += a[i-3]
		s1 += a[i-2]
		s2 += a[i-1]
		s3 += a[i]
	}
	for i -= 3; i < n; i++ {
		s0 += a[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Dot returns Σ a·b, summed in the order of Sum.
func Dot(n int, a, b []float64) float64 {
	a, b = a[:n], b[:n]
	var s0, s1, s2, s3 float64
	i := 3
	for ; i < n; i += 4 {
		s0 += float64(a[i-3] * b[i-3])
		s1 += float64(a[i-2] * b[i-2])
		s2 += float64(a[i-1] * b[i-1])
		s3 += float64(a[i] * b[i])
	}
	for i -= 3; i < n; i++ {
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// WeightedSum returns Σ w·a in index order, leaving out elements whose weight is 0 whatever a is.
func WeightedSum(n int, w, a []float64) float64 {
	w, a = w[:n], a[:n]
	s := 0.0
	for i, v := range w {
		if v != 0 {
			s += float64(v * a[i])
		}
	}
	return s
}
