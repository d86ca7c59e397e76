package fit

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// diagnose summarises the transitions of Markov chains. maxDepth is the depth limit of their trees, 0 where
// they have none; spanning is Algorithm.Spanning.
func (f *fitted) diagnose(maxDepth int, spanning string) posterior.Diagnostics {
	divergences, hits := 0, 0
	d := posterior.Diagnostics{Divergences: &divergences, EBFMI: []posterior.Number{},
		Khat: posterior.NotApplicable(), Superchains: f.draws.Superchains}
	if maxDepth > 0 {
		d.MaxDepthHits = &hits
	}
	for _, chain := range f.draws.Transitions {
		var energy []float64
		for _, t := range chain {
			energy = append(energy, t.Energy)
			if t.Divergent {
				divergences++
			}
			if maxDepth > 0 && t.TreeDepth >= maxDepth {
				hits++
			}
		}
		d.EBFMI = append(d.EBFMI, posterior.Number(posterior.EBFMI(energy)))
	}
	if f.interrupted {
		d.Noted = append(d.Noted, f.interruption())
	}
	d.Noted = append(d.Noted, f.unsolved()...)
	d.Noted = append(d.Noted, f.between(divergences, spanning)...)
	// near one place the chains themselves tell how far they got
	if len(f.chains) > 0 && f.chains[0].search.Places > 1 {
		d.Noted = append(d.Noted, searched(&f.chains[0].search)...)
	}
	return d
}

// Messages returns findings as messages, one per check.
func Messages(found []posterior.Finding) []string {
	out, like := []string{}, map[string]int{}
	for _, f := range found {
		like[f.Check]++
	}
	for _, f := range found {
		same := like[f.Check]
		if same == 0 {
			continue
		}
		like[f.Check] = 0
		text := f.Text
		if same > 1 {
			text += fmt.Sprintf(" (and %d more like it)", same-1)
		}
		if f.Try != "" {
			text += "; try: " + f.Try
		}
		out = append(out, text)
	}
	return out
}

// interruption is the finding of an interrupted run of chains.
func (f *fitted) interruption() posterior.Finding {
	text := fmt.Sprintf("interrupted after %s of each chain", grouped.Count(f.draws.Len(0), "draw"))
	if f.left > 0 {
		are := "are"
		if f.left == 1 {
			are = "is"
		}
		text += fmt.Sprintf("; %s with less than half as many draws %s left out",
			grouped.Count(f.left, "chain"), are)
	}
	return posterior.Finding{Check: "interrupted", Value: posterior.Number(f.draws.Len(0)),
		Text: text + "; " + f.advice}
}

// nonFinite is the finding of evaluations without a finite density, what came of them being in words; nil if
// there were none.
func (f *fitted) nonFinite(what string) []posterior.Finding {
	n := f.info.NonFinite
	if n == 0 {
		return nil
	}
	return []posterior.Finding{{Check: "nonfinite", Value: posterior.Number(n),
		Text: fmt.Sprintf("%d evaluations had no finite density%s", n, what)}}
}

// unsolved is the finding of draws at which a differential equation had no solution; nil if there were none.
func (f *fitted) unsolved() []posterior.Finding {
	n := 0
	for _, c := range f.chains {
		n += c.info.Unsolved
	}
	if n == 0 {
		return nil
	}
	return []posterior.Finding{{Check: "ode", Value: posterior.Number(n),
		Text: fmt.Sprintf("%s after warm-up had no solution of a differential equation, and density 0",
			grouped.Count(n, "point")),
		Try: "a larger max_num_steps; priors that keep a stiff system away"}}
}

const (
	// ridgeBetween is from which ratio of variances on a ridge between parties is told of: the estimate of
	// one that is 1 comes to 8.5 where there are twice as many draws as parameters.
	ridgeBetween = 16
	// manyLeapfrogs is more per draw than a model without ridges takes.
	manyLeapfrogs = 60
)

// between is the finding of a ridge between parties that makes chains slow; nil if there is none. It is seen
// by every chain, since the warm-up of one may have gone astray.
func (f *fitted) between(divergences int, spanning string) []posterior.Finding {
	if spanning == "" || len(f.chains) == 0 || divergences == 0 && f.leapfrogs() <= manyLeapfrogs {
		return nil
	}
	least := math.Inf(1)
	for _, c := range f.chains {
		least = min(least, c.info.Across)
	}
	if !(least >= ridgeBetween) {
		return nil
	}
	return []posterior.Finding{{Check: "between", Value: posterior.Number(least),
		Text: fmt.Sprintf("parameters of different parties are correlated: some vary %.0f times as far as they "+
			"do given those of the other parties, which the metric of no party follows; a draw takes %.0f "+
			"leapfrogs, and %s diverged", math.Sqrt(least), f.leapfrogs(),
			grouped.Count(divergences, "transition")),
		Try: spanning + "; or one of these covariates in place of several that are nearly the same"}}
}

// leapfrogs is the mean number of leapfrog steps per draw.
func (f *fitted) leapfrogs() float64 {
	n, draws := 0, 0
	for _, chain := range f.draws.Transitions {
		for _, t := range chain {
			n += t.Leapfrogs
			draws++
		}
	}
	return float64(n) / float64(max(1, draws))
}
