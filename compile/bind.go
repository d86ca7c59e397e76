package compile

import (
	"fmt"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/simulate"
)

// A Bound is a model with its data: the graphs of all parties, and the plan that joins them.
type Bound struct {
	*Model
	Data    *data.Dataset
	Values  map[string]data.Bindings // by party, or by member of a family
	Sizes   *lower.Sizes
	Lowered []*lower.Lowered // the server first
	Plan    *model.Plan
}

// Bind reads the tables, joining their rows on the key column, gives every declaration its value, and lowers the programs of all parties to graphs.
// The result is usable only where the list has no errors. The error is a fault of the programs that no diagnostic describes.
func Bind(m *Model, sources data.Sources, key string) (*Bound, diag.List, error) {
	b := &Bound{Model: m}
	members := map[string]int{}
	for _, k := range m.Checked.Clients {
		if k.Family {
			members[k.Name] = sources.Members(k.Name)
		}
	}
	var diags diag.List
	for _, stage := range []func() diag.List{
		func() (l diag.List) { b.Data, l = data.Load(sources, key); return l },
		func() (l diag.List) { b.Values, l = b.Data.Bind(lower.Wants(m.Checked)); return l },
		func() (l diag.List) { b.Sizes, l = lower.Unify(m.Checked, b.Values, members, b.Data.Integer); return l },
		b.lower,
	} {
		if diags = append(diags, stage()...); diags.HasErrors() {
			return b, diags, nil
		}
	}
	var err error
	if b.Plan, err = lower.Link(b.Lowered); err != nil {
		return b, diags, err
	}
	lower.Label(b.Plan, b.Lowered, b.shared())
	return b, diags, nil
}

// shared are the values that every party holds.
func (b *Bound) shared() data.Bindings {
	out := data.Bindings{}
	for _, s := range b.Checked.Order {
		if v := b.Values[b.Checked.Server][s.Name]; s.Kind == check.Data && s.Owner == check.Shared && v != nil {
			out[s.Name] = v
		}
	}
	return out
}

// lower builds the graph of every party from the text of its program, read again as the party would read it.
func (b *Bound) lower() diag.List {
	if b.Pooled() {
		return b.lowerOne(lower.Party{Program: b.Checked, Name: b.Checked.Server})
	}
	programs, manifest := b.Split()
	var diags diag.List
	for _, p := range programs {
		program, problems := split.Load(manifest, p.Party, p.File, p.Text, b.Universe)
		if problems.HasErrors() {
			return append(diags, problems...)
		}
		if !p.Family {
			diags = append(diags, b.lowerOne(lower.Party{Program: program, Name: p.Party})...)
			continue
		}
		for k := 1; k <= b.Sizes.Members[p.Party]; k++ {
			member := lower.Party{Program: program, Name: fmt.Sprintf("%s[%d]", p.Party, k), Family: p.Party, Member: k}
			diags = append(diags, b.lowerOne(member)...)
		}
	}
	return diags
}

func (b *Bound) lowerOne(p lower.Party) diag.List {
	p.Data, p.Sizes = b.Values, b.Sizes
	lowered, diags := lower.Lower(p)
	b.Lowered = append(b.Lowered, lowered)
	return diags
}

// Generative lowers the model for running it forwards, with everybody's data: a simulation, or pointwise densities.
func (b *Bound) Generative() (*simulate.Model, diag.List) {
	return lower.Generative(b.Cuts, b.Values, b.Sizes)
}
