package laplace

import (
	"fmt"
	"strings"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// depth is how many earlier steps are mixed with the latest.
const depth = 8

// A party is one block's part of a fit.
type party struct {
	block density.Block
	lin   *density.Linear
	by    *density.Affine // its contribution
	d, n  int             // coordinates, of which the last are globals, and rows
	c     int             // columns of data
	gram  []float64       // XᵀX
	own   algebra.Factor
	theta []float64 // where the latest evaluation is, or the next will be
	base  []float64 // where the step to it began
	cut   []float64
	grad  []float64 // of log p
	work  []float64
	apart []float64 // of a pair of points, from the mode

	points, steps [][]float64 // of the evaluations that are mixed
	sample        []float64   // the mean and draws, by column
	effects
}

func newParty(b density.Block, columns int, nested bool) (*party, error) {
	l, err := applies(b)
	if err == nil && l.Given != nil && !nested {
		err = fmt.Errorf("%s: priors depend on the parameters %s, over which there is a "+
			"grid by --estimator nested", b.Party(), strings.Join(l.Given.Names, ", "))
	}
	if err != nil {
		return nil, err
	}
	p := &party{effects: newEffects(l), block: b, lin: l, by: &l.Cuts, c: len(l.Index),
		d: len(l.Index) + len(l.Globals.Index)}
	if b.Index() == 0 {
		p.by = &l.Rows[0].Affine
	}
	if p.n = len(p.by.Offset); p.d != columns {
		return nil, fmt.Errorf("%s: %d columns are encrypted, and its parameters have %d", b.Party(), columns,
			p.d)
	}
	for _, v := range []*[]float64{&p.theta, &p.base, &p.grad, &p.work} {
		*v = make([]float64, p.d)
	}
	p.cut, p.gram, p.own = make([]float64, p.n), make([]float64, p.c*p.c), algebra.NewFactor(p.d)
	if b.Index() == 0 {
		return p, nil
	}
	if products(p.by.Matrix, p.n, p.c, p.gram); !p.precondition(1) {
		return nil, p.undetermined()
	}
	return p, nil
}

// products sets gram to XᵀX.
func products(x []float64, n, d int, gram []float64) {
	for i := range d {
		for j := range i + 1 {
			v := vec.Dot(n, x[i*n:], x[j*n:])
			gram[i*d+j], gram[j*d+i] = v, v
		}
	}
}

// precondition makes a client's own block of the curvature.
func (p *party) precondition(curvature float64) bool {
	for i, v := range p.gram {
		p.own.Matrix[i] = float64(curvature*v) + p.lin.Prior.Precision[i]
	}
	return p.d == 0 || p.own.Definite()
}

func (p *party) undetermined() error {
	return fmt.Errorf("%s: its columns and priors do not determine its parameters: a column is not finite, "+
		"or is constant or a sum of others and has a flat prior; give it a normal one", p.block.Party())
}

// contribute sets the cut at the party's point.
func (p *party) contribute() { algebra.Apply(p.by, p.theta[:p.c], p.cut) }

// addPrior adds the prior's gradient to that of the likelihood.
func (p *party) addPrior() {
	p.prior(p.theta, p.work)
	vec.Accumulate(p.d, p.grad, p.work)
}

// prior is the log density of the prior, and sets grad to its gradient.
func (p *party) prior(theta, grad []float64) float64 {
	value := algebra.Value(&p.lin.Prior, theta[:p.c], grad[:p.c])
	if p.c < p.d {
		value += p.lin.Globals.Density(theta[p.c:], grad[p.c:])
	}
	return value
}

// precision sets m to minus the second derivatives of the prior: those by globals, which are not constant, by
// differences.
func (p *party) precision(m []float64) {
	clear(m)
	for i := range p.c {
		copy(m[i*p.d:][:p.c], p.lin.Prior.Precision[i*p.c:])
	}
	above, below, at := make([]float64, p.d), make([]float64, p.d), append([]float64(nil), p.theta...)
	for i := p.c; i < p.d; i++ {
		at[i] = p.theta[i] + between
		p.prior(at, above)
		at[i] = p.theta[i] - between
		p.prior(at, below)
		at[i] = p.theta[i]
		for j := p.c; j < p.d; j++ {
			m[i*p.d+j] = (below[j] - above[j]) / (2 * between)
		}
	}
}

// remember adds the point of an evaluation and the step there to those that are mixed, and sets scalars to
// the products of that step, in the norm of the own block, with all of them.
func (p *party) remember(scalars []float64) {
	step := append([]float64(nil), p.grad...)
	p.own.Solve(step)
	for i, f := range p.steps {
		scalars[i] = vec.Dot(p.d, f, p.grad)
	}
	scalars[len(p.steps)] = vec.Dot(p.d, step, p.grad)
	p.points = append(p.points, append([]float64(nil), p.theta...))
	p.steps = append(p.steps, step)
}

// forget drops an evaluation.
func (p *party) forget(i int) {
	p.points = append(p.points[:i:i], p.points[i+1:]...)
	p.steps = append(p.steps[:i:i], p.steps[i+1:]...)
}

// move goes to a combination of what the steps lead to.
func (p *party) move(mix []float64) {
	clear(p.theta)
	for i, a := range mix {
		vec.Axpy(p.d, p.theta, a, p.points[i])
		vec.Axpy(p.d, p.theta, a, p.steps[i])
	}
}

// halve goes half of the way back to the last evaluation that is mixed.
func (p *party) halve() {
	for i, from := range p.points[len(p.points)-1] {
		p.theta[i] = 0.5 * (p.theta[i] + from)
	}
}
