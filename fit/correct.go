package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/loo"
)

// reliable is the largest Pareto shape at which weights of so many draws are (Vehtari et al. 2024).
func reliable(draws int) float64 {
	return min(posterior.KhatBound, 1-1/portable.Log10(float64(draws)))
}

// correctable reports whether weights would correct draws from the approximation; they would not where all are equal.
func (f *fitted) correctable() bool {
	k := float64(f.khat())
	return f.weighable && len(f.ratios) > 0 && k <= reliable(len(f.ratios)) && !f.exact()
}

// exact reports whether the approximation is the posterior up to rounding.
func (f *fitted) exact() bool { return slices.Max(f.ratios)-slices.Min(f.ratios) < equalRatios }

// weights are the smoothed importance weights of the draws, which add up to 1.
func (f *fitted) weights() []float64 {
	out := loo.Smooth(f.ratios[:f.draws.Len(0)], 1).LogWeights
	for i, w := range out {
		out[i] = portable.Exp(w)
	}
	return out
}

// moved is how far weights that are not reliable would move means and standard deviations; nil where they are reliable, or would be no correction.
func (f *fitted) moved() *posterior.Moved {
	if k := float64(f.khat()); !f.weighable || !(k > posterior.KhatBound) || f.draws.Len(0) > len(f.ratios) {
		return nil
	}
	out := &posterior.Moved{}
	weighted := posterior.SummariseWeighted(f.draws, f.weights())
	for k, row := range posterior.SummariseIndependent(f.draws) {
		if sd := float64(row.SD); sd > 0 {
			out.Means = max(out.Means, posterior.Number(math.Abs(float64(weighted[k].Mean-row.Mean))/sd))
			out.SDs = max(out.SDs, posterior.Number(math.Abs(float64(weighted[k].SD)/sd-1)))
		}
	}
	return out
}

// resample replaces the draws by as many that are chosen among them with Pareto smoothed weights, where these are reliable: systematically, which repeats a draw
// as often as its weight demands, in the order of the draws. Where fewer draws are wanted than were weighed, the first of them are.
func (f *fitted) resample(env density.Env) {
	if !f.correctable() || f.draws.Len(0) > len(f.ratios) {
		return
	}
	raw := f.draws
	weights := f.weights()
	n := len(weights)
	resampled := posterior.NewDraws(raw.Vars, 1, n)
	row := make([]float64, len(raw.Columns()))
	at, sum := env.Shared("resampling").Float64()/float64(n), 0.0
	for i, w := range weights {
		for sum += w; at < sum && resampled.Len(0) < n; at += 1 / float64(n) {
			for k := range row {
				row[k] = raw.Column(k)[0][i]
			}
			resampled.Append(0, row)
		}
	}
	f.weighted, f.corrected, f.draws = raw, weights, resampled
}

// summary is that of the weighted draws where they are corrected.
func (f *fitted) summary() []posterior.Row {
	if f.corrected == nil {
		return posterior.SummariseIndependent(f.draws)
	}
	return posterior.SummariseWeighted(f.weighted, f.corrected)
}

// closing is the line below the table.
func (f *fitted) closing(e posterior.ELBO) string {
	text := fmt.Sprintf("ELBO %s ± %.2g; %d draws", posterior.Limited(float64(e.Value), float64(e.SE)), float64(e.SE), f.draws.Len(0))
	if f.corrected != nil {
		squares := 0.0
		for _, w := range f.corrected {
			squares += float64(w * w)
		}
		text += fmt.Sprintf(", corrected by weights (k̂ %.2f, as good as %.0f)", float64(f.khat()), 1/squares)
	}
	if f.weighable && len(f.ratios) > 0 && f.exact() {
		text += ", which need no weights: those of all are equal"
	}
	if f.work.Sequential > 0 {
		text += fmt.Sprintf("; %s one after another", grouped.Count(f.work.Sequential, "round trip"))
	}
	return text
}
