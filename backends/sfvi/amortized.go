package sfvi

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// amortized is e = f(u) + exp(h(u))ε with one net for all elements of a cut: its cost in memory does not grow
// with the rows. u is g, with the response y where it is held and wanted. phi: the nets, cut by cut.
type amortized struct {
	aux
	nets     []*net
	g        []float64 // inputs: the cut, the response (standardised)
	label    []float64
	seeds    [2][]float64 // of one net: for its parameters, for its input
	du       []float64
	labelled bool // the response is an input
}

func newAmortized(b density.Block, s backends.Settings) (guide, error) {
	n := b.AuxLen()
	q := &amortized{aux: newAux(b), g: make([]float64, n), du: make([]float64, n)}
	q.seeds = [2][]float64{make([]float64, 2*n), make([]float64, 2*n)}
	q.labelled = s.Text(guideInputs) == "y"
	for _, c := range q.cuts {
		if c.Label == nil && q.labelled {
			return nil, fmt.Errorf("%s y: %s holds no response that %s enters; declare it "+
				"@ shared, or leave y out", guideInputs, b.Party(), c.Name)
		}
	}
	q.labelled = q.labelled || s.Text(guideInputs) == "" && s.Transform.Powers()
	if q.labelled {
		q.label = make([]float64, n)
	}
	// Where an iteration has some of the rows, all of them are evaluated for the ELBO and draws alone:
	// activations for each row would be most of the memory.
	again := s.Int(minibatch) > 0 && n > s.Int(minibatch)
	for _, c := range q.cuts {
		if c.Label != nil && q.labelled {
			standardise(span(q.label, c), c.Label)
		}
		q.nets = append(q.nets, newNet(q.inputs(c), again))
	}
	return q, nil
}

// inputs are those of a cut's net.
func (q *amortized) inputs(c density.Cut) [][]float64 {
	in := [][]float64{span(q.g, c)}
	if c.Label != nil && q.labelled {
		in = append(in, span(q.label, c))
	}
	return in
}

// standardise writes the label for every column of a cut, with mean 0 and sd 1 unless it is constant: counts
// of any size suit the net then.
func standardise(dst, label []float64) {
	mean, square := 0.0, 0.0
	for _, v := range label {
		mean += v / float64(len(label))
	}
	for _, v := range label {
		square += (v - mean) * (v - mean) / float64(len(label))
	}
	scale := 1.0
	if square > 0 {
		scale = 1 / math.Sqrt(square)
	}
	for i := range dst {
		dst[i] = (label[i%len(label)] - mean) * scale
	}
}

func (q *amortized) size() int {
	n := 0
	for _, v := range q.nets {
		n += v.size()
	}
	return n
}

func (q *amortized) each() int { return 0 }

func (q *amortized) start(phi []float64, from density.Stream) {
	for _, v := range q.nets {
		v.start(phi[:v.size()], from)
		phi = phi[v.size():]
	}
}

func (q *amortized) value(_, phi []float64, by *step, g, z []float64) float64 {
	if by != nil {
		by.move(len(phi), phi, 0)
	}
	ratio := 0.0
	copy(q.g, g)
	for k, c := range q.cuts {
		v := q.nets[k]
		v.forward(phi[:v.size()])
		phi = phi[v.size():]
		ratio += vec.GuideDraw(v.n, span(q.s, c), span(q.e, c), span(z, c), v.out, v.out[v.n:],
			span(q.eps, c), span(g, c), c.Rho, q.sign)
	}
	return q.weight * ratio
}

// The nets' parameters get the seeds (D, sεD). Through its input g the whole of log q(z | θ) = −½ε² − h + …
// changes, where the path's ε/s cancels and h remains: the seeds are (∇e, sε∇e + 1), the 1 times the weight.
func (q *amortized) adjoint(phi, adj, own, w, _, grad, _ []float64) float64 {
	all := grad
	for k, c := range q.cuts {
		v := q.nets[k]
		seeds, input := q.seeds[0][:2*v.n], q.seeds[1][:2*v.n]
		vec.GuideBackNet(
			v.n, span(w, c), seeds, seeds[v.n:], input, input[v.n:], c.Rho/q.weight, q.weight,
			span(adj, c), span(own, c), span(q.e, c), span(q.s, c), span(q.eps, c))
		v.backward(phi[:v.size()], seeds, input, grad[:v.size()], span(q.du, c))
		phi, grad = phi[v.size():], grad[v.size():]
	}
	vec.Accumulate(q.len(), w, q.du)
	return square(all)
}
