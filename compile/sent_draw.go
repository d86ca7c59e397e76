package compile

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
)

// A priorDrawer draws the parameters of a probe and evaluates it there.
type priorDrawer struct {
	probe    *lower.Probe
	exec     *graph.Exec
	stream   *vector.Generator
	universe *stdlib.Universe
	x, theta []float64
}

func newPriorDrawer(p *lower.Probe, stream *vector.Generator) *priorDrawer {
	return &priorDrawer{probe: p, exec: p.Graph.NewExec(), stream: stream, universe: stdlib.New(),
		x: make([]float64, p.Graph.Dim())}
}

// priorAttempts is how often a value is drawn until it lies within the bounds of its parameter.
const priorAttempts = 1000

// draw draws all parameters in their order, since a prior depends on earlier ones only: from their priors or,
// where there is none, standard normals on the unconstrained scale. With a scale above 0 all are such
// normals, times the scale.
func (d *priorDrawer) draw(scale float64) {
	clear(d.x)
	width := scale
	if scale == 0 {
		width = 1
	}
	r := d.stream.Rand()
	for k := range d.probe.Params {
		p, port := &d.probe.Params[k], d.probe.Graph.Params()[k]
		var args [][]float64
		if scale == 0 && p.Improper == "" {
			d.exec.Forward(d.x)
			for _, a := range p.Args {
				args = append(args, d.exec.Report(a))
			}
		}
		if x := d.x[port.Offset : port.Offset+port.Len]; p.Whole() {
			if (args == nil || !p.Draw(r, args, x, port.Shape)) && p.Structure != nil {
				p.Unconstrained(r, width, x, port.Shape)
			} else if args == nil {
				scaledNormals(r, width, x)
			}
			continue
		}
		for i := range port.Len {
			d.x[port.Offset+i] = d.element(r, p, args, i, width)
		}
	}
	d.exec.Forward(d.x)
}

// element draws one element of a parameter, whose prior has these arguments; none: it has no prior.
func (d *priorDrawer) element(r *rand.Rand, p *model.Param, args [][]float64, i int, scale float64) float64 {
	if args == nil || p.Dist.Sample == nil { // flat, within bounds
		return d.unconstrained(r, p, scale)
	}
	d.theta = d.theta[:0]
	for _, a := range args {
		d.theta = append(d.theta, a[i])
	}
	for range priorAttempts {
		if v := p.Dist.Sample(r, d.theta); v >= p.Lower && v <= p.Upper {
			return v
		}
	}
	return d.unconstrained(r, p, scale)
}

// unconstrained maps a standard normal times a scale to the support.
func (d *priorDrawer) unconstrained(r *rand.Rand, p *model.Param, scale float64) float64 {
	x, y := []float64{scale * portable.Normal(r)}, []float64{0}
	d.universe.For(known(p.Lower), known(p.Upper)).Forward(y, x, p.Lower, p.Upper)
	return y[0]
}

func scaledNormals(r *rand.Rand, scale float64, x []float64) {
	for i := range x {
		x[i] = scale * portable.Normal(r)
	}
}

func known(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}
