package sfvi

import "context"

const (
	fitted        = 0   // the window of the rows that are fitted; the other one is held out
	validateEvery = 50  // iterations
	validateDraws = 8   // in pairs of opposite noise, the same every time
	leastPatience = 500 // iterations without a better score before a fit ends
)

// A validation stops a fit by rows that are held out: the score is the mean over draws from q of their log
// density, and q returns to where it was greatest. All parties have the score.
type validation struct {
	at    int // iterations at the best score; 0: there is none yet
	score float64
	ended bool        // iterations enough have followed
	best  [][]float64 // the parameters there, by party and factor
}

// factors are those of all parties.
func (k *kernel) factors() (out []*factor) {
	for _, p := range k.parties {
		out = append(out, p.factors()...)
	}
	return out
}

// validates reports whether the rows that are held out are looked at after so many iterations.
func (k *kernel) validates(iterations int) bool {
	return k.validation != nil && iterations%validateEvery == 0
}

// validate scores the rows that are held out, and ends the fit where it has long predicted them better. At
// one draw, the density of all rows less that of the rows that are fitted is theirs: priors and q cancel.
func (k *kernel) validate(ctx context.Context) error {
	k.wantGradient = false
	score := 0.0
	for d := range uint64(validateDraws) {
		for _, of := range []struct {
			view int
			sign float64
		}{{allRows, 1}, {fitted, -1}} {
			k.selectView(of.view)
			if err := k.visit(ctx, validating, d); err != nil {
				return err
			}
			for b, p := range k.parties {
				k.part[b][0], k.part[b][1] = k.lp[b]+p.ratio, 0
			}
			if err := k.env.Sum(ctx, k.part, k.total); err != nil {
				return err
			}
			score += float64(of.sign * k.total[0] / validateDraws)
		}
	}
	v := k.validation
	switch {
	case !finite(score):
	case v.at == 0 || score > v.score:
		v.at, v.score = k.iter, score
		for i, f := range k.factors() {
			f.flush()
			copy(v.best[i], f.phi)
		}
	case k.iter-v.at >= max(leastPatience, v.at):
		v.ended, k.planned = true, k.iter
	}
	return nil
}

// returnToBest sets q to what it was at the best score.
func (k *kernel) returnToBest() {
	if k.validation == nil || k.validation.at == 0 {
		return
	}
	for i, f := range k.factors() {
		copy(f.phi, k.validation.best[i])
	}
}
