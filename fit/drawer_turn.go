package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/runtime/model"
)

// A turn is one draw of all responses. Data that are still to be drawn are NaN in the model that is
// evaluated, and so is all that depends on them: what is not NaN can be drawn next.
type turn struct {
	*Drawer
	x          []float64
	deviations [][]float64 // of auxiliary variables
	bound      *compile.BoundModel
	drawn      [][]float64 // by response, in the order of its left side
	done       [][]bool
	waiting    []*encoded
}

func newTurn(d *Drawer, x []float64, deviations [][]float64) *turn {
	t := &turn{Drawer: d, x: x, deviations: deviations, bound: d.bound, waiting: slices.Clone(d.encoded)}
	for _, y := range d.model.Responses {
		t.drawn = append(t.drawn, slices.Clone(y.Values))
		t.done = append(t.done, make([]bool, len(y.Values)))
	}
	return t
}

// run draws until there is nothing left.
func (t *turn) run(r *rand.Rand) ([]Drawn, error) {
	for first := true; ; first = false {
		s, err := t.evaluate(func(int) bool { return true })
		if err != nil {
			return nil, err
		}
		if first {
			if err := t.priors(s); err != nil {
				return nil, err
			}
		}
		n, left := 0, 0
		for k := range t.drawn {
			m, err := s.Next(r, k, t.drawn[k], t.done[k])
			if err != nil {
				return nil, err
			}
			n, left = n+m, left+t.left(k)
		}
		if left == 0 {
			return t.responses(func(int) bool { return true }), nil
		}
		if n > 0 {
			continue
		}
		if more, err := t.encode(); err != nil || !more {
			return nil, t.stuck(err)
		}
	}
}

// left counts the elements of a response that are to be drawn.
func (t *turn) left(k int) (n int) {
	for _, done := range t.done[k] {
		if !done {
			n++
		}
	}
	return n
}

// evaluate lowers the model with some responses left open, and evaluates the arguments of all distributions.
func (t *turn) evaluate(open func(k int) bool) (*model.Simulator, error) {
	now := t.responses(func(int) bool { return true })
	for k, y := range t.model.Responses {
		if !open(k) {
			continue
		}
		values := find(now, y.Holder, y.Data).Values
		for i, done := range t.done[k] {
			if !done {
				values[element(&y, i)] = math.NaN()
			}
		}
	}
	for _, e := range t.waiting {
		values := slices.Clone(holding(t.bound, e.holder)[e.name].Values)
		if t.unfinished(e, open) {
			for i := range values {
				values[i] = math.NaN()
			}
		}
		now = append(now, Drawn{e.name, e.holder, values})
	}
	m, diags := t.bound.Drawing(PutDrawn(t.bound.Values, now))
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	s := m.NewSimulator()
	s.At(t.x, t.deviations)
	return s, nil
}

// unfinished reports whether a response that data are made of is open.
func (t *turn) unfinished(e *encoded, open func(k int) bool) bool {
	for k, y := range t.model.Responses {
		if y.Data == e.of && y.Holder == e.holder && open(k) {
			return true
		}
	}
	return false
}

// responses are the data of the responses that are chosen, with what is drawn in place.
func (t *turn) responses(chosen func(k int) bool) (out []Drawn) {
	for k, y := range t.model.Responses {
		if !chosen(k) {
			continue
		}
		at := find(out, y.Holder, y.Data)
		if at == nil {
			out = append(out,
				Drawn{y.Data, y.Holder, slices.Clone(holding(t.Drawer.bound, y.Holder)[y.Data].Values)})
			at = &out[len(out)-1]
		}
		for i, v := range t.drawn[k] {
			at.Values[element(&y, i)] = v
		}
	}
	return out
}

func find(responses []Drawn, holder, name string) *Drawn {
	for i := range responses {
		if responses[i].Holder == holder && responses[i].Data == name {
			return &responses[i]
		}
	}
	return nil
}

// holding are the values of a holder, "" for those of all.
func holding(b *compile.BoundModel, holder string) data.Bindings {
	if holder == "" {
		holder = b.Checked.Server
	}
	return b.Values[holder]
}

// element is where element i of a response stands in its data.
func element(y *model.Response, i int) int {
	if y.Elements == nil {
		return i
	}
	return y.Elements[i]
}

// encode binds the data again, where responses that others are made of are drawn. It reports whether more is
// known then.
func (t *turn) encode() (bool, error) {
	complete := func(k int) bool { return t.left(k) == 0 }
	ready := func(e *encoded) bool {
		return !slices.ContainsFunc(t.of(e), func(k int) bool { return !complete(k) })
	}
	if !slices.ContainsFunc(t.waiting, ready) {
		return false, nil
	}
	b, err := t.again(t.responses(complete))
	if err != nil {
		return false, err
	}
	t.bound, t.waiting = b, slices.DeleteFunc(t.waiting, ready)
	return true, nil
}

// of lists the responses that data are made of.
func (t *turn) of(e *encoded) (out []int) {
	for k, y := range t.model.Responses {
		if y.Data == e.of && y.Holder == e.holder {
			out = append(out, k)
		}
	}
	return out
}

// priors refuses priors that depend on responses.
func (t *turn) priors(s *model.Simulator) error {
	usual, err := t.evaluate(func(int) bool { return false })
	if err != nil {
		return err
	}
	for k := range t.model.Params {
		p := &t.model.Params[k]
		if p.Imputed == nil && s.Unknown(p.Law) && !usual.Unknown(p.Law) {
			return undrawable(t.bound, t.parameter(p.Name),
				"give it a prior of constants, or of data that stand on the left of no likelihood",
				"the prior of %s depends on a response, which is drawn after the parameters", p.Name)
		}
	}
	return nil
}

// stuck explains why no response can be drawn next: an argument is not finite whatever is drawn, or the
// responses depend on each other.
func (t *turn) stuck(err error) error {
	if err != nil {
		return err
	}
	usual, err := t.evaluate(func(int) bool { return false })
	if err != nil {
		return err
	}
	depends := make([][]int, len(t.drawn))
	for k := range t.drawn {
		y := &t.model.Responses[k]
		if i := usual.Impossible(k, t.done[k]); i >= 0 {
			return fmt.Errorf("%s: no value could be drawn for element %d; an argument of %s is not a number",
				y.Name, i+1, y.Dist.Name)
		}
	}
	for j := range t.drawn {
		if t.left(j) == 0 {
			continue
		}
		s, err := t.evaluate(func(k int) bool { return k == j })
		if err != nil {
			return err
		}
		for k := range t.drawn {
			if k == j && s.Ready(k, t.done[k]) >= 0 { // it waits for others, and then goes on by itself
				continue
			}
			if s.Impossible(k, t.done[k]) >= 0 {
				depends[k] = append(depends[k], j)
			}
		}
	}
	circle := circular(depends)
	y := &t.model.Responses[circle[0]]
	if len(circle) == 1 {
		return undrawable(t.bound, place(t.bound, y),
			"a response may depend on its own earlier elements, as y[2:T] on y[1:T - 1]; a density of all "+
				"elements together that is no distribution of theirs can be fitted to "+
				"data, and not be drawn from",
			"%s depends on itself: no element of it can be drawn before the others are known", y.Left)
	}
	var names []string
	for _, k := range circle {
		names = append(names, t.model.Responses[k].Left)
	}
	return undrawable(t.bound, place(t.bound, y),
		"leave out one of the likelihoods, or give them one joint distribution, such as multi_normal",
		"%s depend on each other in a circle, so that none can be drawn first", namesListed(names))
}

// circular finds responses of which each depends on the next, and the last on the first. There are some: each
// that waits depends on one that waits.
func circular(depends [][]int) []int {
	start := slices.IndexFunc(depends, func(on []int) bool { return len(on) > 0 })
	path := []int{start}
	for {
		next := depends[path[len(path)-1]][0]
		if i := slices.Index(path, next); i >= 0 {
			return path[i:]
		}
		path = append(path, next)
	}
}
