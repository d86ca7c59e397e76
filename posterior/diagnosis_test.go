package posterior

import (
	"math"
	"strings"
	"testing"
)

// fromChains makes draws of one variable with transitions without problems.
func fromChains(chains [][]float64) *Draws {
	d := NewDraws([]Variable{{Name: "x"}, {Name: "u"}}, len(chains), len(chains[0]))
	for c, chain := range chains {
		other, energy := autoregressive(uint32(50+c), len(chain), 0), autoregressive(uint32(90+c), len(chain), 0)
		for i, v := range chain {
			d.Append(c, []float64{v, other[i]})
			d.AppendTransition(c, Transition{TreeDepth: 3, Energy: energy[i]})
		}
	}
	return d
}

func examined(d *Draws, diagnostics *Diagnostics) map[string][]Finding {
	out := map[string][]Finding{}
	for _, f := range Examine(d, Summarise(d), diagnostics, 10) {
		out[f.Check] = append(out[f.Check], f)
	}
	return out
}

func TestExamineFindsNothingInGoodChains(t *testing.T) {
	if f := examined(fromChains(four(2000, 0)), &Diagnostics{Khat: NotApplicable()}); len(f) != 0 {
		t.Errorf("independent draws: %v", f)
	}
}

// Each problem is found by its check, with the chain or the parameter, and with advice.
func TestExamineFindsFaults(t *testing.T) {
	faults := map[string]struct {
		draws func() *Draws
		check string
		chain int
		name  string
		text  string
	}{
		"a shifted chain": {func() *Draws { return fromChains(shiftedLast(four(2000, 0), 1)) }, "rhat", 0, "x", "chains disagree"},
		"few draws":       {func() *Draws { return fromChains(four(50, 0.6)) }, "ess_bulk", 0, "x", "below 400"},
		"slow tails":      {func() *Draws { return fromChains(four(150, 0.6)) }, "ess_tail", 0, "x", "quantiles"},
		"a constant":      {func() *Draws { return fromChains(mapped(four(500, 0), func(float64) float64 { return 1 })) }, "constant", 0, "x", "not defined"},
		"divergences at low x": {func() *Draws {
			d := fromChains(four(2000, 0))
			for i, v := range d.values[1][0] {
				d.Transitions[1][i].Divergent = v < -0.9
			}
			return d
		}, "divergences", 2, "", "small values of x"},
		"deep trees": {func() *Draws {
			d := fromChains(four(2000, 0))
			d.Transitions[3][7].TreeDepth = 10
			return d
		}, "max_depth", 4, "", "1 of 2000"},
		"slow energy": {func() *Draws {
			d := fromChains(four(2000, 0))
			for i, v := range autoregressive(5, 2000, 0.95) {
				d.Transitions[0][i].Energy = v
			}
			return d
		}, "ebfmi", 1, "", "below 0.3"},
	}
	for name, c := range faults {
		found := examined(c.draws(), nil)[c.check]
		if len(found) == 0 {
			t.Errorf("%s: not found", name)
			continue
		}
		f := found[0]
		if f.Chain != c.chain || f.Parameter != c.name || !strings.Contains(f.Text, c.text) || f.Try == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestExamineReadsWhatTheFitSays(t *testing.T) {
	no := false
	d := filled(four(100, 0))
	found := examined(d, &Diagnostics{Khat: 0.9, Converged: &no, Messages: []string{"the ELBO still rose"}})
	if len(found["khat"]) != 1 || len(found["converged"]) != 1 || len(found) != 2 {
		t.Errorf("%v", found)
	}
	yes := true
	if found := examined(d, &Diagnostics{Khat: Number(math.NaN()), Converged: &yes}); len(found) != 0 {
		t.Errorf("%v", found)
	}
}
