package lower

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/def"
)

// effects are a parameter whose coordinates x have a prior with a location and a scale that depend on other
// parameters of the party; or the location of such, with their scale.
type effects struct {
	density.Effects
	x, location graph.ID
	scale       graph.ID // of a process its root
	addend      graph.ID // of a walk or process
}

// needs reports whether the map of effects depends on a parameter.
func (l *lowerer) needs(e effects, x graph.ID) bool {
	return l.b.Depends(e.scale, x) || !e.Anchored && l.b.Depends(e.location, x) ||
		e.addend != graph.NoID && l.b.Depends(e.addend, x)
}

// mostVector is how many elements vectors of effects have at most: work and memory of their coordinates grow
// with its cube and square.
const mostVector = 8

// noteEffects notes a parameter that can be centred or not, args being those of its prior as written. Its x
// must be coordinates, not a function of them; log is true where it is the exponential of coordinates x.
func (l *lowerer) noteEffects(s *check.Symbol, x graph.ID, log bool, args []graph.ID) {
	offset, free := l.b.Coordinates(x)
	if event := s.Dist.Event; event != nil {
		normal := event.Scatter != def.NotNormal
		shape, scale, vector := l.b.Shape(x), args[1], 0
		if normal && len(shape) == 2 && shape[1] <= mostVector && len(l.b.Shape(scale)) == 2 {
			vector = shape[1]
		}
		if !free || len(shape) != 1 && vector == 0 || !event.Walk && !normal {
			return
		}
		if event.Scatter == def.ByPrecision {
			if scale, normal = l.b.RootOfInverse(scale); !normal {
				return
			}
		} else if event.Scatter == def.ByCovariance && !l.b.Constant(scale) {
			scale = l.apply(s.Ident, "cholesky", graph.Attr{}, scale)
		}
		l.joint = append(l.joint, effects{density.Effects{Name: l.key(s.Name), Offset: offset,
			Len: l.b.Shape(x).Len(), Centring: 1, Walk: event.Walk, Process: normal, Vector: vector}, x,
			args[0], scale, x})
		return
	}
	locationAt, scaleAt := s.Dist.Spread()
	if !free || locationAt < 0 || scaleAt < 0 || log != (s.Dist.OfLog != nil) {
		return
	}
	n, location, scale := l.b.Shape(x).Len(), args[locationAt], args[scaleAt]
	if v, known := l.b.Value(location); known && n > 0 && !log && l.b.Constant(scale) &&
		!slices.ContainsFunc(v, func(m float64) bool { return m != 0 }) {
		l.standardised = append(l.standardised, standardised{l.key(s.Name), x, scale})
	}
	if n == 0 || l.b.Constant(scale) || l.b.Received(scale) || l.b.Received(location) {
		return
	}
	e := effects{density.Effects{Name: l.key(s.Name), Offset: offset, Len: n, Centring: 1}, x, location,
		scale, graph.NoID}
	if s.Decl.(*ast.Param).Noncentered {
		e.Centring = 0
	}
	l.noteLocation(e)
	l.effects = append(l.effects, e)
}

// A standardised parameter has a prior of location 0 and a scale that is a number.
type standardised struct {
	name     string
	x, scale graph.ID
}

// noteRoots notes the standardised parameters of scale 1 that a root multiplies.
func (l *lowerer) noteRoots() {
	l.standardised = slices.DeleteFunc(l.standardised, func(p standardised) bool {
		if v, _ := l.b.Value(p.scale); len(v) != 1 || v[0] != 1 {
			return false
		}
		root, at := l.b.Root(p.x)
		if root == graph.NoID {
			return false
		}
		offset, _ := l.b.Coordinates(p.x)
		l.joint = append(l.joint, effects{density.Effects{Name: p.name, Offset: offset,
			Len: l.b.Shape(p.x).Len(), Process: true}, p.x, l.b.Scalar(0), root, at})
		return true
	})
}

// noteProducts notes the standardised parameters that are multiplied by a scale which depends on other
// parameters: effects of location 0, written non-centred.
func (l *lowerer) noteProducts() {
	params := make([]graph.ID, len(l.standardised))
	for k, p := range l.standardised {
		params[k] = p.x
	}
	for k, scale := range l.b.Multipliers(params) {
		if scale == graph.NoID {
			continue
		}
		p := l.standardised[k]
		offset, _ := l.b.Coordinates(p.x)
		l.insert(effects{density.Effects{Name: p.name, Offset: offset, Len: l.b.Shape(p.x).Len()}, p.x,
			l.b.Scalar(0), scale, graph.NoID})
	}
}

// insert notes effects before those whose maps need them, unless they need one of these.
func (l *lowerer) insert(e effects) bool {
	at := slices.IndexFunc(l.effects, func(o effects) bool { return l.needs(o, e.x) })
	if at < 0 {
		at = len(l.effects)
	}
	if slices.ContainsFunc(l.effects[at:], func(o effects) bool { return l.needs(e, o.x) }) {
		return false
	}
	l.effects = slices.Insert(l.effects, at, e)
	return true
}

// noteJoint notes the random walks and processes whose scale or root depends on parameters, with what is
// added to them.
func (l *lowerer) noteJoint() {
	for _, e := range l.joint {
		if e.Len == 0 || e.Walk && (l.b.Shape(e.location).Len() != 1 || l.b.Shape(e.scale).Len() != 1) ||
			l.b.Constant(e.scale) || l.b.Received(e.scale) || l.b.Received(e.location) {
			continue
		}
		none := l.b.Scalar(0)
		if e.addend = l.b.Addend(e.x, e.addend); e.addend == graph.NoID {
			e.addend = none
		}
		if !l.insert(e) {
			e.addend = none
			l.insert(e)
		}
	}
}

// noteLocation notes the location of effects, where it is a parameter whose coordinates can be relative to
// their scale: none of the maps that are built before needs it.
func (l *lowerer) noteLocation(of effects) {
	offset, free := l.b.Coordinates(of.location)
	n, scales := l.b.Shape(of.location).Len(), l.b.Shape(of.scale).Len()
	if !free || n == 0 || scales != 1 && scales != n || l.b.Depends(of.scale, of.location) {
		return
	}
	for _, e := range l.effects {
		if e.x == of.location || !e.Anchored && l.b.Depends(e.location, of.location) ||
			l.b.Depends(e.scale, of.location) {
			return
		}
	}
	l.effects = append(l.effects, effects{
		density.Effects{Name: "location of " + of.Name, Offset: offset, Len: n, Centring: 1, Anchored: true},
		of.location, graph.NoID, of.scale, graph.NoID,
	})
}

// A bounded parameter has a lower bound: x is a function of its coordinates.
type bounded struct {
	name           string
	coordinates, x graph.ID
}

// noteScales notes the parameters with a lower bound that scales of effects depend on.
func (l *lowerer) noteScales() {
	for _, p := range l.bounded {
		if slices.ContainsFunc(l.effects, func(e effects) bool {
			return !e.Scale && (!e.Process || e.Vector > 0) && l.b.Depends(e.scale, p.x)
		}) && !slices.ContainsFunc(l.effects, func(e effects) bool { return e.x == p.coordinates }) {
			offset, _ := l.b.Coordinates(p.coordinates)
			e := density.Effects{Name: p.name, Offset: offset, Len: l.b.Shape(p.x).Len(), Centring: 1,
				Anchored: true, Scale: true}
			l.effects = append(l.effects, effects{Effects: e, x: p.x})
		}
	}
}

// recentring builds the maps between the coordinates of the party's hierarchies.
func (l *lowerer) recentring() (r *model.RecentringGraphs, err error) {
	if len(l.effects) == 0 || l.Window != nil {
		return nil, nil
	}
	l.noteScales()
	r = &model.RecentringGraphs{}
	for _, e := range l.effects {
		r.Effects = append(r.Effects, e.Effects)
	}
	if err := l.recentringStages(r); err != nil {
		return nil, err
	}
	l.noteTerms(r)
	return r, nil
}

// mostTogether is how many elements terms have at most: work on their precision matrix grows with its cube.
const mostTogether = 64

// noteTerms notes the effects of the stage that has most of them, and constants, as terms.
func (l *lowerer) noteTerms(r *model.RecentringGraphs) {
	var terms []density.EffectTerm
	most := 0
	for _, s := range r.Stages {
		var some []density.EffectTerm
		n := 0
		for _, k := range s.Effects {
			if e := r.Effects[k]; !e.Anchored && !e.Walk && !e.Process {
				some, n = append(some, density.EffectTerm{Offset: e.Offset, Len: e.Len, Effects: k}), n+e.Len
			}
		}
		if n > most {
			terms, most = some, n
		}
	}
	if most == 0 {
		return
	}
	for _, x := range l.plain {
		if !slices.ContainsFunc(l.effects, func(e effects) bool { return e.x == x || l.needs(e, x) }) {
			offset, _ := l.b.Coordinates(x)
			n := l.b.Shape(x).Len()
			terms, most = append(terms, density.EffectTerm{Offset: offset, Len: n, Effects: -1}), most+n
		}
	}
	if most <= mostTogether {
		r.Effects = append(r.Effects, density.Effects{Name: "terms", Len: most, Terms: terms})
	}
}

// standardises reports whether effects are all parameters whose priors depend on others.
func (l *lowerer) standardises() bool {
	return !slices.ContainsFunc(l.dependent, func(name string) bool {
		return !slices.ContainsFunc(l.effects, func(e effects) bool { return e.Name == name && !e.Anchored })
	})
}

// separable finds the parameters whose elements are independent of each other given all others.
func (l *lowerer) separable() (out []density.Effects) {
	if l.Window != nil {
		return nil
	}
	for _, p := range l.b.Params() {
		if n := l.b.Shape(p).Len(); n > 1 && l.b.Separable(p) {
			offset, _ := l.b.Coordinates(p)
			out = append(out, density.Effects{Offset: offset, Len: n})
		}
	}
	return out
}

// recentringStages builds the graphs of locations and scales. Effects come in the order of declaration, so
// that locations and scales depend on earlier ones alone.
func (l *lowerer) recentringStages(r *model.RecentringGraphs) error {
	of := make([]int, len(l.effects)) // the stage of each
	for k, e := range l.effects {
		if e.Scale {
			continue
		}
		for j, before := range l.effects[:k] {
			if l.needs(e, before.x) {
				of[k] = max(of[k], of[j]+1)
			}
		}
	}
	for stage := range slices.Max(of) + 1 {
		s, b := model.RecentringStage{}, graph.New(l.Name)
		known := b.CopyParams(l.b)
		for k, e := range l.effects {
			if of[k] != stage || e.Scale {
				continue
			}
			location := b.Scalar(0)
			if !e.Anchored {
				location = b.Copy(l.b, e.location, known)
			}
			factor, root := l.knownRoot(e)
			scale, err := b.Copy(l.b, factor, known), error(nil)
			if !e.Process || root != nil {
				if scale, err = b.Apply("log", graph.Attr{}, scale); err != nil {
					return err
				}
			}
			outputs := []graph.ID{location, scale}
			if e.addend != graph.NoID {
				outputs = append(outputs, b.Copy(l.b, e.addend, known))
			}
			for i, id := range outputs {
				if i == 1 && e.Process {
				} else if id, err = repeated(b, id, l.b.Shape(e.x)); err != nil {
					return err
				}
				b.Output([]string{"location of ", "log scale or root of ", "addend of "}[i]+e.Name, id)
			}
			s.Effects, s.Roots = append(s.Effects, k), append(s.Roots, root)
		}
		var err error
		if s.Graph, err = b.Build(); err != nil {
			return err
		}
		r.Stages = append(r.Stages, s)
	}
	return nil
}

// knownRoot divides the root of a process into a number and a matrix that no parameter changes; of other
// effects, and where it is not such a product, the number is the scale and the matrix nil.
func (l *lowerer) knownRoot(e effects) (number graph.ID, root []float64) {
	if e.Process && e.Vector == 0 {
		if number, matrix, ok := l.b.Multiple(e.scale); ok {
			return number, matrix
		}
	}
	return e.scale, nil
}

// intercepts finds the parameters that are added to whole sums which the party receives.
func (l *lowerer) intercepts() ([]graph.Intercept, error) {
	if l.Window != nil {
		return nil, nil
	}
	var sets [][]graph.ID
	for _, p := range l.b.Params() {
		if set := l.moving(p); l.b.Shape(p).Len() == 1 && set != nil {
			sets = append(sets, set)
		}
	}
	return l.b.Intercepts(sets)
}

// moving is a parameter with the effects that must move as it does so that they stay as far from their
// location as they are; nil where that does not do, or where it is an effect itself.
func (l *lowerer) moving(p graph.ID) []graph.ID {
	set := []graph.ID{p}
	depends := func(id graph.ID) bool {
		return slices.ContainsFunc(set, func(on graph.ID) bool { return l.b.Depends(id, on) })
	}
	for _, e := range l.effects {
		switch {
		case e.x == p && !e.Anchored, depends(e.scale),
			(e.Walk || e.Process) && (depends(e.location) || depends(e.addend)):
			return nil
		case e.Anchored || !depends(e.location):
		case !l.b.Moves(e.location, set):
			return nil
		case e.Centring == 1:
			set = append(set, e.x)
		}
	}
	return set
}

// repeated gives a value that is spread over a shape the whole shape, unless its elements come in turn over
// that: they are one, or stand along the first dimensions.
func repeated(b *graph.Builder, id graph.ID, over graph.Shape) (graph.ID, error) {
	shape := append(slices.Repeat(graph.Shape{1}, len(over)-len(b.Shape(id))), b.Shape(id)...)
	same := 0
	for same < len(over) && shape[same] == over[same] {
		same++
	}
	if !slices.ContainsFunc(shape[same:], func(n int) bool { return n != 1 }) {
		return id, nil
	}
	return b.Apply("add", graph.Attr{}, id, b.Const("shape", over, make([]float64, over.Len())))
}
