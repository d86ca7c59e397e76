package lower

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
)

// Verify checks a party's graph: it reads only the party's own data; its ports have the shapes that the
// program declares; the gradient of its target and outputs is their derivative; outputs marked affine are
// affine. The error names the first violation: a fault of Lower or of the graph.
func (l *Lowered) Verify() error {
	for _, step := range []func() error{l.verifyData, l.verifyPorts, l.verifyGradient, l.verifyAffine} {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
	}
	return nil
}

// verifyData checks that a party program reads no table but its party's.
func (l *Lowered) verifyData() error {
	for _, s := range l.PartyData.Program.Order {
		if l.PartyData.Program.For == "" || s.Kind != check.Data || l.Data[l.Name][s.Name] != nil {
			continue
		}
		if _, size := l.Sizes.Value(s.Name, l.Name); !size {
			return fmt.Errorf("%s is not among its data", s.Name)
		}
	}
	return nil
}

func (l *Lowered) verifyPorts() error {
	g := l.Spec.Graph
	dim := 0
	for _, p := range g.Params() {
		dim += p.Len
	}
	reports := len(l.Spec.Params)
	for _, d := range l.Spec.Draws {
		reports += len(d.Args)
	}
	if dim != g.Dim() || len(g.Reports()) != reports || len(g.Inputs()) != len(l.inputs) {
		return fmt.Errorf("%d coordinates of %d, %d reports of %d, %d inputs of %d", dim, g.Dim(),
			len(g.Reports()), reports, len(g.Inputs()), len(l.inputs))
	}
	for k, q := range l.Spec.Params {
		if r := g.Reports()[k]; !sameShape(r.Shape, q.Dims) {
			return fmt.Errorf("%s is %v, but declared %v", q.Name, r.Shape, q.Dims)
		}
	}
	if want := len(l.Spec.Cuts) + len(l.outputs); len(g.Outputs()) != want {
		return fmt.Errorf("%d outputs for %d cuts and sent parameters", len(g.Outputs()), want)
	}
	for k, c := range l.Spec.Cuts {
		if o := g.Outputs()[k]; o.Name != c.Name || o.Len != c.Len() {
			return fmt.Errorf("output %s of %d for cut %s of %d", o.Name, o.Len, c.Name, c.Len())
		}
	}
	return nil
}

// A probe evaluates a graph along a line through a point: x and inputs at 0 are of modest size, so that most
// densities are finite there.
type probe struct {
	*graph.Exec
	g       *graph.Graph
	x       []float64
	outputs [][]float64 // weights of the outputs in the value
}

func newProbe(g *graph.Graph) *probe {
	p := &probe{Exec: g.NewExec(), g: g, x: make([]float64, g.Dim())}
	for _, o := range g.Outputs() {
		w := make([]float64, o.Len)
		for i := range w {
			w[i] = portable.Cos(float64(3*i + 1))
		}
		p.outputs = append(p.outputs, w)
	}
	return p
}

// direction is how element i changes along the line.
func direction(i int) float64 { return portable.Cos(float64(2*i + 1)) }

// at moves to t on the line; inputs move with it where they should.
func (p *probe) at(t float64, inputs bool) {
	for i := range p.x {
		p.x[i] = float64(0.2*portable.Sin(float64(i+1))) + float64(t*direction(i))
	}
	for k := range p.g.Inputs() {
		in := p.Input(k)
		for i := range in {
			in[i] = 0.3 * (1 + portable.Sin(float64(i+k))) // positive: it may be a scale
			if inputs {
				in[i] += float64(t * direction(i))
			}
		}
	}
	p.Forward(p.x)
}

// value is the target plus weighted outputs.
func (p *probe) value(t float64) float64 {
	p.at(t, true)
	v := p.Target()
	for k, w := range p.outputs {
		for i, o := range p.Output(k) {
			v += float64(w[i] * o)
		}
	}
	return v
}

// slope is the derivative of value along the line by the graph's gradient.
func (p *probe) slope(t float64) float64 {
	p.value(t)
	var seeds [][]float64
	for k, w := range p.outputs {
		s := append([]float64(nil), w...)
		for i, own := range p.Own(k) {
			s[i] += own
		}
		seeds = append(seeds, s)
	}
	p.Pull(seeds)
	sum := 0.0
	for i, g := range p.Grad() {
		sum += float64(g * direction(i))
	}
	for k := range p.g.Inputs() {
		for i, a := range p.InputAdjoint(k) {
			sum += float64(a * direction(i))
		}
	}
	return sum
}

// verifyGradient compares the directional derivative with central differences of two steps, whose
// disagreement bounds their own error. Where the target is not finite there is nothing to compare.
func (l *Lowered) verifyGradient() error {
	p := newProbe(l.Spec.Graph)
	slope, value := p.slope(0), p.value(0)
	const h = 1e-5
	fine, coarse := (p.value(h)-p.value(-h))/(2*h), (p.value(4*h)-p.value(-4*h))/(8*h)
	if math.IsNaN(fine) || math.IsInf(fine, 0) || math.IsNaN(coarse) || math.IsInf(coarse, 0) {
		return nil
	}
	bound := float64(1e-5*(1+math.Abs(slope))) + float64(1e-9*math.Abs(value)) +
		float64(2*math.Abs(fine-coarse))
	if !(math.Abs(slope-fine) <= bound) {
		return fmt.Errorf("the gradient along a line is %v, finite differences give %v", slope, fine)
	}
	return nil
}

// verifyAffine checks second differences of outputs that are marked affine in x.
func (l *Lowered) verifyAffine() error {
	p := newProbe(l.Spec.Graph)
	for k, o := range l.Spec.Graph.Outputs() {
		if !o.Affine {
			continue
		}
		second, scale := make([]float64, o.Len), 1.0
		for t, w := range map[float64]float64{-1: 1, 0: -2, 1: 1} {
			p.at(t, false)
			for i, v := range p.Output(k) {
				second[i] += float64(w * v)
				scale = max(scale, math.Abs(v))
			}
		}
		for i, v := range second {
			if math.Abs(v) > 1e-10*scale {
				return fmt.Errorf("output %s is marked affine, but element %d has the second difference %v",
					o.Name, i, v)
			}
		}
	}
	return nil
}
