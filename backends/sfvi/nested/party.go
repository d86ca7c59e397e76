package nested

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// mostHyper is the largest number of hyperparameters of all parties.
const mostHyper = 4

// A party is one block: the normal prior of its latent elements x given the hyperparameters, and what x adds
// to the predictors of all rows, which are stacked sum by sum.
type party struct {
	block density.Block
	cond  *density.Conditional
	d, m  int
	rows  int   // of all sums
	at    []int // where each sum begins; of a model of one party each likelihood
	// the coordinates of a client's hyperparameters, as the server has them, are less by this
	shift  []float64
	form   density.ConditionalForm
	prior  algebra.Factor
	mean   []float64
	value  float64 // log density of the hyperparameters where the form is, x integrated out
	proper bool    // there is a prior there

	parts              components
	link               link
	noise              density.Stream // of draws
	hyper, work, whole []float64
	received           []float64 // at the point of the last placed, latent elements 0
	sample             []float64 // draws of θ, one after another
}

func newParty(block density.Block, noise density.Stream) (*party, error) {
	if len(block.Weights()) > 0 {
		return nil, fmt.Errorf("%s: it has weights, which are estimated by a point", block.Party())
	}
	c, err := density.RequireOf[density.ConditionalBlock](block)
	if err != nil {
		return nil, err
	}
	cond, err := c.Conditional()
	if err != nil {
		return nil, err
	}
	p := &party{block: block, cond: cond, d: len(cond.Index), m: len(cond.Hyper), noise: noise}
	if err := applies(p); err != nil {
		return nil, fmt.Errorf("%s: %w", block.Party(), err)
	}
	p.shift, p.hyper = make([]float64, p.m), make([]float64, p.m)
	for _, n := range cond.Sums {
		p.at = append(p.at, p.rows)
		p.rows += n
	}
	p.prior, p.mean, p.work = algebra.NewFactor(p.d), make([]float64, p.d), make([]float64, p.d)
	p.move(p.hyper, make([]float64, cond.Received))
	if cond.Clients == 0 {
		for _, r := range p.form.Rows {
			p.at = append(p.at, p.rows)
			p.rows += len(r.Offset)
		}
	}
	p.whole = make([]float64, max(p.rows, len(p.form.Cuts.Offset)))
	return p, nil
}

// applies is the reason why a block does not suit.
func applies(p *party) error {
	if p.d > mostParams {
		return fmt.Errorf("%d parameters given the others, and the server solves for %d at most", p.d,
			mostParams)
	}
	if p.m > mostHyper {
		return fmt.Errorf("%s: %d hyperparameters, as many as the local scales of a horseshoe, "+
			"and a grid has at most %d", strings.Join(p.cond.Names, ", "), p.m, mostHyper)
	}
	if p.cond.Clients > 0 && p.block.Index() == 0 {
		seen := make([]bool, len(p.cond.Sums))
		for _, r := range p.cond.Rows {
			if r.Group < 0 || seen[r.Group] {
				return fmt.Errorf("%s: its predictors are those of another likelihood, or of none", r.Term)
			}
			seen[r.Group] = true
		}
		for _, is := range seen {
			if !is {
				return errors.New("clients contribute to what is no likelihood")
			}
		}
	}
	return nil
}

// move goes to hyperparameters. Where there is no normal prior, value is −∞.
func (p *party) move(hyper, received []float64) {
	p.cond.At(hyper, received, &p.form)
	p.couple()
	q := &p.form.Prior
	copy(p.prior.Matrix, q.Precision)
	p.value = math.Inf(-1)
	if p.proper = p.prior.Definite(); !p.proper {
		return
	}
	copy(p.mean, q.Gradient)
	p.prior.Solve(p.mean)
	p.value = q.Value + float64(0.5*vec.Dot(p.d, q.Gradient, p.mean)) - float64(0.5*p.prior.LogDet()) +
		float64(0.5*float64(p.d)*portable.Log(2*math.Pi))
	if p.value-p.value != 0 {
		p.value, p.proper = math.Inf(-1), false
	}
}

// add adds what x contributes to all predictors, with the offsets or without them.
func (p *party) add(x []float64, offsets bool, to []float64) {
	add := func(a *density.Affine, place func(v []float64)) {
		n := len(a.Offset)
		if n == 0 {
			return
		}
		v := p.whole[:n]
		if clear(v); p.d > 0 {
			vec.MatVec(n, v, a.Matrix, n, x, 1, p.d)
		}
		if offsets {
			vec.Accumulate(n, v, a.Offset)
		}
		place(v)
	}
	for k := range p.form.Rows {
		add(&p.form.Rows[k], func(v []float64) { vec.Accumulate(len(v), to[p.begin(k):], v) })
	}
	add(&p.form.Cuts, func(v []float64) {
		for _, at := range p.cond.Members {
			vec.Accumulate(at.Len, to[p.at[at.Group]:], v[at.Offset:])
		}
	})
}

// begin is where the rows of a likelihood are.
func (p *party) begin(k int) int {
	if g := p.cond.Rows[k].Group; g >= 0 {
		return p.at[g]
	}
	return p.at[k]
}

// pull sets x to the products of the columns with a vector over all rows.
func (p *party) pull(v, x []float64) {
	clear(x)
	for k := range p.form.Rows {
		algebra.Pull(&p.form.Rows[k], v[p.begin(k):], x)
	}
	if n := len(p.form.Cuts.Offset); n > 0 {
		w := p.whole[:n]
		clear(w)
		for _, at := range p.cond.Members {
			vec.Accumulate(at.Len, w[at.Offset:], v[p.at[at.Group]:])
		}
		algebra.Pull(&p.form.Cuts, w, x)
	}
}

// raise sets x to P⁻¹Xᵀv.
func (p *party) raise(v, x []float64) {
	p.pull(v, x)
	p.prior.Solve(x)
}

// cover adds XP⁻¹Xᵀv, the covariance of the contribution times v.
func (p *party) cover(v, to []float64) {
	p.raise(v, p.work)
	p.add(p.work, false, to)
}

// start sets x to draw id from the prior.
func (p *party) start(id int, x []float64) {
	p.noise.Round(uint64(id))
	p.noise.FillNormals(x)
	p.prior.Backward(x)
	vec.Accumulate(p.d, x, p.mean)
}

// put writes a draw: x and the hyperparameters.
func (p *party) put(x, theta []float64) {
	for k, i := range p.cond.Index {
		theta[i] = x[k]
	}
	for k, i := range p.cond.Hyper {
		theta[i] = p.hyper[k]
	}
}
