package sfvi

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/laplace"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

// newEncrypted makes the kernel of a fit of encrypted rows: a joint Gaussian, given hyperparameters where
// priors depend on some.
func newEncrypted(env density.Env, s backends.Settings) (backends.Kernel, error) {
	if err := cmp.Or(refused(s), undecryptable(s)); err != nil {
		return nil, fmt.Errorf("rows stay encrypted, and few sums over them are decrypted: %w", err)
	}
	return laplace.New(env, laplace.Options{
		Nested: s.Text(estimator) == byNesting, Iterations: s.Int(iterations), Draws: s.Int(draws),
		Correct: wanted(s), Weights: quadrature.MostBatch,
		Heading: fmt.Sprintf("vflc sfvi laplace checkpoint 4: %s", s),
	})
}

// addEncrypted adds what a party has of hyperparameters, which is no hindrance: every party decides by those
// of all. What is not linear the protocol refuses.
func addEncrypted(out backends.Hindrances, b density.Block) {
	if part, err := laplace.Look(b); err == nil && (part.Hyper > 0 || part.Effects) {
		out.Add(fmt.Sprintf("%s:%d=%d,%t,%d,%s", byNesting, b.Index(), part.Hyper, part.Effects,
			part.Received, part.Party), errCounted)
	}
}

// chooseEncrypted settles whether there is a grid over hyperparameters.
func chooseEncrypted(parties int, hindered backends.Hindrances, s backends.Settings) (backends.Settings,
	string, error) {
	parts, any := make([]laplace.Part, parties), false
	for _, name := range hindered.Names() {
		of, is := strings.CutPrefix(name, byNesting+":")
		if !is {
			continue
		}
		var k int
		var p laplace.Part
		if n, _ := fmt.Sscanf(of, "%d=%d,%t,%d,%s", &k, &p.Hyper, &p.Effects, &p.Received, &p.Party); n < 5 ||
			k < 0 || k >= parties {
			return s, "", fmt.Errorf("a party tells %q of what it has", of)
		}
		parts[k], any = p, true
	}
	by := s.Text(estimator)
	if by == auto && !any {
		return s.With(estimator, byQuadrature), "", nil
	}
	if !any || by != auto && by != byNesting {
		return s, "", nil
	}
	owner, err := laplace.Together(parts)
	if err != nil || by == byNesting {
		return s, "", err
	}
	return s.With(estimator, byNesting),
		fmt.Sprintf("the effects of %s have a prior that depends on parameters: these are found over a "+
			"grid, and all else is a Gaussian given them", parts[owner].Party), nil
}

// undecryptable is the reason why settings ask for more of encrypted rows than the joint Gaussian at the
// mode.
func undecryptable(s backends.Settings) error {
	if by := s.Text(estimator); by != auto && by != byQuadrature && by != byNesting {
		return fmt.Errorf("--%s %s evaluates more often than that; leave it at %s", estimator, by, auto)
	}
	if q := s.Text(thetaGuide); q != auto && q != quadrature.Joint {
		return fmt.Errorf("--%s %s: the fit is one Gaussian over all parties, --%[1]s %s", thetaGuide, q,
			quadrature.Joint)
	}
	return nil
}
