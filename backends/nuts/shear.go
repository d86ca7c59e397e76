package nuts

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

const (
	// leastEffects is the least number of effects: of fewer, draws show the directions as well.
	leastEffects = denseLimit
	// mostGiven is the most parameters beside the effects of a shear, which are under a dense metric.
	mostGiven = denseLimit
	// mostSheared is the most elements of C: what its two products cost, some tens of microseconds.
	mostSheared = 1 << 17
	// leastSpread is how much the part of φ that moves effects varies their mean along a direction, in their
	// own standard deviations, for C to have it. What is left out makes correlations of at most
	// 0.45 = s/√(1 + s²).
	leastSpread = 0.5
	// difference is the step of differences of gradients, in standard deviations.
	difference = 0.25
	// shearAgain is how many times as many transitions as before there are when C is estimated again.
	shearAgain = 2
)

// A shear takes from each of a party's effects v, which are independent of each other given its other
// parameters φ, what is expected of it at φ: v = v' + C(φ − φ̄), with a log-Jacobian of 0. The precision of
// a normal target is an arrowhead, diagonal in v and dense in φ, and C = −H_vv⁻¹H_vφ makes it a block of φ
// and a diagonal: the metric has that form then, and no ridge is left along which all effects move with φ.
// C comes from second derivatives, in as many evaluations as φ has numbers and a few, while draws would show
// the direction of each effect with the noise of all others.
//
// Coordinates are φ, then v'.
type shear struct {
	effects []density.Effects
	given   []int // the coordinates φ
	count   int   // of effects
	// C = left·rightᵀ, each a column for each direction
	rank        int
	left, right []float64
	center      []float64 // φ̄
	fitted      int       // transitions when C was estimated

	u        []float64 // where place was called last
	by, room []float64
	along    []float64 // by directions
	work     workspace
	moment   estimate // of draws in coordinates that are new
}

// newShear returns nil where there is nothing to take away: effects are the longest of the parameters that
// are separable, and more of them where else there would be too many others.
func newShear(env density.Env, b density.Block, s backends.Settings) *shear {
	r, ok := b.(density.SeparableEffects)
	if !ok || len(env.Blocks()) > 1 || !warmsAlone(s) || s.Text(metricForm) != "auto" ||
		s.Text(coordinates) != "auto" || s.Plan.Encrypted || len(b.Weights()) > 0 || b.AuxLen() > 0 {
		return nil
	}
	dim := b.Dim()
	if dim <= denseLimit && !b.Hierarchical() {
		return nil
	}
	sh := &shear{}
	longest := slices.Clone(r.Separable())
	slices.SortStableFunc(longest, func(a, b density.Effects) int { return b.Len - a.Len })
	for _, e := range longest {
		if sh.count > 0 && dim-sh.count <= mostGiven {
			break
		}
		sh.effects = append(sh.effects, e)
		sh.count += e.Len
	}
	p := dim - sh.count
	if sh.count < leastEffects || p == 0 || p > mostGiven || p*sh.count > mostSheared {
		return nil
	}
	for i := range dim {
		if !slices.ContainsFunc(sh.effects, func(e density.Effects) bool {
			return e.Offset <= i && i < e.Offset+e.Len
		}) {
			sh.given = append(sh.given, i)
		}
	}
	sh.left, sh.right, sh.work = make([]float64, p*sh.count), make([]float64, p*p), newWorkspace(p)
	sh.center, sh.by, sh.along = make([]float64, p), make([]float64, p), make([]float64, p)
	sh.u, sh.room, sh.moment = make([]float64, dim), make([]float64, dim), newEstimate(dim, p)
	return sh
}

// place returns u at coordinates q. It stands until the next call.
func (s *shear) place(q []float64) []float64 {
	p := len(s.given)
	for k, i := range s.given {
		s.u[i], s.by[k] = q[k], q[k]-s.center[k]
	}
	s.project()
	at := p
	for _, e := range s.effects {
		v := s.u[e.Offset:][:e.Len]
		copy(v, q[at:])
		s.add(v, at-p)
		at += e.Len
	}
	return s.u
}

// project sets along to what by is along each direction.
func (s *shear) project() {
	if s.rank > 0 {
		clear(s.along[:s.rank])
		vector.MatTVecAdd(len(s.by), s.along, 1, s.right, len(s.by), s.by, s.rank)
	}
}

// add adds to effects, of which the first is given, what along has.
func (s *shear) add(v []float64, first int) {
	if s.rank > 0 {
		vector.DenseAdd(len(v), v, len(v), s.left[first:], s.count, s.along, 1, s.rank, s.rank, 1)
	}
}

// addBack adds Cᵀg to by.
func (s *shear) addBack(by, g []float64) {
	if p := len(by); s.rank > 0 {
		clear(s.along[:s.rank])
		vector.MatTVecAdd(s.count, s.along, 1, s.left, s.count, g, s.rank)
		vector.DenseAdd(p, by, p, s.right, p, s.along, 1, s.rank, s.rank, 1)
	}
}

// pull turns a gradient by u into one by q.
func (s *shear) pull(g []float64) {
	p := len(s.given)
	at := p
	for _, e := range s.effects {
		copy(s.room[at:], g[e.Offset:][:e.Len])
		at += e.Len
	}
	for k, i := range s.given {
		s.room[k] = g[i]
	}
	s.addBack(s.room[:p], s.room[p:])
	copy(g, s.room)
}

// declare takes q, with a gradient by it, to u.
func (s *shear) declare(q, g []float64) {
	copy(q, s.place(q))
	p := len(s.given)
	copy(s.room, g)
	clear(s.by)
	s.addBack(s.by, s.room[p:])
	vector.Axpy(p, s.room, -1, s.by)
	for k, i := range s.given {
		g[i] = s.room[k]
	}
	at := p
	for _, e := range s.effects {
		copy(g[e.Offset:][:e.Len], s.room[at:])
		at += e.Len
	}
}

// undeclare is the inverse of declare.
func (s *shear) undeclare(u, g []float64) {
	s.order(u)
	s.pull(g)
}

// order takes u to q.
func (s *shear) order(u []float64) {
	p := len(s.given)
	for k, i := range s.given {
		s.room[k], s.by[k] = u[i], s.center[k]-u[i]
	}
	at := p
	for _, e := range s.effects {
		copy(s.room[at:], u[e.Offset:][:e.Len])
		at += e.Len
	}
	s.project()
	s.add(s.room[p:], 0)
	copy(u, s.room)
}

// due reports whether C is estimated after t transitions.
func (s *shear) due(t int) bool { return float64(t) >= shearAgain*float64(s.fitted) }

// fit estimates C around u, with the standard deviations sd: q without C, where slope sets the gradient.
func (s *shear) fit(u, sd []float64, slope func(q, g []float64) bool) {
	p := len(s.given)
	up, here, v := make([]float64, len(u)), make([]float64, len(u)), make([]float64, len(u))
	curvature, c := make([]float64, s.count), make([]float64, p*s.count)
	if !slope(u, here) {
		return
	}
	// along sets up to the derivative of the gradient along the coordinates from i to j, by their sds
	along := func(i, j int) bool {
		copy(v, u)
		vector.Axpy(j-i, v[i:], difference, sd[i:])
		if !slope(v, up) {
			return false
		}
		vector.Axpy(len(u), up, -1, here)
		vector.Scale(len(u), up, up, 1/difference)
		return allFinite(up)
	}
	at := p
	for _, e := range s.effects {
		if !along(at, at+e.Len) {
			return
		}
		for i := at; i < at+e.Len; i++ {
			if curvature[i-p] = -up[i] / sd[i]; !(curvature[i-p] > 0) {
				return
			}
		}
		at += e.Len
	}
	for k := range p {
		if !along(k, k+1) {
			return
		}
		vector.Scale(len(u), up, up, 1/sd[k])
		vector.Div(s.count, c[k*s.count:], up[p:], curvature)
		copy(s.work.b[k*p:], up[:p])
		for l := range k + 1 {
			s.work.a[k*p+l] = vector.Dot(s.count, up[p:], c[l*s.count:])
		}
	}
	copy(s.center, u)
	s.reduce(c)
}

// moments are those of the newest n draws, which recall gives, in the coordinates in use.
func (s *shear) moments(n int, recall func(k int, q, g []float64)) *estimate {
	q, g := make([]float64, len(s.u)), make([]float64, len(s.u))
	s.moment.reset()
	for k := n; k > 0; k-- {
		recall(k, q, g)
		s.moment.add(q, g)
	}
	return &s.moment
}

// reshear chooses coordinates by the draws of the estimate in use, and goes over to them.
func (k *chain) reshear(ctx context.Context, b, t int) (err error) {
	p := k.parties[b]
	s, e := p.shear, &p.estimate.foreground
	n := min(e.draws.N, p.kept.len(), keptDraws)
	if n < fisherDraws {
		return nil
	}
	changed := p.centring != nil && p.centring.chooseByKept(n)
	if !changed && !s.due(t) {
		return nil
	}
	q, g := k.now.q.at[b], k.now.g.at[b]
	p.declare(q, g)
	if changed {
		p.centring.use(p.centring.at)
	}
	s.rank, s.fitted = 0, t
	m := s.moments(n, p.recall).draws
	sd := make([]float64, len(q))
	for i, squares := range m.Squares {
		sd[i] = math.Sqrt(squares / float64(n-1))
	}
	trial := k.pool.point()
	s.fit(slices.Clone(m.Mean), sd, func(at, slope []float64) bool {
		copy(trial.q.at[b], at)
		k.move.next, k.move.turning = trial, false
		if err == nil {
			err = k.evaluate(ctx, trial)
		}
		if err != nil {
			return false
		}
		p.complete(b, trial.g)
		copy(slope, trial.g.at[b])
		return finite(k.logDensity(b)) && allFinite(slope)
	})
	k.pool.dropPoint(trial)
	s.moments(n, p.recall).replace(e)
	p.undeclare(q, g)
	return err
}

func (s *shear) state(c *backends.Codec) {
	c.Ints(&s.rank, &s.fitted)
	if s.rank < 0 || s.rank > len(s.given) {
		c.Fail(errShear)
		s.rank = 0
	}
	c.Floats(s.left[:s.rank*s.count])
	c.Floats(s.right[:s.rank*len(s.given)])
	c.Floats(s.center)
}

var errShear = errors.New("the number of directions in which effects move is out of bounds")

// reduce makes left and right of C, a column for each of φ. With −H_φφ = LLᵀ, the precision of φ given
// effects, and D that of effects given φ, the eigenvalues of L⁻¹CᵀDCL⁻ᵀ are s²/(1 + s²) where the mean of
// effects moves by s of their standard deviations as φ moves by one of its own. work.a has CᵀDC, work.b H_φφ.
// Where the latter is none of a precision, all of C is kept.
func (s *shear) reduce(c []float64) {
	p, w := len(s.given), &s.work
	for i := range p {
		for j := range i + 1 {
			w.b[i*p+j] = -0.5 * (w.b[i*p+j] + w.b[j*p+i])
			w.a[j*p+i] = w.a[i*p+j]
		}
	}
	if s.rank = 0; !linear.CholeskyRows(w.b, p, 0) {
		identity(p, s.right)
		copy(s.left, c)
		s.rank = p
		return
	}
	identity(p, w.v)
	backSubstitute(p, w.v, w.b)
	multiply(p, w.c, w.a, w.v)
	multiplyT(p, w.a, w.v, w.c)
	copy(w.v, w.a)
	if !allFinite(w.v) || !vector.Eigen(p, w.v, w.values, w.c, w.room) {
		return
	}
	const least = leastSpread * leastSpread / (1 + leastSpread*leastSpread)
	multiply(p, w.a, w.b, w.v)
	backSubstitute(p, w.v, w.b)
	for j, x := range w.values[:p] {
		if x < least {
			continue
		}
		for k := range p {
			s.right[s.rank*p+k] = w.a[k*p+j]
		}
		vector.MatVec(s.count, s.left[s.rank*s.count:], c, s.count, w.v[j:], p, p)
		s.rank++
	}
	if !allFinite(s.left[:s.rank*s.count]) {
		s.rank = 0
	}
}
