package sfvi

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/rng"
)

// amortized is e = f(u) + exp(h(u))ε with one net for all elements of a cut: its cost in memory does not grow with the rows. u is g, with the
// response y where it is held and wanted, and with the sum of all parties' mean contributions on request. phi: the nets, cut by cut.
type amortized struct {
	aux
	nets   []*net
	g      []float64 // inputs: the cut, the response (standardised), the total
	label  []float64
	total  []float64
	centre []float64 // ḡ, what this party gives to the total
	seeds  seeds
	du     []float64
}

func newAmortized(b backends.Block, s backends.Settings) (guide, error) {
	n := b.AuxLen()
	q := &amortized{aux: newAux(b), g: make([]float64, n), total: make([]float64, n), centre: make([]float64, n), label: make([]float64, n), du: make([]float64, n)}
	q.seeds = seeds{f: make([]float64, n), h: make([]float64, n), uf: make([]float64, n), uh: make([]float64, n)}
	asked := strings.Split(s.Text(guideInputs), ",")
	for _, c := range q.cuts {
		in := [][]float64{span(q.g, c)}
		switch {
		case c.Label != nil && (slices.Contains(asked, "y") || (s.Text(guideInputs) == "" && s.Transform == backends.Power)):
			standardise(span(q.label, c), c.Label)
			in = append(in, span(q.label, c))
		case slices.Contains(asked, "y"):
			return nil, fmt.Errorf("%s y: %s does not hold the response that %s enters; declare it @ shared", guideInputs, b.Party(), c.Name)
		}
		if slices.Contains(asked, "total") {
			in = append(in, span(q.total, c))
		}
		q.nets = append(q.nets, newNet(in))
	}
	return q, nil
}

// standardise writes the label for every column of a cut, with mean 0 and sd 1 unless it is constant: counts of any size suit the net then.
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

func (q *amortized) start(phi []float64, from *rng.Stream) {
	for _, v := range q.nets {
		v.start(phi[:v.size()], from)
		phi = phi[v.size():]
	}
}

func (q *amortized) value(_, phi, g, z []float64) float64 {
	copy(q.g, g)
	ratio := 0.0
	for k, c := range q.cuts {
		v := q.nets[k]
		v.forward(phi[:v.size()])
		phi = phi[v.size():]
		s, eps, es := span(q.s, c), span(q.eps, c), span(q.e, c)
		g, z := span(g, c), span(z, c)
		for i := range s {
			s[i] = math.Exp(v.h[i])
			e := v.f[i] + s[i]*eps[i]
			es[i] = e
			z[i] = g[i] + c.Rho*e
			ratio += v.h[i] + 0.5*(eps[i]*eps[i]-e*e)
		}
	}
	return ratio
}

// With ∇e = ρ·adj − e and D = ∇e + ε/s the net's parameters get the seeds (D, sεD). Through its input g the whole of log q(z | θ) = −½ε² − h + …
// changes, where the path's ε/s cancels and h remains: the seeds are (∇e, sε∇e + 1).
func (q *amortized) adjoint(phi, adj, own, w, _, grad, _ []float64) {
	for k, c := range q.cuts {
		v := q.nets[k]
		s, eps, e, du := span(q.s, c), span(q.eps, c), span(q.e, c), span(q.du, c)
		part := seeds{f: span(q.seeds.f, c), h: span(q.seeds.h, c), uf: span(q.seeds.uf, c), uh: span(q.seeds.uh, c)}
		adj, own, w := span(adj, c), span(own, c), span(w, c)
		for i := range s {
			de, path := c.Rho*adj[i]-e[i], s[i]*eps[i]
			d := de + eps[i]/s[i]
			part.f[i], part.h[i] = d, d*path
			part.uf[i], part.uh[i] = de, de*path+1
		}
		v.backward(phi[:v.size()], part, grad[:v.size()], du)
		phi, grad = phi[v.size():], grad[v.size():]
		for i := range w {
			w[i] = adj[i] + own[i] + du[i]
		}
	}
}
