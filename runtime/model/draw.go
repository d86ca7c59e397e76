package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// A Simulator is the evaluation state of a model. It is not safe for concurrent use.
type Simulator struct {
	model *SimulatedModel
	exec  *graph.Exec
	args  [][]float64
	theta []float64
	// integrals over the auxiliary variables, by response; nil until they are wanted
	integrals []*quadrature
}

// NewSimulator returns a simulator of the model.
func (m *SimulatedModel) NewSimulator() *Simulator {
	return &Simulator{model: m, exec: m.Graph.NewExec()}
}

// attempts is how often a value is drawn until it lies within the bounds of its parameter.
const attempts = 10000

// Prior draws all parameters from their priors into x, weights from the law of their initial values, in the
// order of the graph. scale may be nil; else it is called with the name of each parameter, and the scale of
// its prior is multiplied by the result. The error names the parameter that cannot be drawn.
func (s *Simulator) Prior(r *rand.Rand, x []float64, scale func(name string) float64) error {
	clear(x)
	for _, k := range s.model.order() {
		p, port := &s.model.Params[k], s.model.Graph.Params()[k]
		if p.Initial != nil {
			p.Initial.Fill(port.Shape, r, x[port.Offset:port.Offset+port.Len])
			continue
		}
		if p.Improper != "" {
			return fmt.Errorf("%s %s", p.Name, p.Improper)
		}
		s.exec.Forward(x)
		s.evaluate(p.Law)
		if scale != nil {
			if f := scale(p.Name); f != 1 {
				s.rescale(p.Dist.ScaleAt, f)
			}
		}
		if p.Whole() {
			if !p.Draw(r, s.args, x[port.Offset:port.Offset+port.Len], port.Shape) {
				return cmp.Or(s.outside(r, p, port.Shape),
					fmt.Errorf("%s: no draw from its prior was inside its support", p.Name))
			}
			continue
		}
		for i := range port.Len {
			v, ok := s.within(r, p, i)
			if !ok {
				return cmp.Or(s.outside(r, p, port.Shape),
					fmt.Errorf("%s: %d draws from its prior were all outside its support from %g to %g",
						p.Name, attempts, p.Lower, p.Upper))
			}
			x[port.Offset+i] = v
		}
	}
	return nil
}

// Complete draws some elements of parameter k from its prior, given the other parameters in x and the other
// elements, of which they are independent. The error names the parameter.
func (s *Simulator) Complete(r *rand.Rand, k int, x []float64, elements []int) error {
	p, port := &s.model.Params[k], s.model.Graph.Params()[k]
	if p.Improper != "" {
		return fmt.Errorf("%s %s", p.Name, p.Improper)
	}
	s.exec.Forward(x)
	s.evaluate(p.Law)
	own := x[port.Offset : port.Offset+port.Len]
	if p.Whole() {
		all := slices.Clone(own)
		if !p.Draw(r, s.args, all, port.Shape) {
			return cmp.Or(s.outside(r, p, port.Shape),
				fmt.Errorf("%s: no draw from its prior was inside its support", p.Name))
		}
		for _, e := range elements {
			own[e] = all[e]
		}
		return nil
	}
	for _, e := range elements {
		v, ok := s.within(r, p, e)
		if !ok {
			return cmp.Or(s.outside(r, p, port.Shape),
				fmt.Errorf("%s: %d draws from its prior were all outside its support from %g to %g", p.Name,
					attempts, p.Lower, p.Upper))
		}
		own[e] = v
	}
	return nil
}

// Centre sets all elements of parameter k to the location of its prior, given the other parameters in x: of
// vectors, to their mean, which is 0 where they sum to 0. The error names a parameter whose prior has none.
func (s *Simulator) Centre(k int, x []float64) error {
	p, port := &s.model.Params[k], s.model.Graph.Params()[k]
	at, own := p.Dist.LocationAt, x[port.Offset:port.Offset+port.Len]
	if p.Dist.Event != nil && len(p.Dist.Params) > 0 && p.Dist.Params[0].Name == "mu" {
		at = 0
	}
	if p.Structure != nil && p.Structure.Support == def.ZeroSum {
		clear(own)
		return nil
	}
	s.exec.Forward(x)
	s.evaluate(p.Law)
	if at < 0 || p.Imputed != nil || len(s.args[at]) != len(own) {
		return fmt.Errorf("%s has the prior %s, %w", p.Name, p.Dist.Name, ErrNoCentre)
	}
	copy(own, s.args[at])
	return nil
}

// ErrNoCentre is wrapped by the error of a parameter whose prior has no location.
var ErrNoCentre = errors.New("which has no location that its elements vary around")

// ErrOutside is wrapped by the error of a parameter whose prior has an argument outside its domain: nothing
// can be drawn from it, whatever the stream.
var ErrOutside = errors.New("so that there is no distribution to draw from")

// outside names an argument of a prior, evaluated before, that is outside its domain; nil where there is
// none.
func (s *Simulator) outside(r *rand.Rand, p *Param, shape graph.Shape) error {
	for k, a := range s.args {
		arg := &p.Dist.Params[k]
		i := slices.IndexFunc(a, func(v float64) bool {
			return math.IsNaN(v) || !arg.Domain.OfWholes() && !arg.Allows(v)
		})
		if i >= 0 {
			return fmt.Errorf("%s: %s of %s is %.3g here, and not %s, %w", p.Name, arg.Name, p.Dist.Name,
				a[i], arg.Words(), ErrOutside)
		}
		if arg.Domain.OfWholes() && p.Whole() && !p.Law.draw(r, s.args, make([]float64, shape.Len()), shape) {
			return fmt.Errorf("%s: here %s of %s is not %s, %w", p.Name, arg.Name, p.Dist.Name, arg.Words(),
				ErrOutside)
		}
	}
	return nil
}

// order lists the parameters in the order in which they are drawn.
func (m *SimulatedModel) order() (out []int) {
	for _, imputed := range []bool{false, true} {
		for k := range m.Params {
			if (m.Params[k].Imputed != nil) == imputed {
				out = append(out, k)
			}
		}
	}
	return out
}

// Contributions evaluates all cuts at parameters x. value k then returns the elements of cut k, first index
// fastest, until the next evaluation.
func (s *Simulator) Contributions(x []float64) (value func(k int) []float64) {
	s.exec.Forward(x)
	return func(k int) []float64 { return s.exec.Report(s.model.Cuts[k].Report) }
}

// rescale multiplies one argument of the current law by a factor, in a copy: the report that it was read from
// does not change.
func (s *Simulator) rescale(arg int, factor float64) {
	s.args[arg] = slices.Clone(s.args[arg])
	for i := range s.args[arg] {
		s.args[arg][i] *= factor
	}
}

func (s *Simulator) within(r *rand.Rand, p *Param, i int) (float64, bool) {
	if p.Dist.Sample == nil { // flat, within bounds
		return p.Lower + float64((p.Upper-p.Lower)*r.Float64()), true
	}
	for range attempts {
		if v := s.sample(r, p.Law, i); v >= p.Lower && v <= p.Upper {
			return v, true
		}
	}
	return math.NaN(), false
}

// evaluate reads the arguments of a law from the reports.
func (s *Simulator) evaluate(l Law) {
	s.args = s.args[:0]
	for _, k := range l.Args {
		s.args = append(s.args, s.exec.Report(k))
	}
}

// sample draws element i from a law whose arguments have been evaluated.
func (s *Simulator) sample(r *rand.Rand, l Law, i int) float64 {
	s.theta = s.theta[:0]
	for _, a := range s.args {
		s.theta = append(s.theta, a[i])
	}
	return l.Dist.Sample(r, s.theta)
}

// ErrCensored is why a response cannot be drawn again whose censoring marks rows.
func ErrCensored(name string) error {
	return fmt.Errorf("the censoring of %s says what became of each row, and new data would have other "+
		"rows censored; they can be drawn where `censor` names the bound itself, as censor(right=C)", name)
}

// Drawable returns why a response cannot be drawn from its law, nil where it can.
func (y *Response) Drawable() error {
	switch {
	case y.Dist.Sample == nil && y.Dist.Form != nil && y.Dist.Form.Kind == def.CensoredForm:
		return ErrCensored(y.Name)
	case !y.Dist.Drawable() && y.Dist.Proper():
		return fmt.Errorf("%s cannot be drawn: %s", y.Name, y.Dist.WithoutDraws())
	case !y.Dist.Drawable():
		return fmt.Errorf("%s has no random number generator", y.Dist.Name)
	}
	return nil
}

// Responses draws every response, each of which must be Drawable, given parameters x, with new draws of the
// auxiliary variables where the model has them.
func (s *Simulator) Responses(r *rand.Rand, x []float64) ([][]float64, error) {
	s.At(x, s.Deviations(r))
	out := make([][]float64, len(s.model.Responses))
	for k := range s.model.Responses {
		y := &s.model.Responses[k]
		s.evaluate(y.Law)
		out[k] = make([]float64, len(y.Values))
		if y.Dist.Event != nil {
			copy(out[k], y.Values)
			if !y.Law.draw(r, s.args, out[k], y.Shape) {
				return nil, fmt.Errorf("%s: no value could be drawn; an argument of %s is outside its domain",
					y.Name, y.Dist.Name)
			}
			continue
		}
		for i := range out[k] {
			if out[k][i] = s.sample(r, y.Law, i); math.IsNaN(out[k][i]) {
				return nil, fmt.Errorf("%s: no value could be drawn for element %d; "+
					"the arguments of %s are %v", y.Name, i+1, y.Dist.Name, s.theta)
			}
		}
	}
	return out, nil
}

// Deviations draws the deviations of all auxiliary variables, in units of their noise.
func (s *Simulator) Deviations(r *rand.Rand) [][]float64 {
	out := make([][]float64, len(s.model.Noise))
	for k, n := range s.model.Noise {
		out[k] = make([]float64, len(s.exec.Input(n.Input)))
		for i := range out[k] {
			out[k][i] = portable.Normal(r)
		}
	}
	return out
}

// At evaluates the arguments of all distributions at parameters and deviations.
func (s *Simulator) At(x []float64, deviations [][]float64) {
	for k, n := range s.model.Noise {
		copy(s.exec.Input(n.Input), deviations[k])
	}
	s.exec.Forward(x)
}

// Unknown reports whether an argument of a law is NaN, where At evaluated it.
func (s *Simulator) Unknown(l Law) bool {
	return slices.ContainsFunc(l.Args, func(k int) bool {
		return slices.ContainsFunc(s.exec.Report(k), math.IsNaN)
	})
}

// Next draws, where At evaluated the model, the elements of response k of which all arguments are numbers,
// except those that are done. It returns how many it drew, and marks them.
func (s *Simulator) Next(r *rand.Rand, k int, values []float64, done []bool) (n int, err error) {
	y := &s.model.Responses[k]
	s.evaluate(y.Law)
	events, bad := y.events(), -1
	var w *room
	if y.Dist.Event != nil {
		w = y.Law.room(y.Shape, s.args)
	}
	for e := range events {
		if done[e] || s.unknown(e, events) {
			continue
		}
		if w != nil {
			bad = y.Law.event(r, s.args, values, w, e)
		} else if values[e] = s.sample(r, y.Law, e); math.IsNaN(values[e]) {
			bad = e
		}
		if bad >= 0 {
			return n, fmt.Errorf("%s: no value could be drawn for element %d; an argument of "+
				"%s is outside its domain", y.Name, bad+1, y.Dist.Name)
		}
		for i := e; i < len(values); i += events {
			done[i], n = true, n+1
		}
	}
	return n, nil
}

// Impossible returns the first element of response k that is not done and has an argument that is NaN, -1 for
// none.
func (s *Simulator) Impossible(k int, done []bool) int { return s.first(k, done, true) }

// Ready returns the first element of response k that is not done and whose arguments are numbers, -1 for
// none.
func (s *Simulator) Ready(k int, done []bool) int { return s.first(k, done, false) }

func (s *Simulator) first(k int, done []bool, unknown bool) int {
	y := &s.model.Responses[k]
	s.evaluate(y.Law)
	events := y.events()
	for e := range events {
		if !done[e] && s.unknown(e, events) == unknown {
			return e
		}
	}
	return -1
}

// unknown reports whether an argument of event e is NaN.
func (s *Simulator) unknown(e, events int) bool {
	for _, a := range s.args {
		for i := e; i < len(a); i += events {
			if math.IsNaN(a[i]) {
				return true
			}
		}
	}
	return false
}

// events is the number of values that are drawn on their own: elements, or vectors or matrices.
func (y *Response) events() int {
	n := 1
	for _, d := range y.Outcomes {
		n *= d
	}
	return n
}
