package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/spill"
)

// A BoundModel is a model with its data: the graphs of all parties, and the plan that joins them.
type BoundModel struct {
	*Model
	Data     *data.Dataset            // nil where the values were given
	Values   map[string]data.Bindings // by party, or by member of a family
	Sizes    *lower.Sizes
	Lowered  []*lower.Lowered // the server first
	Plan     *model.Plan
	Suspects []lower.Suspect // what explains why there is no starting point, if there is none

	sources data.Sources
	joining data.Joining
	members map[string]int // by family
	given   map[string]int // sizes that neither the data nor the model give
	// declared is true where parameters stand on their declared scale, without a density.
	declared bool
	passes   []pass[*BoundModel]
	done     int // passes that found no error
}

// Bind reads the tables, joins their rows, binds every data declaration to its values, and lowers the
// programs of all parties to graphs. The result is usable only where the list has no errors. The error is a
// fault of the programs that no diagnostic describes.
func Bind(m *Model, sources data.Sources, joining data.Joining) (*BoundModel, diag.List, error) {
	return bind(m, sources, joining, append(tablePasses(), valuePasses()...))
}

func bind(m *Model, sources data.Sources, joining data.Joining, passes []pass[*BoundModel]) (*BoundModel,
	diag.List,
	error) {
	members := map[string]int{}
	for _, k := range m.Checked.Clients {
		if k.Family {
			members[k.Name] = sources.Members(k.Name)
		}
	}
	m, diags := m.settled(members)
	if !diags.HasErrors() {
		diags = append(diags, m.Incomplete()...)
	}
	b := &BoundModel{Model: m, sources: sources, joining: joining, members: members}
	if diags.HasErrors() {
		return b, diags, nil
	}
	return b.run(passes)
}

// BindPlaceholders is Bind for tables whose responses are still to be drawn: they are not compared with their
// distributions.
func BindPlaceholders(m *Model, sources data.Sources) (*BoundModel, diag.List, error) {
	return bind(m, sources, data.Joining{}, slices.DeleteFunc(append(tablePasses(), valuePasses()...),
		func(p pass[*BoundModel]) bool {
			return p.observed
		}))
}

// BindValues is Bind for values that are in memory, by party or by member of a family. members counts the
// members of each family.
func BindValues(m *Model, values map[string]data.Bindings, members map[string]int) (*BoundModel, diag.List,
	error) {
	m, diags := m.settled(members)
	if !diags.HasErrors() {
		diags = append(diags, m.Incomplete()...)
	}
	b := &BoundModel{Model: m, Values: values, members: members}
	if diags.HasErrors() {
		return b, diags, nil
	}
	return b.run(valuePasses())
}

func (b *BoundModel) run(passes []pass[*BoundModel]) (*BoundModel, diag.List, error) {
	b.passes = passes
	diags, err := run(b, passes, &b.done)
	return b, diags, err
}

// sizedPasses are those after which all sizes are known.
func sizedPasses() []pass[*BoundModel] { return append(tablePasses(), valuePasses()[0]) }

// tablePasses lists the passes that read values from tables.
func tablePasses() []pass[*BoundModel] {
	return []pass[*BoundModel]{
		{
			name: "load", doc: "Reads the tables of all parties and aligns their rows.",
			run: func(b *BoundModel) (l diag.List, _ error) {
				b.Data, l = data.Load(b.sources, lower.Wants(b.Checked), b.joining)
				return l, nil
			},
		},
		{
			name: "bind", doc: "Binds every data declaration to its values, party by party.",
			run: func(b *BoundModel) (l diag.List, err error) {
				b.Values, l = b.Data.Bind(b.wants())
				if tell := b.joining.Rows; tell != nil && !l.HasErrors() {
					var found diag.List
					found, err = tell(b.Data.AllRowNames(b.Values))
					l = append(l, found...)
				}
				return l, err
			},
			verify: verifyBind,
		},
	}
}

// wants are the declarations to bind. Of a release a value beyond the bounds counts as the bound.
func (b *BoundModel) wants() []data.Want {
	out := lower.Wants(b.Checked)
	for k := range out {
		if b.Checked.Transform.Kind.Released() {
			out[k].Lower, out[k].Upper = nil, nil
		}
	}
	return out
}

// valuePasses lists the passes from values to a plan.
func valuePasses() []pass[*BoundModel] {
	return []pass[*BoundModel]{
		{
			name: "sizes", doc: "Determines every size from the data of all parties.",
			run: func(b *BoundModel) (l diag.List, _ error) {
				if b.Data != nil {
					if l = b.Data.Sizes(slices.Sorted(maps.Keys(b.Checked.Sizes))); l.HasErrors() {
						return l, nil
					}
				}
				b.Sizes, l = lower.Unify(b.Checked, b.Values, b.members, b.integer)
				return l, nil
			},
			verify: verifySizes,
		},
		{
			name: "support", doc: "Checks that every observation is a value that its distribution has.",
			observed: true,
			run: func(b *BoundModel) (l diag.List, _ error) {
				l, b.Suspects = lower.Support(b.Checked, b.Values, b.Sizes, b.where)
				if b.Data != nil {
					b.Data.Release() // only the values are used from here on
				}
				return l, nil
			},
		},
		{
			name: "variation",
			doc: "Warns of columns that depend on one another or are on another scale than their priors, " +
				"of responses that do not vary or are separated, and of improper priors.", observed: true,
			run: func(b *BoundModel) (diag.List, error) { return lower.Variation(b.Checked, b.Values), nil },
		},
		{
			name: "noise",
			doc: "Compares the noise of auxiliary variables with the spread of the " +
				"response that it is added to.", observed: true,
			run: func(b *BoundModel) (diag.List, error) {
				return lower.Noise(b.Cuts, b.Values, b.Sizes), nil
			},
		},
		{
			name: "lower", doc: "Builds the graph of every party from the text of its program.",
			run:    func(b *BoundModel) (diag.List, error) { return b.lower(), nil },
			verify: verifyLower,
		},
		{
			name: "leak",
			doc: "Refuses, at each client, cuts that are its data and shared parameters " +
				"that few of its rows use.",
			run: func(b *BoundModel) (diag.List, error) { return b.leaks(), nil },
		},
		{
			name: "link", doc: "Connects what one party's graph sends to what another's receives.",
			run:    func(b *BoundModel) (diag.List, error) { return nil, b.link() },
			verify: func(b *BoundModel) error { return b.Plan.Verify() },
		},
	}
}

// integer returns a whole number that a JSON document gives, with its place.
func (b *BoundModel) integer(name string) (int, string, bool) {
	if n, ok := b.given[name]; ok {
		return n, "", true
	}
	if b.Data == nil {
		return 0, "", false
	}
	return b.Data.Integer(name)
}

// where returns the place of a row of a value, with its key.
func (b *BoundModel) where(party string, v *data.BoundValue, row int) (where, key string) {
	if b.Data == nil {
		return "", ""
	}
	return b.Data.Where(party, v, row)
}

// Verify checks the result of every pass of the model and of Bind: see Model.Verify.
func (b *BoundModel) Verify() error {
	if err := b.Model.Verify(); err != nil {
		return err
	}
	return verify(b, b.passes[:b.done])
}

func (b *BoundModel) link() (err error) {
	if b.Plan, err = lower.Link(b.Lowered); err == nil {
		lower.Label(b.Plan, b.Lowered, b.shared())
	}
	return err
}

// shared returns the values that every party holds.
func (b *BoundModel) shared() data.Bindings {
	out := data.Bindings{}
	for _, s := range b.Checked.Order {
		if v := b.Values[b.Checked.Server][s.Name]; s.Kind == check.Data && s.Owner == check.Shared &&
			v != nil {
			out[s.Name] = v
		}
	}
	return out
}

// lower builds the graph of every party from the text of its program, read again as the party would read it.
func (b *BoundModel) lower() diag.List {
	if b.Pooled() {
		return b.lowerOne(lower.PartyData{Program: b.Checked, Name: b.Checked.Server})
	}
	var diags diag.List
	for _, p := range b.Programs {
		program, problems := b.load(p)
		if problems.HasErrors() {
			return append(diags, problems...)
		}
		if !p.Family {
			diags = append(diags, b.lowerOne(lower.PartyData{Program: program, Name: p.Party})...)
			continue
		}
		for k := 1; k <= b.Sizes.Members[p.Party]; k++ {
			member := lower.PartyData{Program: program, Name: fmt.Sprintf("%s[%d]", p.Party, k),
				Family: p.Party,
				Member: k}
			diags = append(diags, b.lowerOne(member)...)
		}
	}
	return diags
}

// load reads a program as its party would read it: the manifest's, or its own with its module written out.
func (b *BoundModel) load(p split.PartyProgram) (*check.Program, diag.List) {
	if own, ok := b.own(p.Party); ok {
		return split.Examine(b.Manifest, own.Party, own.File, own.Text, b.Universe)
	}
	return split.Load(b.Manifest, p.Party, p.File, p.Text, b.Universe)
}

func (b *BoundModel) lowerOne(p lower.PartyData) diag.List {
	p.Data, p.Sizes, p.Declared, p.Storage = b.Values, b.Sizes, b.declared, b.sources.Storage()
	lowered, diags := lower.Lower(p)
	b.Lowered = append(b.Lowered, lowered)
	return diags
}

// leaks checks each client as it would check itself when it binds its data.
func (b *BoundModel) leaks() (diags diag.List) {
	if b.Pooled() {
		return nil
	}
	terms := (&OneParty{BoundModel: b}).terms()
	for _, l := range b.Lowered[1:] {
		diags = append(diags, b.Manifest.Staying(CheckSent(l.PartyData, terms))...)
	}
	for _, d := range diags {
		if d.Code == diag.FixedCut {
			for _, s := range b.Suspects {
				d.Note("%s", s)
			}
		}
	}
	return diags
}

// Release drops the values, of which the graphs have what they need. The Plan can still be run; Generative
// then panics.
func (b *BoundModel) Release() {
	numbers := 0
	for _, values := range b.Values {
		for _, v := range values {
			numbers += len(v.Values)
		}
	}
	b.Values, b.Lowered = nil, nil
	releaseSplits(b.Plan)
	spill.GiveBack(numbers)
}

func releaseSplits(plan *model.Plan) {
	for _, p := range plan.Parties {
		if p != nil && p.Split != nil {
			p.Split.Release()
		}
	}
	for _, w := range plan.Windows {
		releaseSplits(w.Plan)
	}
}

// Contributions lowers the cuts of the model with all parties' data, as functions of the parameters.
func (b *BoundModel) Contributions() (*model.SimulatedModel, diag.List) {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	return lower.Contributions(b.Cuts, b.Values, b.Sizes)
}

// Labels returns the names of the elements of parameters, by party and parameter: see lower.Labels. They
// belong to the party alone. It panics once the values have been released.
func (b *BoundModel) Labels() map[string]map[string][][]string {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	p := *b.Checked
	if b.Released != nil { // what the sizes counted is not at hand
		p.Levels = b.Released
	}
	return lower.Labels(&p, b.Values, b.Sizes)
}

// Generative lowers the model with all parties' data, for forward simulation and pointwise densities.
func (b *BoundModel) Generative() (*model.SimulatedModel, diag.List) {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	return lower.Generative(b.Cuts, b.Values, b.Sizes)
}

// Priors is Generative with the log densities of the priors.
func (b *BoundModel) Priors() (*model.SimulatedModel, diag.List) {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	return lower.Priors(b.Cuts, b.Values, b.Sizes)
}

// Noised lowers the model with all parties' data, for densities of rows with noise and without: see
// lower.Noised.
func (b *BoundModel) Noised() (*model.SimulatedModel, diag.List) {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	return lower.Noised(b.Cuts, b.Values, b.Sizes)
}

// Drawing lowers the model for drawing responses alone, with other values of the data: see lower.Drawing.
func (b *BoundModel) Drawing(values map[string]data.Bindings) (*model.SimulatedModel, diag.List) {
	return lower.Drawing(b.Cuts, values, b.Sizes)
}
