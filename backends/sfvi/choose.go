package sfvi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/quadrature"
	"github.com/vflc/vflc/density"
)

// The estimators of the ELBO.
const (
	auto         = "auto"
	byQuadrature = "quadrature"
	bySampling   = "sampled"
)

// adams are the settings of the stochastic optimiser: a user who sets one of them wants it.
var adams = []string{rate, lastRate, schedule, mcSamples, elboEvery, elboDraws}

// choose settles the estimator and the form of q(θ) that go together, from the blocks of all parties.
func choose(parties int, hindered error, s backends.Settings) (backends.Settings, string) {
	switch s.Text(estimator) {
	case bySampling:
		return s, ""
	case byQuadrature:
		return settled(s), ""
	}
	why := errors.New("no client contributes to another party's computation")
	if parties > 1 {
		why = cmp.Or(refused(s), hindered)
	}
	if why == nil {
		s = settled(s.With(estimator, byQuadrature))
		return s, fmt.Sprintf("the ELBO is integrated by quadrature, with --%s %s: every contribution is affine in parameters with normal priors, and the likelihood sees a row through one predictor",
			thetaGuide, s.Text(thetaGuide))
	}
	s = s.With(estimator, bySampling)
	if parties == 1 {
		return s, ""
	}
	return s, fmt.Sprintf("the ELBO is estimated from draws, since it cannot be integrated by quadrature: %v", why)
}

// hinders is the reason why a party's block excludes quadrature. What it finds is kept with the block, for New, which may come after the party's data are released.
func hinders(b density.Block, s backends.Settings) error {
	if s.Text(estimator) == bySampling || s.Text(estimator) == auto && refused(s) != nil {
		return nil
	}
	lin, err := quadrature.Applies(b, s.Transform.AtClients)
	if err != nil {
		return err
	}
	return quadrature.Affordable(b, lin)
}

// settled has the form of q(θ) that quadrature uses where none is asked for: across parties at no more cost, but where the clients evaluate the likelihood.
func settled(s backends.Settings) backends.Settings {
	if s.Text(estimator) != byQuadrature || s.Text(thetaGuide) != auto {
		return s
	}
	if s.Transform.AtClients || !s.Bool(correct) {
		return s.With(thetaGuide, "fullrank")
	}
	return s.With(thetaGuide, quadrature.Joint)
}

// refused is the reason why the settings exclude quadrature that nobody asks for.
func refused(s backends.Settings) error {
	if err := unsuited(s); err != nil {
		return err
	}
	for _, name := range adams {
		if s.Differs(name) {
			return fmt.Errorf("--%s concerns draws", name)
		}
	}
	return nil
}

// unsuited is the reason why settings exclude quadrature.
func unsuited(s backends.Settings) error {
	switch {
	case s.Int(minibatch) > 0:
		return fmt.Errorf("--%s %d takes some of the rows at a time", minibatch, s.Int(minibatch))
	case !quadrature.Has(s.Text(guideForm)):
		return fmt.Errorf("--%s %s is not normal", guideForm, s.Text(guideForm))
	}
	return nil
}

// newFit makes the kernel of the estimator; one that was not chosen draws, since a party alone cannot know what all can do.
func newFit(env density.Env, s backends.Settings) (backends.Kernel, error) {
	if s.Text(estimator) != byQuadrature {
		if s.Text(thetaGuide) == quadrature.Joint {
			return nil, fmt.Errorf("--%s %s needs --%s %s, and this fit draws", thetaGuide, quadrature.Joint, estimator, byQuadrature)
		}
		k, err := newKernel(env, s)
		if err != nil {
			return nil, err
		}
		return k, nil
	}
	s = settled(s)
	if err := unsuited(s); err != nil {
		return nil, fmt.Errorf("--%s %s: %w", estimator, byQuadrature, err)
	}
	k, err := quadrature.New(env, quadrature.Options{
		Guide: s.Text(guideForm), Theta: s.Text(thetaGuide), Iterations: s.Int(iterations), Tolerance: max(s.Float(tolerance), 1e-9), Draws: s.Int(draws),
		AtClients: s.Transform.AtClients, Correct: s.Bool(correct), Heading: fmt.Sprintf("vflc sfvi quadrature checkpoint 1: %s", s),
	})
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w; --%s %s draws instead", estimator, byQuadrature, err, estimator, bySampling)
	}
	return k, nil
}

// exchanges are those of a run with the settings: where the estimator is not settled yet, those of either.
func exchanges(s backends.Settings) []density.Use {
	var out []density.Use
	if s.Text(estimator) != byQuadrature && s.Text(thetaGuide) != quadrature.Joint {
		out = sampledExchanges(s)
	}
	if s.Text(estimator) == bySampling || s.Text(estimator) == auto && (unsuited(s) != nil || slices.ContainsFunc(adams, s.Differs)) {
		return out
	}
	s = settled(s.With(estimator, byQuadrature))
	return append(out, quadrature.Exchanges(s.Transform.AtClients, s.Text(thetaGuide) == quadrature.Joint, s.Bool(correct))...)
}
