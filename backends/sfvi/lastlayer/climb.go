package lastlayer

import (
	"context"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

const (
	mostRejects = 30 // how often in a row the log density may fall
	mostCalm    = 3  // points in a row that rise by less than the tolerance
	mostSteps   = 60 // of a party by itself
)

// climb makes a round trip to the mode: every client sends its cuts at its point, and the next one follows
// from the answer.
func (k *Kernel) climb(ctx context.Context) error {
	if err := k.relay.Relay(ctx, k.options.Climbing, density.RelaySize{Columns: 1, Back: 1, Scalars: Scalars,
		Answers: Answers}, climbing{k}); err != nil {
		return err
	}
	k.env.Work().Gradients++
	k.trips++
	switch {
	case k.hidden == 0:
		return Refuse(errNoNetwork)
	case k.verdict == abandon:
		return backends.NotFinite(k.env, k.trips > 1,
			"sfvi: the log density fell or was not finite at %d points in a row on the way "+
				"to its mode, however near", mostRejects)
	case k.verdict == finish:
		k.reached = true
	case k.trips >= k.options.Iterations:
		k.verdict = finish
	}
	return nil
}

// climbing is that exchange.
type climbing struct{ *Kernel }

// Send tells what the client maximises at the best point so far and at its point, both with the curvature of
// the former.
func (k climbing) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	scalars[0] = p.value(p.base)
	scalars[1], scalars[2] = p.value(p.theta), float64(len(p.hidden()))
	for i, m := range p.role.Members {
		copy(up[i], p.g[m.Offset:m.Offset+m.Len])
	}
}

func (k climbing) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s := k.server
	own := s.settle(sum)
	out[0], out[1], out[2], out[3] = goBack, 2*k.damping, k.value, total[2]
	if rise := own + total[1] - s.density - total[0]; rise >= -0.1*k.options.Tolerance &&
		!math.IsInf(own+total[1], 0) {
		s.density = own
		out[0], out[1], out[2] = s.accept(rise < k.options.Tolerance), max(1, k.damping/1.5), own+total[1]
	} else if s.rejected++; s.rejected == mostRejects {
		out[0] = abandon
	}
	for _, m := range s.role.Receives {
		copy(down[m.Group], s.adj[m.Offset:m.Offset+m.Len])
		copy(down[m.Group][m.Len:], s.curve[m.Offset:m.Offset+m.Len])
	}
	k.take(out)
}

// accept takes a point that is better than the one before, by little where calm, and returns what follows.
func (s *server) accept(calm bool) float64 {
	copy(s.base, s.theta)
	s.expand()
	s.rejected = 0
	if s.calm++; !calm {
		s.calm = 0
	}
	if s.calm == mostCalm {
		return finish
	}
	return goOn
}

func (k climbing) take(out []float64) {
	k.verdict, k.damping, k.value, k.hidden = int(out[0]), out[1], out[2], int(out[3])
}

func (k climbing) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	if k.take(out); k.verdict == goOn || k.verdict == finish {
		copy(p.base, p.theta)
		copy(p.begun, p.g)
		for i, m := range p.role.Members {
			copy(p.adj[m.Offset:m.Offset+m.Len], down[i])
			copy(p.curve[m.Offset:m.Offset+m.Len], down[i][m.Len:])
		}
	}
	switch {
	case k.verdict == finish || k.verdict == abandon:
	case k.trips == 0:
		p.setOut(k.damping)
	default:
		p.advance(k.damping)
	}
}
