package session_test

import (
	"math"
	"testing"

	"github.com/vflc/vflc/density"
)

// A stepper is a player whose clients evaluate their own density at several points; what they answer is the
// mean.
type stepper struct {
	*player
	points [][][]float64 // per point and block
	local  [][][]float64 // gradients there
	own    [][]float64
}

func (l *stepper) Answer(b int, answer []float64) float64 {
	block := l.env.Blocks()[b].(density.LocalDensity)
	clear(answer)
	lp, n := 0.0, float64(len(l.points))
	for k, theta := range l.points {
		lp += block.Local(theta[b], l.g[b], l.own[b]) / n
		l.rho(b, func(i int, rho float64) { l.seed[b][i] = l.own[b][i] + (l.e[b][i]-l.g[b][i])/(rho*rho) })
		received := make([]float64, block.Received())
		block.Gradient(l.seed[b], l.local[k][b])
		block.ReceivedGradient(received)
		for i, v := range received {
			answer[i] += v / n
		}
		l.rho(b, func(i int, rho float64) { l.de[b][i] += (l.g[b][i] - l.e[b][i]) / (rho * rho) / n })
	}
	return lp
}

func (l *stepper) Send(b int, z []float64) { copy(z, l.e[b]) }

func (l *stepper) Receive(b int, adj []float64) {
	for i, a := range adj {
		l.de[b][i] += a
	}
}

// Clients that step to one point give what a plain evaluation there gives: densities, gradients of all
// classes of shared parameters, adjoints. Stepping to two points they give the mean of both, for what the
// server computes from the adjoints is linear in what they answer.
func TestLocalStepsAreEvaluations(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		if w.exact {
			return // steps are taken given auxiliary variables
		}
		env := local(t, w.plan(t))
		p := newPlayer(env, centred)
		l := &stepper{player: newPlayer(env, centred), own: clone(p.e),
			local: [][][]float64{clone(p.grad), clone(p.grad)}}
		second := clone(p.theta)
		for b := 1; b < len(second); b++ {
			for i := range second[b] {
				second[b][i] = math.Cos(float64(i + b))
			}
		}
		var grads, des [][][]float64
		var lps [][]float64
		for _, at := range [][][]float64{p.theta, second} {
			p.theta = at
			must(t, p.density(t.Context()))
			grads, des, lps = append(grads, clone(p.grad)), append(des, clone(p.de)),
				append(lps, append([]float64(nil), p.lp...))
		}
		for n := 1; n <= 2; n++ {
			l.points = [][][]float64{l.theta, second}[:n]
			for b := range l.de {
				clear(l.de[b])
			}
			must(t, density.Must[density.LocallyStepped](env).StepLocally(t.Context(), l.theta, l, l.grad,
				l.lp))
			mean := func(of func(k int) float64) float64 { return (of(0) + of(n-1)) / 2 }
			for b := range l.de {
				close(t, "lp", b, 0, l.lp[b], mean(func(k int) float64 { return lps[k][b] }))
				for i, v := range l.de[b] {
					close(t, "∂z", b, i, v, mean(func(k int) float64 { return des[k][b][i] }))
				}
				for k := range n {
					for i, v := range l.local[k][b] {
						if b > 0 && n == 1 {
							close(t, "own gradient", b, i, v, grads[k][b][i])
						}
					}
				}
			}
			for i, v := range l.grad[0] {
				close(t, "server's gradient", 0, i, v, mean(func(k int) float64 { return grads[k][0][i] }))
			}
		}
	})
}

func close(t *testing.T, what string, b, i int, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s %d of party %d is %v, want %v", what, i, b, got, want)
	}
}

// Where the cuts themselves cross there are no auxiliary variables: exchanges about them are a misuse, not an
// exchange of something else.
func TestNoAuxiliariesToStepGiven(t *testing.T) {
	env := local(t, newWorld(design{exact: true, clients: 2}).plan(t))
	for name, misuse := range map[string]func(){
		"StepLocally": func() {
			density.Must[density.LocallyStepped](env).StepLocally(t.Context(), nil, nil, nil, nil)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s runs", name)
				}
			}()
			misuse()
		}()
	}
}
