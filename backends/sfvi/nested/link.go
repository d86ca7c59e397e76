package nested

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Clients may use latent elements s of the server, as effects that their covariates multiply or as means of
// their own. With these s = 0 they are as others: latent elements x with a normal prior and the map X. Given
// s a client adds D·s to the predictors, and its x are P⁻¹Gs more, so the server, which has the columns of D
// from the clients, takes D·s among what its own latent elements add, and tells s with each draw.

// A link is that of a party.
type link struct {
	size   int         // of s
	latent []bool      // of what a client receives
	which  []int       // the elements of s that these are
	direct [][]float64 // the columns of D: at a client its own, at the server their sums over the clients
}

// declare takes for each element that a client receives 1 + which of s it is, or 0.
func (p *party) declare(flags []float64, size int) error {
	l := &p.link
	l.size, l.latent, l.which = size, make([]bool, len(flags)), nil
	for i, v := range flags {
		if l.latent[i] = v > 0; l.latent[i] {
			l.which = append(l.which, int(v)-1)
		}
	}
	if len(l.which) == 0 {
		return nil
	}
	return p.cond.Accept(l.latent)
}

// filled puts values of what is not latent in their places among all that a client receives.
func (l *link) filled(told []float64) []float64 {
	out := make([]float64, len(l.latent))
	for i, latent := range l.latent {
		if !latent {
			out[i], told = told[0], told[1:]
		}
	}
	return out
}

// with sets what is latent among what a client receives, by element of s.
func (l *link) with(received, s []float64) []float64 {
	out, at := append([]float64(nil), received...), 0
	for i, latent := range l.latent {
		if latent {
			out[i], at = s[l.which[at]], at+1
		}
	}
	return out
}

// columns are those of a client's D, where the form is.
func (p *party) columns(received []float64) (out [][]float64) {
	base, _ := p.cond.Along(received)
	gradient := p.form.Prior.Gradient
	s := make([]float64, p.link.size)
	for _, k := range p.link.which {
		s[k] = 1
		cuts, by := p.cond.Along(p.link.with(received, s))
		s[k] = 0
		vec.Sub(p.d, by, by, gradient)
		p.prior.Solve(by)
		vec.Sub(len(cuts), cuts, cuts, base)
		column := make([]float64, p.rows)
		for _, at := range p.cond.Members {
			vec.Accumulate(at.Len, column[p.at[at.Group]:], cuts[at.Offset:])
		}
		p.add(by, false, column)
		out = append(out, column)
	}
	return out
}

// connect reads a client's D off, and looks whether it is the same elsewhere.
func (p *party) connect(points [][]float64) error {
	if len(p.link.which) == 0 {
		return nil
	}
	s := make([]float64, p.link.size)
	for i := range s {
		s[i] = portable.Cos(float64(i + 1))
	}
	for k, point := range points {
		p.move(point[:p.m], point[p.m:])
		value, now := p.value, p.columns(point[p.m:])
		if k == 0 {
			p.link.direct = now
		}
		for c, column := range now {
			for i, v := range column {
				if !(math.Abs(v-p.link.direct[c][i]) <= independent*(1+math.Abs(v))) {
					return fmt.Errorf("%s: what it adds for a parameter of the server "+
						"depends on hyperparameters", p.block.Party())
				}
			}
		}
		p.move(point[:p.m], p.link.with(point[p.m:], s))
		if !(math.Abs(p.value-value) <= independent*(1+math.Abs(value))) {
			return fmt.Errorf("%s: its density is no normal prior of its own parameters "+
				"given those of the server", p.block.Party())
		}
	}
	return nil
}

// couple adds to the server's map what its latent elements add at the clients.
func (p *party) couple() {
	sends := &p.form.Sends
	for l, column := range p.link.direct {
		n := len(sends.Offset)
		if l >= n || p.block.Index() > 0 {
			return
		}
		for k := range p.form.Rows {
			r := &p.form.Rows[k]
			m, d := len(r.Offset), column[p.begin(k):]
			vec.Axpy(m, r.Offset, sends.Offset[l], d)
			for i := range p.d {
				if by := sends.Matrix[i*n+l]; by != 0 {
					vec.Axpy(m, r.Matrix[i*m:], by, d)
				}
			}
		}
	}
}

// said writes s of draw id, where the server's form is.
func (p *party) said(id int, s []float64) {
	sends, theta := &p.form.Sends, p.sample[id*p.block.Dim():]
	n := len(sends.Offset)
	copy(s, sends.Offset)
	for k, i := range p.cond.Index {
		vec.Axpy(len(s), s, theta[i], sends.Matrix[k*n:])
	}
}

// relocate moves draw id of a client by P⁻¹Gs, where its form is.
func (p *party) relocate(id int, received, s []float64) {
	if len(p.link.which) == 0 || !p.proper {
		return
	}
	_, by := p.cond.Along(p.link.with(received, s))
	vec.Sub(p.d, by, by, p.form.Prior.Gradient)
	p.prior.Solve(by)
	theta := p.sample[id*p.block.Dim():]
	for k, i := range p.cond.Index {
		theta[i] += by[k]
	}
}

// carry carries it.
func (l *link) carry(c *backends.Codec) {
	n := len(l.latent)
	if c.Ints(&l.size); !sized(c, &n) {
		return
	}
	flags := make([]int, n)
	for i, at := 0, 0; i < n && len(l.latent) == n; i++ {
		if l.latent[i] {
			flags[i], at = 1+l.which[at], at+1
		}
	}
	for i := range flags {
		c.Ints(&flags[i])
	}
	l.latent, l.which = make([]bool, n), nil
	for i, f := range flags {
		if l.latent[i] = f > 0; f > 0 {
			l.which = append(l.which, f-1)
		}
	}
	lists(c, &l.direct)
}
