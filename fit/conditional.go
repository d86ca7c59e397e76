package fit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// gathered combines the chains of a run, or separates the chains of one kernel.
func (m *sampling) gathered(vars []posterior.Variable, chains []*chain) *fitted {
	f := gather(vars, chains)
	if m.Algorithm.Gives != backends.Conditional {
		return f
	}
	all := chains[0]
	f.auxiliary = len(m.Plan.Groups) > 0
	f.info, f.iterations, f.chains = all.info, all.info.Mode.Iterations, nil
	n := m.Settings.Plan.Chains
	for c := range n {
		one := *all
		one.rows = nil
		for at := c; at < len(all.rows)-len(all.rows)%n; at += n {
			one.rows = append(one.rows, all.rows[at])
		}
		f.chains = append(f.chains, &one)
	}
	f.draws = withoutStatistics(vars, f.chains)
	return f
}

// withoutStatistics returns draws of chains whose transitions have no statistics. In a file of draws these
// are NaN.
func withoutStatistics(vars []posterior.Variable, chains []*chain) *posterior.Draws {
	d := posterior.NewDraws(vars, len(chains), len(chains[0].rows))
	d.Transitions = make([][]posterior.Transition, len(chains))
	for c, one := range chains {
		for _, row := range one.rows {
			d.Append(c, row)
			d.AppendTransition(c, posterior.Transition{LP: math.NaN(), Accept: math.NaN(),
				StepSize: math.NaN(), Energy: math.NaN()})
		}
	}
	return d
}

// summariseConditional summarises a maximum and draws given it.
func (r *Result) summariseConditional(f *fitted) {
	d, mode := &r.Document, f.info.Mode
	d.Parameters = posterior.SummariseChains(f.draws)
	var points, sampled []string
	for _, row := range d.Parameters {
		base := indices.ReplaceAllString(row.Name, "")
		if row.SD != 0 && !row.Point {
			if !slices.Contains(sampled, base) {
				sampled = append(sampled, base)
			}
		} else if !slices.Contains(points, base) {
			points = append(points, base)
		}
	}
	converged := mode.Converged
	d.Diagnostics = posterior.Diagnostics{EBFMI: []posterior.Number{}, Khat: posterior.NotApplicable(),
		Converged: &converged, Noted: f.doubts(advice(&r.Record))}
	d.Note = conditionalNote(points, sampled, f.auxiliary)
	r.closing = fmt.Sprintf("gradient at the maximum %.2g ± %.1g %% of that at the start, "+
		"after %s; %s of %d draws",
		100*mode.Gradient.Value, 100*mode.Gradient.SE, grouped.Count(mode.Iterations, "iteration"),
		grouped.Count(f.draws.Chains(), "chain"), f.draws.Len(0))
	r.chains = func(int) posterior.CSVInfo {
		all := f.chains[0]
		return posterior.CSVInfo{Model: d.Model, Backend: d.Backend, Iterations: f.iterations,
			Seconds: (all.warming + all.drawing).Seconds(), WarmupSeconds: all.warming.Seconds()}
	}
}

var indices = regexp.MustCompile(`\[[0-9,]+\]`)

// conditionalNote explains what the rows of the table are.
func conditionalNote(points, sampled []string, aux bool) string {
	given := ""
	switch {
	case aux && len(points) > 0:
		given = "the auxiliary variables and " + strings.Join(points, ", ") + " at their most probable values"
	case aux:
		given = "the auxiliary variables at their most probable values"
	default:
		given = strings.Join(points, ", ") + " at the most probable value"
	}
	note := "These are not draws of the posterior: "
	if len(points) > 0 {
		note += strings.Join(points, ", ") + " is a point without uncertainty; "
	}
	return note + "draws of " + strings.Join(sampled, ", ") + " are conditional on " + given +
		", and so narrower than the posterior."
}

// doubts are the reasons not to trust the maximum.
func (f *fitted) doubts(a posterior.Advice) (out []posterior.Finding) {
	mode := f.info.Mode
	out = append(out, posterior.Finding{Check: "conditional", Value: posterior.NotApplicable(), Try: a.Exact,
		Text: "this is a maximum with draws given it, not the posterior: points have no uncertainty, " +
			"standard deviations are those around that maximum alone, and a posterior that is not normal " +
			"has its means elsewhere"})
	if f.interrupted {
		out = append(out, f.interruption())
	}
	if !mode.Converged {
		out = append(out, posterior.Finding{Check: "converged", Value: posterior.Number(mode.Gradient.Value),
			Text: fmt.Sprintf("the maximum was not reached: the gradient is still %.2g ± %.1g %% of that "+
				"at the start after %d iterations", 100*mode.Gradient.Value, 100*mode.Gradient.SE,
				mode.Iterations),
			Try: joined(moreOf(a.Iterations), moreOf(a.Chains),
				"if that does not help, the density may have no maximum: a flat prior, "+
					"or a scale that goes to 0")})
	}
	return append(out, f.nonFinite("; their steps were undone")...)
}

// moreOf advises more of a setting, where there is one.
func moreOf(setting string) string {
	if setting == "" {
		return ""
	}
	return "more " + setting
}

// joined lists the remedies that are not empty.
func joined(remedies ...string) string {
	return strings.Join(slices.DeleteFunc(remedies, func(r string) bool { return r == "" }), "; ")
}
