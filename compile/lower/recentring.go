package lower

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// effects are a parameter whose coordinates x have a prior with a location and a scale that depend on other parameters of the party; or the location of such, with their scale.
type effects struct {
	density.Effects
	x, location, scale graph.ID
}

// noteEffects notes a parameter that can be centred or not, args being those of its prior as written. Its x must be coordinates, not a function of them.
func (l *lowerer) noteEffects(s *check.Symbol, x graph.ID, args []graph.ID) {
	offset, free := l.b.Coordinates(x)
	if !free || s.Dist.LocationAt < 0 || s.Dist.ScaleAt < 0 {
		return
	}
	n, location, scale := l.b.Shape(x).Len(), args[s.Dist.LocationAt], args[s.Dist.ScaleAt]
	if n == 0 || l.b.Constant(scale) || l.b.Received(scale) || l.b.Received(location) {
		return
	}
	e := effects{density.Effects{Name: l.key(s.Name), Offset: offset, Len: n, Centring: 1}, x, location, scale}
	if s.Decl.(*ast.Param).Noncentered {
		e.Centring = 0
	}
	l.noteLocation(e)
	l.effects = append(l.effects, e)
}

// noteLocation notes the location of effects, where it is a parameter whose coordinates can be relative to their scale: none of the maps that are built before needs it.
func (l *lowerer) noteLocation(of effects) {
	offset, free := l.b.Coordinates(of.location)
	n, scales := l.b.Shape(of.location).Len(), l.b.Shape(of.scale).Len()
	if !free || n == 0 || scales != 1 && scales != n || l.b.Depends(of.scale, of.location) {
		return
	}
	for _, e := range l.effects {
		if e.x == of.location || !e.Anchored && l.b.Depends(e.location, of.location) || l.b.Depends(e.scale, of.location) {
			return
		}
	}
	l.effects = append(l.effects, effects{
		density.Effects{Name: "location of " + of.Name, Offset: offset, Len: n, Centring: 1, Anchored: true}, of.location, graph.NoID, of.scale,
	})
}

// recentring builds the maps between the coordinates of the party's hierarchies.
func (l *lowerer) recentring() (r *model.Recentring, err error) {
	if len(l.effects) == 0 || l.Window != nil {
		return nil, nil
	}
	r = &model.Recentring{}
	for _, e := range l.effects {
		r.Effects = append(r.Effects, e.Effects)
	}
	if r.ToTheta, err = l.recentringMap((*recentred).toTheta); err != nil {
		return nil, err
	}
	r.FromTheta, err = l.recentringMap((*recentred).fromTheta)
	return r, err
}

// recentringMap builds a map of the coordinates of all parameters. Effects come in the order of declaration, so that locations and scales depend on
// earlier ones alone.
func (l *lowerer) recentringMap(write func(*recentred) (value, theta graph.ID)) (*graph.Graph, error) {
	m := &recentred{b: graph.New(l.Name)}
	known := m.b.CopyParams(l.b)
	centrings := make([]graph.ID, len(l.effects))
	for k, e := range l.effects {
		centrings[k] = m.b.Input("centring of "+e.Name, graph.Shape{})
	}
	for k, e := range l.effects {
		m.x, m.c, m.d = known[e.x], centrings[k], m.b.Scalar(e.Centring)
		if e.Anchored {
			m.location = m.b.Input("anchor of "+e.Name, l.b.Shape(e.x))
		} else {
			m.location = m.b.Copy(l.b, e.location, known)
		}
		m.logScale = m.apply("log", m.b.Copy(l.b, e.scale, known))
		value, theta := write(m)
		if m.err != nil {
			return nil, m.err
		}
		known[e.x] = theta
		m.b.Output(e.Name, value)
		m.b.Output("log scale of "+e.Name, m.logScale)
	}
	return m.b.Build()
}

// A recentred is a map in the making, at some effects: their coordinates x, the prior's location and log scale, the centring c of the coordinates u and d
// of θ, one of which x is. By definition u = (v - m)/s^(1-c) + c·m for the effects v, and the same with θ for u and d for c.
type recentred struct {
	b                     *graph.Builder
	x, location, logScale graph.ID
	c, d                  graph.ID
	err                   error
}

// toTheta: θ = s^(d-c)·(u - c·m) + d·m.
func (m *recentred) toTheta() (value, theta graph.ID) {
	theta = m.between(m.c, m.d)
	return theta, theta
}

// fromTheta: u = s^(c-d)·(θ - d·m) + c·m.
func (m *recentred) fromTheta() (value, theta graph.ID) { return m.between(m.d, m.c), m.x }

// between takes x from the centring a to the centring b.
func (m *recentred) between(a, b graph.ID) graph.ID {
	power := m.apply("exp", m.apply("mul", m.apply("sub", b, a), m.logScale))
	misfit := m.apply("sub", m.x, m.apply("mul", a, m.location))
	return m.apply("add", m.apply("mul", power, misfit), m.apply("mul", b, m.location))
}

func (m *recentred) apply(op string, in ...graph.ID) graph.ID {
	if m.err != nil {
		return graph.NoID
	}
	id, err := m.b.Apply(op, graph.Attr{}, in...)
	m.err = err
	return id
}
