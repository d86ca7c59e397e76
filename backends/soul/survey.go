package soul

import (
	"context"
	"math"

	"github.com/vflc/vflc/density"
)

// A survey is what all parties must know of the run alike to make the same calls.
type survey struct {
	gamma   int   // server parameters
	members int   // parties with auxiliary variables
	columns []int // of each sum
}

// find learns the survey from totals.
func (k *kernel) find(ctx context.Context) error {
	for b, p := range k.parties {
		k.part[b][0], k.part[b][1] = 0, 0
		if p.server() {
			k.part[b][0] = float64(len(p.x))
		} else if len(p.x) > 0 {
			k.part[b][1] = 1
		}
	}
	if err := k.env.Sum(ctx, k.part, k.total); err != nil {
		return err
	}
	k.survey = survey{gamma: int(k.total[0]), members: int(k.total[1])}
	for group := 0; ; group++ {
		for b, p := range k.parties {
			clear(k.part[b])
			for _, c := range p.cuts {
				switch {
				case c.Group == group:
					k.part[b][0] += float64(c.Cols)
					k.part[b][1]++
				case c.Group > group:
					k.part[b][2] = 1
				}
			}
		}
		if err := k.env.Sum(ctx, k.part, k.total); err != nil {
			return err
		}
		columns := 0
		if k.total[1] > 0 {
			columns = int(k.total[0] / k.total[1])
		}
		k.columns = append(k.columns, columns)
		if k.total[2] == 0 {
			return nil
		}
	}
}

// A plain is an evaluation of the whole density at one θ, with every z in place, moved along one column of
// one sum.
type plain struct {
	kernel      *kernel
	group, col  int
	by          float64
	start       bool // z is set to the cut
	differences bool // adjoints are held against those of the evaluation at rest
}

func (e *plain) moves(c density.Cut) bool { return e.by != 0 && c.Group == e.group && e.col < c.Cols }

// Value implements density.Coordinates.
func (e *plain) Value(b int, g, z []float64) {
	p := e.kernel.parties[b]
	if e.start {
		copy(p.x, g)
	}
	copy(z, p.x)
	copy(p.meanG, g)
	for _, c := range p.cuts {
		if e.moves(c) {
			z := span(z, c)[e.col*c.Rows:][:c.Rows]
			for i := range z {
				z[i] += e.by
			}
		}
	}
}

// Adjoint implements density.Coordinates.
func (e *plain) Adjoint(b int, adj, own, w, _ []float64) {
	p := e.kernel.parties[b]
	for _, c := range p.cuts {
		r := 1 / (c.Rho * c.Rho)
		z, g, own, w := span(p.x, c), span(p.meanG, c), span(own, c), span(w, c)
		for i := range w {
			w[i] = own[i] + float64(r*(z[i]-g[i]))
		}
	}
	if !e.differences {
		copy(p.adjoint, adj)
		return
	}
	for i, a := range adj {
		p.fresh[i] += math.Abs(a-p.adjoint[i]) / e.by
	}
}

// curvature measures how curved the density is beside the clients' own parts, at one θ, and has every party
// set its steps by it.
//
// All members of a sum move one column of their z together: what then changes in an element of the adjoint,
// added over the columns, is the sum of the absolute values of a row of the likelihood's −∂²/∂z². For a
// likelihood whose rows are independent no row is left out, and a symmetric matrix is at most the diagonal of
// such sums (Gershgorin). For one predictor a row with curvature w that is J·w in the augmented model, and
// ((J−1)²/J)·w in power.
func (k *kernel) curvature(ctx context.Context, first bool) error {
	e := &k.plain
	*e = plain{kernel: k}
	for _, p := range k.parties {
		clear(p.fresh)
	}
	if err := k.evaluate(ctx); err != nil {
		return err
	}
	k.keepServer()
	e.differences, e.by = true, nudge
	for group, columns := range k.columns {
		for col := range columns {
			e.group, e.col = group, col
			if err := k.evaluate(ctx); err != nil {
				return err
			}
		}
	}
	e.by = 0
	if err := k.serverCurvature(ctx, first); err != nil {
		return err
	}
	for _, p := range k.parties {
		p.tune(first)
	}
	return nil
}

// evaluate is one plain evaluation.
func (k *kernel) evaluate(ctx context.Context) error {
	for b, p := range k.parties {
		k.theta[b] = p.theta
	}
	return k.env.Density(ctx, k.theta, &k.plain, k.grad, k.lp)
}

// serverOf is the server if this process has it, and its gradient.
func (k *kernel) serverOf() (*party, []float64) {
	if len(k.parties) > 0 && k.parties[0].server() {
		return k.parties[0], k.grad[0]
	}
	return nil, nil
}

func (k *kernel) keepServer() {
	if s, grad := k.serverOf(); s != nil {
		copy(s.adjoint, grad)
	}
}

// serverCurvature measures −∂²/∂γ² of the joint density: column by column, or where that would be too many by
// the power iteration.
func (k *kernel) serverCurvature(ctx context.Context, first bool) error {
	k.plain.differences = false
	if k.gamma == 0 {
		return nil
	}
	if k.gamma > denseLimit {
		return k.serverPower(ctx)
	}
	s, grad := k.serverOf()
	for i := range k.gamma {
		var was float64
		if s != nil {
			was = s.x[i]
			s.x[i] += nudge
		}
		if err := k.evaluate(ctx); err != nil {
			return err
		}
		if s != nil {
			s.x[i] = was
			for j, g := range grad {
				s.inner.Matrix[i*k.gamma+j] = (s.adjoint[j] - g) / nudge
			}
		}
	}
	if s != nil && !s.inner.Decompose() && first { // later there is the metric of before
		return k.unusable()
	}
	return nil
}

// serverPower sets the server's metric to 1/λmax.
func (k *kernel) serverPower(ctx context.Context) error {
	s, grad := k.serverOf()
	for step := range powerSteps {
		if s != nil {
			if step == 0 {
				copy(s.unknown, s.adjoint)
			}
			copy(s.fresh, s.x)
			scale(s.unknown, 1/math.Sqrt(square(s.unknown)))
			for i, v := range s.unknown {
				s.x[i] += float64(nudge * v)
			}
		}
		if err := k.evaluate(ctx); err != nil {
			return err
		}
		if s != nil {
			copy(s.x, s.fresh)
			for i, g := range grad {
				s.unknown[i] = (s.adjoint[i] - g) / nudge
			}
			if lambda := math.Sqrt(square(s.unknown)); lambda > 0 && finite(lambda) {
				s.flat = 1 / lambda
			}
		}
	}
	return nil
}
