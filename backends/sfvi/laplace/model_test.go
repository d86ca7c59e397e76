package laplace_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends/sfvi/laplace"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/tests/testmodel"
)

// A block is one party of a regression.
type block struct {
	party string
	index int
	lin   density.Linear
}

func (b *block) Party() string                          { return b.party }
func (b *block) Index() int                             { return b.index }
func (b *block) Dim() int                               { return len(b.lin.Index) }
func (b *block) Params() []density.Parameter            { return nil }
func (b *block) Cuts() []density.Cut                    { return nil }
func (b *block) AuxLen() int                            { return 0 }
func (b *block) Cut(density.Slot, []float64, []float64) {}
func (b *block) Hierarchical() bool                     { return false }
func (b *block) Weights() []int                         { return nil }
func (b *block) StartWeights([]float64, density.Stream) {}
func (b *block) Jacobian(bool)                          {}
func (b *block) Linear(bool) (*density.Linear, error)   { return &b.lin, nil }

// A family sets the log likelihood of a response at a predictor, but for a constant, and the slope there.
type family func(y, eta float64) (lp, slope float64)

func logistic(y, eta float64) (lp, slope float64) {
	return y*eta - math.Max(eta, 0) - math.Log1p(math.Exp(-math.Abs(eta))), y - 1/(1+math.Exp(-eta))
}

func probit(y, eta float64) (lp, slope float64) {
	s := 2*y - 1
	p := 0.5 * math.Erfc(-s*eta/math.Sqrt2)
	return math.Log(p), s * math.Exp(-eta*eta/2) / (math.Sqrt(2*math.Pi) * p)
}

func poisson(y, eta float64) (lp, slope float64) {
	m := math.Exp(eta)
	return y*eta - m, y - m
}

const sigma = 2

func normal(y, eta float64) (lp, slope float64) {
	return -(y - eta) * (y - eta) / (2 * sigma * sigma), (y - eta) / (sigma * sigma)
}

// A design says how covariates are drawn: columns take the share rho of their variance from a factor that all
// have in common, or, by pairs, column j of every client from factor j.
type design struct {
	rows, clients, columns int
	rho                    float64
	pairs                  bool
	kind                   string  // of likelihood
	rate                   float64 // of ones, or of counts
	size                   float64 // standard deviation of coefficients; 0: .3, and of counts .15
	seed                   uint64
}

// A regression is a design with its response.
type regression struct {
	x         [][]float64 // by client
	y, offset []float64
	of        family
}

func (d design) draw() *regression {
	r := rand.New(rand.NewPCG(d.seed, 11))
	of := map[string]family{"logistic": logistic, "probit": probit, "poisson": poisson,
		"normal": normal}[d.kind]
	m := &regression{of: of, y: make([]float64, d.rows), offset: make([]float64, d.rows)}
	factors := make([][]float64, d.columns)
	for j := range factors {
		if factors[j] = factors[0]; j == 0 || d.pairs {
			factors[j] = make([]float64, d.rows)
			for i := range d.rows {
				factors[j][i] = r.NormFloat64()
			}
		}
	}
	eta, size := make([]float64, d.rows), 0.3
	if d.kind == "poisson" {
		size = 0.15
	}
	if d.size > 0 {
		size = d.size
	}
	own, common := math.Sqrt(1-d.rho), math.Sqrt(d.rho)
	for range d.clients {
		x := make([]float64, d.rows*d.columns)
		for j := range d.columns {
			beta := size * r.NormFloat64()
			for i := range d.rows {
				v := own*r.NormFloat64() + common*factors[j][i]
				x[j*d.rows+i] = v
				eta[i] += beta * v
			}
		}
		m.x = append(m.x, x)
	}
	m.respond(d, eta, r)
	return m
}

// respond draws responses at predictors.
func (m *regression) respond(d design, eta []float64, r *rand.Rand) {
	switch d.kind {
	case "normal":
		for i, e := range eta {
			m.y[i] = e + sigma*r.NormFloat64()
		}
	case "poisson":
		for i, e := range eta {
			m.offset[i] = 2*r.Float64() - 1
			for t := r.ExpFloat64(); t < d.rate*math.Exp(m.offset[i]+e); t += r.ExpFloat64() {
				m.y[i]++
			}
		}
	default:
		one := func(at float64) float64 { l, _ := m.of(1, at); return math.Exp(l) }
		low, high := -20.0, 20.0
		for range 40 {
			mid, mean := (low+high)/2, 0.0
			for _, e := range eta[:min(1000, len(eta))] {
				mean += one(mid+e) / float64(min(1000, len(eta)))
			}
			if mean > d.rate {
				high = mid
			} else {
				low = mid
			}
		}
		for i, e := range eta {
			if r.Float64() < one(low+e) {
				m.y[i] = 1
			}
		}
	}
}

// precision is that of the priors, of intercept and slopes.
const atIntercept, atSlopes = 1 / 25.0, 1 / 6.25

func diagonal(d int, v float64) []float64 {
	out := make([]float64, d*d)
	for i := range d {
		out[i*d+i] = v
	}
	return out
}

// blocks are those of all parties: the server has an intercept.
func (m *regression) blocks() []density.Block {
	n, clients := len(m.y), len(m.x)
	server := &block{party: "registry", lin: density.Linear{
		Index: []int{0}, Sums: []int{n}, Clients: clients,
		Prior: density.Quadratic{Gradient: make([]float64, 1), Precision: diagonal(1, atIntercept)},
		Rows: []density.RowLikelihood{{Term: "y", Own: -1, Affine: density.Affine{Offset: m.offset,
			Matrix: slices.Repeat([]float64{1}, n)},
			Evaluate: func(_, eta, lp, slope, _, _ []float64) {
				for i, y := range m.y {
					lp[i], slope[i] = m.of(y, eta[i])
				}
			}}},
	}}
	out := []density.Block{server}
	for j, x := range m.x {
		d := len(x) / n
		b := &block{party: "client" + string(rune('a'+j)), index: j + 1, lin: density.Linear{
			Sums: []int{n}, Clients: clients, Members: []density.Member{{Len: n}},
			Cuts:  density.Affine{Offset: make([]float64, n), Matrix: x},
			Prior: density.Quadratic{Gradient: make([]float64, d), Precision: diagonal(d, atSlopes)},
		}}
		for i := range d {
			b.lin.Index = append(b.lin.Index, i)
		}
		out = append(out, b)
	}
	return out
}

// clearing is where the parties of a regression meet.
func (m *regression) clearing(t testing.TB) *testmodel.Clearing {
	t.Helper()
	c, err := testmodel.NewClearing(5, m.blocks())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// all are the numbers of the parties.
func (m *regression) all() (out []int) {
	for j := range len(m.x) + 1 {
		out = append(out, j)
	}
	return out
}

// run makes a fit to its end.
func run(ctx context.Context, env density.Env, o laplace.Options) (*laplace.Kernel, error) {
	k, err := laplace.New(env, o)
	if err != nil {
		return nil, err
	}
	if err := k.Init(ctx); err != nil {
		return k, err
	}
	for {
		if info, err := k.Step(ctx); err != nil || info.Done {
			return k, err
		}
	}
}

// nodes and shares are those of the expectation of a function of a standard normal number: it is exact for
// polynomials of degree 13 (Abramowitz and Stegun 1972, table 25.10).
var nodes = []float64{0, 1.1544053947399682, 2.3667594107345416, 3.7504397177257425}
var shares = []float64{16.0 / 35, 0.2401231786050127, 0.03075712396758651, 0.0005482688559722179}

// gaussian finds the mean and the covariance of the Gaussian that is nearest to the posterior, over which the
// gradient is 0 on average and the precision is the average of minus the second derivatives, by steps in all
// parameters from a point near it.
func (m *regression) gaussian(from []float64) (theta, covariance []float64) {
	n, x := len(m.y), slices.Repeat([]float64{1}, len(m.y))
	for _, v := range m.x {
		x = append(x, v...)
	}
	p := len(x) / n
	theta = slices.Clone(from)
	eta, slope, weight, scaled, spread := make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n), make([]float64, n)
	for range 12 {
		vec.MatVec(n, eta, x, n, theta, 1, p)
		vec.Accumulate(n, eta, m.offset)
		for i, y := range m.y {
			slope[i], weight[i] = m.expected(y, eta[i], math.Sqrt(spread[i]))
		}
		h := diagonal(p, atSlopes)
		h[0] = atIntercept
		g := make([]float64, p)
		for a := range p {
			g[a] = vec.Dot(n, slope, x[a*n:]) - h[a*p+a]*theta[a]
			vec.Mul(n, scaled, weight, x[a*n:])
			for b := range p {
				h[a*p+b] += vec.Dot(n, scaled, x[b*n:])
			}
		}
		covariance = invert(h, p)
		clear(spread)
		for a := range p {
			theta[a] += vec.Dot(p, covariance[a*p:], g)
			vec.MatVec(n, scaled, x, n, covariance[a*p:], 1, p)
			for i, v := range x[a*n:][:n] {
				spread[i] += v * scaled[i]
			}
		}
	}
	return theta, covariance
}

// expected is the mean of the slope of a row and of the curvature where the predictor is normal.
func (m *regression) expected(y, eta, sd float64) (slope, weight float64) {
	for i, z := range nodes {
		for _, at := range []float64{eta - sd*z, eta + sd*z}[:min(2, 1+i)] {
			_, s := m.of(y, at)
			_, up := m.of(y, at+1e-5)
			_, down := m.of(y, at-1e-5)
			slope += shares[i] * s
			weight += shares[i] * (down - up) / 2e-5
		}
	}
	return slope, weight
}

// invert is the inverse of a positive definite matrix.
func invert(m []float64, p int) []float64 {
	a, out := slices.Clone(m), diagonal(p, 1)
	for k := range p {
		pivot := a[k*p+k]
		for j := range p {
			a[k*p+j] /= pivot
			out[k*p+j] /= pivot
		}
		for i := range p {
			if f := a[i*p+k]; i != k && f != 0 {
				for j := range p {
					a[i*p+j] -= f * a[k*p+j]
					out[i*p+j] -= f * out[k*p+j]
				}
			}
		}
	}
	return out
}

// over is an Env of blocks in one process.
func over(t *testing.T, blocks []density.Block) density.Env {
	t.Helper()
	c, err := testmodel.NewClearing(5, blocks)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for b := range blocks {
		all = append(all, b)
	}
	return c.Env(all...)
}
