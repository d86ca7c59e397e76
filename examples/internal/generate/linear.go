package main

// linear makes 200 rows of y = b + X_a beta_a + X_b beta_b + sigma e, with three standard normal covariates
// at each of two clients.
func linear() map[string][]byte {
	const n, k = 200, 3
	const b, sigma = 1.5, 0.7
	betaA, betaB := []float64{0.8, -1.2, 0.5}, []float64{1, 0, -0.6}
	xa, xb, noise := normals("linear x a", n*k), normals("linear x b", n*k), normals("linear noise", n)
	y := make([]float64, n)
	for i := range y {
		y[i] = b + dot(xa[i*k:(i+1)*k], betaA) + dot(xb[i*k:(i+1)*k], betaB) + float64(sigma*noise[i])
	}
	t := newTruth()
	t.scalar("b", b)
	t.scalar("sigma", sigma)
	t.vector("beta_a", betaA)
	t.vector("beta_b", betaB)
	return map[string][]byte{
		"linear/server.csv": table([]string{"y"}, n, func(i, _ int) string { return decimal(y[i]) }),
		"linear/client_a.csv": table(numbered("a", 1, k), n, func(i, c int) string {
			return decimal(xa[i*k+c])
		}),
		"linear/client_b.csv": table(numbered("b", 1, k), n, func(i, c int) string {
			return decimal(xb[i*k+c])
		}),
		"linear/truth.csv": t.Bytes(),
	}
}
