package fit

import (
	"slices"
	"strconv"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
)

// ForecastAttack returns, for each row of an Audit with the same arguments, what its receiver is expected to
// know of a cut of sd 1 after the run; nil for a row of anything else, and of noise where an evaluation has
// only some of the rows. Where the algorithm sends a cut without noise, or its mean, nothing is left over,
// nor where it sends an adjoint that can be solved for the cut.
func ForecastAttack(rows []compile.Disclosure, p *compile.Bundle, a backends.Algorithm,
	given map[string]string) ([]*attack.Outlook, error) {
	transform, _ := p.Manifest.Kind()
	s, err := a.Resolve(transform, given)
	if err != nil {
		return nil, &UsageError{err}
	}
	uses, err := exchanges(a, s)
	if err != nil {
		return nil, err
	}
	out := make([]*attack.Outlook, len(rows))
	for k, d := range rows {
		if score, ok := p.Score(d); ok && attack.Solvable(score.Dist, score.Param, score.Through) {
			f := attack.Expect(0, 1)
			out[k] = &f
		}
		if d.Bare {
			out[k] = &attack.Outlook{Correlation: 1}
		}
		if !d.Cut || s.Plan.Minibatch > 0 {
			continue
		}
		rho, err := strconv.ParseFloat(d.Rho, 64)
		if err != nil || bare(uses) {
			rho = 0
		}
		f := attack.Expect(rho, looks(a, s))
		out[k] = &f
	}
	return out, nil
}

// DrawsOfNoise says how often the noise on what crosses is drawn, or why there is none.
func DrawsOfNoise(d compile.Disclosure, f *attack.Outlook) string {
	switch {
	case d.Bare:
		return "none: without noise"
	case d.Sum != "":
		return "none: solved for the cut"
	}
	return strconv.Itoa(f.Looks)
}

// looks is how often the noise is drawn independently: in a chain not in every evaluation, as those of one
// trajectory are correlated.
func looks(a backends.Algorithm, s backends.Settings) int {
	if a.Gives == backends.Markov {
		return s.Plan.Chains * (s.Plan.Warmup + s.Plan.Draws)
	}
	n, ok := a.In(backends.Iterations)
	if !ok {
		return 1
	}
	return s.Int(n.Name)
}

// bare reports whether cuts cross without noise in one of the exchanges.
func bare(uses []density.Use) bool {
	return slices.ContainsFunc(uses, func(u density.Use) bool {
		return u.Auxiliaries != density.Drawn
	})
}
