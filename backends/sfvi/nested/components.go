package nested

import (
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The covariance that a party's latent elements give the predictors, C(φ) = XP⁻¹Xᵀ, is a combination of few
// matrices: one for each scale of effects, three for two correlated ones, and one of what does not depend on
// φ. So it is a combination of those at a few values of φ, the pivots, which are found among random ones.
const (
	probes      = 24   // random values
	probeSD     = 1.5  // their standard deviation
	probing     = 2    // vectors by which matrices are told apart
	mostParts   = 8    // pivots
	independent = 1e-8 // relative length of what is no combination of those before
	combined    = 1e-5 // the same of a value later, beyond which it is none
)

// components are a party's pivots.
type components struct {
	first  []float64   // a value at which means are read off
	points [][]float64 // hyperparameters and what is received, one after another
	basis  [][]float64 // orthonormal
	upper  []float64   // pivot i is Σ_k upper[k*mostParts+i]·basis k
	vector []float64
}

// vary reports whether the covariance may depend on hyperparameters.
func (p *party) vary() bool { return p.m+p.cond.Received > 0 }

// measure sets out to products of the covariance where the form is with the probing vectors.
func (p *party) measure(with []float64, out []float64) {
	clear(out)
	for k := range probing {
		p.cover(with[k*p.rows:][:p.rows], out[k*p.rows:][:p.rows])
	}
}

// decompose finds the pivots. The values of what is received are the server's.
func (p *party) decompose(with []float64, received [][]float64, from density.Stream) error {
	size := probing * p.rows
	c := &p.parts
	*c = components{}
	var points, left [][]float64
	var lengths []float64
	offset := make([]float64, p.rows)
	for k := range received {
		point := make([]float64, p.m+p.cond.Received)
		from.Round(uint64(k))
		from.FillNormals(point[:p.m])
		vec.Scale(p.m, point, point, probeSD)
		copy(point[p.m:], received[k])
		if p.move(point[:p.m], point[p.m:]); !p.proper {
			continue
		}
		v, o := make([]float64, size), make([]float64, p.rows)
		p.measure(with, v)
		p.add(p.mean, true, o)
		if len(points) == 0 {
			copy(offset, o)
		}
		for i, x := range o {
			if !(math.Abs(x-offset[i]) <= independent*(1+math.Abs(x))) {
				return fmt.Errorf("%s: the mean of its contribution given its "+
					"hyperparameters depends on these", p.block.Party())
			}
		}
		points, left, lengths = append(points, point), append(left, v), append(lengths, length(v))
	}
	if len(points) == 0 {
		return fmt.Errorf("%s: given its hyperparameters a prior is no proper normal "+
			"distribution: it is flat", p.block.Party())
	}
	c.first = points[0]
	if err := p.connect(points); err != nil {
		return err
	}
	for {
		most, at := independent, -1
		for k, v := range left {
			if l := length(v); l > most*lengths[k] {
				most, at = l/lengths[k], k
			}
		}
		if at < 0 {
			break
		}
		if len(c.points) == mostParts {
			return fmt.Errorf("%s: the prior covariance of its contribution is no combination of a few "+
				"matrices with scales and correlations for coefficients, as where the length scale of "+
				"a process is a parameter", p.block.Party())
		}
		b := append([]float64(nil), left[at]...)
		vec.Scale(size, b, b, 1/length(b))
		for _, v := range left {
			for range 2 {
				vec.Axpy(size, v, -vec.Dot(size, b, v), b)
			}
		}
		c.points = append(c.points, points[at])
		c.basis = append(c.basis, b)
	}
	return p.settlePivots(with)
}

func length(v []float64) float64 { return math.Sqrt(vec.Dot(len(v), v, v)) }

// settlePivots makes the basis anew from the pivots.
func (p *party) settlePivots(with []float64) error {
	c, size := &p.parts, probing*p.rows
	c.vector, c.upper, c.basis = make([]float64, size), make([]float64, mostParts*mostParts), nil
	for i, point := range c.points {
		p.move(point[:p.m], point[p.m:])
		v := make([]float64, size)
		p.measure(with, v)
		for range 2 {
			for k, b := range c.basis {
				by := vec.Dot(size, b, v)
				c.upper[k*mostParts+i] += by
				vec.Axpy(size, v, -by, b)
			}
		}
		l := length(v)
		if !(l > 0) {
			return errors.New("sfvi: pivots that are no basis")
		}
		c.upper[i*mostParts+i] = l
		vec.Scale(size, v, v, 1/l)
		c.basis = append(c.basis, v)
	}
	return nil
}

// combine sets a to the coefficients of the pivots where the form is; false: it is no combination of them.
func (p *party) combine(with []float64, a []float64) bool {
	c, size := &p.parts, probing*p.rows
	p.measure(with, c.vector)
	whole := length(c.vector)
	for k, b := range c.basis {
		a[k] = vec.Dot(size, b, c.vector)
		vec.Axpy(size, c.vector, -a[k], b)
	}
	for k := len(c.basis) - 1; k >= 0; k-- {
		for i := k + 1; i < len(c.basis); i++ {
			a[k] -= float64(c.upper[k*mostParts+i] * a[i])
		}
		a[k] /= c.upper[k*mostParts+k]
	}
	return length(c.vector) <= combined*whole
}
