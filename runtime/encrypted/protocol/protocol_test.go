package protocol_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/tests/testmodel"
)

// A block is one party of a regression whose likelihood has a law.
type block struct {
	density.Block
	index int
	lin   density.Linear
	law   graph.Law
}

func (b *block) Party() string                    { return []string{"registry", "a", "b", "c", "d"}[b.index] }
func (b *block) Index() int                       { return b.index }
func (b *block) Linear() (*density.Linear, error) { return &b.lin, nil }
func (b *block) Law() (*graph.Law, error)         { return &b.law, nil }

// density evaluates a law by its descriptor.
func (b *block) evaluate(_, eta, lp, slope, _, _ []float64) {
	for i, x := range b.law.X {
		d := []float64{0}
		batch := def.Batch{N: 1, X: def.Scalar(x), DTheta: make([][]float64, len(b.law.Theta))}
		for k, v := range b.law.Theta {
			if k == b.law.Param {
				v = eta[i : i+1]
			}
			batch.Theta = append(batch.Theta, def.Scalar(v[0]))
		}
		batch.DTheta[b.law.Param] = d
		lp[i], slope[i] = b.law.Dist.LogDensity(&batch), d[0]
	}
}

// draw makes a regression with two columns a client and an intercept at the server.
func draw(law graph.Law, n, clients int, response func(r *rand.Rand) float64) []density.Block {
	r := rand.New(rand.NewPCG(3, uint64(clients)))
	law.Linked, law.Plain = true, true
	server := &block{law: law}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
		server.law.X = append(server.law.X, response(r))
	}
	offset := make([]float64, n)
	for i := range offset {
		offset[i] = .2 * r.NormFloat64()
	}
	server.lin = density.Linear{Index: []int{0}, Sums: []int{n}, Clients: clients,
		Rows: []density.RowLikelihood{{Term: "y", Own: -1, Affine: density.Affine{Offset: offset, Matrix: ones}, Evaluate: server.evaluate}}}
	out := []density.Block{server}
	for k := range clients {
		x := make([]float64, 2*n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		out = append(out, &block{index: k + 1, lin: density.Linear{Index: []int{0, 1}, Sums: []int{n}, Clients: clients,
			Members: []density.Member{{Len: n}}, Cuts: density.Affine{Offset: make([]float64, n), Matrix: x}}})
	}
	return out
}

// at are the cuts at parameters that are drawn, for several draws.
func at(blocks []density.Block, n, draws int, size float64) (cut [][]float64) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, b := range blocks {
		lin := &b.(*block).lin
		m := &lin.Cuts
		if b.Index() == 0 {
			m = &lin.Rows[0].Affine
		}
		var all []float64
		for range draws {
			one := append([]float64(nil), m.Offset...)
			for j := range len(m.Matrix) / n {
				theta := size * r.NormFloat64()
				for i := range one {
					one[i] += theta * m.Matrix[j*n+i]
				}
			}
			all = append(all, one...)
		}
		cut = append(cut, all)
	}
	return cut
}

// terms are those of a run in which one party may learn so many numbers.
func terms(budget int) func([]int, int) (protocol.Terms, error) {
	return func([]int, int) (protocol.Terms, error) { return protocol.Terms{Openings: 10000, Budget: budget}, nil }
}

// over is the Env of blocks that a Clearing adds for in the clear, and that of encrypted rows.
func over(t *testing.T, blocks []density.Block, o protocol.Options) (clear density.Env, secret *protocol.Evaluator) {
	t.Helper()
	c, err := testmodel.NewClearing(5, blocks)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for b := range blocks {
		all = append(all, b)
	}
	clear = c.Env(all...)
	o.Insecure, o.Pair = 8, pair
	secret, err = protocol.New(t.Context(), c.Env(all...), len(blocks), o)
	if err != nil {
		t.Fatal(err)
	}
	return clear, secret
}

// pair is the secret of two clients.
func pair(own, peer int) ([]byte, error) {
	return []byte{byte(min(own, peer)), byte(max(own, peer)), 31: 7}, nil
}

func like(n, columns int) (out []float64) { return make([]float64, n*columns) }

// Gradients, curvature and log likelihoods over encrypted rows are those in the clear, whether one holder
// derives for all or each for itself, with one client and with several.
func TestSumsAreThoseInTheClear(t *testing.T) {
	const n, draws = 100, 5
	bernoulli := dist.BernoulliLogit()
	binary := func(r *rand.Rand) float64 { return float64(r.IntN(2)) }
	for name, c := range map[string]struct {
		law      graph.Law
		clients  int
		response func(*rand.Rand) float64
	}{
		"logistic, one client":   {graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, 1, binary},
		"logistic, two clients":  {graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, 2, binary},
		"logistic, four clients": {graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, 4, binary},
	} {
		blocks := draw(c.law, n, c.clients, c.response)
		clear, secret := over(t, blocks, protocol.Options{Terms: terms(0), DeriveEach: true})
		inClear := density.Must[density.Encrypting](clear)
		cut := at(blocks, n, draws, .2)
		one, p := [][]float64{}, 1+2*c.clients
		var got, want [][]float64
		for b, v := range cut {
			one, got, want = append(one, v[:n]), append(got, like(1, secret.Columns()[b])), append(want, like(1, secret.Columns()[b]))
		}
		if err := errors.Join(secret.Slopes(t.Context(), nil, one, got), inClear.Slopes(t.Context(), nil, one, want)); err != nil {
			t.Fatal(name, err)
		}
		for b := range got {
			for j := range got[b] {
				if math.Abs(got[b][j]-want[b][j]) > .2 {
					t.Errorf("%s: gradient %d of party %d is %g, want %g", name, j, b, got[b][j], want[b][j])
				}
			}
		}
		gram, wanted := like(p, p), like(p, p)
		if err := errors.Join(secret.Curvatures(t.Context(), gram), inClear.Curvatures(t.Context(), wanted)); err != nil {
			t.Fatal(name, err)
		}
		for i, v := range gram {
			if math.Abs(v-wanted[i]) > .03*wanted[i/p*p+i/p]+.03*math.Abs(wanted[i])+.3 {
				t.Errorf("%s: curvature %d is %g, want %g", name, i, v, wanted[i])
			}
		}
		plus := make([][]float64, len(cut))
		for b := range plus {
			for i := range draws {
				plus[b] = append(plus[b], float64(b)-float64(i)/3)
			}
		}
		totals, exact := like(1, draws), like(1, draws)
		if err := errors.Join(secret.LogLik(t.Context(), nil, cut, plus, totals), inClear.LogLik(t.Context(), nil, cut, plus, exact)); err != nil {
			t.Fatal(name, err)
		}
		for i, v := range totals {
			if math.Abs(v-exact[i]) > .2 {
				t.Errorf("%s: log likelihood %d is %g, want %g", name, i, v, exact[i])
			}
		}
	}
}

// Contributions beyond the range end no run: an evaluation nearer by follows. D counts what is opened, and
// ends the run before it is beyond the budget.
func TestRangeAndBudget(t *testing.T) {
	const n = 100
	bernoulli := dist.BernoulliLogit()
	blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 { return float64(r.IntN(2)) })
	_, secret := over(t, blocks, protocol.Options{Terms: terms(20)})
	grad := [][]float64{like(1, 1), like(1, 2), like(1, 2)}
	for i, c := range []struct {
		size float64
		err  error
		one  int // known to a client: the centre, two bounds, and its gradient
	}{{.1, nil, 5}, {1e6, density.ErrRange, 7}, {.2, nil, 11}} {
		if err := secret.Slopes(t.Context(), nil, at(blocks, n, 1, c.size), grad); !errors.Is(err, c.err) {
			t.Errorf("evaluation %d: %v", i, err)
		}
		if one := secret.Reckoning().One; one != c.one {
			t.Errorf("after evaluation %d a party knows %d numbers, want %d", i, one, c.one)
		}
	}
	var beyond *protocol.BudgetError
	if err := secret.Curvatures(context.Background(), like(5, 5)); !errors.As(err, &beyond) {
		t.Errorf("15 more numbers: %v", err)
	}
}

// What polynomials cannot stand for is refused before keys are made.
func TestRefused(t *testing.T) {
	normal := dist.Normal()
	blocks := draw(graph.Law{Dist: &normal, Theta: [][]float64{nil, nil}}, 10, 1, func(r *rand.Rand) float64 { return r.NormFloat64() })
	c, err := testmodel.NewClearing(5, blocks)
	if err != nil {
		t.Fatal(err)
	}
	var refusal *polynomial.Refusal
	if _, err := protocol.New(t.Context(), c.Env(0, 1), 2, protocol.Options{Terms: terms(0), Insecure: 8}); !errors.As(err, &refusal) {
		t.Errorf("a scale that moves: %v", err)
	}
}
