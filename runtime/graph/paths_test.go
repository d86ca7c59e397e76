package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }

// A form is how an argument of a density is given.
type form int

const (
	oneConstant form = iota
	constants        // one for each row
	oneNumber        // a parameter of the model
	numbers          // one for each row
	levels           // one for each group of rows
	predictor        // a matrix times coefficients
)

// A densityCase is a use of a density in a model, derived from the descriptor of the distribution.
type densityCase struct {
	d        *def.Dist
	n        int
	x        form
	theta    []form
	weighted bool
}

func (c densityCase) String() string {
	return fmt.Sprintf("%s, %d rows, x %d, theta %v, weighted %v", c.d.Name, c.n, c.x, c.theta, c.weighted)
}

// densityCases lists the ways to use a distribution: any form of an argument with any of another and with any
// number of rows, and of one or two arguments all combinations.
func densityCases(d *def.Dist) []densityCase {
	thetas := [][]form{nil}
	for k := range d.Params {
		var longer [][]form
		for _, t := range thetas {
			for _, f := range formsOf(d, k) {
				longer = append(longer, append(t[:len(t):len(t)], f))
			}
		}
		thetas = longer
	}
	xs := []form{constants, numbers}
	if d.Discrete {
		xs = xs[:1]
	}
	var out []densityCase
	for i, x := range xs {
		for _, theta := range thetas {
			choices := []int{i}
			for k, f := range theta {
				choices = append(choices, slices.Index(formsOf(d, k), f))
			}
			for k, n := range []int{1, 17, 300, 100} {
				if brief.Share(max(1, min(3, len(d.Params)+len(xs)-1)), append(choices, k)...) {
					out = append(out, densityCase{d, n, x, theta, n == 100})
				}
			}
		}
	}
	return out
}

// formsOf lists how parameter k of a distribution may be given.
func formsOf(d *def.Dist, k int) []form {
	forms := []form{oneConstant, oneNumber, numbers, levels}
	if d.Params[k].Integral {
		forms = []form{oneConstant, constants}
	}
	if d.Link.Scale != def.NoLink && d.Link.Param == k {
		forms = append(forms, predictor)
	}
	return forms
}

// An argument is one argument of a case: its value in each row, and how that depends on the parameters of the
// model.
type argument struct {
	form   form
	v      []float64
	at     []float64 // parameters of the model
	matrix []float64 // of a predictor, by columns
}

const predictorColumns, groupsOfRows = 3, 2

// newArgument draws an argument of n rows.
func newArgument(r *rand.Rand, f form, n int, draw func(row int) float64) argument {
	a := argument{form: f, v: make([]float64, n)}
	for i := range a.v {
		switch {
		case f == constants || f == numbers || i == 0 || f == levels && i < groupsOfRows:
			a.v[i] = draw(i)
		case f == levels:
			a.v[i] = a.v[i%groupsOfRows]
		default:
			a.v[i] = a.v[0]
		}
	}
	switch f {
	case oneNumber:
		a.at = a.v[:1]
	case numbers:
		a.at = a.v
	case levels:
		a.at = a.v[:min(n, groupsOfRows)]
	case predictor:
		a.at, a.matrix = make([]float64, predictorColumns), make([]float64, n*predictorColumns)
		for k := range a.at {
			a.at[k] = 0.5 * r.NormFloat64()
		}
		clear(a.v)
		for j := range a.matrix {
			a.matrix[j] = r.NormFloat64()
			a.v[j%n] += a.matrix[j] * a.at[j/n]
		}
	}
	return a
}

// build adds an argument to a model.
func (a argument) build(tb testing.TB, b *graph.Builder, name string) graph.ID {
	n := len(a.v)
	switch a.form {
	case oneConstant:
		return b.Scalar(a.v[0])
	case constants:
		return b.Const(name, shape{n}, a.v)
	case oneNumber:
		return b.Param(name, shape{})
	case numbers:
		return b.Param(name, shape{n})
	case levels:
		group := make([]float64, n)
		for i := range group {
			group[i] = float64(1 + i%len(a.at))
		}
		return apply(tb, b, "gather", b.Param(name, shape{len(a.at)}), b.Const(name+" group", shape{n}, group))
	}
	return apply(tb, b, "matmul", b.Const(name+" matrix", shape{n, predictorColumns}, a.matrix),
		b.Param(name, shape{predictorColumns}))
}

// pull carries the derivatives in the rows to the parameters. It also returns the sums of absolute values.
func (a argument) pull(d []float64) (grad, size []float64) {
	grad, size = make([]float64, len(a.at)), make([]float64, len(a.at))
	for k := range grad {
		for i, v := range d {
			switch {
			case a.form == numbers && i != k || a.form == levels && i%len(a.at) != k:
				continue
			case a.form == predictor:
				v *= a.matrix[k*len(a.v)+i]
			}
			grad[k] += v
			size[k] += math.Abs(v)
		}
	}
	return grad, size
}

// domainDraw draws a moderate value of a domain.
func domainDraw(r *rand.Rand, p def.Param) float64 {
	switch {
	case p.Integral:
		return float64(1 + r.IntN(40))
	case p.Domain == def.Positive || p.Domain == def.NonNegative:
		return math.Exp(0.6 * r.NormFloat64())
	case p.Domain == def.UnitInterval:
		return 0.05 + 0.9*r.Float64()
	}
	return 1.2 * r.NormFloat64()
}

// A drawnCase is a case with numbers.
type drawnCase struct {
	densityCase
	args    []argument // x, then theta
	weights []float64
	power   float64
}

func (c densityCase) draw(seed uint64) *drawnCase {
	r := rand.New(rand.NewPCG(seed, 23))
	out := &drawnCase{densityCase: c, args: make([]argument, 1), power: 0.5}
	for k, f := range c.theta {
		draw := func(int) float64 { return domainDraw(r, c.d.Params[k]) }
		if c.d.Support == def.Interval && k == 1 { // bounds in order
			draw = func(int) float64 { return 7 + r.Float64() }
		}
		switch { // the same for whole numbers, and no more drawn than there are
		case c.d.Support == def.WholeInterval && k == 1:
			draw = func(int) float64 { return 40 + float64(r.IntN(5)) }
		case c.d.Support == def.UpToN && c.d.Narrow != nil && k == 0:
			draw = func(int) float64 { return float64(1 + r.IntN(2)) }
		case !c.d.Discrete && c.d.Narrow != nil && k == 2: // an end that it moves is far from most values
			draw = func(int) float64 { return 0.3 * r.NormFloat64() }
		}
		out.args = append(out.args, newArgument(r, f, c.n, draw))
	}
	out.args[0] = newArgument(r, c.x, c.n, func(row int) float64 {
		switch {
		case c.d.Sample != nil:
			return c.d.Sample(r, out.row(row))
		case c.d.Support == def.Positive:
			return r.ExpFloat64()
		}
		return r.NormFloat64()
	})
	for range c.n {
		out.weights = append(out.weights, float64(r.IntN(3)))
	}
	return out
}

// row is theta in a row.
func (c *drawnCase) row(i int) []float64 {
	theta := make([]float64, len(c.theta))
	for k := range theta {
		theta[k] = c.args[k+1].v[i]
	}
	return theta
}

// build makes the graph of a case.
func (c *drawnCase) build(tb testing.TB, b *graph.Builder) {
	ids := make([]graph.ID, len(c.args))
	for k, a := range c.args {
		ids[k] = a.build(tb, b, fmt.Sprint("a", k))
	}
	weights := graph.NoID
	if c.weighted {
		weights = b.Const("weights", shape{c.n}, c.weights)
	}
	if err := b.Likelihood("y", c.d, ids[0], ids[1:], weights, c.power); err != nil {
		tb.Fatal(err)
	}
}

// at is the parameters of the model.
func (c *drawnCase) at() []float64 {
	var x []float64
	for _, a := range c.args {
		x = append(x, a.at...)
	}
	return x
}

// want returns the value and the gradient by the descriptor's log density, row by row, and the same sums over
// absolute values.
func (c *drawnCase) want() (grad, size []float64) {
	partials := make([][]float64, len(c.args))
	value, all := 0.0, 0.0
	for i := range c.n {
		w := c.power
		if c.weighted {
			w *= c.weights[i]
		}
		block := def.Batch{N: 1, X: def.Scalar(c.args[0].v[i]), DX: make([]float64, 1)}
		theta := c.row(i)
		for _, v := range theta {
			block.Theta, block.DTheta = append(block.Theta, def.Scalar(v)),
				append(block.DTheta, make([]float64, 1))
		}
		lp := c.d.LogDensity(&block)
		all += w * math.Abs(lp)
		if c.d.Carrier != nil {
			carrier := c.d.Carrier(c.args[0].v[i], theta)
			lp += carrier
			all += w * math.Abs(carrier)
		}
		value += w * lp
		partials[0] = append(partials[0], w*block.DX[0])
		for k := range theta {
			partials[k+1] = append(partials[k+1], w*block.DTheta[k][0])
		}
	}
	grad, size = []float64{value}, []float64{all}
	for k, a := range c.args {
		g, s := a.pull(partials[k])
		grad, size = append(grad, g...), append(size, s...)
	}
	return grad, size
}

// everyDensity visits every case of every distribution.
func everyDensity(visit func(i int, c densityCase)) {
	u := stdlib.New()
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.Event != nil {
			continue // see TestEventDensities
		}
		for i, c := range densityCases(d) {
			visit(i, c)
		}
	}
}

// TestDensitiesAgree compares every way in which a density is computed (written as operations, by a loop over
// rows, with a linear predictor, by the loop of its distribution, weighted or plain) with the log density of
// the descriptor, on the instruction set of this process.
func TestDensitiesAgree(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		drawn := c.draw(uint64(i))
		want, size := drawn.want()
		for _, plain := range []bool{false, true} {
			b := graph.New("density")
			if plain {
				b.Plain()
			}
			drawn.build(t, b)
			got := evaluated(build(t, b), drawn.at())
			for k := range want {
				if !(math.Abs(got[k]-want[k]) <= 1e-12*max(1, size[k])) {
					t.Errorf("%v, plain %v: number %d is %v, want %v", c, plain, k, got[k], want[k])
					break
				}
			}
		}
	})
}

// TestDensitiesAgreeOnEverySet repeats TestDensitiesAgree and TestWindowsAgree on the other instruction sets
// of the processor, each in a process of its own.
func TestDensitiesAgreeOnEverySet(t *testing.T) {
	for _, set := range vector.Sets() {
		if set == vector.Tier() {
			continue
		}
		cmd := exec.Command(os.Args[0], "-test.run=^(TestDensitiesAgree|TestWindowsAgree)$", "-test.v")
		cmd.Env = append(os.Environ(), vector.Variable+"="+set.String())
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "--- PASS") != 2 {
			t.Errorf("%v: %v\n%s", set, err, out)
		}
	}
}

// window is the case of every third row from a first one, whose density counts three times as much, as in a
// run with minibatches.
func (c *drawnCase) window(first int) *drawnCase {
	out := &drawnCase{densityCase: c.densityCase, power: windows * c.power}
	choose := func(v []float64) (chosen []float64) {
		for i := first; i < c.n; i += windows {
			chosen = append(chosen, v[i])
		}
		return chosen
	}
	for _, a := range c.args {
		w := argument{form: a.form, v: choose(a.v)}
		switch a.form {
		case oneNumber:
			w.at = a.at
		case numbers:
			w.at = w.v
		case levels:
			w.at = w.v[:len(a.at)]
		case predictor:
			w.at = a.at
			for k := range predictorColumns {
				w.matrix = append(w.matrix, choose(a.matrix[k*c.n:(k+1)*c.n])...)
			}
		}
		out.args = append(out.args, w)
	}
	out.weights = choose(c.weights)
	out.n = len(out.weights)
	return out
}

const windows = 3

// TestWindowsAgree compares the densities of the windows of a minibatch with the log density of the
// descriptor: their mean is that of all rows, as are the means of the gradients of what belongs to no row.
func TestWindowsAgree(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		if c.n < windows {
			return
		}
		whole := c.draw(uint64(i))
		want, size := whole.want()
		mean := make([]float64, len(want))
		for first := range windows {
			part := whole.window(first)
			b := graph.New("window")
			part.build(t, b)
			got := evaluated(build(t, b), part.at())
			mean[0] += got[0] / windows
			at, place := 1, 1 // among the numbers of the window, and of all rows
			for k, a := range part.args {
				for j := range a.at {
					to := place + j
					switch a.form {
					case numbers:
						to = place + first + j*windows
					case levels:
						to = place + (first+j*windows)%groupsOfRows
					}
					mean[to] += got[at+j] / windows
				}
				at, place = at+len(a.at), place+len(whole.args[k].at)
			}
		}
		for k := range want {
			if !(math.Abs(mean[k]-want[k]) <= 1e-12*max(1, windows*size[k])) {
				t.Errorf("%v: number %d is %v in the mean over windows, want %v", c, k, mean[k], want[k])
				break
			}
		}
	})
}

// counted is a distribution that counts the calls of its density.
func counted(d *def.Dist) (*def.Dist, *int) {
	out, calls := *d, 0
	out.LogDensity = func(b *def.Batch) float64 {
		calls++
		return d.LogDensity(b)
	}
	return &out, &calls
}

// TestVectorFormsAreTaken checks that many observations of a distribution with a vector form are computed
// without its density of single rows, in some model with one number for every parameter other than the
// predictor, or constants where it needs them.
func TestVectorFormsAreTaken(t *testing.T) {
	calls := map[string]int{} // the fewest
	everyDensity(func(i int, c densityCase) {
		if c.weighted || c.n < 300 || c.x != constants || c.d.Expand == nil && c.d.Rows == def.NoRows {
			return
		}
		drawn := c.draw(uint64(i))
		d, n := counted(c.d)
		drawn.d = d
		b := graph.New("density")
		drawn.build(t, b)
		evaluated(build(t, b), drawn.at())
		if before, seen := calls[d.Name]; !seen || *n < before {
			calls[d.Name] = *n
		}
	})
	for name, n := range calls {
		if n > 0 {
			t.Errorf("%s computes rows one by one in every model", name)
		}
	}
}

// TestOutsideDomains checks that no way of computing a density returns a finite number where a parameter, in
// all rows or in one, is outside its domain.
func TestOutsideDomains(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		for k, p := range c.d.Params {
			for _, v := range []float64{-0.5, 1.5, math.NaN()} {
				if p.Integral || p.Allows(v) || c.theta[k] == predictor {
					continue
				}
				drawn := c.draw(uint64(i))
				drawn.spoil(k+1, v)
				b := graph.New("outside")
				drawn.build(t, b)
				if got := evaluated(build(t, b), drawn.at())[0]; math.Abs(got) <= math.MaxFloat64 {
					t.Errorf("%v: with %s = %v the target is %v", c, p.Name, v, got)
				}
			}
		}
	})
}

// spoil sets an argument to v in the first row, and in all rows where it is one number.
func (c *drawnCase) spoil(k int, v float64) {
	a := c.args[k]
	for i := range a.v {
		if i == 0 || a.form == oneConstant || a.form == oneNumber {
			a.v[i] = v
		}
	}
	c.weights[0] = 1
}

// limits lists the values at the ends of a parameter's domain at which a density may have a limit.
func limits(p def.Param) []float64 {
	lower, upper := p.Domain.Bounds(nil)
	if p.Integral || p.Domain == def.Positive {
		return nil
	}
	return []float64{lower, upper}
}

// TestLimitsAgree holds every way of computing a density against the descriptor where data put one row at the
// end of a parameter's domain: a rate of 0, log odds of -∞ by the log of an exposure of 0, an observation at
// the end of the support. The density is the limit there, and no derivative is lost.
func TestLimitsAgree(t *testing.T) {
	met := map[string]bool{}
	everyDensity(func(i int, c densityCase) {
		for k, p := range c.d.Params {
			for _, end := range limits(p) {
				for _, x := range []float64{0, 1, 40} {
					if c.x == constants && c.theta[k] != oneConstant && c.theta[k] != oneNumber &&
						c.d.Support != def.Interval {
						checkLimit(t, c.draw(uint64(i)), k, end, x, met)
					}
				}
			}
		}
	})
	for _, name := range []string{"poisson at 0", "poisson_log at -Inf", "binomial_logit at -Inf",
		"neg_binomial_2_log at -Inf", "bernoulli at 1", "bernoulli_logit at +Inf"} {
		if !met[name] {
			t.Errorf("%s has no limit", name)
		}
	}
}

// checkLimit puts x into the first row of the observations, and the end of a domain into that row of
// parameter k, as data that are added to it.
func checkLimit(t *testing.T, c *drawnCase, k int, end, x float64, met map[string]bool) {
	if c.x != constants || c.d.Support == def.UpToN && x > c.args[1].v[0] || c.d.Support == def.ZeroOne &&
		x > 1 {
		return
	}
	c.args[0].v[0] = x
	c.weights[0] = 1
	theta := c.row(0)
	theta[k] = end
	block := def.Batch{N: 1, X: def.Scalar(x)}
	for _, v := range theta {
		block.Theta = append(block.Theta, def.Scalar(v))
	}
	want := c.d.LogDensity(&block)
	for _, plain := range []bool{false, true} {
		b := graph.New("limit")
		if plain {
			b.Plain()
		}
		c.end(t, b, k, end)
		got := evaluated(build(t, b), c.at())
		if finite(want) != finite(got[0]) {
			t.Errorf("%v, plain %v: with parameter %d at %v and x = %v the target is %v, of the row alone %v",
				c, plain, k, end, x, got[0], want)
		}
		for i, v := range got[1:] {
			if finite(want) && !finite(v) {
				t.Errorf("%v, plain %v: with parameter %d at %v and x = %v derivative %d is %v", c, plain, k,
					end, x, i, v)
			}
		}
	}
	if finite(want) {
		met[fmt.Sprintf("%s at %v", c.d.Name, end)] = true
	}
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// end makes the graph of a case in which data bring the first row of parameter k to the end of its domain:
// they are added to a predictor on the real line, and multiply or shift one that is not.
func (c *drawnCase) end(t *testing.T, b *graph.Builder, k int, end float64) {
	scale, shift := make([]float64, c.n), make([]float64, c.n)
	for i := range scale {
		scale[i] = 1
	}
	scale[0], shift[0] = 0, end
	ids := make([]graph.ID, len(c.args))
	for j, a := range c.args {
		ids[j] = a.build(t, b, fmt.Sprint("a", j))
	}
	v := ids[k+1]
	if !math.IsInf(end, 0) {
		v = apply(t, b, "mul", v, b.Const("scale", shape{c.n}, scale))
	}
	ids[k+1] = apply(t, b, "add", v, b.Const("shift", shape{c.n}, shift))
	weights := graph.NoID
	if c.weighted {
		weights = b.Const("weights", shape{c.n}, c.weights)
	}
	if err := b.Likelihood("y", c.d, ids[0], ids[1:], weights, c.power); err != nil {
		t.Fatal(err)
	}
}
