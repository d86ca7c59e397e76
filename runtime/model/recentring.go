package model

import (
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// A Recentring is the maps between the coordinates of a party's hierarchies (density.Recentring) as two graphs over its parameters. Input k of each is the
// centring of the k-th effects; after these come the anchors of those that have any. Output 2k is these effects in the coordinates mapped to, and output 2k+1 the logarithm of their prior's scale.
type Recentring struct {
	Effects            []density.Effects
	ToTheta, FromTheta *graph.Graph
}

// Effects describes the parameters that can be centred or not.
func (p *Party) Effects() []density.Effects {
	if p.spec.Recentring == nil {
		return nil
	}
	return p.spec.Recentring.Effects
}

// ToTheta returns the map from coordinates at given centrings to those of the party's density.
func (p *Party) ToTheta() density.Map {
	r := p.spec.Recentring
	return newRecentred(r.Effects, r.ToTheta, 1)
}

// FromTheta returns the inverse of ToTheta.
func (p *Party) FromTheta() density.Map {
	r := p.spec.Recentring
	return newRecentred(r.Effects, r.FromTheta, -1)
}

// recentred is one of the two maps.
type recentred struct {
	effects []density.Effects
	exec    *graph.Exec
	sign    float64   // 1 to θ, -1 from θ
	share   []float64 // by effects: of one output of their log scale in the log-Jacobian
	seeds   [][]float64
}

func newRecentred(effects []density.Effects, g *graph.Graph, sign float64) *recentred {
	m := &recentred{effects: effects, exec: g.NewExec(), sign: sign, share: make([]float64, len(effects)), seeds: make([][]float64, 2*len(effects))}
	for k := range effects {
		m.seeds[2*k+1] = make([]float64, len(m.exec.Output(2*k+1)))
	}
	return m
}

// At sets to. Going to the centring b from a multiplies each effect by its prior's scale to the power of b - a, which is what it adds to the Jacobian.
func (m *recentred) At(at, from, to []float64) float64 {
	centring, anchors, input := at[:len(m.effects)], at[len(m.effects):], len(m.effects)
	for k, e := range m.effects {
		m.exec.Input(k)[0] = centring[k]
		if e.Anchored {
			copy(m.exec.Input(input), anchors[:e.Len])
			anchors = anchors[e.Len:]
			input++
		}
	}
	m.exec.Forward(from)
	copy(to, from)
	logJacobian := 0.0
	for k, e := range m.effects {
		copy(to[e.Offset:e.Offset+e.Len], m.exec.Output(2*k))
		logScale := m.exec.Output(2*k + 1)
		m.share[k] = m.sign * (e.Centring - centring[k]) * float64(e.Len) / float64(len(logScale))
		logJacobian += float64(m.share[k] * vector.Sum(len(logScale), logScale))
	}
	return logJacobian
}

// Pull pulls g back.
func (m *recentred) Pull(g []float64) {
	for k, e := range m.effects {
		m.seeds[2*k] = g[e.Offset : e.Offset+e.Len]
		for i := range m.seeds[2*k+1] {
			m.seeds[2*k+1][i] = m.share[k]
		}
	}
	m.exec.Pull(m.seeds)
	for k, e := range m.effects {
		clear(g[e.Offset : e.Offset+e.Len])
		m.seeds[2*k] = nil
	}
	Add(g, m.exec.Grad())
}
