package model

import (
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// RecentringGraphs are what the maps between the coordinates of a party's hierarchies (density.Recentring)
// are made of: the locations and scales of effects, which depend on θ.
type RecentringGraphs struct {
	Effects []density.Effects
	// Stages compute them, each from parameters that are no effects and effects of stages before.
	Stages []RecentringStage
}

// A RecentringStage is a graph over all parameters of the party. For the k-th of its effects, numbers of
// Recentring.Effects, in turn, the outputs are the location (of those with anchors, nothing), the logarithm
// of the scale and, of a walk or process, what is added to its elements. Each is one number, or is repeated
// over the effects. A process has its root in the place of the scale, or the logarithm of a number by which
// that of Roots is multiplied.
type RecentringStage struct {
	Effects []int
	Graph   *graph.Graph
	Roots   [][]float64 // of each effect, by columns; nil where there is none that no parameter changes
}

// maps is how many outputs of a stage effects have.
func maps(e density.Effects) int {
	if e.Walk || e.Process {
		return 3
	}
	return 2
}

// Effects describes the parameters that can be centred or not.
func (p *Party) Effects() []density.Effects {
	if p.spec.Recentring == nil {
		return nil
	}
	return p.spec.Recentring.Effects
}

// Separable describes the parameters whose elements are independent of each other given all others.
func (p *Party) Separable() []density.Effects { return p.spec.Separable }

// ToTheta returns the map from coordinates at given centrings to those of the party's density.
func (p *Party) ToTheta() density.Map { return newRecentred(p.spec.Recentring, true) }

// FromTheta returns the inverse of ToTheta.
func (p *Party) FromTheta() density.Map { return newRecentred(p.spec.Recentring, false) }

// recentred is one of the two maps. By definition u = (v - m)/s^(1-c) + c·m for effects v with the location m
// and the scale s, and the same with θ for u and the centring of θ for c: a coordinate x at the centring a is
// s^(b-a)·(x - a·m) + b·m at b.
type recentred struct {
	effects []*recentredEffects // nil for scales
	bends   []*bend
	stages  []recentredStage
	terms   *terms // nil where there are none; no element of effects
	toTheta bool
}

type recentredStage struct {
	exec    *graph.Exec
	effects []*recentredEffects
	seeds   [][]float64
	terms   *terms // those that are effects of it
	moved   bool   // effects of it have other coordinates
}

// recentredEffects are effects on the way from the centring a to b.
type recentredEffects struct {
	density.Effects
	number             int  // of Effects
	among              bool // terms, which have coordinates together
	a, b               float64
	anchor             []float64 // in place of a location
	location, logScale []float64 // repeated over the effects; the latter nil with a root
	power              []float64 // s^(b-a)
	misfit             []float64 // x - a·m
	toLocation, toLog  []float64 // adjoints; the former nil with anchors

	// Of pull, by scales: derivatives of an effect by what was mapped, by its log scale for a misfit of 1,
	// and by its location; and what the log-Jacobian adds for each log scale.
	factor, step, slope []float64
	added               float64

	informed informed
	joint    *joint // nil where effects are independent
	walk     walk
	process  process
	known    *known   // in place of process
	vectors  *vectors // in place of process, where there are many
}

func newRecentred(r *RecentringGraphs, toTheta bool) *recentred {
	m := &recentred{toTheta: toTheta}
	for k, e := range r.Effects {
		if e.Terms != nil {
			m.terms = &terms{Effects: e}
		} else if e.Scale {
			m.bends = append(m.bends, newBend(e, k))
			m.effects = append(m.effects, nil)
		} else {
			m.effects = append(m.effects, &recentredEffects{Effects: e, number: k,
				misfit: make([]float64, e.Len)})
		}
	}
	for _, s := range r.Stages {
		exec := s.Graph.NewExec()
		stage := recentredStage{exec: exec, seeds: make([][]float64, len(s.Graph.Outputs()))}
		at := 0
		for i, number := range s.Effects {
			e := m.effects[number]
			e.location, e.logScale = exec.Output(at), exec.Output(at+1)
			if e.Walk || e.Process {
				e.joint = newJoint(e.Anchors(), exec.Output(at+2))
			}
			if e.Walk {
				e.walk = newWalk(e.Len, e.joint)
			} else if root := s.Roots[i]; root != nil {
				e.known = newKnown(e.Len, root, e.joint)
			} else if e.Process && e.Vector > 0 {
				e.vectors = newVectors(e.Vector, e.Len/e.Vector, e.logScale, e.joint)
				e.logScale = nil
			} else if e.Process {
				e.process = process{joint: e.joint, root: e.logScale}
				e.logScale = nil
			}
			at += maps(e.Effects)
			for _, v := range []*[]float64{&e.power, &e.toLog, &e.factor, &e.step, &e.slope} {
				*v = make([]float64, len(e.logScale))
			}
			if e.Anchored {
				e.anchor = make([]float64, e.Len)
				e.location = e.anchor
			} else {
				e.toLocation = make([]float64, len(e.location))
			}
			stage.effects = append(stage.effects, e)
			if m.terms != nil && m.terms.has(number) {
				stage.terms = m.terms
			}
		}
		m.stages = append(m.stages, stage)
	}
	if m.terms != nil {
		m.terms.of = m.effects
	}
	return m
}

// At sets to.
func (m *recentred) At(at, from, to []float64) float64 {
	copy(to, from)
	together := false
	n := len(m.effects)
	if m.terms != nil {
		together = at[n] == density.Informed
		n++
	}
	theta, anchors, logJacobian := from, at[n:], 0.0
	if m.toTheta {
		theta = to // as far as it is known
	}
	bends := m.bends
	for k, e := range m.effects {
		if e == nil {
			b := bends[0]
			bends = bends[1:]
			b.at(at[k], anchors)
			anchors = anchors[b.Len:]
			if b.strength != 0 {
				logJacobian += b.move(from, to, m.toTheta)
			}
			continue
		}
		if e.a, e.b = e.Centring, at[k]; m.toTheta {
			e.a, e.b = e.b, e.a
		}
		if e.Anchored {
			copy(e.anchor, anchors)
		} else if e.joint != nil {
			e.joint.on, e.joint.anchors = at[k] != e.Centring, e.joint.nothing
			if at[k] == density.Informed {
				e.joint.anchors = anchors[:e.Anchors()]
			}
		} else if e.informed.on = at[k] == density.Informed; e.informed.on {
			e.informed.anchors = anchors[:2*e.Len]
		}
		anchors = anchors[e.Anchors():]
		e.among = together && m.terms.has(k)
	}
	if m.terms != nil {
		m.terms.on, m.terms.anchors = together, anchors
	}
	for k := range m.stages {
		s := &m.stages[k]
		s.moved = together && s.terms != nil
		for _, e := range s.effects {
			s.moved = s.moved || e.moved()
		}
		if !s.moved {
			continue
		}
		s.exec.Forward(theta)
		for _, e := range s.effects {
			from, to := from[e.Offset:][:e.Len], to[e.Offset:][:e.Len]
			switch {
			case !e.moved():
			case e.Walk:
				logJacobian += e.walkTo(from, to, m.toTheta)
			case e.known != nil:
				logJacobian += e.knownTo(from, to, m.toTheta)
			case e.vectors != nil:
				logJacobian += e.vectorsTo(from, to, m.toTheta)
			case e.Process:
				logJacobian += e.processTo(from, to, m.toTheta)
			case e.informed.on:
				logJacobian += e.inform(from, to, m.toTheta)
			default:
				logJacobian += e.move(from, to)
			}
		}
		if together && s.terms != nil {
			logJacobian += s.terms.to(from, to, m.toTheta)
		}
		for _, e := range s.effects {
			if m.toTheta && e.Centring != 0 && (e.moved() || e.among) && e.lost(to[e.Offset:][:e.Len]) {
				logJacobian = math.Inf(-1)
			}
		}
	}
	return logJacobian
}

// Effects are lost whose scale is below 2⁻⁴⁰ of their value: θ tells of their coordinates less than twelve
// binary places. Scales of more than smallScale are not looked at.
const (
	lostShare     = 0x1p-40
	logLostShare  = -40 * math.Ln2
	smallScale    = 1e-6
	logSmallScale = -6 * math.Ln10
)

// lost reports whether θ does not tell the coordinates of an effect, whose scale is too small beside its
// location. The density by θ hardly depends on these coordinates there, so that a place of no mass would be
// one of infinite mass.
func (e *recentredEffects) lost(theta []float64) bool {
	root, n := e.process.root, e.Len
	if e.vectors != nil {
		root, n = e.vectors.root, e.vectors.k
	}
	for i, l := range e.logScale {
		for ; l < logSmallScale && i < len(theta); i += len(e.logScale) {
			if portable.Log(math.Abs(theta[i])) > l-logLostShare {
				return true
			}
		}
	}
	for r := 0; r*n < len(root); r++ {
		if s := math.Abs(root[r+n*r]); s < smallScale && slices.ContainsFunc(theta[r*(e.Len/n):][:e.Len/n],
			func(x float64) bool { return math.Abs(x)*lostShare > s }) {
			return true
		}
	}
	return false
}

// Pull pulls g back.
func (m *recentred) Pull(g []float64) { m.pull(g, m.toTheta) }

// Lift undoes Pull.
func (m *recentred) Lift(g []float64) { m.pull(g, !m.toTheta) }

// pull turns a gradient by θ to one by coordinates u, or the other way round.
func (m *recentred) pull(g []float64, fromTheta bool) {
	if !fromTheta {
		m.pullBends(g, false)
	}
	for k := range m.stages {
		s := &m.stages[k]
		if fromTheta { // derivatives by θ of a stage are whole when later stages have added theirs
			s = &m.stages[len(m.stages)-1-k]
		}
		if !s.moved {
			continue
		}
		seeds := s.seeds
		clear(seeds)
		if s.terms != nil && s.terms.on {
			s.terms.pull(g, fromTheta)
		}
		for _, e := range s.effects {
			if e.moved() {
				e.pullAny(g[e.Offset:][:e.Len], fromTheta, fromTheta != m.toTheta)
			}
			if e.moved() || e.among {
				seeds[0], seeds[1] = e.toLocation, e.toLog
				if e.joint != nil {
					seeds[2] = e.joint.toAddend
				}
				if e.vectors != nil {
					seeds[1] = e.vectors.toRoot
				} else if e.Process && e.known == nil {
					seeds[1] = e.process.toRoot
				}
			}
			seeds = seeds[maps(e.Effects):]
		}
		s.exec.Pull(s.seeds)
		Add(g, s.exec.Grad())
	}
	if fromTheta {
		m.pullBends(g, true)
	}
}

// pullAny is pull of effects; inverse is true of Lift.
func (e *recentredEffects) pullAny(g []float64, fromTheta, inverse bool) {
	switch {
	case e.Walk:
		e.pullWalk(g, fromTheta)
	case e.known != nil:
		e.pullKnown(g, fromTheta)
	case e.vectors != nil:
		e.pullVectors(g, fromTheta)
	case e.Process:
		e.pullProcess(g, fromTheta)
	case e.informed.on:
		e.pullInformed(g, fromTheta)
	default:
		if e.factors(inverse); len(e.location) == 1 && len(e.power) == 1 {
			e.pullAlike(g)
		} else {
			e.pull(g)
		}
	}
}

func (m *recentred) pullBends(g []float64, fromTheta bool) {
	for _, b := range m.bends {
		if b.strength != 0 {
			b.pull(g, fromTheta)
		}
	}
}

func (e *recentredEffects) moved() bool { return e.a != e.b && !e.among }

// share is that of one log scale in the log-Jacobian: each effect is multiplied by its scale to the power of
// b - a.
func (e *recentredEffects) share() float64 {
	return (e.b - e.a) * float64(e.Len) / float64(len(e.logScale))
}

// move takes effects from a to b, and returns the log-Jacobian.
func (e *recentredEffects) move(from, to []float64) float64 {
	for i, l := range e.logScale {
		e.power[i] = portable.Exp((e.b - e.a) * l)
	}
	if len(e.location) == 1 && len(e.power) == 1 {
		m := e.location[0]
		vector.AddScalar(e.Len, e.misfit, from, -float64(e.a*m))
		vector.Scale(e.Len, to, e.misfit, e.power[0])
		vector.Shift(e.Len, to, float64(e.b*m))
	} else {
		j, k := 0, 0
		for i, x := range from {
			m := e.location[j]
			e.misfit[i] = x - float64(e.a*m)
			to[i] = float64(e.power[k]*e.misfit[i]) + float64(e.b*m)
			j, k = after(j, len(e.location)), after(k, len(e.power))
		}
	}
	return e.share() * vector.Sum(len(e.logScale), e.logScale)
}

// factors prepares pull, or that of the inverse map.
func (e *recentredEffects) factors(inverse bool) {
	e.added = e.share()
	for i, p := range e.power {
		e.factor[i], e.step[i] = p, float64((e.b-e.a)*p)
		e.slope[i] = e.b - float64(e.a*p)
	}
	if !inverse {
		return
	}
	e.added = -e.added
	for i, p := range e.power {
		e.factor[i], e.step[i] = 1/p, e.a-e.b // the misfit there is p times the one here
		e.slope[i] = e.a - e.b/p
	}
}

// pull replaces a gradient by the result by that by what was mapped, and sets the adjoints of location and
// log scale; those of the log-Jacobian too.
func (e *recentredEffects) pull(g []float64) {
	for i := range e.toLog {
		e.toLog[i] = e.added
	}
	clear(e.toLocation)
	j, k := 0, 0
	for i, d := range g {
		e.toLog[k] += float64(e.step[k] * float64(d*e.misfit[i]))
		if e.toLocation != nil {
			e.toLocation[j] += float64(e.slope[k] * d)
		}
		g[i] = float64(d * e.factor[k])
		j, k = after(j, len(e.location)), after(k, len(e.power))
	}
}

// pullAlike is pull where all effects have one location and one scale.
func (e *recentredEffects) pullAlike(g []float64) {
	e.toLog[0] = e.added + float64(e.step[0]*vector.Dot(e.Len, g, e.misfit))
	if e.toLocation != nil {
		e.toLocation[0] = e.slope[0] * vector.Sum(e.Len, g)
	}
	vector.Scale(e.Len, g, g, e.factor[0])
}

// after is the place after i in n that are repeated.
func after(i, n int) int {
	if i++; i == n {
		return 0
	}
	return i
}
