package model

import (
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// A Recentring is what the maps between the coordinates of a party's hierarchies (density.Recentring) are made of: the locations and scales of effects, which depend on θ.
type Recentring struct {
	Effects []density.Effects
	// Stages compute them, each from parameters that are no effects and effects of stages before.
	Stages []RecentringStage
}

// A RecentringStage is a graph over all parameters of the party. For the k-th of its effects, numbers of Recentring.Effects, output 2k is the location (of those with anchors, nothing) and
// output 2k+1 the logarithm of the scale. Either is one number, or is repeated over the effects.
type RecentringStage struct {
	Effects []int
	Graph   *graph.Graph
}

// Effects describes the parameters that can be centred or not.
func (p *Party) Effects() []density.Effects {
	if p.spec.Recentring == nil {
		return nil
	}
	return p.spec.Recentring.Effects
}

// ToTheta returns the map from coordinates at given centrings to those of the party's density.
func (p *Party) ToTheta() density.Map { return newRecentred(p.spec.Recentring, true) }

// FromTheta returns the inverse of ToTheta.
func (p *Party) FromTheta() density.Map { return newRecentred(p.spec.Recentring, false) }

// recentred is one of the two maps. By definition u = (v - m)/s^(1-c) + c·m for effects v with the location m and the scale s, and the same with θ for u and the centring of θ for c: a
// coordinate x at the centring a is s^(b-a)·(x - a·m) + b·m at b.
type recentred struct {
	effects []*recentredEffects
	stages  []recentredStage
	toTheta bool
}

type recentredStage struct {
	exec    *graph.Exec
	effects []*recentredEffects
	seeds   [][]float64
	moved   bool // effects of it have other coordinates
}

// recentredEffects are effects on the way from the centring a to b.
type recentredEffects struct {
	density.Effects
	a, b               float64
	anchors            []float64 // in place of a location
	location, logScale []float64 // repeated over the effects
	power              []float64 // s^(b-a)
	misfit             []float64 // x - a·m
	toLocation, toLog  []float64 // adjoints; the former nil with anchors
}

func newRecentred(r *Recentring, toTheta bool) *recentred {
	m := &recentred{toTheta: toTheta}
	for _, e := range r.Effects {
		m.effects = append(m.effects, &recentredEffects{Effects: e, misfit: make([]float64, e.Len)})
	}
	for _, s := range r.Stages {
		exec := s.Graph.NewExec()
		stage := recentredStage{exec: exec, seeds: make([][]float64, 2*len(s.Effects))}
		for k, number := range s.Effects {
			e := m.effects[number]
			e.location, e.logScale = exec.Output(2*k), exec.Output(2*k+1)
			e.power, e.toLog = make([]float64, len(e.logScale)), make([]float64, len(e.logScale))
			if e.Anchored {
				e.anchors = make([]float64, e.Len)
				e.location = e.anchors
			} else {
				e.toLocation = make([]float64, len(e.location))
			}
			stage.effects = append(stage.effects, e)
		}
		m.stages = append(m.stages, stage)
	}
	return m
}

// At sets to.
func (m *recentred) At(at, from, to []float64) float64 {
	copy(to, from)
	theta, anchors, logJacobian := from, at[len(m.effects):], 0.0
	if m.toTheta {
		theta = to // as far as it is known
	}
	for k, e := range m.effects {
		if e.a, e.b = e.Centring, at[k]; m.toTheta {
			e.a, e.b = e.b, e.a
		}
		if e.Anchored {
			copy(e.anchors, anchors)
			anchors = anchors[e.Len:]
		}
	}
	for k := range m.stages {
		s := &m.stages[k]
		s.moved = false
		for _, e := range s.effects {
			s.moved = s.moved || e.moved()
		}
		if !s.moved {
			continue
		}
		s.exec.Forward(theta)
		for _, e := range s.effects {
			if e.moved() {
				logJacobian += e.move(from[e.Offset:][:e.Len], to[e.Offset:][:e.Len])
			}
		}
	}
	return logJacobian
}

// Pull pulls g back.
func (m *recentred) Pull(g []float64) {
	for k := range m.stages {
		s := &m.stages[k]
		if m.toTheta { // derivatives by θ of a stage are whole when later stages have added theirs
			s = &m.stages[len(m.stages)-1-k]
		}
		if !s.moved {
			continue
		}
		for i, e := range s.effects {
			s.seeds[2*i], s.seeds[2*i+1] = nil, nil
			if e.moved() {
				e.pull(g[e.Offset:][:e.Len])
				s.seeds[2*i], s.seeds[2*i+1] = e.toLocation, e.toLog
			}
		}
		s.exec.Pull(s.seeds)
		Add(g, s.exec.Grad())
	}
}

func (e *recentredEffects) moved() bool { return e.a != e.b }

// share is that of one log scale in the log-Jacobian: each effect is multiplied by its scale to the power of b - a.
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

// pull replaces a gradient by effects at b by that by them at a, and sets the adjoints of location and log scale; those of the log-Jacobian too.
func (e *recentredEffects) pull(g []float64) {
	if len(e.location) == 1 && len(e.power) == 1 {
		p := e.power[0]
		e.toLog[0] = e.share() + float64((e.b-e.a)*p*vector.Dot(e.Len, g, e.misfit))
		if e.toLocation != nil {
			e.toLocation[0] = (e.b - float64(e.a*p)) * vector.Sum(e.Len, g)
		}
		vector.Scale(e.Len, g, g, p)
		return
	}
	for i := range e.toLog {
		e.toLog[i] = e.share()
	}
	clear(e.toLocation)
	j, k := 0, 0
	for i, d := range g {
		p := e.power[k]
		e.toLog[k] += float64((e.b - e.a) * d * p * e.misfit[i])
		if e.toLocation != nil {
			e.toLocation[j] += float64((e.b - float64(e.a*p)) * d)
		}
		g[i] = float64(d * p)
		j, k = after(j, len(e.location)), after(k, len(e.power))
	}
}

// after is the place after i in n that are repeated.
func after(i, n int) int {
	if i++; i == n {
		return 0
	}
	return i
}
