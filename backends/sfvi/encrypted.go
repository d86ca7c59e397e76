package sfvi

import (
	"cmp"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/laplace"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

// newEncrypted makes the kernel of a fit of encrypted rows: there is one way, whose posterior is normal and
// joint.
func newEncrypted(env density.Env, s backends.Settings) (backends.Kernel, error) {
	if err := cmp.Or(refused(s), undecryptable(s)); err != nil {
		return nil, fmt.Errorf("rows stay encrypted, and few sums over them are decrypted: %w", err)
	}
	return laplace.New(env, laplace.Options{
		Iterations: s.Int(iterations), Draws: s.Int(draws), Correct: wanted(s), Weights: quadrature.MostBatch, Heading: fmt.Sprintf("vflc sfvi laplace checkpoint 3: %s", s),
	})
}

// undecryptable is the reason why settings ask for more of encrypted rows than the joint Gaussian at the
// mode.
func undecryptable(s backends.Settings) error {
	if s.Text(estimator) == byNesting {
		return fmt.Errorf("--%s %s needs prior covariances over all rows, as many numbers as rows for each parameter; leave it at %s, which fits effects whose scale is a number in the model", estimator, byNesting, auto)
	}
	if by := s.Text(estimator); by != auto && by != byQuadrature {
		return fmt.Errorf("--%s %s evaluates more often than that; leave it at %s", estimator, by, auto)
	}
	if q := s.Text(thetaGuide); q != auto && q != quadrature.Joint {
		return fmt.Errorf("--%s %s: the fit is one Gaussian over all parties, --%[1]s %s", thetaGuide, q, quadrature.Joint)
	}
	return nil
}
