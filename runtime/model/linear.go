package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

var _ density.Linearisable = (*Party)(nil)

// Linear implements density.Linearisable. Maps that the graph knows to be affine are read off at the unit
// vectors.
func (p *Party) Linear(inPlace bool) (*density.Linear, error) {
	if p.spec.Split == nil {
		return nil, errors.New("its log density is not divided into likelihoods")
	}
	if p.early > 0 {
		return nil, fmt.Errorf("%s: the cuts depend on parameters of another party", p.Party())
	}
	for k, out := range p.spec.Graph.Outputs() {
		if !out.Affine {
			return nil, fmt.Errorf("%s: %s is not affine in the parameters", p.Party(), p.outputName(k))
		}
	}
	var sums []int
	for _, r := range p.role.Receptions {
		sums = append(sums, r.Input)
	}
	split, err := p.spec.Split.Split(sums)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Party(), err)
	}
	l := &density.Linear{Sums: p.sums, Clients: p.clients, Vector: p.spec.Graph.Vector,
		Free: p.spec.Graph.Free}
	if err := p.readIndex(l, split); err != nil {
		return nil, err
	}
	for _, a := range p.role.Arrivals {
		l.Received += a.Len
	}
	l.Members = p.members()
	if p.readOutputs(l, inPlace); inPlace {
		p.Rest() // what follows has arrays of its own
	}
	p.readRows(l, split)
	if err := p.readPrior(l, split.Rest); err != nil {
		return nil, err
	}
	if inPlace {
		p.giveBack() // and they are gone
	}
	if err := p.compare(l); err != nil || !inPlace {
		return l, err
	}
	l.Cuts.Compact()
	for k := range l.Rows {
		l.Rows[k].Compact()
	}
	return l, nil
}

// members are the sums that cuts enter.
func (p *Party) members() (out []density.Member) {
	for _, m := range p.role.Members {
		c := p.spec.Cuts[m.Cut]
		out = append(out, density.Member{Group: m.Group, Offset: c.Offset, Len: c.Len()})
	}
	return out
}

// Law is the distribution of the rows of the one likelihood that Linear has found. The error says why there
// is none.
func (p *Party) Law() (*graph.Law, error) {
	if p.spec.Split == nil {
		return nil, errors.New("its log density is not divided into likelihoods")
	}
	var sums []int
	for _, r := range p.role.Receptions {
		sums = append(sums, r.Input)
	}
	split, err := p.spec.Split.Split(sums)
	if err != nil {
		return nil, err
	}
	if len(split.Rows) != 1 {
		return nil, fmt.Errorf("%s: it has %d likelihoods of what the clients contribute, and not one",
			p.Party(), len(split.Rows))
	}
	law := &split.Rows[0].Law
	if law.Dist.Event != nil {
		return nil, fmt.Errorf("%s: a row of it depends on vectors", split.Rows[0].Term)
	}
	return law, nil
}

// readIndex divides the elements of θ: globals are those that a likelihood depends on beside its predictor,
// and those whose density depends on them.
func (p *Party) readIndex(l *density.Linear, split *graph.Split) error {
	global := make([]bool, p.Dim())
	for _, r := range split.Rows {
		for _, v := range r.Globals {
			for i := v.Offset; i < v.Offset+v.Len; i++ {
				global[i] = true
			}
		}
	}
	for i, is := range global {
		if is {
			l.Globals.Index = append(l.Globals.Index, i)
		} else {
			l.Index = append(l.Index, i)
		}
	}
	if len(l.Globals.Index) == 0 {
		return nil
	}
	for k, r := range split.Rows {
		for _, v := range r.Globals {
			if e := split.Predictors.NewExec(); p.moves(e, k, v.Offset, v.Len) {
				return fmt.Errorf("%s: %s: %s is in its predictor and in another of its parameters",
					p.Party(), r.Term, v.Name)
			}
		}
	}
	return nil
}

// moves reports whether an output of an affine graph depends on some elements of θ, whatever is received.
func (p *Party) moves(e *graph.Exec, output, offset, n int) bool {
	theta := make([]float64, p.Dim())
	e.Forward(theta)
	at := append([]float64(nil), e.Output(output)...)
	for i := offset; i < offset+n; i++ {
		theta[i] = 1
		e.Forward(theta)
		if !slices.Equal(at, e.Output(output)) {
			return true
		}
		theta[i] = 0
	}
	return false
}

// compare holds the parts against the log density itself, at 0 with everything received 0, or 1 where scales
// are.
func (p *Party) compare(l *density.Linear) error {
	for k := range p.spec.Graph.Inputs() {
		if in := p.here().Input(k); l.Given != nil && p.index > 0 {
			vector.Fill(len(in), in, 1)
		} else {
			clear(in)
		}
	}
	p.Evaluate(make([]float64, p.Dim()))
	want, _ := p.Target()
	phi, by := make([]float64, len(l.Globals.Index)), make([]float64, len(l.Globals.Index))
	got := l.Prior.Value
	if len(phi) > 0 {
		got += l.Globals.Density(phi, by)
	}
	for _, r := range l.Rows {
		n, step := len(r.Offset), r.Block
		if step == 0 {
			step = n
		}
		lp, slope := make([]float64, min(n, step)), make([]float64, min(n, step))
		for from := 0; from < n; from += step {
			to := min(from+step, n)
			r.EvaluatePart(from, phi, r.Offset[from:to], lp[:to-from], slope[:to-from], nil, by)
			got += vector.Sum(to-from, lp)
		}
	}
	if math.Abs(got-want) > exact*(1+math.Abs(want)) {
		return fmt.Errorf("%s: the log density is %g where its parts add up to %g", p.Party(), want, got)
	}
	return nil
}

func (p *Party) outputName(k int) string {
	if k < len(p.spec.Cuts) {
		return "the cut " + p.spec.Cuts[k].Name
	}
	return p.spec.Graph.Outputs()[k].Name
}

// affine reads a map of the elements index of θ off, the others 0: at returns its value at θ, which may
// change at the next call.
func affine(dim int, index []int, at func(theta []float64) []float64) density.Affine {
	theta := make([]float64, dim)
	a := density.Affine{Offset: append([]float64(nil), at(theta)...)}
	n := len(a.Offset)
	a.Matrix = make([]float64, n*len(index))
	for k, i := range index {
		theta[i] = 1
		for r, v := range at(theta) {
			a.Matrix[k*n+r] = v - a.Offset[r]
		}
		theta[i] = 0
	}
	return a
}

// inPlace finds the matrix of the map of affine among those of the graph.
func (p *Party) inPlace(index []int) (a density.Affine, ok bool) {
	theta := make([]float64, p.Dim())
	a.Offset = append([]float64(nil), p.Evaluate(theta)...)
	p.spec.Graph.Matrices(func(values []float64, rows, columns, tile int) bool {
		if ok = rows == len(a.Offset) && columns == len(index); !ok {
			return true
		}
		a.Matrix, a.Tile = values, tile
		for k, i := range index {
			theta[i] = 1
			value := p.Evaluate(theta)
			for s := range a.Stretches(0, rows) {
				for r, v := range s.Matrix[k*s.Stride:][:s.N] {
					ok = ok && value[s.From+r]-a.Offset[s.From+r] == v
				}
			}
			theta[i] = 0
		}
		return !ok
	})
	return a, ok
}

func (p *Party) readOutputs(l *density.Linear, inPlace bool) {
	if inPlace {
		l.Cuts, inPlace = p.inPlace(l.Index)
	}
	if !inPlace {
		l.Cuts = affine(p.Dim(), l.Index, p.Evaluate)
	}
	var sent []float64
	l.Sends = affine(p.Dim(), l.Index, func(theta []float64) []float64 {
		p.here().Forward(theta)
		sent = sent[:0]
		for k := len(p.spec.Cuts); k < len(p.spec.Graph.Outputs()); k++ {
			sent = append(sent, p.Output(k)...)
		}
		return sent
	})
}

func (p *Party) readRows(l *density.Linear, split *graph.Split) {
	predictors := split.Predictors.NewExec()
	for k, rows := range split.Rows {
		r := density.RowLikelihood{Term: rows.Term, Width: rows.Width, Group: -1, Own: -1}
		for _, in := range p.role.Receptions {
			if in.Input == rows.Input {
				r.Group = in.Group
				if in.Cut >= 0 {
					r.Own = p.spec.Cuts[in.Cut].Offset
				}
			}
		}
		r.Affine = affine(p.Dim(), l.Index, func(theta []float64) []float64 {
			predictors.Forward(theta)
			return predictors.Output(k)
		})
		theta := make([]float64, p.Dim())
		for _, a := range p.role.Arrivals {
			in := predictors.Input(a.Input)
			for i := range in {
				in[i] = 1
				predictors.Forward(theta)
				for row, v := range predictors.Output(k) {
					r.Shared = append(r.Shared, v-r.Offset[row])
				}
				in[i] = 0
			}
		}
		evaluate(&r, &split.Rows[k], l.Globals.Index)
		l.Rows = append(l.Rows, r)
	}
}

// evaluate sets how a likelihood of rows is evaluated given their predictors and globals.
func evaluate(r *density.RowLikelihood, of *graph.Rows, globals []int) {
	part, rows := newBlockwise(of, globals), of.Len
	if of.Blocks == nil {
		r.Evaluate = func(phi, eta, lp, slope, seeds, by []float64) {
			part.evaluate(0, phi, eta, lp, slope, seeds, by)
		}
		return
	}
	r.Part, r.Block = part.evaluate, part.size
	r.Evaluate = func(phi, eta, lp, slope, seeds, by []float64) {
		clear(by)
		own := part.by[:len(by)]
		for from := 0; from < rows; from += part.size {
			to, seeded := min(from+part.size, rows), []float64(nil)
			if seeds != nil {
				seeded = seeds[from:to]
			}
			part.evaluate(from, phi, eta[from:to], lp[from:to], slope[from:to], seeded, own)
			vector.Accumulate(len(by), by, own)
		}
	}
}

// A blockwise evaluates likelihoods of rows block by block, or all in one block.
type blockwise struct {
	exec       *graph.Exec
	blocks     *graph.Variants
	rows, size int
	globals    []int
	theta, by  []float64
	ones       []float64
	weights    []float64 // of the rows of a block, where not all are wanted alike
	seeds      [][]float64
}

func newBlockwise(of *graph.Rows, globals []int) *blockwise {
	b := &blockwise{blocks: of.Blocks, rows: of.Len, size: of.Graph.Outputs()[0].Len, globals: globals,
		theta: make([]float64, of.Graph.Dim()), by: make([]float64, len(globals)),
		seeds: make([][]float64, 1)}
	if b.blocks == nil {
		b.exec = of.Graph.NewExec()
	} else {
		b.exec, b.weights = b.blocks.NewExec(), make([]float64, b.size)
	}
	b.ones = make([]float64, b.size)
	vector.Fill(b.size, b.ones, 1)
	return b
}

// evaluate is density.RowLikelihood.Part. A block may have rows before the first: these have its predictor
// and the weight 0.
func (b *blockwise) evaluate(from int, phi, eta, lp, slope, seeds, by []float64) {
	before := 0
	if b.blocks != nil {
		k := from / b.size
		before = from - min(k*b.size, b.rows-b.size)
		b.exec.Load(k)
	}
	for k, i := range b.globals {
		b.theta[i] = phi[k]
	}
	in := b.exec.Input(0)
	vector.Fill(before, in[:before], eta[0])
	copy(in[before:], eta)
	b.exec.Forward(b.theta)
	copy(lp, b.exec.Output(0)[before:])
	switch {
	case before > 0:
		clear(b.weights)
		if seeds == nil {
			seeds = b.ones[before:]
		}
		copy(b.weights[before:], seeds)
		b.seeds[0] = b.weights
	case seeds != nil:
		b.seeds[0] = seeds
	default:
		b.seeds[0] = b.ones
	}
	b.exec.Pull(b.seeds)
	copy(slope, b.exec.InputAdjoint(0)[before:])
	for k := range by {
		by[k] = b.exec.Grad()[b.globals[k]]
	}
}

const (
	probes = 3    // points at which a density is compared with the quadratic function
	exact  = 1e-9 // relative difference of gradients that is rounding
)

// readPrior reads the gradient of the remaining density off at the unit vectors, as if it were affine, and
// compares it elsewhere. The density of the globals must be one of them alone: at 0 they leave the rest as it
// is.
func (p *Party) readPrior(l *density.Linear, rest *graph.Graph) error {
	e, theta := rest.NewExec(), make([]float64, p.Dim())
	q, index, globals := &l.Prior, l.Index, l.Globals.Index
	d := len(index)
	evaluate := func(theta []float64) float64 {
		e.Forward(theta)
		return e.Target()
	}
	gradient := affine(p.Dim(), index, func(theta []float64) []float64 {
		evaluate(theta)
		return pick(e.Grad(), index)
	})
	atZero := evaluate(theta)
	q.Gradient, q.Precision = gradient.Offset, gradient.Matrix
	for i := range q.Precision {
		q.Precision[i] = -q.Precision[i]
	}
	if len(globals) == 0 {
		q.Value = atZero
	} else {
		alone := rest.NewExec()
		at := make([]float64, p.Dim())
		l.Globals.Density = func(phi, grad []float64) float64 {
			for k, i := range globals {
				at[i] = phi[k]
			}
			alone.Forward(at)
			value := alone.Target()
			copy(grad, pick(alone.Grad(), globals))
			return value
		}
	}
	where := func(i int) string {
		for _, v := range rest.Params() {
			if i >= v.Offset && i < v.Offset+v.Len {
				return v.Name
			}
		}
		return "a parameter"
	}
	for k := range probes {
		for i := range theta {
			theta[i] = portable.Sin(float64(i+1)*(float64(k)+0.7)) * float64(k+1)
		}
		evaluate(theta)
		for a, i := range index {
			want, size := q.Gradient[a], math.Abs(q.Gradient[a])
			for b, j := range index {
				want -= float64(q.Precision[b*d+a] * theta[j])
				size += math.Abs(q.Precision[b*d+a] * theta[j])
			}
			if !(math.Abs(e.Grad()[i]-want) <= exact*(1+size)) {
				return fmt.Errorf("%s: the log density of %s apart from the clients' likelihood is not a "+
					"quadratic function, as that of a normal prior is", p.Party(), where(i))
			}
		}
	}
	return nil
}

// pick returns some elements of a vector.
func pick(v []float64, index []int) []float64 {
	out := make([]float64, len(index))
	for k, i := range index {
		out[k] = v[i]
	}
	return out
}
