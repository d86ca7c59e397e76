package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bounds beyond which a diagnostic is a finding.
const (
	RHatBound = 1.01 // Vehtari et al. 2021
	// NestedRHatBound is for few superchains, whose means vary: with stationary chains of 4 superchains of 16
	// chains with 5 effective draws each it is 1.006 in the mean.
	NestedRHatBound = 1.015
	// of all chains together; Vehtari et al. 2021 recommend 100 per chain, with four chains
	ESSBound   = 400
	EBFMIBound = 0.3 // Stan
	KhatBound  = 0.7 // Vehtari et al. 2024; Yao et al. 2018 for variational fits
)

// improperBound is a magnitude that draws of a proper posterior in sensible units do not reach.
const improperBound = 1e20

// A Class says what a finding is about.
type Class string

// The classes of findings.
const (
	// the algorithm has not done its work: more of it, or another form of the model, helps
	ConvergenceClass Class = "convergence"
	// the draws are not of the posterior that the algorithm was given
	ApproximationClass Class = "approximation"
	// that posterior is not the model's: the transform has moved it
	MovedClass Class = "moved"
)

// ClassOf returns the class of the findings of a check.
func ClassOf(check string) Class {
	switch check {
	case "khat", "conditional", "uncorrected", "quantiles", "modes", "search":
		return ApproximationClass
	case "moved":
		return MovedClass
	}
	return ConvergenceClass
}

// Classed sets the class of findings by their checks.
func Classed(found []Finding) []Finding {
	for i := range found {
		found[i].Class = ClassOf(found[i].Check)
	}
	return found
}

// A Finding is one problem of a run.
type Finding struct {
	Class Class `json:"class"`
	// interrupted, nonfinite, converged, improper, diverged, divergences, max_depth, ebfmi, rhat, ess_bulk,
	// ess_tail, constant, between; khat; moved
	Check     string `json:"check"`
	Chain     int    `json:"chain,omitempty"`     // from 1; 0: of all
	Parameter string `json:"parameter,omitempty"` // as in the summary
	Label     string `json:"label,omitempty"`     // of the parameter, as in the summary
	Value     Number `json:"value"`
	Text      string `json:"text"` // what is wrong, and how much
	Try       string `json:"try"`  // "": there is no remedy beside those of other findings
}

// Examine returns the reasons not to trust draws, the worst first within each check. diagnostics has what
// cannot be computed from draws (what the run itself found, k̂); it may be nil.
// a names the settings in remedies.
func Examine(d *Draws, rows []SummaryRow, diagnostics *Diagnostics, a Advice) []Finding {
	var out []Finding
	if diagnostics != nil {
		out = append(out, diagnostics.Noted...)
	}
	unbounded := d.unbounded(rows, a)
	out = append(out, unbounded...)
	if len(unbounded) == 0 { // trajectories without a distribution to settle in fail for that reason alone
		out = append(out, d.transitions(a)...)
	}
	if !d.Independent() {
		out = append(out, mixing(without(rows, unbounded), d, a)...)
	}
	if diagnostics != nil {
		out = append(out, approximation(diagnostics, a)...)
	}
	return Classed(out)
}

// transitions reports what is wrong with the trajectories of the chains, check by check.
func (d *Draws) transitions(a Advice) []Finding {
	var out []Finding
	for _, check := range []func(c int, chain []Transition, a Advice) []Finding{
		d.divergent, deep, lowEnergy,
	} {
		for c, chain := range d.Transitions {
			out = append(out, check(c, chain, a)...)
		}
	}
	return out
}

// without returns the rows of which no finding is.
func without(rows []SummaryRow, found []Finding) []SummaryRow {
	if len(found) == 0 {
		return rows
	}
	named := map[string]bool{}
	for _, f := range found {
		named[f.Parameter] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r SummaryRow) bool { return named[r.Name] })
}

// unbounded reports parameters whose draws are not finite, or so large, in chains that have not settled, that
// nothing in the model seems to bound them. The largest are first. With proper priors the posterior is a
// distribution, so that the cause is the run, or the long tails of such a prior.
func (d *Draws) unbounded(rows []SummaryRow, a Advice) []Finding {
	var out []Finding
	check, cause := "improper",
		"; either the posterior is improper, so that neither data nor priors bound it and there is no "+
			"mean, or the run diverged"
	try := "a proper prior for it and for the parameters it depends on: vflc check MODEL " +
		"--priors lists those in force"
	switch {
	case len(a.Improper) > 0:
		cause += "; improper priors: " + strings.Join(a.Improper, ", ")
		try = "proper priors for these"
	case a.Improper != nil:
		check, cause = "diverged",
			"; all priors are proper, and so is the posterior: the run diverged, or went astray in "+
				"the long tails of a prior"
		try = remedies(a.longer(),
			"priors with shorter tails for it and for the parameters it depends on: vflc check MODEL "+
				"--priors lists those in force")
	}
	for k, r := range rows {
		largest := 0.0
		for _, chain := range d.Column(k) {
			for _, v := range chain {
				if v = math.Abs(v); !(v <= largest) {
					largest = v
				}
			}
		}
		settled := float64(r.RHat) <= d.rhatBound() && float64(r.ESSBulk) >= ESSBound
		if largest <= improperBound || settled {
			continue
		}
		text := fmt.Sprintf("%s: its draws reach %.2g", r.Shown(), largest)
		if largest-largest != 0 {
			text = r.Shown() + ": some of its draws are not finite"
		}
		out = append(out, Finding{Check: check, Parameter: r.Name, Label: r.Label, Value: Number(largest),
			Text: text + cause, Try: try})
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return -cmp.Compare(a.Value, b.Value) })
	return out
}

// divergent reports the divergences of a chain, and where in the posterior they lie.
func (d *Draws) divergent(c int, chain []Transition, a Advice) []Finding {
	var at []int
	for i, t := range chain {
		if t.Divergent {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	text := fmt.Sprintf("chain %d: %d of %d transitions diverged (%.2g %%); the posterior was not "+
		"explored where they began", c+1, len(at), len(chain), 100*float64(len(at))/float64(len(chain)))
	if name, shift := d.mostShifted(c, at); name != "" {
		text += fmt.Sprintf("; they lie mostly at %s values of %s", direction(shift), name)
	}
	return []Finding{{Check: "divergences", Chain: c + 1, Value: Number(len(at)), Text: text,
		Try: remedies(a.centring(), phrase("a larger %s (0.95, 0.99)", a.TargetAccept),
			"a weak prior on a scale leads to a funnel")}}
}

func direction(shift float64) string {
	if shift < 0 {
		return "small"
	}
	return "large"
}

// mostShifted finds the scalar whose mean over some draws is furthest from its mean over the chain, in
// standard deviations; "" if none is further than one of them, or there are too few draws.
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
			name, shift = column.Shown(), z
		}
	}
	return name, shift
}

func deep(c int, chain []Transition, a Advice) []Finding {
	n := 0
	for _, t := range chain {
		if a.Depth > 0 && t.TreeDepth >= a.Depth {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []Finding{{Check: "max_depth", Chain: c + 1, Value: Number(n),
		Text: fmt.Sprintf("chain %d: %d of %d transitions reached the depth limit of %d; the draws "+
			"are valid but expensive", c+1, n, len(chain), a.Depth),
		Try: remedies(phrase("%s %d", a.MaxDepth, a.Depth+2),
			"better scales: center and scale covariates")}}
}

func lowEnergy(c int, chain []Transition, a Advice) []Finding {
	energy := make([]float64, len(chain))
	for i, t := range chain {
		energy[i] = t.Energy
	}
	v := EBFMI(energy)
	if len(chain) < fewDraws || !(v < EBFMIBound) {
		return nil
	}
	return []Finding{{Check: "ebfmi", Chain: c + 1, Value: Number(v),
		Text: fmt.Sprintf("chain %d: E-BFMI is %s, below %g; the chain moves too slowly between levels of "+
			"energy to see the tails", c+1, beyond(v, EBFMIBound, 2), EBFMIBound),
		Try: remedies(a.centring(), phrase("a longer %s", a.Warmup), "lighter tails in priors of scales")}}
}

// varying lists the parameters of which some element varies.
func varying(rows []SummaryRow) map[string]bool {
	out := map[string]bool{}
	for _, r := range rows {
		if r.SD > 0 {
			out[variableOf(r.Name)] = true
		}
	}
	return out
}

// variableOf is the name of a parameter without the index of an element.
func variableOf(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

// structural reports whether an element is the same whole number in all draws, as elements of triangular and
// of correlation matrices and states that are certain are, while others of the parameter vary. A chain that
// is stuck has all elements constant.
func (r *SummaryRow) structural(varying map[string]bool) bool {
	whole := float64(r.Mean) == math.Trunc(float64(r.Mean))
	return r.SD == 0 && whole && varying[variableOf(r.Name)]
}

// mixing checks each scalar over all chains.
func mixing(rows []SummaryRow, d *Draws, a Advice) []Finding {
	var hat, bulk, tail, constant []Finding
	vary := varying(rows)
	for _, r := range rows {
		if v := float64(r.RHat); v > d.rhatBound() {
			hat = append(hat, Finding{Check: "rhat", Parameter: r.Name, Label: r.Label, Value: r.RHat,
				Text: fmt.Sprintf("%s: R-hat is %s, above %g; %s", r.Shown(), beyond(v, d.rhatBound(), 3),
					d.rhatBound(), disagree(d.Chains())), Try: a.longer()})
		}
		if v := float64(r.ESSBulk); v < ESSBound {
			bulk = append(bulk, Finding{Check: "ess_bulk", Parameter: r.Name, Label: r.Label,
				Value: r.ESSBulk,
				Text: fmt.Sprintf("%s: bulk ESS is %s, below %d; its mean is uncertain by %s", r.Shown(),
					beyond(v, ESSBound, 0), ESSBound, significant(float64(r.MCSE), 2)),
				Try: a.few(v, r)})
		}
		if v := float64(r.ESSTail); v < ESSBound {
			tail = append(tail, Finding{Check: "ess_tail", Parameter: r.Name, Label: r.Label,
				Value: r.ESSTail,
				Text: fmt.Sprintf("%s: tail ESS is %s, below %d; its 5 %% and 95 %% quantiles are uncertain",
					r.Shown(), beyond(v, ESSBound, 0), ESSBound), Try: a.few(v, r)})
		}
		if math.IsNaN(float64(r.RHat)) && !r.Point && !r.structural(vary) {
			constant = append(constant, Finding{Check: "constant", Parameter: r.Name, Label: r.Label,
				Value: r.SD,
				Text: r.Shown() +
					": R-hat and ESS are not defined; the draws are constant, not finite, or " +
					"fewer than six per chain", Try: remedies(phrase("more %s", a.Draws),
					"look at the values: vflc plot RUN "+r.Name)})
		}
	}
	ascending := func(a, b Finding) int { return cmp.Compare(a.Value, b.Value) }
	slices.SortStableFunc(hat, func(a, b Finding) int { return cmp.Compare(b.Value, a.Value) })
	slices.SortStableFunc(bulk, ascending)
	slices.SortStableFunc(tail, ascending)
	return slices.Concat(hat, bulk, tail, constant)
}

// rhatBound is the largest R-hat of chains that agree.
func (d *Draws) rhatBound() float64 {
	if d.Superchains > 0 {
		return NestedRHatBound
	}
	return RHatBound
}

func disagree(chains int) string {
	if chains > 1 {
		return "the chains disagree"
	}
	return "the two halves of the chain disagree"
}

// approximation reports the diagnostics of a variational fit.
func approximation(d *Diagnostics, a Advice) []Finding {
	var out []Finding
	if k := float64(d.Khat); k > KhatBound {
		doubt := ", and its standard deviations may be wrong"
		// with few rows the posterior has longer tails than a Gaussian, and much the same mean and standard
		// deviation
		if d.Moved != nil {
			doubt = fmt.Sprintf(". The weights of its draws, unreliable as they are, would move no mean by "+
				"more than %.2g standard deviations and no standard deviation by more than %.2g %%; what "+
				"lies in tails that its draws do not reach is not in these figures", float64(d.Moved.Means),
				100*float64(d.Moved.SDs))
		}
		if d.Weighed > 0 {
			doubt += fmt.Sprintf(". The weights of the first %d draws say so, far beyond that bound, and "+
				"those of the others were not computed", d.Weighed)
		}
		if d.Validated { // more of them predict worse
			a.Iterations = ""
		}
		out = append(out, Finding{Check: "khat", Value: d.Khat,
			Text: fmt.Sprintf("k̂ of the approximation (over parameters and auxiliary variables) is %s, "+
				"above %g; it is not close enough to the posterior to be corrected by weights%s",
				beyond(k, KhatBound, 2), KhatBound, doubt),
			Try: remedies(a.Exact, a.Closer, phrase("more %s", a.Iterations))})
	}
	if d.Converged != nil && !*d.Converged && !slices.ContainsFunc(d.Noted, func(f Finding) bool {
		return f.Check == "converged" || f.Check == "interrupted"
	}) {
		out = append(out, Finding{Check: "converged", Value: NotApplicable(),
			Text: "the fit has not converged", Try: phrase("more %s", a.Iterations)})
	}
	return out
}
