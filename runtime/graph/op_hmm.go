package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// opHMM is the marginal log density of a hidden Markov model, by the forward algorithm; its gradient is by
// the forward-backward algorithm (Baum et al. 1970; Rabiner 1989, A tutorial on hidden Markov models,
// Proceedings of the IEEE 77). The derivative by a probability that is 0 is taken to be 0.
var opHMM = &op{
	name: "hmm_marginal", doc: "the marginal log density of a hidden Markov model", least: 3, most: 3,
	infer: func(b *Builder, n *node) error { return inferHMM(b, n, Shape{}) },
	forward: func(c *call) {
		h := c.hmm()
		c.out.val.buf[0] = h.forward()
	},
	vjp: func(c *call) {
		h, dy, lp := c.hmm(), c.out.adj.buf[0], c.out.val.buf[0]
		if math.IsInf(lp, 0) || math.IsNaN(lp) {
			return
		}
		h.backward(dy, c.in[0].adj.buf, c.in[1].adj.buf, c.in[2].adj.buf)
	},
	keeps: true,
	needs: func(int) need { return inputs(1) | output },
}

// opHMMStates are the probabilities of the hidden states, given everything observed.
var opHMMStates = &op{
	name: "hmm_hidden_state_prob", doc: "the probabilities of the hidden states of a Markov model", least: 3,
	most: 3,
	infer: func(b *Builder, n *node) error {
		return inferHMM(b, n, b.nodes[n.in[0]].shape)
	},
	forward: func(c *call) {
		h, out := c.hmm(), c.out.val.buf
		if lp := h.forward(); math.IsInf(lp, 0) || math.IsNaN(lp) {
			for i := range out {
				out[i] = math.NaN()
			}
			return
		}
		clear(out)
		h.backward(1, out, nil, nil)
	},
}

func inferHMM(b *Builder, n *node, out Shape) error {
	x, p, first := b.nodes[n.in[0]].shape, b.nodes[n.in[1]].shape, b.nodes[n.in[2]].shape
	if len(x) != 2 || x[1] == 0 || !slices.Equal(p, Shape{x[0], x[0]}) || !slices.Equal(first, x[:1]) {
		return fmt.Errorf("takes a row for each state, a matrix and a vector, got shapes %v, %v and %v", x, p,
			first)
	}
	n.whole(out)
	n.room = 2*x.Len() + 2*x[0] + x[1]
	return nil
}

// A hiddenChain is a hidden Markov model of k states, with log densities of each state by columns.
type hiddenChain struct {
	k, steps                  int
	density, transition, rho  []float64
	alpha, ratio, beta, other []float64 // alpha: of each state, given what was observed up to then
	sums                      []float64 // of each step: its density given the steps before, scaled
}

func (c *call) hmm() hiddenChain {
	x := c.in[0].val.buf
	k := len(c.in[2].val.buf)
	own := c.own
	return hiddenChain{k: k, steps: len(x) / k, density: x, transition: c.in[1].val.buf, rho: c.in[2].val.buf,
		alpha: own[:len(x)], ratio: own[len(x) : 2*len(x)], beta: own[2*len(x):][:k],
		other: own[2*len(x)+k:][:k], sums: own[2*len(x)+2*k:]}
}

// proper reports whether the initial probabilities, and those of each row of the transitions, sum to 1.
func (h *hiddenChain) proper() bool {
	clear(h.beta)
	sum := 0.0
	for j, p := range h.rho {
		sum += p
		vector.Accumulate(h.k, h.beta, h.transition[h.k*j:])
		if !(p >= 0) || slices.Min(h.transition[h.k*j:][:h.k]) < 0 {
			return false
		}
	}
	for _, s := range h.beta {
		if !(math.Abs(s-1) <= 1e-8) {
			return false
		}
	}
	return math.Abs(sum-1) <= 1e-8
}

// forward returns the log density. It sets alpha, and ratio to alpha over what is predicted from the step
// before.
func (h *hiddenChain) forward() (lp float64) {
	if !h.proper() {
		return math.NaN()
	}
	for t := range h.steps {
		at := h.k * t
		lo, e := h.density[at:][:h.k], h.ratio[at:][:h.k]
		m := slices.Max(lo)
		if math.IsInf(m, 0) || math.IsNaN(m) {
			return m
		}
		for j, v := range lo {
			e[j] = v - m
		}
		lp += m
	}
	vector.Exp(len(h.ratio), h.ratio, h.ratio)
	predicted := h.rho
	for t := range h.steps {
		at := h.k * t
		alpha, e := h.alpha[at:][:h.k], h.ratio[at:][:h.k]
		sum := 0.0
		for j, p := range predicted {
			alpha[j] = float64(p * e[j])
			sum += alpha[j]
		}
		if !(sum > 1e-200) { // what is dense is hardly reached
			var more float64
			if sum, more = h.faint(t, predicted); sum == 0 {
				return math.Inf(-1)
			}
			lp += more
		}
		h.sums[t] = sum
		scale := 1 / sum
		for j := range alpha {
			alpha[j] *= scale
			e[j] *= scale
		}
		predicted = h.other
		for j := range predicted {
			predicted[j] = inner(alpha, h.transition[h.k*j:])
		}
	}
	vector.Log(h.steps, h.sums, h.sums)
	for _, v := range h.sums {
		lp += v
	}
	return lp
}

// faint computes step t in logarithms, relative to the most probable state: the sum, and by how much that is
// more than what forward has counted.
func (h *hiddenChain) faint(t int, predicted []float64) (sum, more float64) {
	at := h.k * t
	lo, alpha, e := h.density[at:][:h.k], h.alpha[at:][:h.k], h.ratio[at:][:h.k]
	most := math.Inf(-1)
	for j, p := range predicted {
		alpha[j] = portable.Log(p) + lo[j]
		most = max(most, alpha[j])
	}
	if math.IsInf(most, -1) {
		return 0, 0
	}
	for j, p := range predicted {
		e[j] = 0
		if alpha[j] = portable.Exp(alpha[j] - most); p > 0 {
			e[j] = alpha[j] / p
		}
		sum += alpha[j]
	}
	return sum, most - slices.Max(lo)
}

// backward adds w times the derivatives by the log densities, which are the probabilities of the states given
// everything, by the transitions and by the initial probabilities, where they are wanted. beta is the density
// of what was observed behind a step given its state, relative to that given everything up to then.
func (h *hiddenChain) backward(w float64, density, transition, rho []float64) {
	k, beta, before := h.k, h.beta, h.other
	vector.Fill(k, beta, 1)
	for t := h.steps - 1; t >= 0; t-- {
		at := k * t
		if density != nil {
			d, alpha := density[at:][:len(beta)], h.alpha[at:][:len(beta)]
			for j, b := range beta {
				d[j] += float64(w * float64(alpha[j]*b))
			}
		}
		clear(before)
		for j, r := range h.ratio[at:][:k] {
			q := float64(r * beta[j])
			addScaled(before, q, h.transition[k*j:])
			if q = float64(q * w); t > 0 && transition != nil {
				addScaled(transition[k*j:][:k], q, h.alpha[at-k:])
			} else if t == 0 && rho != nil {
				rho[j] += q
			}
		}
		beta, before = before, beta
	}
}

// inner and addScaled are for the few states of a step, where a call of the vector functions takes longer.
func inner(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// addScaled adds s times as many numbers of a as y has.
func addScaled(y []float64, s float64, a []float64) {
	a = a[:len(y)]
	for i, v := range a {
		y[i] += float64(s * v)
	}
}
