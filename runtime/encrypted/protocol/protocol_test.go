package protocol_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
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

func (b *block) Party() string                        { return []string{"registry", "a", "b", "c", "d"}[b.index] }
func (b *block) Index() int                           { return b.index }
func (b *block) Linear(bool) (*density.Linear, error) { return &b.lin, nil }
func (b *block) Law() (*graph.Law, error)             { return &b.law, nil }

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
		Rows: []density.RowLikelihood{{Term: "y", Own: -1,
			Affine: density.Affine{Offset: offset, Matrix: ones}, Evaluate: server.evaluate}}}
	out := []density.Block{server}
	for k := range clients {
		x := make([]float64, 2*n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		out = append(out,
			&block{index: k + 1, lin: density.Linear{Index: []int{0, 1}, Sums: []int{n}, Clients: clients,
				Members: []density.Member{{Len: n}}, Cuts: density.Affine{Offset: make([]float64, n),
					Matrix: x}}})
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
func terms(budget int) func([]int, int, protocol.LikelihoodNumbers) (protocol.Agreement, error) {
	return func([]int, int, protocol.LikelihoodNumbers) (protocol.Agreement, error) {
		return protocol.Agreement{Openings: 10000, Budget: budget}, nil
	}
}

// over is the Env of blocks that a Clearing adds for in the clear, and that of encrypted rows.
func over(t *testing.T, blocks []density.Block, o protocol.Options) (clear density.Env,
	secret *protocol.EncryptedEnv) {
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
	bernoulli, probit, poisson, negative := dist.BernoulliLogit(), dist.BernoulliProbit(), dist.PoissonLog(),
		dist.NegBinomial2Log()
	binary := func(r *rand.Rand) float64 { return float64(r.IntN(2)) }
	count := func(r *rand.Rand) float64 { return float64(r.IntN(4)) }
	for name, c := range map[string]struct {
		law      graph.Law
		clients  int
		response func(*rand.Rand) float64
	}{
		"logistic, one client":   {graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, 1, binary},
		"logistic, two clients":  {graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, 2, binary},
		"logistic, four clients": {graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, 4, binary},
		"probit":                 {graph.Law{Dist: &probit, Theta: [][]float64{nil}}, 2, binary},
		"counts":                 {graph.Law{Dist: &poisson, Theta: [][]float64{nil}}, 2, count},
		"overdispersed":          {graph.Law{Dist: &negative, Theta: [][]float64{nil, {2}}}, 2, count},
	} {
		blocks := draw(c.law, n, c.clients, c.response)
		clear, secret := over(t, blocks, protocol.Options{Terms: terms(protocol.Unlimited), DeriveEach: true})
		inClear := density.Must[density.Encrypting](clear)
		cut := at(blocks, n, draws, .2)
		one, p := [][]float64{}, 1+2*c.clients
		var got, want [][]float64
		for b, v := range cut {
			one, got, want = append(one, v[:n]), append(got, like(1, secret.Columns()[b])),
				append(want, like(1, secret.Columns()[b]))
		}
		if err := errors.Join(secret.Slopes(t.Context(), nil, one, got),
			inClear.Slopes(t.Context(), nil, one, want)); err != nil {
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
		if err := errors.Join(secret.Curvatures(t.Context(), gram),
			inClear.Curvatures(t.Context(), wanted)); err != nil {
			t.Fatal(name, err)
		}
		expected := name == "probit" || name == "overdispersed" // and those in the clear are observed
		for i, v := range gram {
			if !expected && math.Abs(v-wanted[i]) > .03*wanted[i/p*p+i/p]+.03*math.Abs(wanted[i])+.3 {
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
		if err := errors.Join(secret.LogLik(t.Context(), nil, cut, plus, totals),
			inClear.LogLik(t.Context(), nil, cut, plus, exact)); err != nil {
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
	blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(2))
	})
	_, secret := over(t, blocks, protocol.Options{Terms: terms(30)})
	grad := [][]float64{like(1, 1), like(1, 2), like(1, 2)}
	for i, c := range []struct {
		size float64
		err  error
		// known to a client: bounds of three columns and the response, that this is binary, the centre, two
		// bounds, and its gradient
		one int
	}{{.1, nil, 6 + 4 + 2 + 1 + 2 + 2}, {1e6, density.ErrRange, 19}, {.2, nil, 23}} {
		if err := secret.Slopes(t.Context(), nil, at(blocks, n, 1, c.size), grad); !errors.Is(err, c.err) {
			t.Errorf("evaluation %d: %v", i, err)
		}
		if one := secret.Reckoning().One(); one != c.one {
			t.Errorf("after evaluation %d a party knows %d numbers, want %d", i, one, c.one)
		}
	}
	var beyond *protocol.BudgetError
	if err := secret.Curvatures(context.Background(), like(5, 5)); !errors.As(err, &beyond) {
		t.Errorf("15 more numbers: %v", err)
	}
	if beyond.Next != 31 || beyond.Known != 23 || secret.Reckoning().One() != 23 {
		t.Errorf("refused: %v, and known are %d", beyond, secret.Reckoning().One())
	}
}

// saying is a consultation in which the server tells all so many numbers.
type saying int

func (s saying) Size(_, _ int) (up, down, all int)     { return 0, 0, int(s) }
func (saying) Ask(int, []float64)                      {}
func (saying) Counsel(_, _ [][]float64, all []float64) { clear(all) }
func (saying) Take(b int, down, all []float64)         {}

// A draw beyond the range by itself has the density 0, and those that share its ciphertext have their own.
// Where more groups of draws would be halved than one for each 32 draws, the evaluation is beyond the range.
func TestDrawsBeyondTheRange(t *testing.T) {
	// six draws share a ciphertext: those of six, three, two and one are halved
	const n, draws, far = 40, 128, 14
	bernoulli := dist.BernoulliLogit()
	blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(2))
	})
	clear, secret := over(t, blocks, protocol.Options{Terms: terms(protocol.Unlimited)})
	inClear, cut := density.Must[density.Encrypting](clear), at(blocks, n, draws, .2)
	var one, plus, grad [][]float64
	for b := range cut {
		one, plus, grad = append(one, cut[b][:n:n]), append(plus, like(1, draws)),
			append(grad, like(1, secret.Columns()[b]))
	}
	got, want := like(1, draws), like(1, draws)
	if err := errors.Join(secret.Slopes(t.Context(), nil, one, grad),
		inClear.Slopes(t.Context(), nil, one, grad), inClear.LogLik(t.Context(), nil, cut, plus,
			want)); err != nil {
		t.Fatal(err)
	}
	move := func(draw int) {
		for i := range n {
			cut[1][draw*n+i] = 300
		}
	}
	move(far)
	if err := secret.LogLik(t.Context(), nil, cut, plus, got); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if i == far && !math.IsInf(v, -1) || i != far && !(math.Abs(v-want[i]) < .2) {
			t.Errorf("log likelihood %d is %g, want %g", i, v, want[i])
		}
	}
	if r := secret.Reckoning(); r.Far != 1 || !strings.Contains(r.By([]string{"registry", "a", "b"}),
		"polynomials, 1, have the weight 0") {
		t.Errorf("%+v", r)
	}
	if move(draws / 2); !errors.Is(secret.LogLik(t.Context(), nil, cut, plus, got), density.ErrRange) {
		t.Error("two draws of 128 are beyond the range, and the run goes on")
	}
}

// A run ends at the evaluation with a sum that its key is not for, and at every one after it.
func TestMoreSumsThanTheKeyIsFor(t *testing.T) {
	const proof, each = 2, 5
	r := newTrial()
	r.openings = 60
	e, err := r.begin(t.Context(), nil, &recorder{Env: r.clearing(t).Env(0, 1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for sums := proof + each; sums <= r.openings+2*each; sums += each {
		if _, err := r.slopes(t.Context(), e); errors.Is(err, encrypted.ErrOpenings) != (sums > r.openings) {
			t.Errorf("%d sums: %v", sums, err)
		}
	}
}

// As many log likelihoods as a budget affords are decrypted, and what follows is told, within it; the budget
// has no room for many more.
func TestAfforded(t *testing.T) {
	const n = 40
	bernoulli := dist.BernoulliLogit()
	blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(2))
	})
	for _, budget := range []int{25, 60, 150} {
		_, secret := over(t, blocks, protocol.Options{Terms: terms(budget)})
		if err := secret.Slopes(t.Context(), nil, at(blocks, n, 1, .1),
			[][]float64{like(1, 1), like(1, 2), like(1, 2)}); err != nil {
			t.Fatal(err)
		}
		known := secret.Reckoning().One()
		may, bytes := secret.Afford(1000)
		if may > budget-known || may == 0 && budget > 50 || bytes {
			t.Errorf("budget %d: %d are afforded after %d", budget, may, known)
		}
		if may == 0 {
			continue
		}
		plus := [][]float64{like(1, may), like(1, may), like(1, may)}
		if err := secret.LogLik(t.Context(), nil, at(blocks, n, may, .1), plus, like(1, may)); err != nil {
			t.Errorf("budget %d: %v", budget, err)
		}
		if err := secret.Consult(t.Context(), saying(may+3)); err != nil {
			t.Errorf("budget %d: %v", budget, err)
		}
		if one := secret.Reckoning().One(); one < budget-may/2-40 {
			t.Errorf("budget %d: %d are afforded, and %d known", budget, may, one)
		}
	}
}

// What another party is about to learn of a party's rows is told before it does, and an error is the run's
// end.
func TestSpending(t *testing.T) {
	const n = 50
	bernoulli := dist.BernoulliLogit()
	blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(2))
	})
	spent, of, full := 0, "", errors.New("full")
	_, secret := over(t, blocks, protocol.Options{Terms: terms(protocol.Unlimited),
		Spend: func(keys string, numbers int) error {
			if of == "" {
				of = keys
			}
			if numbers > 22 || keys != of || len(keys) != 64 {
				return full
			}
			spent = numbers
			return nil
		}})
	grad := [][]float64{like(1, 1), like(1, 2), like(1, 2)}
	for i, want := range []error{nil, nil, full} {
		err := secret.Slopes(t.Context(), nil, at(blocks, n, 1, .1), grad)
		if !errors.Is(err, want) || spent != secret.Reckoning().Of(0) {
			t.Errorf("evaluation %d: %v; %d numbers were told of, and %d are known", i, err, spent,
				secret.Reckoning().Of(0))
		}
	}
}

// What polynomials cannot stand for is refused before keys are made.
func TestRefused(t *testing.T) {
	student := dist.StudentT()
	blocks := draw(graph.Law{Dist: &student, Param: 1, Theta: [][]float64{{4}, nil, nil}}, 10, 1,
		func(r *rand.Rand) float64 {
			return r.NormFloat64()
		})
	c, err := testmodel.NewClearing(5, blocks)
	if err != nil {
		t.Fatal(err)
	}
	var refusal *polynomial.Refusal
	if _, err := protocol.New(t.Context(), c.Env(0, 1), 2, protocol.Options{Terms: terms(protocol.Unlimited),
		Insecure: 8}); !errors.As(err, &refusal) {
		t.Errorf("a scale that moves: %v", err)
	}
}

// The noise of sums is stated in posterior standard deviations before these are decrypted: it is that of many
// evaluations at one point. Where it is too much nothing is decrypted, and evaluations nearer by may follow.
func TestNoiseIsStated(t *testing.T) {
	const n, repeats = 100, 40
	poisson := dist.PoissonLog()
	blocks := draw(graph.Law{Dist: &poisson, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(4))
	})
	c, err := testmodel.NewClearing(5, blocks)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := protocol.New(t.Context(), c.Env(0, 1, 2), 3, protocol.Options{
		Insecure: 8, Pair: pair, Terms: func([]int, int, protocol.LikelihoodNumbers) (protocol.Agreement,
			error) {
			return protocol.Agreement{Openings: 1 << 46, Budget: protocol.Unlimited}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cut, exact := at(blocks, n, 1, .2), [][]float64{like(1, 1), like(1, 2), like(1, 2)}
	if err := density.Must[density.Encrypting](c.Env(0, 1, 2)).Slopes(t.Context(), nil, cut,
		exact); err != nil {
		t.Fatal(err)
	}
	squares, grad := 0.0, [][]float64{like(1, 1), like(1, 2), like(1, 2)}
	for range repeats {
		if err := secret.Slopes(t.Context(), nil, cut, grad); err != nil {
			t.Fatal(err)
		}
		squares += (grad[0][0] - exact[0][0]) * (grad[0][0] - exact[0][0]) / repeats
	}
	// The intercept's information is the sum of means, about 100; stated is between half and all of 128 of
	// them.
	found, stated := math.Sqrt(squares/100), secret.Reckoning().Noise
	if !(found > .3*stated && found < 1.2*stated) || stated < 1e-4 {
		t.Errorf("noise of %g posterior standard deviations, and %g is stated", found, stated)
	}
	before := secret.Reckoning().Together()
	var far *protocol.RangeError
	err = secret.Slopes(t.Context(), nil, at(blocks, n, 1, .8), grad)
	if !errors.As(err, &far) || !errors.Is(err, density.ErrRange) ||
		!strings.Contains(far.Reason, "the noise that covers decrypted sums would be") {
		t.Error(err)
	}
	if told := secret.Reckoning().Together() - before; told != 3 {
		t.Errorf("%d numbers became known, and one bound of each party should", told)
	}
}

// A standard deviation of residuals may be a global of the server: gradients, curvature and log likelihoods
// at several values of it are those in the clear.
func TestAScaleThatMoves(t *testing.T) {
	const n, draws = 100, 4
	normal := dist.Normal()
	blocks := draw(graph.Law{Dist: &normal, Theta: [][]float64{nil, nil}}, n, 2, func(r *rand.Rand) float64 {
		return 3 + 2*r.NormFloat64()
	})
	server := blocks[0].(*block)
	server.lin.Globals = density.Globals{Index: []int{1}, Density: func(_, grad []float64) float64 {
		clear(grad)
		return 0
	}}
	server.lin.Rows[0].Evaluate = func(phi, eta, lp, slope, _, by []float64) {
		precision := math.Exp(-2 * phi[0])
		clear(by)
		for i, y := range server.law.X {
			lp[i], slope[i] = -(y-eta[i])*(y-eta[i])*precision/2-phi[0], (y-eta[i])*precision
			by[0] += (y-eta[i])*(y-eta[i])*precision - 1
		}
	}
	clear, secret := over(t, blocks, protocol.Options{Terms: terms(protocol.Unlimited), DeriveEach: true})
	inClear, p := density.Must[density.Encrypting](clear), 6
	cut, one := at(blocks, n, draws, .2), [][]float64{}
	var got, want [][]float64
	for b, v := range cut {
		one, got, want = append(one, v[:n]), append(got, like(1, secret.Columns()[b])),
			append(want, like(1, secret.Columns()[b]))
	}
	for _, phi := range []float64{.7, .9} {
		if err := errors.Join(secret.Slopes(t.Context(), []float64{phi}, one, got),
			inClear.Slopes(t.Context(), []float64{phi}, one, want)); err != nil {
			t.Fatal(err)
		}
		for b := range got {
			for j := range got[b] {
				if math.Abs(got[b][j]-want[b][j]) > .01 {
					t.Errorf("gradient %d of party %d is %g, want %g", j, b, got[b][j], want[b][j])
				}
			}
		}
	}
	gram, wanted := like(p, p), like(p, p)
	if err := errors.Join(secret.Curvatures(t.Context(), gram),
		inClear.Curvatures(t.Context(), wanted)); err != nil {
		t.Fatal(err)
	}
	for i, v := range gram {
		if crossed := (i/p == 1) != (i%p == 1); !crossed && math.Abs(v-wanted[i]) > .01 || crossed && v != 0 {
			t.Errorf("curvature %d is %g, want %g", i, v, wanted[i])
		}
	}
	plus := [][]float64{{1, 2, 3, 4}, {5, 6, 7, 8}, {0, -1, 0, 1}}
	totals, exact, phi := like(1, draws), like(1, draws), []float64{.5, .6, .9, 1.2}
	if err := errors.Join(secret.LogLik(t.Context(), phi, cut, plus, totals),
		inClear.LogLik(t.Context(), phi, cut, plus, exact)); err != nil {
		t.Fatal(err)
	}
	for i, v := range totals {
		if math.Abs(v-exact[i]) > .01 {
			t.Errorf("log likelihood %d is %g, want %g", i, v, exact[i])
		}
	}
}

// A response of which one number is neither 0 nor 1 is refused by all parties before a gradient is decrypted.
func TestAResponseThatIsNotBinary(t *testing.T) {
	const n = 100
	bernoulli := dist.BernoulliLogit()
	for _, cheat := range []float64{0, .3, 40} {
		blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2,
			func(r *rand.Rand) float64 {
				return float64(r.IntN(2))
			})
		if cheat > 0 {
			blocks[0].(*block).law.X[17] = cheat
		}
		_, secret := over(t, blocks, protocol.Options{Terms: terms(protocol.Unlimited)})
		err := secret.Slopes(t.Context(), nil, at(blocks, n, 1, .1),
			[][]float64{like(1, 1), like(1, 2), like(1, 2)})
		if cheat > 0 &&
			(err == nil ||
				!strings.Contains(err.Error(), "party [0]: response that is not of zeros and ones")) ||
			cheat == 0 && err != nil {
			t.Errorf("a response with %g: %v", cheat, err)
		}
	}
}
