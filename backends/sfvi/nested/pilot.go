package nested

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// With hundreds of effects whose posteriors are skewed, Laplace's marginal density of the hyperparameters is
// off by some nats more at one end of the lattice than at the other: draws of hyperparameters from it have
// uneven weights however long they walk. So the server first makes pilot draws at points of the lattice, by
// itself, of predictors alone, and leans the density by what their weights have in the mean. Their weights
// also tell how long a path draws need. It takes no message.

const (
	pilots      = 64 // choices of a point
	pilotDraws  = 4  // of each
	pilotRounds = 1 << 32
	leanest     = 1 // precision of a slope's prior
)

// pilot leans the density of the hyperparameters, and chooses the shortest path of the draws that leaves them
// even.
func (s *server) pilot() {
	r := &s.search
	picks := r.picked(pilots)
	if len(picks) == 0 {
		return // the density is no number
	}
	before := make([]float64, len(r.nodes))
	for i, n := range r.nodes {
		before[i] = n.f
	}
	for ; ; s.level++ {
		logs := s.trials(picks)
		for i := range logs {
			logs[i] -= before[picks[i/pilotDraws]]
		}
		r.lean(picks, before, logs)
		if s.level+1 == len(path) || r.evenness(picks, before, logs) >= evenly {
			return
		}
	}
}

// trials are the logarithms of weighted likelihoods, and of the density of the hyperparameters, of draws at
// points of the lattice that walk along the path.
func (s *server) trials(picks []int) (logs []float64) {
	eta, u, z := make([]float64, s.rows), make([]float64, s.rows), make([]float64, len(s.q))
	var w *walk
	for i, at := range picks {
		n := &s.search.nodes[at]
		if i == 0 || at != picks[i-1] {
			s.goTo(n)
			w = s.walkFrom(n.x)
		}
		for d := range pilotDraws {
			l, id := math.Inf(-1), uint64(pilotRounds+(len(path)*i+s.level)*pilotDraws+d)
			if w != nil {
				s.starts.Round(id)
				s.starts.FillNormals(z)
				s.predict(z, eta)
				w.begin(id, eta, u)
				l = w.along(path[s.level], u) + n.prior
			}
			logs = append(logs, l)
		}
	}
	return logs
}

// picked are points of the lattice for n trials, in order: of each as many as the root of its share demands,
// one more or less, so that both ends have some.
func (s *search) picked(n int) (picks []int) {
	sum, below := 0.0, 0.0
	for _, w := range s.share {
		sum += math.Sqrt(w)
	}
	for i, w := range s.share {
		for below += math.Sqrt(w); len(picks) < n && sum*(float64(len(picks))+0.5) < below*float64(n); {
			picks = append(picks, i)
		}
	}
	return picks
}

// lean adds to the density at each point of the lattice the polynomial of second degree that the mean weights
// of trials have in it; beyond where there were trials what it has at their edge.
func (s *search) lean(picks []int, before, logs []float64) {
	m := s.dim()
	low, high := make([]float64, m), make([]float64, m)
	terms := func(c cell) []float64 {
		z := make([]float64, m)
		for k := range z {
			z[k] = max(low[k], min(float64(s.gap*float64(c[k])), high[k]))
		}
		return quadratic(z)
	}
	for i, at := range picks {
		for k := range m {
			v := float64(s.gap * float64(s.nodes[at].cell[k]))
			if i == 0 || v < low[k] {
				low[k] = v
			}
			if i == 0 || v > high[k] {
				high[k] = v
			}
		}
	}
	var x [][]float64
	for _, at := range picks {
		for range pilotDraws {
			x = append(x, terms(s.nodes[at].cell))
		}
	}
	by := loglinear(x, logs)
	s.top = math.Inf(-1)
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.f = before[i]; by != nil {
			n.f += vec.Dot(len(by), by, terms(n.cell))
		}
		s.top = max(s.top, n.f)
	}
	s.finish()
}

// evenness is how many effective draws one of the density has, as far as trials tell.
func (s *search) evenness(picks []int, before, logs []float64) float64 {
	count := make([]float64, len(s.nodes))
	for _, at := range picks {
		count[at]++
	}
	whole, sum, squares, top := 0.0, 0.0, 0.0, math.Inf(-1)
	ratio := func(i int) float64 {
		at := picks[i/pilotDraws]
		return logs[i] + before[at] - s.nodes[at].f
	}
	for i := range logs {
		top = max(top, ratio(i))
	}
	for i := range logs {
		at := picks[i/pilotDraws]
		a, w := s.share[at]/count[at], portable.Exp(ratio(i)-top)
		whole, sum, squares = whole+a, sum+float64(a*w), squares+float64(a*w*w)
	}
	return sum * sum / (squares * whole)
}

// quadratic are the terms of a polynomial of second degree.
func quadratic(z []float64) []float64 {
	out := append([]float64{1}, z...)
	for i, a := range z {
		for _, b := range z[:i+1] {
			out = append(out, a*b)
		}
	}
	return out
}

// loglinear are the coefficients of the logarithm of the mean of weights, given by their logarithms, as a
// linear function of x: they solve Σ (w·exp(−xᵀb) − 1)x = 0 (McCullagh and Nelder 1989, Generalized linear
// models, 8), with a normal prior for all but the first, which belongs to a constant. nil: no weight is
// finite.
func loglinear(x [][]float64, logs []float64) []float64 {
	top, n := slices.Max(logs), len(x[0])
	if top-top != 0 {
		return nil
	}
	f := algebra.NewFactor(n)
	by, next, step := make([]float64, n), make([]float64, n), make([]float64, n)
	value := func(b []float64) (v float64) {
		for i, row := range x {
			eta := vec.Dot(n, row, b)
			v += portable.Exp(logs[i]-top-eta) + eta
		}
		return v + float64(0.5*leanest*vec.Dot(n-1, b[1:], b[1:]))
	}
	now := value(by)
	for range mostNewton {
		clear(step)
		clear(f.Matrix)
		for i, row := range x {
			w := portable.Exp(logs[i] - top - vec.Dot(n, row, by))
			vec.Axpy(n, step, w-1, row)
			for a := range n {
				vec.Axpy(n, f.Matrix[a*n:], w*row[a], row)
			}
		}
		for a := 1; a < n; a++ {
			step[a] -= float64(leanest * by[a])
			f.Matrix[a*n+a] += leanest
		}
		if !f.Definite() {
			break
		}
		f.Solve(step)
		size := 1.0
		for ; size > 1e-6; size /= 2 {
			vec.ScaleAdd(n, next, size, step, by)
			if v := value(next); v < now {
				now = v
				copy(by, next)
				break
			}
		}
		if size <= 1e-6 {
			break
		}
	}
	by[0] += top
	return by
}
