package attack

import "math"

// An Outlook is what the server is expected to know of a cut after a run.
type Outlook struct {
	Looks int `json:"looks"` // independent draws of the noise that the run makes
	// ResidualSD is the expected sd of what the reconstruction leaves over, and Correlation its expected
	// correlation with a cut of sd 1 over the rows.
	ResidualSD  float64 `json:"residual_sd"`
	Correlation float64 `json:"correlation"`
}

// Expect forecasts a run in which the noise of sd rho is drawn independently so many times: transitions of
// all chains, or iterations of a fit. The reconstruction is from the later half of them, N, so its error has
// an sd of about rho/√N whatever the number of rows, and its correlation with a cut of sd s is 1/√(1 +
// rho²/(N s²)). Two effects are left out: the error of a posterior mean from so many draws adds to it, and
// the noise given the response has the variance of its score, rho²(1 + rho²w) with w the curvature of a row's
// log likelihood (the identity of Fisher and Bartlett), where w is ¼ at most for a logistic one.
func Expect(rho float64, looks int) Outlook {
	n := max(1, looks/2)
	residual := rho / math.Sqrt(float64(n))
	return Outlook{Looks: looks, ResidualSD: residual,
		Correlation: 1 / math.Sqrt(1+float64(residual*residual))}
}
