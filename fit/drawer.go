package fit

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/model"
)

// A Drawn is what was drawn of one declaration of data.
type Drawn struct {
	Data   string
	Holder string // whose data; "" for shared data
	// all of the declaration, first index fastest; as it was where no likelihood has it on its left
	Values []float64
}

// A Drawer draws the responses of one model in the order in which their distributions depend on each other: a
// covariate that is itself a response before what it explains, and the value of a step before that of the
// next one. Draw may be called at the same time with a simulator each.
type Drawer struct {
	bound   *compile.BoundModel
	model   *model.SimulatedModel
	again   func([]Drawn) (*compile.BoundModel, error)
	ordered bool       // some response depends on another one
	encoded []*encoded // data that are made of the columns of responses
}

// An encoded is data that are read from the column of a response.
type encoded struct {
	name, holder string
	of           string // the response
}

// NewDrawer prepares to draw from a model, whose forward form is m. again binds the data once more when some
// responses are drawn, so that what encoders make of their columns is known; where it is nil, a model with
// such data is refused.
func NewDrawer(b *compile.BoundModel, m *model.SimulatedModel, again func([]Drawn) (*compile.BoundModel,
	error)) (*Drawer, diag.List) {
	d := &Drawer{bound: b, model: m, again: again}
	var diags diag.List
	for _, y := range m.Responses {
		if y.Data == "" {
			continue
		}
		d.ordered = d.ordered || y.Elements != nil || uses(b, y.Data) > lefts(b, y.Data)
		for _, e := range readers(b, &y) {
			d.ordered, d.encoded = true, append(d.encoded, e)
			if again == nil || lefts(b, e.name) > 0 {
				diags.Errorf(diag.Undrawable, b.Source, b.Checked.Symbols[e.name].Ident.Span(),
					"%s reads the column of the response %s, of which new values are drawn", e.name, y.Data).
					Note("use %s itself in the place of %s", y.Data, e.name)
			}
		}
	}
	return d, diags
}

// readers lists the other data that are read from the columns of a response.
func readers(b *compile.BoundModel, y *model.Response) (out []*encoded) {
	holder := y.Holder
	if holder == "" {
		holder = b.Checked.Server
	}
	own := b.Values[holder][y.Data]
	for _, name := range slices.Sorted(maps.Keys(b.Values[holder])) {
		other, s := b.Values[holder][name], b.Checked.Symbols[name]
		if s == nil || name == y.Data || (y.Holder == "") != (s.Owner == data.OwnerShared) {
			continue
		}
		shared := func(f data.Fitted) bool {
			return slices.ContainsFunc(own.Encoders, func(o data.Fitted) bool {
				return o.Column == f.Column || o.Column == f.Second
			})
		}
		if slices.ContainsFunc(other.Encoders, shared) {
			out = append(out, &encoded{name, y.Holder, y.Data})
		}
	}
	return out
}

// uses counts the occurrences of a name in the model's expressions. What is generated is no part of what is
// drawn.
func uses(b *compile.BoundModel, name string) int {
	n := 0
	ast.Walk(b.File, func(node ast.Node) bool {
		if _, generated := node.(*ast.Generate); generated {
			return false
		}
		if x, ok := node.(*ast.Name); ok && x.Name == name {
			n++
		}
		return true
	})
	return n
}

// lefts counts the likelihoods with a name, or a part of it, as their left side.
func lefts(b *compile.BoundModel, name string) int {
	n := 0
	for _, l := range b.Checked.Likelihoods {
		left := l.Stmt.Left
		if part, ok := left.(*ast.Index); ok {
			left = part.X
		}
		if x, ok := left.(*ast.Name); ok && x.Name == name {
			n++
		}
	}
	return n
}

// Draw draws all responses given parameters. s is a simulator of the model. The error holds diagnostics
// (data.Errors) where there is no order to draw in.
func (d *Drawer) Draw(s *model.Simulator, r *rand.Rand, x []float64) ([]Drawn, error) {
	if d.ordered {
		return newTurn(d, x, s.Deviations(r)).run(r)
	}
	values, err := s.Responses(r, x)
	if err != nil {
		return nil, err
	}
	var out []Drawn
	for k, y := range d.model.Responses {
		out = append(out, Drawn{y.Data, y.Holder, values[k]})
	}
	return out, nil
}

// PutDrawn returns the values of all parties with responses in place.
func PutDrawn(values map[string]data.Bindings, drawn []Drawn) map[string]data.Bindings {
	out := map[string]data.Bindings{}
	for party, bindings := range values {
		out[party] = maps.Clone(bindings)
		for _, y := range drawn {
			if old := bindings[y.Data]; old != nil && (y.Holder == "" || y.Holder == party) {
				changed := *old
				changed.Values = y.Values
				out[party][y.Data] = &changed
			}
		}
	}
	return out
}

// undrawable is an error at the likelihood of a response, or at a parameter.
func undrawable(b *compile.BoundModel, at source.Span, way, text string, args ...any) error {
	var l diag.List
	l.Errorf(diag.Undrawable, b.Source, at, text, args...).Note("%s", way)
	return data.Errors(l)
}

// place is the likelihood of a response.
func place(b *compile.BoundModel, y *model.Response) source.Span {
	for _, l := range b.Checked.Likelihoods {
		if !l.Factor() && format.Expr(l.Stmt.Left) == y.Left {
			return l.Stmt.Span()
		}
	}
	return source.Span{}
}

// namesListed joins names: "x, y and z".
func namesListed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return fmt.Sprintf("%s and %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// parameter is where a parameter is declared; its name has that of a member of a family in front.
func (t *turn) parameter(name string) source.Span {
	if _, own, ok := strings.Cut(name, "]."); ok {
		name = own
	}
	if s := t.bound.Checked.Symbols[name]; s != nil {
		return s.Ident.Span()
	}
	return source.Span{}
}
