package nuts

import (
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	// leastEffects is the least number of effects: of fewer, draws show the directions as well.
	leastEffects = denseLimit
	// mostGiven is the most parameters beside the effects of a shear, which are under a dense metric.
	mostGiven = denseLimit
	// mostSheared is the most elements of C: what its two products cost, some tens of microseconds.
	mostSheared = 1 << 17
	// difference is the step of differences of gradients, in standard deviations.
	difference = 0.5
	// shearAgain is how many times as many transitions as before there are when C is estimated again.
	shearAgain = 1.5
)

// A shear takes from each of a party's effects v, which are independent of each other given its other
// parameters φ, what is expected of it at φ: v = v' + C(φ − φ̄), with a log-Jacobian of 0. The precision of
// a normal target is an arrowhead, diagonal in v and dense in φ, and C = −H_vv⁻¹H_vφ makes it a block of φ
// and a diagonal: the metric has that form then, and no ridge is left along which all effects move with φ.
// C comes from second derivatives, in as many evaluations as φ has numbers, while draws would show the
// direction of each effect with the noise of all others.
//
// Coordinates are φ, then v'.
type shear struct {
	effects []density.Effects
	given   []int // the coordinates φ
	count   int   // of effects
	on      bool
	c       []float64 // C, a column for each of φ
	center  []float64 // φ̄
	fitted  int       // transitions when C was estimated

	u        []float64 // where place was called last
	by, room []float64
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
	sh.c, sh.center, sh.by = make([]float64, p*sh.count), make([]float64, p), make([]float64, p)
	sh.u, sh.room, sh.moment = make([]float64, dim), make([]float64, dim), newEstimate(dim, p)
	return sh
}

// place returns u at coordinates q. It stands until the next call.
func (s *shear) place(q []float64) []float64 {
	p := len(s.given)
	for k, i := range s.given {
		s.u[i], s.by[k] = q[k], q[k]-s.center[k]
	}
	at := p
	for _, e := range s.effects {
		v := s.u[e.Offset:][:e.Len]
		copy(v, q[at:])
		if s.on {
			vector.DenseAdd(e.Len, v, e.Len, s.c[at-p:], s.count, s.by, 1, p, p, 1)
		}
		at += e.Len
	}
	return s.u
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
	if s.on {
		vector.MatTVecAdd(s.count, s.room[:p], 1, s.c, s.count, s.room[p:], p)
	}
	copy(g, s.room)
}

// declare takes q, with a gradient by it, to u.
func (s *shear) declare(q, g []float64) {
	copy(q, s.place(q))
	p := len(s.given)
	copy(s.room, g)
	if s.on {
		clear(s.by)
		vector.MatTVecAdd(s.count, s.by, 1, s.c, s.count, s.room[p:], p)
		vector.Axpy(p, s.room, -1, s.by)
	}
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
	if s.on {
		vector.DenseAdd(s.count, s.room[p:], s.count, s.c, s.count, s.by, 1, p, p, 1)
	}
	copy(u, s.room)
}

// due reports whether C is estimated after t transitions.
func (s *shear) due(t int) bool { return float64(t) >= shearAgain*float64(s.fitted) }

// fit estimates C around u, with the standard deviations sd: q without C, where slope sets the gradient.
func (s *shear) fit(u, sd []float64, slope func(q, g []float64) bool) {
	p := len(s.given)
	up, down, v := make([]float64, len(u)), make([]float64, len(u)), make([]float64, len(u))
	curvature := make([]float64, s.count)
	move := func(i, j int, step float64, to []float64) bool {
		copy(v, u)
		vector.Axpy(j-i, v[i:], step, sd[i:])
		return slope(v, to)
	}
	// along sets up to the derivative of the gradient along the coordinates from i to j, by their sds
	along := func(i, j int) bool {
		if !move(i, j, difference, up) || !move(i, j, -difference, down) {
			return false
		}
		vector.Axpy(len(u), up, -1, down)
		vector.Scale(len(u), up, up, 1/(2*difference))
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
		c := s.c[k*s.count:][:s.count]
		vector.Div(s.count, c, up[p:], curvature)
		vector.Scale(s.count, c, c, 1/sd[k])
	}
	copy(s.center, u)
	s.on = allFinite(s.c)
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
	s.on, s.fitted = false, t
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
	c.Bool(&s.on)
	c.Ints(&s.fitted)
	c.Floats(s.c)
	c.Floats(s.center)
}
