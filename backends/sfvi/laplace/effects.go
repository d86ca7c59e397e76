package laplace

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/sfvi/nested"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The likelihood does not depend on hyperparameters φ on which priors alone depend, so one expansion of it
// serves all of them: around m, where the fit at the starting values φ₀ ended, the coefficients β of the
// party with effects have, all others integrated out, the log density sᵀ(β − m) − ½(β − m)ᵀS(β − m) without
// their prior. The server tells that party S + P(φ₀), the inverse of its block of H⁻¹, and s follows: the
// gradient is 0 at m. With a prior that has the precision P(φ) and the gradient g(φ) at m, the marginal
// density of φ by Laplace's method is
//
//	log p(m, φ) + ½bᵀA⁻¹b − ½ log det A,   A = S + P(φ), b = s + g(φ),
//
// and β given φ is normal with the mean m + A⁻¹b and the precision A. That party finds by itself where φ is,
// and draws; it tells the server the deviations from m of β, from which all others follow by regression on β
// in H.

// effects are what a party has beside a linear form whose prior is normal.
type effects struct {
	given    *density.Conditional // nil: its prior depends on nothing
	form     density.ConditionalForm
	hyper    []float64 // at first, the form of Linear being that there
	received []float64 // where the server's hyperparameters are 0
	first    []float64 // at first; nil: that
	table    []float64 // of the server's hyperparameters, where effects depend on these
	of       int       // hyperparameters of the server in it
	at       int       // row of the draw where the form is, or nowhere

	shifts []float64 // of the mean and of each pair of draws: the mean of θ given φ, less that given φ₀
	// of each pair: own hyperparameters, and of the party with effects the server's that these depend on
	hypers  []float64
	offsets []float64 // log q(φ) + ½ log det A
}

// newEffects makes room for those of a form. What is received is taken to be scales until it is told.
func newEffects(l *density.Linear) (p effects) {
	if p.given, p.at = l.Given, nowhere; p.given != nil {
		p.hyper, p.received = make([]float64, len(p.given.Hyper)),
			slices.Repeat([]float64{1}, p.given.Received)
	}
	return p
}

// nowhere is no number of a draw.
const nowhere = -2

// begin takes the starting values.
func (p *party) begin(theta []float64) {
	if p.given == nil {
		return
	}
	for i, at := range p.given.Hyper {
		p.hyper[i] = theta[at]
	}
}

// centre begins where the density of the hyperparameters is largest before rows are seen, so that their units
// matter little and no row decides it, but for those that a user has placed.
func (p *party) centre(placed func(i int) bool) {
	own, factor, mean := len(p.hyper), algebra.NewFactor(p.c), make([]float64, p.c)
	grid, ok := nested.Explore(p.start(), func(phi []float64) float64 {
		value, received, ok := p.tabled(phi[own:])
		if !ok {
			return math.Inf(-1)
		}
		p.given.At(phi[:own], received, &p.form)
		q := &p.form.Prior
		copy(factor.Matrix, q.Precision)
		if !factor.Definite() {
			return math.Inf(-1)
		}
		copy(mean, q.Gradient)
		factor.Solve(mean)
		return value + q.Value + float64(0.5*vec.Dot(p.c, q.Gradient, mean)) - float64(0.5*factor.LogDet())
	})
	if !ok {
		return
	}
	top := grid.Top()
	for i := range p.hyper {
		if !placed(i) {
			p.hyper[i] = top[i]
		}
	}
	_, p.first, _ = p.tabled(top[own:])
}

// start are first values of own hyperparameters and of the server's.
func (p *party) start() []float64 { return append(slices.Clone(p.hyper), make([]float64, p.of)...) }

// settle makes the prior that at the first hyperparameters.
func (p *party) settle() {
	if p.given == nil {
		return
	}
	first := p.received
	if p.first != nil {
		first = p.first
	}
	p.given.At(p.hyper, first, &p.form)
	p.at = nowhere
	q := &p.lin.Prior
	q.Value, q.Gradient, q.Precision = p.form.Prior.Value, slices.Clone(p.form.Prior.Gradient),
		slices.Clone(p.form.Prior.Precision)
}

// A Part is what a party has of what all parties together must suit by.
type Part struct {
	Party    string
	Hyper    int  // hyperparameters
	Effects  bool // have a prior that depends on hyperparameters
	Received int  // elements of the server's hyperparameters
}

// Look finds the part of a block. The error is why a fit of encrypted rows is not possible with it.
func Look(b density.Block) (Part, error) {
	l, err := applies(b)
	if err != nil {
		return Part{}, err
	}
	out := Part{Party: b.Party()}
	if l.Given != nil {
		out.Hyper, out.Received, out.Effects = len(l.Given.Hyper), l.Given.Received, moves(l)
	}
	return out, nil
}

// moves reports whether the prior of a form depends on hyperparameters.
func moves(l *density.Linear) bool {
	var form density.ConditionalForm
	hyper, received := make([]float64, len(l.Given.Hyper)), make([]float64, l.Given.Received)
	for k := range 3 {
		for i := range hyper {
			hyper[i] = float64(k) + float64(0.3*float64(i))
		}
		for i := range received {
			received[i] = 1 + float64(k) + float64(0.3*float64(i))
		}
		l.Given.At(hyper, received, &form)
		if !slices.Equal(form.Prior.Precision, l.Prior.Precision) ||
			!slices.Equal(form.Prior.Gradient, l.Prior.Gradient) {
			return true
		}
	}
	return false
}

// Together is the party with effects whose prior depends on hyperparameters, −1 where none has, or the reason
// why the parties' do not suit each other.
func Together(parts []Part) (owner int, err error) {
	owner, all := -1, 0
	for k, p := range parts {
		if all += p.Hyper; !p.Effects {
			continue
		}
		if owner >= 0 {
			return -1, refuse(fmt.Errorf("%s and %s have effects whose prior depends on "+
				"parameters, and one party may", parts[owner].Party, p.Party))
		}
		owner = k
	}
	for k, p := range parts {
		used := k == owner || k == 0 && owner > 0 && parts[owner].Received > 0
		if p.Hyper > 0 && !used {
			return -1, refuse(fmt.Errorf("%s has a parameter that no effects with normal priors depend on",
				p.Party))
		}
	}
	if all > nested.MostHyper {
		return -1, refuse(fmt.Errorf("there are %d parameters that priors depend on, "+
			"and a grid has at most %d", all, nested.MostHyper))
	}
	return owner, nil
}

func refuse(err error) error {
	return &backends.Refusal{Code: diag.NotEncrypted, Err: fmt.Errorf("encrypted rows: %w", err),
		Out: "numbers for the scales of effects, or another wire"}
}

// A place is the Gaussian of effects given hyperparameters.
type place struct {
	value    float64 // log marginal density of φ
	shift    []float64
	factor   algebra.Factor // of A
	s, slope []float64      // S and s
	mean     []float64
}

// expand takes S + P(φ₀).
func (p *party) expand(precision []float64) *place {
	l := &place{shift: make([]float64, p.d), factor: algebra.NewFactor(p.d), s: slices.Clone(precision),
		slope: make([]float64, p.d), mean: p.theta}
	algebra.Gradient(&p.lin.Prior, p.theta[:p.c], l.slope[:p.c])
	for i := range p.c {
		l.slope[i] = -l.slope[i]
		for j := range p.c {
			l.s[i*p.d+j] -= p.lin.Prior.Precision[i*p.c+j]
		}
	}
	return l
}

// moveTo goes to hyperparameters, own ones before the server's; value is −∞ where there is no Gaussian.
func (p *party) moveTo(l *place, phi []float64) {
	own := len(p.hyper)
	l.value = math.Inf(-1)
	value, received, ok := p.tabled(phi[own:])
	if !ok {
		return
	}
	p.given.At(phi[:own], received, &p.form)
	p.at = nowhere
	q := &p.form.Prior
	copy(l.factor.Matrix, l.s)
	copy(l.shift, l.slope)
	for i := range p.c {
		vec.Accumulate(p.c, l.factor.Matrix[i*p.d:], q.Precision[i*p.c:])
	}
	if !l.factor.Definite() {
		return
	}
	at := algebra.Value(q, l.mean[:p.c], p.work[:p.c])
	vec.Accumulate(p.c, l.shift, p.work)
	b := slices.Clone(l.shift)
	l.factor.Solve(l.shift)
	if v := value + at + float64(0.5*vec.Dot(p.d, b, l.shift)) - float64(0.5*l.factor.LogDet()); v-v == 0 {
		l.value = v
	}
}

// mostValues is how many hyperparameters there are at most for all draws.
const mostValues = 1000

// drawEffects draws hyperparameters and effects, of pairs of draws whose normal numbers are z.
func (p *party) drawEffects(precision, z []float64, pairs int, from density.Stream) error {
	l, m := p.expand(precision), len(p.hyper)+p.of
	grid, ok := nested.Explore(p.start(), func(phi []float64) float64 { p.moveTo(l, phi); return l.value })
	if !ok {
		return &backends.FitError{Err: errors.New("sfvi: the marginal density of the hyperparameters is " +
			"not finite near their starting values")}
	}
	from.Round(0)
	values := grid.Draw(min(pairs, mostValues), from)
	p.shifts, p.hypers, p.offsets = make([]float64, (1+pairs)*p.d), make([]float64, (1+pairs)*m),
		make([]float64, 1+pairs)
	p.sample = append(make([]float64, 0, (1+pairs)*p.d), p.theta...)
	for row := range 1 + pairs {
		phi := grid.Top()
		if row > 0 {
			phi = values[(row-1)%len(values)]
		}
		p.moveTo(l, phi)
		copy(p.hypers[row*m:], phi)
		copy(p.shifts[row*p.d:], l.shift)
		if p.offsets[row] = grid.Density(phi) + float64(0.5*l.factor.LogDet()); row == 0 {
			continue
		}
		e := slices.Clone(z[(row-1)*p.d:][:p.d])
		l.factor.Backward(e)
		vec.Accumulate(p.d, e, p.theta)
		p.sample = append(p.sample, e...)
	}
	return nil
}

// shift adds what hyperparameters move the mean by to draw id, −1 being the mode.
func (p *party) shift(id int, theta []float64) {
	if p.shifts != nil {
		vec.Accumulate(p.d, theta, p.shifts[row(id)*p.d:])
	}
}

// row is that of a draw: of the mode, and of each pair.
func row(id int) int {
	if id < 0 {
		return 0
	}
	return 1 + id/2
}

// priorOf is the log density of the prior at a draw, less that of hyperparameters and effects by which they
// were drawn, up to the squares of normal numbers.
func (p *party) priorOf(id int, theta []float64) float64 {
	if p.given == nil {
		return p.prior(theta, p.work)
	}
	if r, own := row(id), len(p.hyper); p.at != r {
		phi := p.hypers[r*(own+p.of):]
		_, received, _ := p.tabled(phi[own:][:p.of])
		p.given.At(phi[:own], received, &p.form)
		p.at = r
	}
	value := algebra.Value(&p.form.Prior, theta[:p.c], p.work[:p.c])
	if p.c < p.d {
		value += p.lin.Globals.Density(theta[p.c:], p.work[p.c:])
	}
	if p.offsets != nil {
		value -= p.offsets[row(id)]
	}
	return value
}

// scatterHyper writes the hyperparameters of a draw.
func (p *party) scatterHyper(id int, theta []float64) {
	if p.given == nil {
		return
	}
	for i, at := range p.given.Hyper {
		if theta[at] = p.hyper[i]; p.hypers != nil {
			theta[at] = p.hypers[row(id)*(len(p.hyper)+p.of)+i]
		}
	}
}

// carry carries it.
func (p *party) carryEffects(c *backends.Codec, k *Kernel) {
	d, rows, h := p.d, 1+k.pairs, nested.MostHyper
	c.Ints(&p.of)
	list(c, &p.hyper, h)
	list(c, &p.received, mostTold)
	list(c, &p.table, mostTold)
	list(c, &p.first, mostTold)
	list(c, &p.shifts, rows*d)
	list(c, &p.hypers, rows*h)
	list(c, &p.offsets, rows)
	for _, v := range []*[]float64{&p.first, &p.shifts, &p.hypers, &p.offsets} {
		if len(*v) == 0 {
			*v = nil
		}
	}
	if !c.Failed() {
		p.settle()
	}
}
