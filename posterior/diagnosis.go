package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Bounds beyond which a diagnostic is a finding.
const (
	RHatBound  = 1.01 // Vehtari et al. 2021
	ESSBound   = 400  // of all chains together; Vehtari et al. 2021 recommend 100 per chain, with four chains
	EBFMIBound = 0.3  // Stan
	KhatBound  = 0.7  // Vehtari et al. 2024; Yao et al. 2018 for variational fits
)

// A Finding is one problem of a run.
type Finding struct {
	Check     string `json:"check"`               // divergences, max_depth, ebfmi, rhat, ess_bulk, ess_tail, khat, converged, constant
	Chain     int    `json:"chain,omitempty"`     // from 1; 0: of all
	Parameter string `json:"parameter,omitempty"` // as in the summary
	Value     Number `json:"value"`
	Text      string `json:"text"` // what is wrong, and how much
	Try       string `json:"try"`
}

// Examine returns the reasons not to trust draws, the worst first within each check. maxDepth is the sampler's limit; 0: not known. diagnostics has
// what cannot be computed from draws (k̂, whether a fit converged, messages of the backend); it may be nil.
func Examine(d *Draws, rows []Row, diagnostics *Diagnostics, maxDepth int) []Finding {
	var out []Finding
	for c, chain := range d.Transitions {
		out = append(out, d.divergent(c, chain)...)
		out = append(out, deep(c, chain, maxDepth)...)
		out = append(out, lowEnergy(c, chain)...)
	}
	if !d.Independent() {
		out = append(out, mixing(rows, d.Chains())...)
	}
	if diagnostics != nil {
		out = append(out, approximation(diagnostics)...)
	}
	return out
}

// divergent reports the divergences of a chain, and where in the posterior they lie.
func (d *Draws) divergent(c int, chain []Transition) []Finding {
	var at []int
	for i, t := range chain {
		if t.Divergent {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	text := fmt.Sprintf("chain %d: %d of %d transitions diverged (%.2g %%); the posterior was not explored where they began", c+1, len(at), len(chain), 100*float64(len(at))/float64(len(chain)))
	if name, shift := d.mostShifted(c, at); name != "" {
		text += fmt.Sprintf("; they lie mostly at %s values of %s", direction(shift), name)
	}
	return []Finding{{Check: "divergences", Chain: c + 1, Value: Number(len(at)), Text: text,
		Try: "write the parameters of a hierarchy `noncentered`; then a larger --target-accept (0.95, 0.99); a weak prior on a scale leads to a funnel"}}
}

func direction(shift float64) string {
	if shift < 0 {
		return "small"
	}
	return "large"
}

// mostShifted finds the scalar whose mean over some draws is furthest from its mean over the chain, in standard deviations; "" if none is further than
// one of them, or there are too few draws.
func (d *Draws) mostShifted(c int, at []int) (name string, shift float64) {
	if len(at) < 5 {
		return "", 0
	}
	for k, column := range d.columns {
		all := d.values[c][k]
		sum := 0.0
		for _, i := range at {
			sum += all[i]
		}
		z := (sum/float64(len(at)) - mean(all)) / math.Sqrt(variance(all))
		if math.Abs(z) > max(1, math.Abs(shift)) {
			name, shift = column.Name, z
		}
	}
	return name, shift
}

func deep(c int, chain []Transition, maxDepth int) []Finding {
	n := 0
	for _, t := range chain {
		if maxDepth > 0 && t.TreeDepth >= maxDepth {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []Finding{{Check: "max_depth", Chain: c + 1, Value: Number(n),
		Text: fmt.Sprintf("chain %d: %d of %d transitions reached the depth limit of %d; the draws are valid but expensive", c+1, n, len(chain), maxDepth),
		Try:  fmt.Sprintf("--max-depth %d; better scales: center and scale covariates, or --metric dense for correlated parameters", maxDepth+2)}}
}

func lowEnergy(c int, chain []Transition) []Finding {
	energy := make([]float64, len(chain))
	for i, t := range chain {
		energy[i] = t.Energy
	}
	v := EBFMI(energy)
	if !(v < EBFMIBound) {
		return nil
	}
	return []Finding{{Check: "ebfmi", Chain: c + 1, Value: Number(v),
		Text: fmt.Sprintf("chain %d: E-BFMI is %.2f, below %g; the chain moves too slowly between levels of energy to see the tails", c+1, v, EBFMIBound),
		Try:  "write the parameters of a hierarchy `noncentered`; a longer --warmup; lighter tails in priors of scales"}}
}

// mixing checks each scalar over all chains.
func mixing(rows []Row, chains int) []Finding {
	var hat, bulk, tail, constant []Finding
	for _, r := range rows {
		if v := float64(r.RHat); v > RHatBound {
			hat = append(hat, Finding{Check: "rhat", Parameter: r.Name, Value: r.RHat, Text: fmt.Sprintf("%s: R-hat is %.3f, above %g; %s", r.Name, v, RHatBound, disagree(chains)), Try: longer})
		}
		if v := float64(r.ESSBulk); v < ESSBound {
			bulk = append(bulk, Finding{Check: "ess_bulk", Parameter: r.Name, Value: r.ESSBulk, Text: fmt.Sprintf("%s: bulk ESS is %.0f, below %d; its mean is uncertain by %s", r.Name, v, ESSBound, significant(float64(r.MCSE), 2)), Try: more(v)})
		}
		if v := float64(r.ESSTail); v < ESSBound {
			tail = append(tail, Finding{Check: "ess_tail", Parameter: r.Name, Value: r.ESSTail, Text: fmt.Sprintf("%s: tail ESS is %.0f, below %d; its 5 %% and 95 %% quantiles are uncertain", r.Name, v, ESSBound), Try: more(v)})
		}
		if math.IsNaN(float64(r.RHat)) {
			constant = append(constant, Finding{Check: "constant", Parameter: r.Name, Value: r.SD, Text: r.Name + ": R-hat and ESS are not defined; the draws are constant, not finite, or fewer than six per chain", Try: "more --draws; look at the values: vflc plot RUN " + r.Name})
		}
	}
	ascending := func(a, b Finding) int { return cmp.Compare(a.Value, b.Value) }
	slices.SortStableFunc(hat, func(a, b Finding) int { return cmp.Compare(b.Value, a.Value) })
	slices.SortStableFunc(bulk, ascending)
	slices.SortStableFunc(tail, ascending)
	return slices.Concat(hat, bulk, tail, constant)
}

const longer = "a longer --warmup and more --draws; if chains stay at different values (vflc plot RUN), the posterior has several modes or the model is not identified"

func disagree(chains int) string {
	if chains > 1 {
		return "the chains disagree"
	}
	return "the two halves of the chain disagree"
}

// more advises how many times as many draws are needed to reach the bound.
func more(ess float64) string {
	return fmt.Sprintf("about %.0f times as many --draws, or a parameterisation that mixes better", math.Ceil(ESSBound/math.Max(ess, 1)))
}

// approximation reports the diagnostics of a variational fit.
func approximation(d *Diagnostics) []Finding {
	var out []Finding
	if k := float64(d.Khat); k > KhatBound {
		out = append(out, Finding{Check: "khat", Value: d.Khat,
			Text: fmt.Sprintf("k̂ of the approximation (over parameters and auxiliary variables) is %.2f, above %g; it is not close enough to the posterior to be corrected by weights, and its standard deviations may be wrong", k, KhatBound),
			Try:  "--backend nuts; --theta-guide fullrank; --guide structured; more --iterations"})
	}
	if d.Converged != nil && !*d.Converged {
		for _, m := range d.Messages {
			out = append(out, Finding{Check: "converged", Value: NotApplicable(), Text: m, Try: "more --iterations, or --schedule cosine with a larger --lr"})
		}
	}
	return out
}
