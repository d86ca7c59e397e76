package fit

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// A Basis is what rows are made up from that a run is asked about: its tables, with what an ordinary row has
// in each of their columns. One process holds the tables of all parties.
type Basis struct {
	Model    *compile.Model
	Profiles []*data.Profile // of the columns that enter predictions
	Groups   []GroupEffect
	Rows     int // of the run
	run      *Finished
	data     *data.Dataset
}

// A GroupEffect is a parameter with an element for each category of a column, which vary around a centre.
type GroupEffect struct {
	Parameter string
	Columns   []*data.Profile // that hold the categories
}

// Basis reads the tables of the run again.
func (f *Finished) Basis() (*Basis, diag.List, error) {
	b := &Basis{run: f}
	recipes := map[string][]data.Recipe{}
	var diags diag.List
	var err error
	if f.Result != nil {
		b.Model = f.Bound.Model
		for party, values := range f.Bound.Values {
			recipes[party] = recipesIn(values)
		}
	} else if b.Model, diags, err = Recompile(f.Run); err != nil || diags.HasErrors() {
		return nil, diags, err
	} else if recipes, err = recipesOf(f.Path); err != nil {
		return nil, nil, err
	}
	predicted, diags, err := b.Model.Prediction(false)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	sources, err := recordedSources(f.Run, b.Model)
	if err != nil {
		return nil, nil, err
	}
	b.data, diags = data.Load(sources, lower.Wants(b.Model.Checked), data.Joining{Key: f.Record.Key,
		Intersect: f.Record.Intersect})
	if diags.HasErrors() {
		return nil, diags, nil
	}
	wants := lower.Wants(predicted.Checked)
	b.Profiles = b.data.Profiles(wants, recipes, b.rowSizes(predicted))
	for _, p := range b.Profiles {
		b.Rows = max(b.Rows, p.Rows)
	}
	b.groups(wants)
	return b, nil, nil
}

// rowSizes are the sizes that count the rows of responses.
func (b *Basis) rowSizes(p *compile.Prediction) map[string]bool {
	out := map[string]bool{}
	for _, r := range p.Responses {
		if s := b.Model.Checked.Symbols[r.Data]; s != nil && len(s.Type.Dims) > 0 {
			out[s.Type.Dims[0].String()] = true
		}
	}
	return out
}

// groups finds the columns of group effects.
func (b *Basis) groups(wants []data.Want) {
	effects := b.Model.GroupEffects()
	for _, name := range slices.Sorted(maps.Keys(effects)) {
		g := GroupEffect{Parameter: name}
		for _, w := range wants {
			for _, p := range b.Profiles {
				if slices.Contains(effects[name], w.Level.Name) && slices.Contains(p.Uses, w.Name) {
					g.Columns = append(g.Columns, p)
				}
			}
		}
		if len(g.Columns) > 0 {
			b.Groups = append(b.Groups, g)
		}
	}
}

// Predict is Predict of n made-up rows, of which cell says what each column has.
func (b *Basis) Predict(ctx context.Context, q PredictionRequest, n int,
	cell func(p *data.Profile, row int) string) (*Predictions, diag.List, error) {
	q.Sources, q.Key, q.Expectations = b.data.MadeUp(b.Profiles, n, cell), data.RowOrder, true
	return b.run.Predict(ctx, q)
}

// OwnBasis is Basis for a party's part of a run across machines: of the party's own table alone, with every
// column that one of its declarations reads, but for responses in its program. It has no model, and predicts
// nothing.
func (f *Finished) OwnBasis() (*Basis, diag.List, error) {
	program, err := RecordedModel(f.Path, f.Record)
	if err != nil {
		return nil, nil, err
	}
	recipes, err := recipesOf(f.Path)
	if err != nil {
		return nil, nil, err
	}
	responses := responsesIn(program)
	var wants []data.Want
	parties := map[string]data.PartyRef{}
	for _, party := range slices.Sorted(maps.Keys(recipes)) {
		name, _, family := strings.Cut(party, "[")
		parties[name] = data.PartyRef{Name: name, Family: family}
		for _, r := range recipes[party] {
			if r.Rank == 0 || responses[r.Name] {
				continue
			}
			w := data.Want{Name: r.Name, Owner: name, Rank: r.Rank, Rows: data.Size{Name: ownRows}}
			for _, e := range r.Encoders {
				w.From = append(w.From, data.FromItem{Columns: []string{e.Column}})
			}
			wants = append(wants, w)
		}
	}
	var refs []data.PartyRef
	for _, name := range slices.Sorted(maps.Keys(parties)) {
		refs = append(refs, parties[name])
	}
	sources, err := data.Named(refs, RecordedData(f.Record))
	if err != nil {
		return nil, nil, err
	}
	b := &Basis{run: f}
	var diags diag.List
	if b.data, diags = data.Load(sources, wants, data.Joining{Key: data.RowOrder}); diags.HasErrors() {
		return nil, diags, nil
	}
	b.Profiles = b.data.Profiles(wants, recipes, map[string]bool{ownRows: true})
	return b, nil, nil
}

// responsesIn are the names on the left of likelihoods.
func responsesIn(program *source.File) map[string]bool {
	out := map[string]bool{}
	tree, _ := parser.Parse(program)
	for _, s := range tree.Stmts {
		if l, ok := s.(*ast.Likelihood); ok {
			ast.Walk(l.Left, func(n ast.Node) bool {
				if name, ok := n.(*ast.Name); ok {
					out[name.Name] = true
				}
				return true
			})
		}
	}
	return out
}

// ownRows is the size of the rows of a party's own table.
const ownRows = "rows"
