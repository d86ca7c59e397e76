package attack

import (
	"math"

	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// components are the principal components of a sequence that stand out of its noise.
type components struct {
	known      bool        // there were enough evaluations to tell
	directions [][]float64 // orthonormal
	variances  []float64   // of the sequence along them
	samples    int         // evaluations that they are from
}

// margin is how far above the largest eigenvalue of pure noise a component must be. Evaluations that follow one another are correlated, which that
// eigenvalue does not know.
const margin = 1.5

// components combines the sketches of all chains: the leading eigenvectors of the mean of their covariances. Of N vectors of white noise of variance σ² in m
// dimensions, the largest eigenvalue is about σ²(1+√(m/N))² (Marchenko and Pastur 1967; Johnstone 2001); σ² is what the sketch leaves over of the trace.
func (e *evidence) components() components {
	var columns [][]float64
	var out components
	m, trace, held, edge := len(e.center), 0.0, 0.0, 0.0
	for _, v := range e.views {
		if v.sketch == nil || v.sketch.before == 0 {
			return components{}
		}
		q, lambda, n := v.sketch.final()
		for k := range q {
			vec.Scale(m, q[k], q[k], math.Sqrt(lambda[k]/float64(len(e.views))))
			held += lambda[k] / float64(len(e.views))
		}
		columns = append(columns, q...)
		trace += v.level / float64(len(e.views))
		edge = max(edge, math.Pow(1+math.Sqrt(float64(m)/float64(n)), 2))
		out.samples += n
	}
	noise := max(0, trace-held) / float64(max(1, m-min(rank, m)))
	out.known = true
	out.directions, out.variances = leading(columns, margin*edge*noise)
	return out
}

// leading returns the eigenvectors of AAᵀ with an eigenvalue above bound, the largest first, from the columns of A.
func leading(columns [][]float64, bound float64) (directions [][]float64, values []float64) {
	n, m := len(columns), len(columns[0])
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, vec.Dot(m, columns[i], columns[j]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil, nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	all := eigen.Values(nil) // ascending
	bound = max(bound, 1e-12*all[n-1])
	for k := n - 1; k >= max(0, n-rank) && all[k] > bound; k-- {
		u := make([]float64, m)
		for i, c := range columns {
			vec.Axpy(m, u, vectors.At(i, k)/math.Sqrt(all[k]), c)
		}
		directions, values = append(directions, u), append(values, all[k])
	}
	return directions, values
}

// final is the basis after the last vector: the products of the block before, as q and lambda hold them, and of the current one, together.
func (s *sketch) final() (q [][]float64, lambda []float64, n int) {
	lambda, n = make([]float64, len(s.q)), s.before+s.n
	for k, u := range s.q {
		v := make([]float64, len(u))
		copy(v, s.s[k])
		vec.Axpy(len(v), v, s.lambda[k]*float64(s.before), u)
		q = append(q, v)
	}
	orthonormalise(q, lambda)
	for k := range lambda {
		lambda[k] /= float64(n)
	}
	return q, lambda, n
}

// share is the share of the variance of some vectors about their mean that lies in the span of the components.
func (c components) share(vectors [][]float64, mean []float64) float64 {
	in, all := 0.0, 0.0
	d := make([]float64, len(mean))
	for _, v := range vectors {
		vec.Sub(len(d), d, v, mean)
		all += vec.Dot(len(d), d, d)
		for _, u := range c.directions {
			p := vec.Dot(len(d), d, u)
			in += p * p
		}
	}
	return in / all
}
