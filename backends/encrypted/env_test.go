package encrypted_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends/encrypted"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/tests/testmodel"
)

// A block is a party of a normal regression whose log scale is a parameter of the server.
type block struct {
	density.Block
	index int
	lin   density.Linear
}

func (b *block) Party() string                        { return "party" }
func (b *block) Index() int                           { return b.index }
func (b *block) Dim() int                             { return len(b.lin.Index) + len(b.lin.Globals.Index) }
func (b *block) Linear(bool) (*density.Linear, error) { return &b.lin, nil }

const rows, slopes = 40, 2

// parties are the server, with the log scale before its intercept, and a client.
func parties() (blocks []density.Block, x, y []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y = make([]float64, slopes*rows), make([]float64, rows)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := range y {
		y[i] = 2 + .5*x[i] - x[rows+i] + .7*r.NormFloat64()
	}
	identity := func(d int, v float64) density.Quadratic {
		q := density.Quadratic{Gradient: make([]float64, d), Precision: make([]float64, d*d)}
		for i := range d {
			q.Precision[i*d+i] = v
		}
		return q
	}
	server := &block{lin: density.Linear{
		Index: []int{1}, Sums: []int{rows}, Clients: 1, Prior: identity(1, .04),
		Globals: density.Globals{Index: []int{0}, Density: func(phi, grad []float64) float64 {
			grad[0] = -phi[0]
			return -phi[0] * phi[0] / 2
		}},
		Rows: []density.RowLikelihood{{Own: -1, Affine: density.Affine{Offset: make([]float64, rows),
			Matrix: slices.Repeat([]float64{1}, rows)},
			Evaluate: func(phi, eta, lp, slope, _, by []float64) {
				precision := math.Exp(-2 * phi[0])
				by[0] = 0
				for i, v := range y {
					d := v - eta[i]
					lp[i], slope[i] = -precision*d*d/2-phi[0], precision*d
					by[0] += precision*d*d - 1
				}
			}}},
	}}
	client := &block{index: 1, lin: density.Linear{
		Index: []int{0, 1}, Sums: []int{rows}, Clients: 1, Members: []density.Member{{Len: rows}},
		Prior: identity(slopes, 1),
		Cuts:  density.Affine{Offset: make([]float64, rows), Matrix: x},
	}}
	return []density.Block{server, client}, x, y
}

// posterior is the log density at a point.
func posterior(x, y []float64, theta [][]float64) float64 {
	s, b, beta := theta[0][0], theta[0][1], theta[1]
	sum := -s*s/2 - .04*b*b/2 - (beta[0]*beta[0]+beta[1]*beta[1])/2
	for i, v := range y {
		d := (v - b - beta[0]*x[i] - beta[1]*x[rows+i]) * math.Exp(-s)
		sum -= d*d/2 + s
	}
	return sum
}

// The log density is the posterior's and its gradient the derivative, at parties of one process; the server
// begins where it fits best alone; and out of range the density is 0.
func TestDensityOverEncryptedRows(t *testing.T) {
	blocks, x, y := parties()
	c, err := testmodel.NewClearing(1, blocks)
	if err != nil {
		t.Fatal(err)
	}
	env, err := encrypted.Over(c.Env(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	theta, grad, lp := [][]float64{{.3, 1.5}, {.2, -.4}}, [][]float64{make([]float64, 2), make([]float64, 2)},
		make([]float64, 2)
	evaluate := func() float64 {
		if err := env.Density(t.Context(), theta, nil, grad, lp); err != nil {
			t.Fatal(err)
		}
		return lp[0] + lp[1]
	}
	if got, want := evaluate(), posterior(x, y, theta); !(math.Abs(got-want) < 1e-10) {
		t.Errorf("the log density is %v, and not %v", got, want)
	}
	slope := func(b, i int) float64 {
		const h = 1e-5
		defer func(v float64) { theta[b][i] = v }(theta[b][i])
		theta[b][i] += h
		above := posterior(x, y, theta)
		theta[b][i] -= 2 * h
		return (above - posterior(x, y, theta)) / (2 * h)
	}
	for b := range theta {
		for i, g := range grad[b] {
			if want := slope(b, i); !(math.Abs(g-want) < 1e-5*(1+math.Abs(want))) {
				t.Errorf("the derivative by number %d of party %d is %v, and not %v", i, b, g, want)
			}
		}
	}
	theta[1] = []float64{0, 0}
	density.Place(env, 0, theta[0])
	for i := range theta[0] {
		if g := slope(0, i); !(math.Abs(g) < 1e-3) {
			t.Errorf("the server begins where the derivative by number %d is %v", i, g)
		}
	}
	if density.Place(env, 1, theta[1]); theta[1][0] != 0 {
		t.Errorf("a client is placed at %v", theta[1])
	}
	c.Range = 1
	if got := evaluate(); !math.IsInf(got, -1) || grad[1][0] != 0 {
		t.Errorf("out of range the log density is %v, its gradient %v", got, grad)
	}
}
