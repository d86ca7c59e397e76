package sfvi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/sfvi/laplace"
	"github.com/vflc/vflc/backends/sfvi/lastlayer"
	"github.com/vflc/vflc/backends/sfvi/nested"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
)

// The estimators of the ELBO.
const (
	auto         = "auto"
	byQuadrature = "quadrature"
	byFixedDraws = "fixed"
	bySampling   = "sampled"
	byNesting    = "nested"
	byLastLayer  = "last-layer"
	fullRank     = "fullrank"
)

// Choices of correct, beside auto.
const yes, no = "true", "false"

// wanted reports whether draws are corrected where they can be.
func wanted(s backends.Settings) bool { return s.Text(correct) != no }

// integrable is the reason why a fit by quadrature, whose draws should be corrected where they can be, does
// not correct them: what is known of it before the parties meet.
func integrable(s backends.Settings) error {
	if s.Text(correct) == auto && inseparable(s) {
		return errors.New(eachEvaluates + ": one rho for all clients")
	}
	return nil
}

// eachEvaluates is why the noise of unlike clients is not integrated out.
const eachEvaluates = "the noise of three clients or more has to be integrated out of a likelihood that " +
	"each of them evaluates, and their rho differ"

// inseparable reports whether that holds.
func inseparable(s backends.Settings) bool { return s.Transform.AtClients() && s.UnlikeNoise > 2 }

// unlike refuses a fit by quadrature that needs one rho of all clients. It is known from the programs: totals
// over the parties are rounded.
func unlike(s backends.Settings) error {
	switch {
	case inseparable(s) && (weighs(s) || s.Text(thetaGuide) == quadrature.Joint):
		return &backends.Refusal{Code: diag.NotCorrected, Out: "--correct=false, or one rho for all clients",
			Err: errors.New(eachEvaluates)}
	}
	return nil
}

// corrected reports whether the draws of a fit by quadrature are corrected.
func corrected(s backends.Settings) bool { return wanted(s) && integrable(s) == nil }

// weighs reports whether such draws are weighed, for k̂: also uncorrected ones, if contributions at draws
// cross in any case.
func weighs(s backends.Settings) bool {
	return integrable(s) == nil && (wanted(s) || s.Text(thetaGuide) == quadrature.Joint)
}

// ascents are the settings of the stochastic optimiser, and adams these with those of its evaluation: a user
// who sets one of them wants it.
var (
	ascents = []string{rate, schedule, localSteps}
	adams   = append([]string{elboEvery, elboDraws}, ascents...)
)

// choose settles the estimator and the form of q(θ) that go together, from what hinders the parties.
func choose(parties int, hindered backends.Hindrances, s backends.Settings) (backends.Settings, string,
	error) {
	if s.Plan.Encrypted {
		return chooseEncrypted(parties, hindered, s)
	}
	switch s.Text(estimator) {
	case byNesting:
		if hindered[byNesting] != nil { // New has the reason
			return s, "", nil
		}
		_, _, err := together(hindered)
		return s, "", nested.Refuse(err)
	case bySampling, byFixedDraws, byLastLayer:
		return s, "", nil
	case byQuadrature:
		return settled(s, hindered), "", nil
	}
	s, why := chosen(parties, hindered, s)
	return s, why, nil
}

// chosen is the estimator that auto takes, and why.
func chosen(parties int, hindered backends.Hindrances, s backends.Settings) (backends.Settings, string) {
	why := errors.New("no client contributes to another party's computation")
	if parties > 1 {
		why = cmp.Or(refused(s), hindered[byQuadrature])
	}
	if why == nil {
		s = settled(s.With(estimator, byQuadrature), hindered)
		return s, fmt.Sprintf("the ELBO is integrated by quadrature, with --%s %s: every contribution is "+
			"affine in parameters with normal priors, and the likelihood sees a row through its predictors",
			thetaGuide, s.Text(thetaGuide))
	}
	hyper, unnested := nests(hindered, s)
	if parties == 1 {
		if unnested != nil || hyper == 0 {
			return s.With(estimator, bySampling), ""
		}
		return s.With(estimator, bySampling),
			fmt.Sprintf("the ELBO is estimated from draws: a grid is taken between parties alone, where it "+
				"saves round trips; --backend nuts samples this posterior, and --%s %s lays one over "+
				"it (hyperparameters: %d)", estimator, byNesting, hyper)
	}
	if unnested == nil && hyper > 0 {
		return s.With(estimator, byNesting),
			fmt.Sprintf("the posterior is found over a grid (hyperparameters: %d), given whose points all "+
				"other parameters have normal priors; the ELBO cannot be integrated by quadrature: %v", hyper,
				why)
	}
	layers := suits(hindered, s)
	given, set := s.Int(stepDraws), s.Differs(stepDraws)
	unfit := cmp.Or(unfixed(s), hindered[byFixedDraws])
	for unfit == nil && hindered[fewDraws(s.Int(stepDraws))] != nil {
		if set || 2*s.Int(stepDraws) > mostStepDraws {
			unfit = hindered[fewDraws(s.Int(stepDraws))]
			break
		}
		s = s.With(stepDraws, 2*s.Int(stepDraws))
	}
	if unfit == nil {
		more := ""
		if s.Int(stepDraws) > given {
			more = fmt.Sprintf(" (--%s, which a party with that many parameters needs)", stepDraws)
		}
		return s.With(estimator, byFixedDraws),
			fmt.Sprintf("the ELBO is the mean over %d draws%s that stay the same, all in one message, "+
				"since it cannot be integrated by quadrature: %v", s.Int(stepDraws), more, why) + layers
	}
	return s.With(estimator, bySampling),
		fmt.Sprintf("the ELBO is estimated from draws, since it cannot be integrated by quadrature (%v), "+
			"and fixed draws do not fit (%v)", why, unfit) + and(hindered[fullRank]) + layers
}

// suits names what is taken where it is asked for alone.
func suits(hindered backends.Hindrances, s backends.Settings) string {
	if hindered[byQuadrature] != nil && cmp.Or(hindered[byLastLayer], unlayered(s)) == nil {
		return fmt.Sprintf("; --%s %s holds the hidden layers of networks at their mode, and takes "+
			"about thirty round trips", estimator, byLastLayer)
	}
	return ""
}

// and continues a sentence with a reason, if there is one.
func and(reason error) string {
	if reason == nil {
		return ""
	}
	return "; " + reason.Error()
}

// beyond is the reason why auto takes another form of q(θ) than fullrank for a party's block; nil where it
// does not.
func beyond(b density.Block, s backends.Settings) error {
	dim := b.Dim() - len(b.Weights())
	form := formOf(b, dim, s)
	if s.Text(thetaGuide) != auto || form == fullRank {
		return nil
	}
	return fmt.Errorf("--%s %s for the %d parameters of %s, since the draws of a fit do not tell a full "+
		"covariance of more than %d", thetaGuide, form, dim, b.Party(), fullRankLimit(b))
}

// unfixed is the reason why settings exclude fixed draws that nobody asks for.
func unfixed(s backends.Settings) error {
	if s.Int(minibatch) > 0 {
		return fmt.Errorf("--%s %d takes some of the rows at a time", minibatch, s.Int(minibatch))
	}
	for _, name := range adams {
		if s.Differs(name) {
			return fmt.Errorf("--%s concerns draws that change", name)
		}
	}
	return nil
}

// hinders are the reasons why a party's block excludes quadrature, fixed draws and a full covariance. What it
// finds of quadrature is kept with the block, for New, which may come after the party's data are released.
func hinders(b density.Block, s backends.Settings) backends.Hindrances {
	out := backends.Hindrances{}
	if s.Plan.Encrypted {
		addEncrypted(out, b)
		return out
	}
	by, open := s.Text(estimator), s.Text(estimator) == auto
	if by == byNesting || open && unsettled(s) == nil {
		addNesting(out, b, s)
	}
	if by == byQuadrature || open && refused(s) == nil {
		out.Add(byQuadrature, unaffordable(b, s))
		out.Add(quadrature.Joint, unexpandable(b, s))
	}
	if by == byLastLayer || open && unlayered(s) == nil && out[byQuadrature] != nil {
		out.Add(byLastLayer, layered(b, s))
	}
	if open && unfixed(s) == nil {
		out.Add(byFixedDraws, unfixable(b, s))
		addFewDraws(out, b, s)
	}
	if open {
		out.Add(fullRank, beyond(b, s))
	}
	return out
}

// unaffordable is the reason why a block excludes quadrature.
func unaffordable(b density.Block, s backends.Settings) error {
	if err := dear(b, s); err != nil {
		return err
	}
	_, err := quadrature.Applies(b, s.Transform.AtClients(), s.Transform.CutsCross())
	return cmp.Or(err, quadrature.Affordable(b))
}

// dear is the reason why nothing that takes the matrices of a block is looked into unless it is asked for:
// the block has them, and they are large.
func dear(b density.Block, s backends.Settings) error {
	if c, ok := b.(density.DifferentiableCuts); !ok || !c.Affine() || s.Text(estimator) != auto {
		return nil
	}
	return quadrature.Affordable(b)
}

// layered is the reason why a block excludes last layers. What is found of it is kept with the block, for
// New.
func layered(b density.Block, s backends.Settings) error {
	if err := dear(b, s); err != nil {
		return err
	}
	return lastlayer.Applies(b)
}

// unexpandable is the reason why a block excludes the joint Gaussian, where quadrature suits it.
func unexpandable(b density.Block, s backends.Settings) error {
	if !s.Transform.AtClients() || dear(b, s) != nil {
		return nil
	}
	lin, err := quadrature.Applies(b, true, s.Transform.CutsCross())
	if err != nil {
		return nil
	}
	return quadrature.Expandable(b, lin)
}

// unfixable is the reason why a block excludes fixed draws that nobody asks for.
func unfixable(b density.Block, s backends.Settings) error {
	if err := fixedApplies(b, s); err != nil {
		return err
	}
	if len(b.Weights()) > 0 {
		return fmt.Errorf("%s has weights, which few draws would overfit", b.Party())
	}
	return nil
}

// mostStepDraws is the largest number of fixed draws that is taken unless asked for.
const mostStepDraws = 1024

// fewDraws names the hindrance that a party has more parameters than so many fixed draws determine the
// covariance of.
func fewDraws(draws int) string { return fmt.Sprintf("%s=%d", byFixedDraws, draws) }

// addFewDraws adds those hindrances of a block for all numbers of draws that may be taken.
func addFewDraws(out backends.Hindrances, b density.Block, s backends.Settings) {
	d := b.Dim()
	for m := s.Int(stepDraws); s.Text(thetaGuide) != "meanfield" && m < leastOf*d; m *= 2 {
		if out.Add(fewDraws(m),
			fmt.Errorf("a covariance of the %d parameters of %s needs %d draws, more than --%s %d", d,
				b.Party(), leastOf*d, stepDraws, m)); s.Differs(stepDraws) || 2*m > mostStepDraws {
			return
		}
	}
}

// settled has the form of q(θ) that quadrature uses where none is asked for: across parties, unless its draws
// are not corrected or a block excludes it.
func settled(s backends.Settings, hindered backends.Hindrances) backends.Settings {
	if s.Text(estimator) != byQuadrature || s.Text(thetaGuide) != auto {
		return s
	}
	if !corrected(s) || hindered[quadrature.Joint] != nil {
		return s.With(thetaGuide, fullRank)
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

// errSeveral is why no estimator that has one party evaluate the likelihood fits.
var errSeveral = errors.New("several parties hold responses, and each evaluates the likelihood of its own")

// unsuited is the reason why settings exclude quadrature.
func unsuited(s backends.Settings) error {
	switch {
	case s.Transform.Several():
		return errSeveral
	case s.Int(minibatch) > 0:
		return fmt.Errorf("--%s %d takes some of the rows at a time", minibatch, s.Int(minibatch))
	case s.Differs(restarts):
		return fmt.Errorf("--%s %d: it begins at as many points as it needs", restarts, s.Int(restarts))
	case !quadrature.Has(s.Text(guideForm)):
		return fmt.Errorf("--%s %s is not normal", guideForm, s.Text(guideForm))
	}
	return nil
}

// newFit makes the kernel of the estimator, or of several fits by it.
func newFit(env density.Env, s backends.Settings) (backends.Kernel, error) {
	if _, ok := density.As[density.Encrypting](env); ok {
		return newEncrypted(env, s)
	}
	if s.Text(estimator) == byNesting {
		return newNested(env, s)
	}
	if s.Text(estimator) == byLastLayer {
		return newLastLayer(env, s)
	}
	if s.Int(restarts) > 1 || s.Text(estimator) == byQuadrature || searchable(env, s) {
		return newRestarted(env, s)
	}
	return newFitFrom(env, s, 0)
}

// newFitFrom makes the kernel of one fit, by the number of its starting point; an estimator that was not
// chosen draws, since a party alone cannot know what all can do.
func newFitFrom(env density.Env, s backends.Settings, restart int) (backends.Kernel, error) {
	if s.Text(estimator) == byFixedDraws {
		k, err := newFixed(env, s)
		if err != nil {
			return nil, err
		}
		k.restart = restart
		return k, nil
	}
	if s.Text(estimator) != byQuadrature {
		if s.Text(thetaGuide) == quadrature.Joint {
			return nil, fmt.Errorf("--%s %s needs --%s %s, and this fit draws", thetaGuide, quadrature.Joint,
				estimator, byQuadrature)
		}
		k, err := newKernel(env, s)
		if err != nil {
			return nil, err
		}
		if s.Text(correct) == yes && env.Augmented() {
			return nil, &backends.Refusal{Code: diag.NotCorrected,
				Err: fmt.Errorf("--%s: %w", correct, errWeightless), Out: weighed}
		}
		k.restart = restart
		return k, nil
	}
	return newQuadrature(env, settled(s, nil), restart)
}

// newQuadrature makes the kernel of one fit by quadrature.
func newQuadrature(env density.Env, s backends.Settings, restart int) (*quadrature.Kernel, error) {
	if err := unsuited(s); err != nil {
		return nil, fmt.Errorf("--%s %s: %w", estimator, byQuadrature, err)
	}
	if err := unlike(s); err != nil {
		return nil, err
	}
	k, err := quadrature.New(env, quadrature.Options{
		Guide: s.Text(guideForm), Theta: s.Text(thetaGuide), Iterations: s.Int(iterations),
		Tolerance: max(s.Float(tolerance), 1e-9), Draws: s.Int(draws),
		AtClients: s.Transform.AtClients(), Crossing: s.Transform.CutsCross(), Start: restart,
		Weigh: weighs(s), Correct: corrected(s), Unfit: integrable(s),
		Heading: fmt.Sprintf("vflc sfvi quadrature checkpoint 9: %s", s),
	})
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w; --%s %s draws instead", estimator, byQuadrature, err, estimator,
			bySampling)
	}
	return k, nil
}

// exchanges are those of a run with the settings: where the estimator is not settled yet, those of each that
// it may be.
func exchanges(s backends.Settings) []density.Use {
	if s.Plan.Encrypted {
		by := s.Text(estimator)
		return laplace.Exchanges(s.Int(iterations), 0, by == byNesting || by != byQuadrature && s.Hyper)
	}
	if s.Text(estimator) == byNesting {
		return nested.Exchanges()
	}
	if s.Text(estimator) == byLastLayer {
		return layeredExchanges(s)
	}
	var out []density.Use
	open, adam := s.Text(estimator) == auto, slices.ContainsFunc(adams, s.Differs)
	joint := s.Text(thetaGuide) == quadrature.Joint
	if s.Text(estimator) == bySampling || open && !joint {
		out = sampledExchanges(s)
	}
	if open && cmp.Or(unfixed(s), unsettled(s)) == nil {
		out = append(out, nested.Exchanges()...)
	}
	if s.Text(estimator) == byFixedDraws || open && !joint && !adam && s.Plan.Minibatch == 0 &&
		s.Transform.CutsCross() {
		out = append(out, fixedExchanges(s)...)
	}
	if s.Text(estimator) == byQuadrature || open && unsuited(s) == nil && !adam {
		s = settled(s.With(estimator, byQuadrature), nil)
		out = append(out, comparing)
		out = append(out, quadrature.Exchanges(s.Text(guideForm), s.Text(thetaGuide), s.Transform.AtClients(),
			weighs(s), fitsTogether(s))...)
	}
	return out
}

// fitsTogether is how many fits by quadrature iterate together at most: there may be several where the server
// looks for modes.
func fitsTogether(s backends.Settings) int {
	if s.Transform.AtClients() {
		return 1
	}
	return quadrature.MostTogether
}

// fixedExchanges are those of a fit with fixed draws.
func fixedExchanges(s backends.Settings) []density.Use {
	m := s.Int(stepDraws)
	if s.Text(estimator) == auto && !s.Differs(stepDraws) { // it may be raised
		m = mostStepDraws
	}
	var out []density.Use
	if s.Int(restarts) > 1 {
		out = append(out, comparing)
	}
	return append(out, []density.Use{
		{
			Exchange: drawSlopesExchange, Often: "every evaluation" + quadrature.InPieces, Least: 1,
			Most: 1, Scalars: "term of the ELBO", LeastAnswers: 1, MostAnswers: verdictAnswers,
			Answers:      "ELBO and the next step",
			LeastColumns: 2, MostColumns: m,
			// The noise stays, with second moments that all know, and factors of covariances are triangular:
			// also with a full one the columns follow one after another.
			Motion: density.ByColumn,
		},
		{
			Exchange: quadrature.Mixing, Often: "every step of the fit", Least: 1,
			Most: algebra.HistoryProducts, LeastAnswers: 1, MostAnswers: turnAnswers,
			Scalars: "products of its latest steps and gradients, summed over its parameters",
			Answers: "coefficients of the latest steps and gradients",
		},
		{
			Exchange: quadrature.Batch, Often: "once, at the end" + quadrature.InPieces, Least: 3,
			Most: 2*quadrature.MostBatch + 1,
			Scalars: "terms of log p − log q at draws, their squared lengths, and the " +
				"number of its parameters", LeastAnswers: 3, MostAnswers: 2*quadrature.MostBatch + 1,
			Answers:      "log p − log q of the draws, their squared lengths, and the number of parameters",
			LeastColumns: 2, MostColumns: quadrature.MostBatch,
		},
	}...)
}
