package sfvi

import "github.com/vflc/vflc/backends"

// usualSolves are the steps by quadrature within which most fits end, and usualSteps those with fixed draws.
var (
	usualSolves = backends.Range{Least: 6, Most: 40}
	usualSteps  = backends.Range{Least: 10, Most: 400}
)

// forecast is that of the estimator, which Choose has settled. Draws that correct the approximation cross in few messages: half an evaluation each, and the first of them decide whether
// the rest is needed.
func forecast(s backends.Settings) backends.Forecast {
	var f backends.Forecast
	switch s.Text(estimator) {
	case byQuadrature:
		f = backends.Forecast{Sequential: usualSolves, All: usualSolves.Times(2)}
	case byFixedDraws:
		f = backends.Forecast{Sequential: usualSteps, All: usualSteps.Times(s.Int(stepDraws))}
	default:
		n := s.Int(iterations)
		f = backends.Forecast{Sequential: backends.Range{Least: n / 10, Most: n}.Times(s.Int(restarts))}
		f.All = f.Sequential.Times(s.Int(mcSamples))
		f.Sequential.Most += 2 * (s.Int(elboDraws)/batchOf + 1) // of the final ELBO, and verdicts
		f.All.Most += s.Int(elboDraws)
	}
	if corrected(s) {
		f.All.Most += s.Int(draws) / 2
	}
	return f
}
