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
		other, energy := autoregressive(uint32(50+c), len(chain), 0), autoregressive(uint32(90+c), len(chain),
			0)
		for i, v := range chain {
			d.Append(c, []float64{v, other[i]})
			d.AppendTransition(c, Transition{TreeDepth: 3, Energy: energy[i]})
		}
	}
	return d
}

// advised names settings as no backend does.
var advised = Advice{Draws: "--keep", Warmup: "--burn", Depth: 10, MaxDepth: "--doublings"}

func examined(d *Draws, diagnostics *Diagnostics) map[string][]Finding {
	out := map[string][]Finding{}
	for _, f := range Examine(d, Summarise(d), diagnostics, advised) {
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
		"a shifted chain": {func() *Draws {
			return fromChains(shiftedLast(four(2000, 0), 1))
		}, "rhat", 0, "x", "chains disagree"},
		"few draws": {func() *Draws {
			return fromChains(four(50, 0.6))
		}, "ess_bulk", 0, "x", "below 400"},
		"slow tails": {func() *Draws {
			return fromChains(four(150, 0.6))
		}, "ess_tail", 0, "x", "quantiles"},
		"a constant": {func() *Draws {
			return fromChains(mapped(four(500, 0), func(float64) float64 { return 1 }))
		}, "constant", 0, "x", "not defined"},
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
	found := examined(d,
		&Diagnostics{Khat: 0.9, Converged: &no,
			Noted: []Finding{{Check: "converged", Text: "the ELBO still rose"}}})
	if len(found["khat"]) != 1 || len(found["converged"]) != 1 || len(found) != 2 {
		t.Errorf("%v", found)
	}
	yes := true
	for want, moved := range map[string]*Moved{"its standard deviations may be wrong": nil,
		"no mean by more than 0.0058 standard deviations and no standard deviation by more than 0.8 %": {Means: 0.00581, SDs: 0.008}} {
		if found := examined(d, &Diagnostics{Khat: 0.9, Moved: moved, Converged: &yes})["khat"]; len(found) !=
			1 || !strings.Contains(found[0].Text, want) {
			t.Errorf("no %q in %v", want, found)
		}
	}
	if found := examined(d, &Diagnostics{Khat: Number(math.NaN()), Converged: &yes}); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

// Remedies name the settings of the run's algorithm, and no others.
func TestRemediesNameTheSettingsOfTheRun(t *testing.T) {
	d := fromChains(shiftedLast(four(50, 0.6), 1))
	d.Transitions[0][1].TreeDepth, d.Transitions[1][3].Divergent = 10, true
	text := ""
	for _, list := range examined(d, nil) {
		for _, f := range list {
			text += f.Try + "\n"
		}
	}
	for _, want := range []string{"--keep", "a longer --burn and more --keep", "--doublings 12"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, foreign := range []string{"--draws", "--warmup", "--max-depth", "--target-accept", "--metric",
		"--shape"} {
		if strings.Contains(text, foreign) {
			t.Errorf("%q in:\n%s", foreign, text)
		}
	}
}

// Draws of 1e42 in chains that do not settle are those of an improper posterior, and more draws are no
// remedy. Equally large ones that mix are not.
func TestExamineNamesAnImproperPosterior(t *testing.T) {
	walk := four(400, 0)
	for _, chain := range walk {
		for i := range chain {
			chain[i] = math.Pow(10, 40+float64(i)/8)
		}
	}
	found := examined(fromChains(walk), nil)
	if f := found["improper"]; len(f) != 1 || f[0].Parameter != "x" ||
		!strings.Contains(f[0].Text, "improper") || f[0].Try == "" {
		t.Fatalf("%+v", found)
	}
	for check, list := range found {
		for _, f := range list {
			if check != "improper" && f.Parameter == "x" {
				t.Errorf("%+v beside the finding that the posterior is improper", f)
			}
		}
	}
	large := mapped(four(2000, 0), func(v float64) float64 { return 1e42 * v })
	if found := examined(fromChains(large), nil); len(found) != 0 {
		t.Errorf("chains that mix: %v", found)
	}
}

// Whether a prior is improper decides what draws beyond all bounds are said to be: known to be, known to be
// none, or not known.
func TestExamineAsksThePriors(t *testing.T) {
	walk := four(400, 0)
	for _, chain := range walk {
		for i := range chain {
			chain[i] = math.Pow(10, 40+float64(i)/8)
		}
	}
	d := fromChains(walk)
	for check, c := range map[string]struct {
		priors   []string
		has, not string
	}{
		"improper":  {nil, "either the posterior is improper", "improper priors:"},
		"improper ": {[]string{"tau", "x"}, "improper priors: tau, x", "all priors are proper"},
		"diverged":  {[]string{}, "all priors are proper", "improper"},
	} {
		a := advised
		a.Improper = c.priors
		found := Examine(d, Summarise(d), nil, a)
		if len(found) != 1 || found[0].Check != strings.TrimSpace(check) ||
			!strings.Contains(found[0].Text, c.has) || strings.Contains(found[0].Text, c.not) ||
			found[0].Try == "" {
			t.Errorf("improper priors %v: %+v", c.priors, found)
		}
	}
}

// The comments of a file name the sampler: without divergent__ a chain remains a chain, whose mixing is
// examined.
func TestMethodDecidesWhetherDrawsAreIndependent(t *testing.T) {
	for head, independent := range map[string]bool{
		"":                            false,
		"# method = sample (Default)": false,
		"# method = sample (Default)\n#     algorithm = hmc (Default)":                   false,
		"# method = sample (Default)\n#     algorithm = fixed_param":                     true,
		"# method = variational\n#   variational\n#     algorithm = meanfield (Default)": true,
		"# method = pathfinder": true,
		"# method = laplace":    true,
	} {
		f, err := ReadStanCSV(strings.NewReader(head + "\nlp__,accept_stat__,a\n-1,1,0.5\n-2,1,0.25\n"))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Gather([]*StanFile{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Independent() != independent {
			t.Errorf("%q: independent %t", head, d.Independent())
		}
		if !independent && (d.Transitions[0][1].LP != -2 || d.HasTrajectories()) {
			t.Errorf("%q: %+v", head, d.Transitions)
		}
	}
}

// So many times as many draws are advised where chains agree. Where they stay apart more draws of them do not
// add up, and the advice is what their R-hat asks for.
func TestMoreDrawsAreAdvisedWhereChainsAgree(t *testing.T) {
	for _, c := range []struct {
		shift float64
		times bool
	}{{0, true}, {5, false}} {
		found := examined(fromChains(shiftedLast(four(50, 0.6), c.shift)), nil)["ess_bulk"]
		if len(found) == 0 {
			t.Fatalf("chains %g apart have enough effective draws", c.shift)
		}
		for _, f := range found {
			if f.Parameter == "x" && strings.Contains(f.Try, "times as many --keep") != c.times {
				t.Errorf("chains %g apart: %s", c.shift, f.Try)
			}
		}
	}
}
