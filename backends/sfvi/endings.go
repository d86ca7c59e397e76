package sfvi

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
)

// compared is the largest number of draws by which fits are told apart.
const compared = 200

// An ending is the place where one or more of the fits ended, and the best of these. It is a mode if one of
// them converged.
type ending struct {
	number   int // of the fit
	mode     bool
	elbo     backends.MonteCarloMean
	height   float64     // what it is compared by
	mean, sd [][]float64 // of θ, by block of this process
	saved    []byte
}

// keep saves the current fit where it ended at a place where no other has, or not as well. It has failed if
// draws are not finite, or a party could not go on.
func (k *restarted) keep(ctx context.Context, end *backends.VariationalFit) (failed bool, err error) {
	now := k.moments(k.fit, k.number, end)
	elsewhere, err := k.compare(ctx, []backends.Kernel{k.fit}, []ending{now})
	if err != nil {
		return false, err
	}
	if elsewhere[0] > 0 {
		return true, nil
	}
	at := slices.Index(elsewhere[1:1+len(k.places)], 0)
	if at >= 0 {
		there := &k.places[at]
		now.mode = now.mode || there.mode
		if there.mode = now.mode; !(now.height > there.height) {
			return false, nil
		}
	}
	var b bytes.Buffer
	if err := k.fit.Save(&b); err != nil {
		return false, err
	}
	now.saved = b.Bytes()
	if at >= 0 {
		k.places[at] = now
	} else {
		k.places = append(k.places, now)
	}
	return false, nil
}

// compare counts, for each of some fits one after another, how many parameters of all parties are not finite,
// and how many are elsewhere than at each place and in each of the fits.
func (k *restarted) compare(ctx context.Context, fits []backends.Kernel, ends []ending) ([]float64, error) {
	others := append(slices.Clone(k.places), ends...)
	n := 1 + len(others)
	parts, total := make([][]float64, len(k.env.Blocks())), make([]float64, n*len(ends))
	for b := range parts {
		parts[b] = make([]float64, len(total))
		for l, end := range ends {
			at := parts[b][l*n:][:n]
			at[0] = end.infinite(b)
			for m, other := range others {
				at[1+m] = end.apart(&other, b)
			}
			if q, ok := fits[l].(*quadrature.Kernel); ok && b == 0 && q.Failed() {
				at[0]++
			}
		}
	}
	return total, k.env.Sum(ctx, parts, total)
}

// moments are those of a fit.
func (k *restarted) moments(fit backends.Kernel, number int, end *backends.VariationalFit) ending {
	m := ending{number: number, mode: end.Converged, elbo: end.Final, height: height(end)}
	blocks := k.env.Blocks()
	theta, all := make([][]float64, len(blocks)), make([][]running, len(blocks))
	for b, block := range blocks {
		theta[b], all[b] = make([]float64, block.Dim()), make([]running, block.Dim())
	}
	n := min(compared, 2*max(1, k.settings.Int(draws)/2)) // of fewer a fit has no more
	for id := range n {
		fit.Draw(id, theta)
		for b, t := range theta {
			for i, v := range t {
				all[b][i].add(v)
			}
		}
	}
	for b := range blocks {
		mean, sd := make([]float64, len(all[b])), make([]float64, len(all[b]))
		for i, r := range all[b] {
			mean[i], sd[i] = r.mean, math.Sqrt(r.square/float64(n-1))
		}
		m.mean, m.sd = append(m.mean, mean), append(m.sd, sd)
	}
	return m
}

// apart counts the parameters of a block that are as far from those of another place as makes two normal
// distributions have two modes. Weights, which have no sd, are left out.
func (m *ending) apart(o *ending, b int) (n float64) {
	for i, v := range m.mean[b] {
		if s := m.sd[b][i] + o.sd[b][i]; s > 0 && math.Abs(v-o.mean[b][i]) > s {
			n++
		}
	}
	return n
}

// infinite counts the parameters of a block whose draws are not finite.
func (m *ending) infinite(b int) (n float64) {
	for i, v := range m.mean[b] {
		if d := v + m.sd[b][i]; d-d != 0 {
			n++
		}
	}
	return n
}

// height is what fits are compared by: the log density of the rows that are held out, if there are any, else
// the ELBO, which is the greater the more noise a network without priors has fitted. It is −∞ where it is not
// known or not finite: a fit whose score is infinite has found nothing.
func height(f *backends.VariationalFit) float64 {
	score := f.Final.Value
	switch {
	case f.BestAt > 0:
		score = f.HeldOut
	case f.Final.N == 0:
		return math.Inf(-1)
	}
	if score-score != 0 {
		return math.Inf(-1)
	}
	return score
}
