package graph

import (
	"math"
	"math/rand/v2"
	"testing"
)

// enumerated adds up the densities of all sequences of states, of two states: the log of the sum, and the
// share of each state at each step. Arrays are by columns.
func enumerated(lo, p, rho []float64) (lp float64, share []float64) {
	steps := len(lo) / 2
	var logs []float64
	for s := range 1 << steps {
		d, last := 0.0, 0
		for t := range steps {
			state := s >> t & 1
			if t == 0 {
				d += math.Log(rho[state])
			} else {
				d += math.Log(p[last+2*state])
			}
			d, last = d+lo[2*t+state], state
		}
		logs = append(logs, d)
	}
	most, sum := math.Inf(-1), 0.0
	for _, d := range logs {
		most = max(most, d)
	}
	if math.IsInf(most, -1) {
		return most, make([]float64, len(lo))
	}
	for _, d := range logs {
		sum += math.Exp(d - most)
	}
	share = make([]float64, len(lo))
	for s, d := range logs {
		for t := range steps {
			share[2*t+s>>t&1] += math.Exp(d-most) / sum
		}
	}
	return most + math.Log(sum), share
}

// The forward algorithm adds up the densities of all sequences, also where a state that is dense is hardly
// reached, or not at all; the probabilities of states are their shares.
func TestHiddenMarkovModels(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	random := random1(r, 16)
	for name, c := range map[string]struct{ lo, p, rho []float64 }{
		"any":         {random, []float64{0.9, 0.2, 0.1, 0.8}, []float64{0.3, 0.7}},
		"one step":    {random[:2], []float64{0.9, 0.2, 0.1, 0.8}, []float64{0.3, 0.7}},
		"left right":  {[]float64{-900, 0, -1, -800, -5, 300, -900, 2}, []float64{0.5, 0, 0.5, 1}, []float64{1, 0}},
		"unreachable": {[]float64{-900, 0, -800, 0, -2000, 5}, []float64{1, 0.3, 0, 0.7}, []float64{1, 0}},
		"faint":       {[]float64{-1000, 0, -700, 0}, []float64{1, 0.5, 1e-300, 0.5}, []float64{1, 1e-300}},
		"gap":         {[]float64{0, 0, 1, 2, 0, 0}, []float64{0.9, 0.2, 0.1, 0.8}, []float64{0.3, 0.7}},
		"impossible":  {[]float64{math.Inf(-1), 0, 1, 2}, []float64{0.9, 0.2, 0.1, 0.8}, []float64{1, 0}},
	} {
		b, n := New("hmm"), len(c.lo)/2
		in := []ID{b.Const("lo", Shape{2, n}, c.lo), b.Const("p", Shape{2, 2}, c.p),
			b.Const("r", Shape{2}, c.rho)}
		want, shares := enumerated(c.lo, c.p, c.rho)
		got, _ := b.Value(b.must("hmm_marginal", in...))
		if got[0] != want && !(math.Abs(got[0]-want) < 1e-13*(1+math.Abs(want))) {
			t.Errorf("%s: log density %v, enumeration gives %v", name, got[0], want)
		}
		p, _ := b.Value(b.must("hmm_hidden_state_prob", in...))
		for i, s := range shares {
			if !(math.Abs(p[i]-s) < 1e-13) && !math.IsInf(want, -1) {
				t.Errorf("%s: probability %d is %v, enumeration gives %v", name, i, p[i], s)
			}
		}
	}
	b := New("none")
	if v, _ := b.Value(b.must("hmm_marginal", b.Const("lo", Shape{1, 2}, []float64{1, 2}),
		b.Const("p", Shape{1, 1}, []float64{0.9}), b.Const("r", Shape{1}, []float64{1}))); !math.IsNaN(v[0]) {
		t.Errorf("transitions that do not sum to 1 give %v", v)
	}
}

// The gradient by the forward-backward algorithm is that of differences, through transitions of three states.
func TestHiddenMarkovGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	b := New("hmm")
	y := b.must("hmm_marginal", b.Param("lo", Shape{3, 6}), b.must("softmax", b.Param("p", Shape{3, 3})),
		b.must("softmax", b.Param("r", Shape{3})))
	must(t, b.Add("t", b.must("mul", y, y), 1))
	gradientOf(t, "hmm_marginal", b, random1(r, b.dim))
}
