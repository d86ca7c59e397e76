package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// reliable is the largest Pareto shape at which weights of so many draws are (Vehtari et al. 2024).
func reliable(draws int) float64 {
	return min(posterior.KhatBound, 1-1/portable.Log10(float64(draws)))
}

// correctable reports whether weights would correct draws from the approximation; they would not where all
// are equal.
func (f *fitted) correctable() bool {
	k := float64(f.khat())
	return f.weighable && len(f.ratios) > 0 && k <= reliable(len(f.ratios)) && !f.exact()
}

// exact reports whether the approximation is the posterior up to rounding.
func (f *fitted) exact() bool { return slices.Max(f.ratios)-slices.Min(f.ratios) < equalRatios }

// misled reports whether weights would correct draws, were they reliable.
func (f *fitted) misled() bool { return f.weighable && float64(f.khat()) > posterior.KhatBound }

// weights are the smoothed importance weights of the draws, which add up to 1.
func (f *fitted) weights() []float64 {
	out := importance.Smooth(f.ratios, 1).LogWeights
	for i, w := range out {
		out[i] = portable.Exp(w)
	}
	return out
}

// moved is how far weights that are not reliable would move means and standard deviations; nil where they are
// reliable, or would be no correction.
func (f *fitted) moved() *posterior.Moved {
	if !f.misled() {
		return nil
	}
	out := &posterior.Moved{}
	weighted := posterior.SummariseWeighted(f.weighted, f.weights())
	for k, row := range posterior.SummariseIndependent(f.draws) {
		if sd := float64(row.SD); sd > 0 {
			out.Means = max(out.Means, posterior.Number(math.Abs(float64(weighted[k].Mean-row.Mean))/sd))
			out.SDs = max(out.SDs, posterior.Number(math.Abs(float64(weighted[k].SD)/sd-1)))
		}
	}
	return out
}

// resample makes the draws as many as were weighed, chosen among these with Pareto smoothed weights, where
// such are reliable.
func (f *fitted) resample(env density.Env) {
	if !f.correctable() {
		return
	}
	f.corrected = f.weights()
	f.draws = posterior.NewDraws(f.weighted.Vars, 1, len(f.corrected))
	row := make([]float64, len(f.weighted.Columns()))
	for _, id := range chosen(env, f.corrected, len(f.corrected)) {
		for k := range row {
			row[k] = f.weighted.Column(k)[0][id]
		}
		f.draws.Append(0, row)
	}
}

// chosen are n draws by their weights: systematically, which repeats a draw as often as its weight demands,
// in the order of the draws.
func chosen(env density.Env, weights []float64, n int) (ids []int) {
	at, sum := env.Shared("resampling").Float64()/float64(n), 0.0
	for id, w := range weights {
		for sum += w; at < sum && len(ids) < n; at += 1 / float64(n) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Correct makes a kernel's draws those that are weighed, where weights correct them, and returns which n of
// these to take; nil where they do not.
func Correct(env density.Env, k backends.Kernel, n int) []int {
	w, ok := k.(backends.Weighted)
	if !ok {
		return nil
	}
	f := &fitted{ratios: w.Ratios()}
	if f.weighable, _ = w.Correctable(); !f.correctable() {
		return nil
	}
	w.Propose(true)
	return chosen(env, f.weights(), n)
}

// summary is that of the weighted draws where they are corrected.
func (f *fitted) summary() []posterior.SummaryRow {
	if f.corrected == nil {
		return posterior.SummariseIndependent(f.draws)
	}
	return posterior.SummariseWeighted(f.weighted, f.corrected)
}

// closing is the line below the table.
func (f *fitted) closing(e posterior.ELBO) string {
	text := fmt.Sprintf("%d draws", f.draws.Len(0))
	if !math.IsNaN(float64(e.SE)) {
		text = fmt.Sprintf("ELBO %s ± %.2g; ", posterior.Limited(float64(e.Value), float64(e.SE)),
			float64(e.SE)) + text
	}
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
	if at := f.info.Fit.BestAt; at > 0 {
		text += fmt.Sprintf("; %s, of which the rows held out were predicted best after %d",
			grouped.Count(f.iterations, "iteration"), at)
	}
	if f.work.Sequential > 0 {
		text += fmt.Sprintf("; %s one after another", grouped.Count(f.work.Sequential, "round trip"))
	}
	return text
}

// fewEffective is the number of effective draws below which a quantile is uncertain by a third of a standard
// deviation and more.
const fewEffective = 50

// scarce is the finding of quantiles that few of the weighted draws tell, the worst of them; nil where there
// are none.
func (f *fitted) scarce() (out *posterior.Finding) {
	if f.corrected == nil {
		return nil
	}
	n := 0
	for _, r := range posterior.SummariseWeighted(f.weighted, f.corrected) {
		v := float64(r.ESSTail)
		if !(v < fewEffective) {
			continue
		}
		if n++; out == nil || v < float64(out.Value) {
			out = &posterior.Finding{Check: "quantiles", Parameter: r.Name, Label: r.Label, Value: r.ESSTail,
				Text: fmt.Sprintf("%s: its 5 %% or 95 %% quantile is as uncertain as that of %.0f draws: "+
					"few draws of the approximation lie where the posterior's tail is", r.Shown(), v)}
		}
	}
	if n > 1 {
		out.Text += fmt.Sprintf(" (and %d more like it)", n-1)
	}
	return out
}

// unweighed is the finding of draws that are those of the approximation.
func (f *fitted) unweighed(a posterior.Advice) posterior.Finding {
	out := posterior.Finding{Check: "uncorrected", Value: f.khat(), Try: joined(a.Exact, a.Closer)}
	out.Text = "the draws are those of the approximation, not corrected by weights, and its standard " +
		"deviations may be too small"
	if f.uncorrected != "" {
		out.Text += ": " + f.uncorrected
	}
	if k := float64(f.khat()); !math.IsNaN(k) {
		out.Text += fmt.Sprintf("; its k̂ is %.2f", k)
	}
	return out
}

// searched are the findings of fits from several starting points: of several modes, or of fits too few of
// which converged to say that there is one.
func searched(s *backends.Search) []posterior.Finding {
	missing := s.Unconverged + s.Failed
	fits := fmt.Sprintf("of %s from different starting points %d did not converge",
		grouped.Count(s.Fits, "fit"), missing)
	if s.Failed > 0 {
		fits += fmt.Sprintf(" (%d of them failed or had draws that are not finite)", s.Failed)
	}
	if len(s.Modes) < 2 {
		if s.Converged() >= s.Wanted {
			return nil
		}
		return []posterior.Finding{{Check: "search", Value: posterior.Number(missing),
			Text: fits + ": whether the posterior has several modes is not known",
			Try:  "priors that leave less room; chains that begin apart: --backend nuts without --init"}}
	}
	text := fmt.Sprintf("fits from several starting points converged at %d places, with ELBOs", len(s.Modes))
	for i, e := range s.Modes {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %.5g", e.Value)
	}
	text += ": the posterior has as many modes, whose masses are about in the ratio of e to the ELBOs, and " +
		"draws near one say nothing of another"
	if missing > 0 {
		text += "; " + fits
	}
	return []posterior.Finding{{Check: "modes", Value: posterior.Number(len(s.Modes)), Text: text,
		Try: "priors or a parameterisation that leave one of them; chains that begin apart: " +
			"--backend nuts without --init"}}
}
