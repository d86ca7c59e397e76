package lastlayer

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A server is the server's part.
type server struct {
	*party
	width    []int // predictors of a row, by sum
	received []float64
	back     []float64
	moved    []float64
	density  float64 // its log density, the likelihood in it, at the best point so far
	calm     int
	rejected int
}

func newServer(p *party) *server {
	s := &server{party: p, density: math.Inf(-1)}
	lin, _ := quadrature.Applies(p.block, false, true)
	s.width = make([]int, len(p.role.Sums))
	for _, r := range lin.Rows {
		s.width[r.Group] = max(1, r.Width)
	}
	n := p.block.Received()
	s.received, s.back, s.moved = make([]float64, n), make([]float64, n), make([]float64, n)
	p.adj, p.curve = make([]float64, n), make([]float64, n)
	return s
}

// settle takes the sums of the clients' cuts, maximises over the server's own parameters and returns its log
// density.
func (s *server) settle(sum [][]float64) float64 {
	for _, m := range s.role.Receives {
		copy(s.received[m.Offset:m.Offset+m.Len], sum[m.Group])
	}
	s.block.SetReceived(s.received)
	copy(s.theta, s.base)
	return algebra.Maximise(s.theta, mostSteps, func(theta, grad []float64) float64 {
		value := s.block.Local(theta, nil, nil)
		s.block.Gradient(nil, grad)
		return value
	})
}

// step is how far a sum moves to measure the curvature.
const step = 1e-3

// expand sets adjoint and curvature of the likelihood. Where the log density of a row is convex, or hardly
// curved, the curvature is a share of the largest: what is far out comes back.
func (s *server) expand() {
	copy(s.moved, s.received)
	s.adjoints(s.adj)
	above, below := make([]float64, len(s.back)), make([]float64, len(s.back))
	for _, m := range s.role.Receives {
		n := m.Len / s.width[m.Group]
		for at := m.Offset; at < m.Offset+m.Len; at += n {
			s.shift(at, n, step, above)
			s.shift(at, n, -step, below)
			for i := at; i < at+n; i++ {
				s.curve[i] = (below[i] - above[i]) / (2 * step)
			}
		}
	}
	least := share * slices.Max(s.curve)
	for i, w := range s.curve {
		s.curve[i] = max(w, least)
	}
}

// share is that of the largest curvature of a row that every row has at least.
const share = 0.01

// shift sets to to the adjoints where some predictors have moved.
func (s *server) shift(at, n int, by float64, to []float64) {
	vec.AddScalar(n, s.moved[at:], s.received[at:], by)
	s.adjoints(to)
	copy(s.moved[at:at+n], s.received[at:])
}

// adjoints sets to to them where the sums have moved.
func (s *server) adjoints(to []float64) {
	s.block.SetReceived(s.moved)
	s.block.Local(s.theta, nil, nil)
	s.block.Gradient(nil, make([]float64, len(s.theta)))
	s.block.ReceivedGradient(to)
}
