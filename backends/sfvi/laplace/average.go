package laplace

import (
	"context"
	"math"
	"math/bits"

	vec "github.com/vflc/vflc/runtime/vector"
)

// The mean of a Gaussian that is nearest to the posterior (Kullback and Leibler) is where the gradient is 0
// on average over it, and not at its centre. That average is taken over pairs of points m ± S^½z, with the
// symmetric root of the covariance S and signs z: to third order the gradient of all pairs adds up to the
// trace of SM for matrices M, Σ zᵢzⱼ(S^½MS^½)ᵢⱼ, whose expectation it has (Hutchinson 1989); the diagonal,
// which is most of it, exactly, and others after more pairs (signs). It is the mean of the joint Gaussian of
// quadrature but for that.
const (
	mostPairs = 8
	// unnoticed is a shift from mode to mean, in standard deviations, of which the average is not taken.
	unnoticed = 0.01
)

// shown is the largest shift that so many pairs, 1, 2, 4 or 8, show well enough of p parameters: a fourth of
// it may be wrong after one where they are twenty or more, more where they are fewer, and half or a third as
// much after each doubling.
func shown(pairs, p int) float64 {
	return [...]float64{1: 0.1, 2: 0.4, 4: 0.8, mostPairs: 0}[pairs] * min(1, float64(p)/20)
}

// shift is how far the mode is expected to be from the mean, in standard deviations: of one direction in
// which the curvature of rows changes by a share skew in a unit of the predictor.
func (s *server) shift() float64 {
	return 0.5 * s.skew * float64(s.p) / math.Sqrt(s.weight)
}

// average goes to the mean by the pairs so far, or evaluates at another.
func (k *Kernel) average(ctx context.Context) error {
	if err := k.secret.Consult(ctx, averaging{k}); err != nil || k.phase != seeking {
		return err
	}
	var means [][]float64
	for _, p := range k.parties {
		copy(p.base, p.theta)
		means = append(means, make([]float64, p.d))
	}
	for _, side := range []float64{1, -1} {
		for _, p := range k.parties {
			vec.ScaleAdd(p.d, p.theta, side, p.apart, p.base)
		}
		if err := k.evaluate(ctx); err != nil {
			return err
		}
		if k.beyond != nil { // the mode is the mean, as far as can be said
			for _, p := range k.parties {
				copy(p.theta, p.base)
			}
			k.phase, k.converged = drawing, false
			k.unfinished = "draws are around the mode, and the mean may be elsewhere: a posterior " +
				"standard deviation around it " + k.beyond.Error()
			return nil
		}
		for b, p := range k.parties {
			vec.Axpy(p.d, means[b], 0.5, p.grad)
		}
	}
	for b, p := range k.parties {
		copy(p.grad, means[b])
		copy(p.theta, p.base)
	}
	k.averaged++
	return nil
}

// averaging is how a party tells the average of its gradient over a pair of points, and receives where the
// next pair is, or its part of the step to the mean.
type averaging struct{ *Kernel }

func (k averaging) Size(_, columns int) (up, down, all int) {
	if k.averaged > 0 {
		up = columns
	}
	return up, columns, 1
}

func (k averaging) Ask(b int, up []float64) {
	copy(up, k.parties[b].grad)
}

func (k averaging) Counsel(up, down [][]float64, all []float64) {
	s := k.server
	for b, v := range up {
		vec.Accumulate(len(v), s.summed[s.at[b]:], v)
	}
	out := make([]float64, s.p)
	if !k.enough(out) {
		all[0] = 1
		s.apart(k.signs(), out)
	}
	for b, v := range down {
		copy(v, out[s.at[b]:])
	}
}

// enough sets step to that which leads to the mean by the pairs so far, and reports whether they are enough.
func (k averaging) enough(step []float64) bool {
	s := k.server
	if k.averaged == 0 {
		return false
	}
	vec.Scale(s.p, s.grad, s.summed, 1/float64(k.averaged))
	s.rise = 0.5 * s.solve(s.grad, step)
	copy(s.step, step)
	return k.averaged == mostPairs || k.evaluations+2 > k.options.Iterations ||
		!k.affords(evaluated, evaluated, paired) || s.worst() <= shown(k.averaged, s.p)
}

// signs are those of the next pair. Elements of unlike classes have signs whose products add up to 0 over as
// many pairs as follow from the first binary digit in which the classes differ: those of the server over 2,
// as its columns, an intercept among them, have the largest products with all others.
func (k averaging) signs() []float64 {
	s, z := k.server, make([]float64, k.server.p)
	from := k.env.Private(0, "sfvi average")
	from.Round(0)
	for i := range z {
		z[i] = 1
		class, negative := 1+2*from.Rand().IntN(mostPairs/2), from.Rand().IntN(2) == 1
		if i < s.at[1] {
			class = 0
		}
		if negative != (bits.OnesCount(uint(class&k.averaged))%2 == 1) {
			z[i] = -1
		}
	}
	return z
}

// apart sets out to R^½z, with the parameters scaled so that their covariance R has ones.
func (s *server) apart(z, out []float64) {
	p := s.p
	root, sd := make([]float64, p*p), make([]float64, p)
	for i := range p {
		column := root[i*p:][:p]
		column[i] = 1
		s.h.Solve(column)
		sd[i] = math.Sqrt(column[i])
	}
	for i := range root {
		root[i] /= float64(sd[i/p] * sd[i%p])
	}
	symmetricRoot(root, p)
	for i := range p {
		out[i] = float64(sd[i] * vec.Dot(p, root[i*p:], z))
	}
}

// symmetricRoot overwrites a positive definite matrix with its root, V D^½ V'.
func symmetricRoot(a []float64, p int) {
	values, scratch := make([]float64, p), make([]float64, p*p)
	if !vec.Eigen(p, a, values, scratch, make([]float64, vec.EigenRoom*p)) {
		a[0] = math.NaN() // as of a matrix that is not finite
		return
	}
	for j, d := range values {
		values[j] = math.Sqrt(max(0, d))
	}
	for i := range p {
		for j := range p {
			scratch[i*p+j] = float64(a[i*p+j] * values[j])
		}
	}
	v := append([]float64(nil), a...)
	for i := range p {
		for j := range p {
			a[i*p+j] = vec.Dot(p, scratch[i*p:], v[j*p:])
		}
	}
}

func (k averaging) Take(b int, down, all []float64) {
	p := k.parties[b]
	if all[0] == 1 {
		p.apart = append(p.apart[:0], down...)
		return
	}
	vec.Accumulate(p.d, p.theta, down)
	k.phase = drawing
}
