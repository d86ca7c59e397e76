package quadrature

import (
	"math"

	"github.com/vflc/vflc/backends/importance"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Draws of the joint Gaussian whose covariance is exact are the first of several sets: their deviations D
// from the mean, by column, times an orthogonal matrix H have the same covariance, DHHᵀDᵀ = DDᵀ, and the same
// distribution; given the covariance and for a random H they are independent of D. Every party has the
// further sets of its parameters by itself, and the server those of the predictors, which are linear in them:
// they take no message but their numbers in the weights. H is two rounds of a random order, random signs and
// Hadamard matrices along the diagonal (Ailon and Chazelle 2009, "The fast Johnson–Lindenstrauss transform").

// MostDraws is the largest number of draws that are weighed.
const MostDraws = 4 * MostBatch

// mostEvaluated bounds the numbers of which all draws together have densities, unless those of one set have
// more.
const mostEvaluated = 50000000

// furtherSets is how many sets of draws there are where their covariance is exact.
func (k *Kernel) furtherSets() int {
	if k.options.AtClients || !k.joint() || !k.options.Weigh {
		return 1
	}
	return max(1, min(MostDraws, k.options.Draws, mostEvaluated/max(1, k.rows))/k.crossing)
}

// addSets makes the draws those of all sets, where they have the covariance of the joint Gaussian.
func (k *Kernel) addSets() {
	if !k.exact {
		return
	}
	k.size = k.crossing * k.sets
	for _, p := range k.parties {
		p.sample.start = k.withSets(p.sample.start, p.d)
	}
	if s := k.server; s != nil && s.globals != nil {
		s.globals.sample = k.withSets(s.globals.sample, s.globals.m)
	}
}

// withSets adds the columns of the further sets.
func (k *Kernel) withSets(columns []float64, d int) []float64 {
	out := columns
	for set := 1; set < k.size/k.crossing; set++ {
		out = append(out, k.turned(columns, d, set)[d:]...)
	}
	return out
}

const turns = 2 // rounds of a set

// turned are the columns of a set, the mean first.
func (k *Kernel) turned(columns []float64, d, set int) []float64 {
	m, stream := len(columns)/max(1, d)-1, k.env.Shared("sfvi sets")
	out := append([]float64(nil), columns...)
	if d == 0 {
		return out
	}
	at := make([][]float64, m)
	for c := range at {
		at[c] = out[(c+1)*d:][:d]
		vec.Axpy(d, at[c], -1, columns)
	}
	for round := range turns {
		stream.Round(uint64(turns*set + round))
		for c := m - 1; c > 0; c-- {
			other := min(c, int(stream.Float64()*float64(c+1)))
			at[c], at[other] = at[other], at[c]
		}
		for _, v := range at {
			if stream.Float64() < 0.5 {
				vec.Neg(d, v, v)
			}
		}
		for from, size := 0, 0; from < m; from += size {
			for size = 1; 2*size <= m-from; size *= 2 {
			}
			hadamard(at[from:from+size], d)
		}
	}
	ordered := append([]float64(nil), columns[:d]...)
	for _, v := range at {
		vec.Accumulate(d, v, columns)
		ordered = append(ordered, v...)
	}
	return ordered
}

// hadamard multiplies a number of vectors that is a power of two by Sylvester's orthogonal matrix.
func hadamard(at [][]float64, d int) {
	for half := 1; half < len(at); half *= 2 {
		for i := range at {
			if i&half != 0 {
				continue
			}
			a, b := at[i], at[i|half]
			for l, x := range a {
				a[l], b[l] = x+b[l], x-b[l]
			}
		}
	}
	for _, v := range at {
		vec.Scale(d, v, v, 1/math.Sqrt(float64(len(at))))
	}
}

// keep keeps the sums of a piece at every other draw, moved back from the tails of the proposal: the others
// are their reflections.
func (k batch) keep(sum [][]float64) {
	if k.size == k.crossing {
		return
	}
	if k.from == 0 {
		k.held = make([][]float64, len(sum))
	}
	for g, v := range sum {
		n := len(v) / k.piece.len()
		if k.from == 0 {
			k.held[g] = make([]float64, n*(1+k.crossing/2))
		}
		mean := k.held[g][:n]
		for c := k.from; c < k.to; c++ {
			at := v[(c-k.from)*n:][:n]
			switch id := c - 1; {
			case c == 0:
				copy(mean, at)
			case id%2 == 0:
				to := k.held[g][(1+id/2)*n:][:n]
				for i, x := range at {
					to[i] = mean[i] + float64((x-mean[i])/k.scales[id/2])
				}
			}
		}
	}
}

// further calls what weighs a draw for those of the further sets, with the clients' sums there.
func (k batch) further(weigh func(id int, sum [][]float64)) {
	at := make([][]float64, len(k.held))
	for set := 1; set < k.size/k.crossing; set++ {
		var columns [][]float64
		for g, v := range k.held {
			n := len(v) / (1 + k.crossing/2)
			columns, at[g] = append(columns, k.turned(v, n, set)), make([]float64, n)
		}
		for i := range k.crossing {
			id := set*k.crossing + i
			for g, v := range columns {
				importance.Proposed(v, len(at[g]), i, k.scales[id/2], at[g])
			}
			weigh(id, at)
		}
	}
}
