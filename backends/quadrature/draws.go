package quadrature

import (
	"context"
	"errors"
	"io"

	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
)

// Draw implements backends.Kernel.
func (k *Kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		s := k.env.Private(b, "sfvi draw")
		s.Round(uint64(id))
		p.draw(s, theta[b])
	}
}

// draw sets theta to a draw from q(θ).
func (p *party) draw(from density.Stream, theta []float64) {
	from.FillNormals(theta)
	p.q.precision.Backward(theta)
	for i, m := range p.now.theta {
		theta[i] += m
	}
}

// Auxiliary implements backends.Kernel.
func (k *Kernel) Auxiliary(context.Context, int, [][]float64) error {
	return errors.New("no auxiliary variables yet")
}

// Save implements backends.Kernel.
func (k *Kernel) Save(w io.Writer) error { return checkpoint.Save(w, k.options.Heading, k.state) }

// Load implements backends.Kernel.
func (k *Kernel) Load(r io.Reader) error { return checkpoint.Load(r, k.options.Heading, k.state) }

func (k *Kernel) state(c *checkpoint.Codec) {}
