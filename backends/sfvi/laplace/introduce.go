package laplace

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// introduce has the parties say which of them has effects whose prior depends on hyperparameters, and the
// server how its own enter. No row decides any of that.
func (k *Kernel) introduce(ctx context.Context) error {
	if !k.options.Nested {
		return nil
	}
	if err := cmp.Or(k.secret.Consult(ctx, introducing{k}), k.failure); err != nil {
		return err
	}
	if k.owner > 0 && k.hypers[0] > 0 {
		if err := cmp.Or(k.secret.Consult(ctx, tabling{k}), k.failure); err != nil {
			return err
		}
	}
	for b, p := range k.parties {
		if p.block.Index() == k.owner {
			p.centre(func(i int) bool { return density.Placed(k.env, b, p.given.Hyper[i]) })
		}
		if p.settle(); p.block.Index() > 0 && !p.precondition(1) {
			return p.undetermined()
		}
	}
	return nil
}

// each is how many numbers a party says of its hyperparameters.
const each = 3

// introducing is how a party says what it has of hyperparameters, and hears what all have.
type introducing struct{ *Kernel }

func (k introducing) Size(int, int) (up, down, all int) {
	return each, 0, each * (k.clients + 1)
}

// Opens implements density.Declaring.
func (introducing) Opens() []density.Decryption { return []density.Decryption{declared} }

func (k introducing) Ask(b int, up []float64) {
	p := k.parties[b]
	if p.given == nil {
		return
	}
	up[0], up[1] = float64(len(p.hyper)), float64(len(p.received))
	if moves(p.lin) {
		up[2] = 1
	}
}

func (k introducing) Counsel(up, _ [][]float64, all []float64) { copy(all, slices.Concat(up...)) }

func (k introducing) Take(_ int, _, all []float64) {
	var parts []Part
	k.hypers = k.hypers[:0]
	for ; len(all) > 0; all = all[each:] {
		parts = append(parts, Part{Party: "a party", Hyper: int(all[0]), Received: int(all[1]),
			Effects: all[2] == 1})
		k.hypers = append(k.hypers, int(all[0]))
	}
	if k.owner, k.failure = Together(parts); k.owner > 0 {
		k.receives = parts[k.owner].Received
	}
}

// Values of a hyperparameter of the server at which its density is told, in coordinates without bounds, and
// what clients receive. It is interpolated by cubics between these: to 1e-7 of what changes by e in a unit.
const (
	farthest = 30
	perUnit  = 20
	knots    = 2*farthest*perUnit + 1
	mostTold = 1 << 20
)

// tabling is how the server tells the log density of its hyperparameters and what the party with effects
// receives of them, as sums of functions of one each: what is received where they are 0, and then of each
// hyperparameter at each knot the difference of the density and of what is received.
type tabling struct{ *Kernel }

func (k tabling) Size(int, int) (up, down, all int) {
	return 0, 0, k.receives + k.hypers[0]*knots*(1+k.receives)
}

// Opens implements density.Declaring.
func (tabling) Opens() []density.Decryption { return []density.Decryption{declared} }

func (tabling) Ask(int, []float64) {}

func (k tabling) Counsel(_, _ [][]float64, all []float64) {
	s, r := k.server, k.receives
	hyper, at := make([]float64, k.hypers[0]), s.given.To[k.owner]
	value := func(to []float64) float64 {
		s.given.At(hyper, nil, &s.form)
		sent := s.given.Sends(hyper)
		for i, e := range at {
			to[i] = sent[e]
		}
		return s.form.Prior.Value
	}
	base, here := make([]float64, r), make([]float64, r)
	zero := value(base)
	copy(all, base)
	out := all[r:]
	for i := range hyper {
		for t := range knots {
			hyper[i] = float64(t)/perUnit - farthest
			out[0] = value(here) - zero
			vec.Sub(r, out[1:], here, base)
			out = out[1+r:]
		}
		hyper[i] = 0
	}
	t := effects{received: base, table: all[r:], of: len(hyper)}
	for i := range hyper {
		hyper[i] = 0.5 + float64(0.45*float64(i))
	}
	want := value(here) - zero
	got, received, _ := t.tabled(hyper)
	apart := math.Abs(got-want) > 1e-4*(1+math.Abs(want))
	for i, v := range received {
		apart = apart || math.Abs(v-here[i]) > 1e-4*(1+math.Abs(v))
	}
	if apart {
		all[0] = math.NaN()
	}
}

func (k tabling) Take(b int, _, all []float64) {
	if math.IsNaN(all[0]) {
		k.failure = refuse(errors.New("parameters of the server that effects of a client depend on have a " +
			"joint prior, or enter effects together: declare them at that client"))
	}
	if p := k.parties[b]; p.block.Index() == k.owner {
		p.received, p.table, p.of = slices.Clone(all[:k.receives]), slices.Clone(all[k.receives:]),
			k.hypers[0]
	}
}

// tabled is the log density of the server's hyperparameters, up to a constant, and what is received there;
// false: they are farther than the table.
func (p *effects) tabled(phi []float64) (value float64, received []float64, ok bool) {
	received = slices.Clone(p.received)
	r := len(received)
	for i, u := range phi {
		x := float64(float64(u+farthest) * perUnit)
		at := int(math.Floor(x))
		if !(at >= 1 && at+2 < knots) {
			return 0, nil, false
		}
		x -= float64(at)
		for k, w := range []float64{-x * (x - 1) * (x - 2) / 6, (x + 1) * (x - 1) * (x - 2) / 2,
			-(x + 1) * x * (x - 2) / 2, (x + 1) * x * (x - 1) / 6} {
			row := p.table[(i*knots+at-1+k)*(1+r):]
			value += float64(w * row[0])
			vec.Axpy(r, received, w, row[1:])
		}
	}
	return value, received, true
}

// handing is how the server tells the party with effects their curvature, all else integrated out, and normal
// numbers.
type handing struct{ *Kernel }

func (k handing) Size(party, columns int) (up, down, all int) {
	if party == k.owner {
		down = columns * (columns + k.pairs)
	}
	return 0, down, 0
}

// Opens implements density.Declaring: draws of its own are a party's covariance, with those that others
// receive next.
func (handing) Opens() []density.Decryption { return []density.Decryption{drawn} }

func (handing) Ask(int, []float64) {}

func (k handing) Counsel(_, down [][]float64, _ []float64) {
	s, out := k.server, down[k.owner]
	from, d := s.at[k.owner], s.at[k.owner+1]-s.at[k.owner]
	s.normal = k.normals()
	for i := range k.pairs {
		copy(out[d*d+i*d:][:d], s.normal[i*s.p:])
	}
	f, unit := algebra.NewFactor(d), make([]float64, s.p)
	for i := range d {
		clear(unit)
		unit[from+i] = 1
		s.h.Solve(unit)
		copy(f.Matrix[i*d:], unit[from:][:d])
	}
	if f.Definite() {
		for i := range d {
			out[i*d+i] = 1
			f.Solve(out[i*d:][:d])
		}
	}
}

func (k handing) Take(b int, down, _ []float64) {
	p := k.parties[b]
	if p.block.Index() == k.owner {
		k.failure = p.drawEffects(down[:p.d*p.d], down[p.d*p.d:], k.pairs, k.env.Private(b, "nested points"))
	}
}

// spreading is how the party with effects tells draws of them, of the deviation of their mean given
// hyperparameters, and of the server's hyperparameters, and the others receive theirs.
type spreading struct{ *Kernel }

func (k spreading) Size(party, columns int) (up, down, all int) {
	if n := (1 + k.pairs) * 2 * columns; party == k.owner {
		up = n + (1+k.pairs)*k.servers()
	} else {
		down = n
	}
	return up, down, 0
}

// servers is how many hyperparameters of the server effects of a client depend on.
func (k *Kernel) servers() int {
	if k.owner > 0 {
		return k.hypers[0]
	}
	return 0
}

// Opens implements density.Declaring.
func (spreading) Opens() []density.Decryption { return []density.Decryption{deviated} }

func (k spreading) Ask(b int, up []float64) {
	p := k.parties[b]
	if p.block.Index() != k.owner {
		return
	}
	own, m := len(p.hyper), len(p.hyper)+p.of
	for r := range 1 + k.pairs {
		copy(up, p.shifts[r*p.d:][:p.d])
		vec.Sub(p.d, up[p.d:], p.sample[r*p.d:], p.theta)
		copy(up[2*p.d:], p.hypers[r*m+own:][:p.of])
		up = up[2*p.d+p.of:]
	}
}

func (k spreading) Counsel(up, down [][]float64, _ []float64) {
	s, told, of := k.server, up[k.owner], k.servers()
	from, d := s.at[k.owner], s.at[k.owner+1]-s.at[k.owner]
	rest := s.others(from, d)
	at, noise := make([]float64, s.p), make([]float64, s.p-d)
	for r := range 1 + k.pairs {
		for half := range 2 {
			clear(noise)
			if half == 1 && r > 0 {
				copy(noise, s.normal[(r-1)*s.p+d:][:s.p-d])
			}
			rest.regress(told[half*d:][:d], noise, at)
			for b, v := range down {
				if n := s.at[b+1] - s.at[b]; b != k.owner {
					copy(v[(2*r+half)*n:][:n], at[s.at[b]:])
				}
			}
		}
		if of > 0 {
			s.hypers = append(s.hypers, told[2*d:][:of]...)
		}
		told = told[2*d+of:]
	}
	s.normal = nil
}

func (k spreading) Take(b int, down, _ []float64) {
	p := k.parties[b]
	if p.block.Index() == k.owner {
		return
	}
	p.sample = nil
	for r := range 1 + k.pairs {
		p.shifts = append(p.shifts, down[2*r*p.d:][:p.d]...)
		p.sample = append(p.sample, down[(2*r+1)*p.d:][:p.d]...)
		vec.Accumulate(p.d, p.sample[r*p.d:], p.theta)
	}
}

// logDet is the log determinant of the precision, that of effects apart where they have one of their own.
func (s *server) logDet() float64 {
	if s.apartEffects {
		return s.rest
	}
	return s.h.LogDet()
}

// An others is the Gaussian of all coefficients but those of the party with effects, given these.
type others struct {
	*server
	from, d int
	factor  algebra.Factor // of its block of the precision
}

func (s *server) others(from, d int) *others {
	n := s.p - d
	o := &others{server: s, from: from, d: d, factor: algebra.NewFactor(n)}
	for i := range n {
		for j := range n {
			o.factor.Matrix[i*n+j] = s.h.Matrix[o.index(i)*s.p+o.index(j)]
		}
	}
	if n > 0 {
		o.factor.Definite()
		s.rest = o.factor.LogDet()
	}
	s.apartEffects = true
	return o
}

// index is where one of the others is among all.
func (o *others) index(i int) int {
	if i >= o.from {
		return i + o.d
	}
	return i
}

// regress sets out to the deviations of all others given one of the effects, with noise of normal numbers.
func (o *others) regress(effects, noise, out []float64) {
	n := len(noise)
	if n == 0 {
		return
	}
	mean := make([]float64, n)
	for i := range mean {
		mean[i] = -vec.Dot(o.d, o.h.Matrix[o.index(i)*o.p+o.from:], effects)
	}
	o.factor.Solve(mean)
	o.factor.Backward(noise)
	for i, v := range mean {
		out[o.index(i)] = v + noise[i]
	}
}
