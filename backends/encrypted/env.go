// Package encrypted gives algorithms that need a density and its gradient alone, such as NUTS, those of a
// model whose rows stay encrypted: an evaluation is one density.Encrypting.Slopes, of which each party learns
// the sums by its own parameters, and one LogLik, of which the server alone learns the total, priors
// included.
package encrypted

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
)

// An env evaluates the density over encrypted rows. It is no density.Wrapper, since it changes evaluations.
type env struct {
	density.Env
	sums    density.Encrypting
	blocks  []density.Block
	parties []*party
	// of an evaluation, by block
	cut, plus, grad [][]float64
	total           []float64 // at the server
}

// A block has the methods of a density.Block alone: what the block inside can do beyond these, it does with
// numbers of rows that it never receives.
type block struct{ density.Block }

// Over returns an Env with the density of the parties of env, which is a density.Encrypting: the server's
// part of it is all of the log density, and those of clients are 0. Out of the range of the encrypted
// likelihood it is −∞ everywhere. The server's parameters have starting values, at which they fit the
// response best without the clients: the polynomials of a run are made around the predictor of its first
// evaluation.
func Over(of density.Env) (density.Env, error) {
	e := &env{Env: of, total: make([]float64, 1)}
	var err error
	if e.sums, err = density.Require[density.Encrypting](of); err != nil {
		return nil, err
	}
	for _, b := range of.Blocks() {
		p, err := newParty(b)
		if err != nil {
			return nil, err
		}
		e.blocks, e.parties = append(e.blocks, block{b}), append(e.parties, p)
		e.cut, e.plus, e.grad = append(e.cut, p.cut), append(e.plus, make([]float64, 1)),
			append(e.grad, p.grad)
		if b.Index() == 0 {
			p.first = p.alone()
		}
	}
	return e, nil
}

// Blocks implements density.Env.
func (e *env) Blocks() []density.Block { return e.blocks }

// Starts implements density.Starting: those that the user gave hold.
func (e *env) Starts(b int) []density.Init {
	var out []density.Init
	p := e.parties[b]
	for i := range p.first {
		out = append(out, density.Init{Offset: p.index[i], Values: p.first[i : i+1 : i+1]})
	}
	if s, ok := density.As[density.Starting](e.Env); ok {
		out = append(out, s.Starts(b)...)
	}
	return out
}

// Density implements density.Env. There are no auxiliary variables.
func (e *env) Density(ctx context.Context, theta [][]float64, _ density.Coordinates, grad [][]float64,
	lp []float64) error {
	var phi []float64
	for b, p := range e.parties {
		p.to(theta[b])
		algebra.Apply(p.by, p.theta[:p.c], p.cut)
		e.plus[b][0] = p.prior(p.theta, p.slope)
		if e.blocks[b].Index() == 0 {
			phi = p.theta[p.c:]
		}
	}
	err := e.sums.Slopes(ctx, phi, e.cut, e.grad)
	if err == nil {
		err = e.sums.LogLik(ctx, phi, e.cut, e.plus, e.total)
	}
	beyond := errors.Is(err, density.ErrRange)
	if err != nil && !beyond {
		return err
	}
	if err := e.heed(); err != nil {
		return err
	}
	for b, p := range e.parties {
		clear(grad[b])
		switch {
		case beyond:
			lp[b] = math.Inf(-1)
			continue
		case e.blocks[b].Index() == 0:
			lp[b] = e.total[0]
		default:
			lp[b] = 0
		}
		for i, at := range p.index {
			grad[b][at] = p.grad[i] + p.slope[i]
		}
	}
	return nil
}

// mostNoise is the standard deviation, in nats, of the noise of a log density with which a chain goes on: its
// square is about the share of the variance of log weights of states that is not the posterior's.
const mostNoise = 0.1

// A noisy Env covers log likelihoods by noise.
type noisy interface{ LogNoise() float64 }

// heed is a *backends.Refusal, at every party, where the log density has too much noise.
func (e *env) heed() error {
	n, ok := density.As[noisy](e.Env)
	if !ok || n.LogNoise() <= mostNoise {
		return nil
	}
	return &backends.Refusal{
		Code: diag.NotEncrypted,
		Err: fmt.Errorf("the noise that covers decrypted sums is %.2g nats of a log density, with which "+
			"states of a chain are weighed, and it may be %g", n.LogNoise(), mostNoise),
		Out: "fewer transitions or a smaller --max-depth, for which less noise is needed, scaled columns, " +
			"narrower priors, or --backend sfvi",
	}
}

// A party is one block's linear form.
type party struct {
	lin   *density.Linear
	by    *density.Affine // its contribution
	index []int           // elements of the block's θ: of c columns of data, and globals
	c     int
	theta []float64 // these elements
	slope []float64 // derivatives of the prior
	grad  []float64 // and of the likelihood
	cut   []float64
	first []float64 // values of the elements at which a chain begins; nil: it chooses
}

func newParty(b density.Block) (*party, error) {
	l, err := density.RequireOf[density.Linearisable](b)
	if err != nil {
		return nil, err
	}
	lin, err := l.Linear(false)
	if err != nil {
		return nil, err
	}
	p := &party{lin: lin, by: &lin.Cuts, c: len(lin.Index)}
	if b.Index() == 0 {
		if len(lin.Rows) != 1 {
			return nil, fmt.Errorf("%s: encrypted rows have one likelihood", b.Party())
		}
		p.by = &lin.Rows[0].Affine
	}
	p.index = append(append(p.index, lin.Index...), lin.Globals.Index...)
	if len(p.index) != b.Dim() {
		return nil, fmt.Errorf("%s: encrypted rows: %d of its %d parameters do not enter the predictor",
			b.Party(), b.Dim()-len(p.index), b.Dim())
	}
	d := len(p.index)
	p.theta, p.slope, p.grad, p.cut = make([]float64, d), make([]float64, d), make([]float64, d),
		make([]float64, len(p.by.Offset))
	return p, nil
}

// to goes to a point of the block.
func (p *party) to(theta []float64) {
	for i, at := range p.index {
		p.theta[i] = theta[at]
	}
}

// prior is the log density of the prior, and sets grad to its gradient.
func (p *party) prior(theta, grad []float64) float64 {
	value := algebra.Value(&p.lin.Prior, theta[:p.c], grad[:p.c])
	if p.c < len(theta) {
		value += p.lin.Globals.Density(theta[p.c:], grad[p.c:])
	}
	return value
}
