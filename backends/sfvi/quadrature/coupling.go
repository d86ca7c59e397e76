package quadrature

import (
	"errors"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
)

// Coupled is the guide under which the noise of different clients' auxiliary variables is correlated within a
// row: E[z | θ] is that of structured, and the covariance of z given θ over the clients, C, is the best that
// there is. Which noise goes together is a matter of the fit alone: no party can draw its own by itself.
//
// Where the server has the likelihood, of curvature w in the sum, C⁻¹ = diag(1/ρ_j²) + w·11ᵀ, so that with R
// = Σρ_j² the sum has the variance R/(1 + wR), and ½(log det C − Σ log ρ_j² − Σ C_jj/ρ_j² + J) = ½(wR/(1 +
// wR) − log(1 + wR)).
//
// Where client k has a likelihood of curvature w_k in the sum of the others, C⁻¹ = diag(p) + W·11ᵀ − w1ᵀ −
// 1wᵀ with p_j = 1/ρ² + w_j and W = Σw_k, for one ρ. That is of rank two but for its diagonal, so that
// everything follows from Σ1/p_j, which the clients send beside their variances.
const Coupled = "coupled"

// errCoupled is why there are no draws of auxiliary variables.
var errCoupled = Uncoupled("the coupled guide correlates the noise of different clients, which no party " +
	"can draw by itself, and auxiliary variables are wanted")

// Uncoupled refuses the guide.
func Uncoupled(why string) error {
	return &backends.Refusal{Code: diag.NoCoupling, Err: errors.New(why), Out: "--guide structured"}
}

// A coupling is what a client knows of the noise of all.
type coupling struct {
	atClients bool
	// Σρ_j² over the clients of a sum, by element; ρ² before it is known, when nothing depends on it
	noise   []float64
	clients []float64 // how many they are
}

func newCoupling(n int, atClients bool) *coupling {
	c := &coupling{atClients: atClients, noise: make([]float64, n), clients: make([]float64, n)}
	for i := range c.noise {
		c.noise[i] = 1
	}
	return c
}

// coupledHere reports whether the covariance depends on what the clients send.
func (p *party) coupledHere() bool { return p.coupling != nil && p.coupling.atClients }

// Scalars that are added up for each sum: how many clients have noise in it, and its variance.
const perSum = 2

// describeNoise sets them.
func (p *party) describeNoise(out []float64) {
	for _, at := range p.lin.Members {
		if r := p.rho2[at.Offset]; r > 0 {
			out[perSum*at.Group]++
			out[perSum*at.Group+1] += r
		}
	}
}

// learnNoise takes their totals.
func (p *party) learnNoise(totals []float64) {
	for _, at := range p.lin.Members {
		of := totals[perSum*at.Group:][:perSum]
		for i := at.Offset; i < at.Offset+at.Len; i++ {
			p.coupling.clients[i], p.coupling.noise[i] = of[0], of[1]
		}
	}
}

// inverse is 1/p_j at an element.
func (p *party) inverse(i int) float64 { return 1 / (1/p.rho2[i] + p.now.ownCurve[i]) }

// couple adds to the variances of the party's own predictors that of the others' noise, and to the terms of
// the ELBO its share of those in C; sum has Σ1/p_j.
func (p *party) couple(at density.Member, sum, variance []float64) {
	t := p.next
	for j, total := range sum {
		i := at.Offset + j
		rho2, own, j1 := p.rho2[i], p.now.ownCurve[i], p.inverse(i)
		whole := own + p.now.curvature[i] // W
		n := p.coupling.clients[i]
		if n == 0 { // no curvature is known yet
			n = math.Round(total / rho2)
		}
		t1 := n - total/rho2
		t2 := whole - t1/rho2
		// K = (M⁻¹ + A)⁻¹ with M⁻¹ = −[[0, 1], [1, W]] and A = [[Σ1/p, Σw/p], [Σw/p, Σw²/p]].
		a, b, c := total, t1-1, t2-whole
		det := float64(a*c) - float64(b*b) // det M = −1
		solve := func(x, y float64) (float64, float64) {
			return (float64(c*x) - float64(b*y)) / det, (float64(a*y) - float64(b*x)) / det
		}
		kx, ky := solve(1, own)
		variety := j1 - float64(j1*j1*(kx+float64(own*ky))) // C_jj
		gx, gy := solve(total, t1)
		row := j1 - float64(j1*(gx+float64(own*gy)))          // (C1)_j
		every := total - (float64(total*gx) + float64(t1*gy)) // 1ᵀC1
		variance[j] += max(0, every-float64(2*row)+variety)
		t.entropy += float64(0.5 * (portable.Log(j1/rho2) - portable.Log(-det)/n - variety/rho2 + 1))
	}
}
