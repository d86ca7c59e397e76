// Package synthetic makes tables for a model: covariates that are drawn, parameters from their priors, and responses from the likelihood. A run on them has a
// known truth.
package synthetic

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/calibrate"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/runtime/simulate"
)

// A Table is what one party holds: the first column is the key where rows have one.
type Table struct {
	Party   string // "registry", "shared", or a family, which has several tables
	Family  bool
	Member  int // counted from 1; 0 where the party is no family
	Columns []data.Values
}

// Rows is the number of rows.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return len(t.Columns[0].Words)
}

// column finds a column, nil where the table has none of that name.
func (t *Table) column(name string) *data.Values {
	i := slices.IndexFunc(t.Columns, func(v data.Values) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// A Value is a scalar of a parameter, as drawn.
type Value struct {
	Name  string  `json:"name"` // as in a summary
	Owner string  `json:"owner"`
	Value float64 `json:"value"`
}

// A Request is what to simulate.
type Request struct {
	Sizes map[string]int
	Seed  uint64
	Given []Table // tables whose columns are used; responses in them are replaced, and columns that they lack are added
}

// A Simulation is one draw of parameters and data.
type Simulation struct {
	Tables []Table
	Truth  []Value
	Sizes  map[string]int
}

// New simulates a model, which should have transform exact or none: through others it has noise that is none of the model's. The error is a fit.UsageError where
// sizes are wanting, and names what cannot be simulated otherwise.
func New(m *compile.Model, r Request) (*Simulation, diag.List, error) {
	d := &drawer{model: m, request: r, wants: lower.Wants(m.Checked), random: rng.New(rng.SharedKey(r.Seed), "simulate data").Rand(), used: map[string]bool{}}
	if err := d.draw(); err != nil {
		return nil, nil, err
	}
	b, diags, err := compile.Bind(m, d.sources(), data.Joining{})
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	gen, problems := b.Generative()
	if diags = append(diags, problems...); diags.HasErrors() {
		return nil, diags, nil
	}
	out := &Simulation{Tables: d.tables, Sizes: b.Sizes.Common}
	x, err := out.respond(b, gen, r.Seed, d)
	if err != nil {
		return nil, diags, err
	}
	problems, err = out.quantities(d, gen, x)
	return out, append(diags, problems...), err
}

// respond draws parameters, which it returns, and responses, which it puts in place.
func (s *Simulation) respond(b *compile.Bound, gen *simulate.Model, seed uint64, d *drawer) ([]float64, error) {
	if err := calibrate.Simulable(b, gen); err != nil {
		return nil, err
	}
	stream, length := rng.New(rng.SharedKey(seed), "simulate model").Rand(), 0
	for _, p := range gen.Graph.Params() {
		length += p.Len
	}
	x := make([]float64, length)
	simulator := gen.NewSimulator()
	if err := simulator.Prior(stream, x, nil); err != nil {
		return nil, err
	}
	responses, err := simulator.Responses(stream, x)
	if err != nil {
		return nil, err
	}
	for k, y := range gen.Responses {
		if err := d.replace(y, responses[k], b); err != nil {
			return nil, err
		}
	}
	for k, p := range gen.Params {
		port := gen.Graph.Params()[k]
		if v := p.Imputed; v != nil { // all cells are observed
			if err := d.replace(simulate.Response{Data: v.Data, Holder: v.Holder}, x[port.Offset:port.Offset+port.Len], b); err != nil {
				return nil, err
			}
			continue
		}
		s.know(p.Name, p.Owner, port.Shape, x[port.Offset:port.Offset+port.Len])
	}
	return x, nil
}

// replace writes a response to the table of its holder.
func (d *drawer) replace(y simulate.Response, values []float64, b *compile.Bound) error {
	holder := y.Holder
	if holder == "" {
		holder = data.OwnerShared
	}
	for i := range d.tables {
		t := &d.tables[i]
		if t.holder() != holder {
			continue
		}
		bound := b.Values[holder][y.Data]
		if holder == data.OwnerShared {
			bound = b.Values[b.Checked.Server][y.Data]
		}
		rows := t.Rows()
		if bound.Dims[0] != rows {
			return fmt.Errorf("%d of %d rows are left out since cells of the given tables are missing; fill them in", rows-bound.Dims[0], rows)
		}
		for k, f := range bound.Encoders {
			if f.Encoder != "column" && f.Encoder != "level" {
				return fmt.Errorf("%s goes through the encoder %s, so that its column cannot be drawn; name the column alone", y.Data, f.Encoder)
			}
			column := t.column(f.Column)
			for row, v := range values[k*rows : (k+1)*rows] {
				column.Words[row] = text(v)
				if bound.Labels != nil {
					column.Words[row] = bound.Labels[int(v)-1]
				}
			}
		}
	}
	return nil
}

// holder is the name of the party in a data set: "lab[2]".
func (t *Table) holder() string {
	if t.Member > 0 {
		return fmt.Sprintf("%s[%d]", t.Party, t.Member)
	}
	return t.Party
}

// sources are the tables in memory.
func (d *drawer) sources() data.Sources {
	var out data.Sources
	for _, p := range append(d.model.Parties(), data.PartyRef{Name: data.OwnerShared}) {
		s := data.Source{PartyRef: p}
		for _, t := range d.tables {
			if t.Party == p.Name {
				s.Tables = append(s.Tables, data.Columns("the table of "+t.holder(), t.Columns...))
			}
		}
		out = append(out, s)
	}
	return out
}

// draw makes the tables of all parties, with responses that wait to be replaced.
func (d *drawer) draw() error {
	var errs []error
	for _, w := range d.wants {
		if w.Rank == 0 || w.Rank > 2 {
			errs = append(errs, fmt.Errorf("data %s: tables have vectors and matrices, so that it cannot be simulated; for a number write const %s = …, which --set sets", w.Name, w.Name))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for _, p := range append(d.model.Parties(), data.PartyRef{Name: data.OwnerShared}) {
		members, err := d.members(p)
		if err != nil {
			return err
		}
		for k := range members {
			t := Table{Party: p.Name, Family: p.Family}
			if p.Family {
				t.Member = k + 1
			}
			if err := d.fill(&t); err != nil {
				return err
			}
			if len(t.Columns) > 0 {
				d.tables = append(d.tables, t)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.request.Sizes)) {
		if !d.used[name] {
			return &fit.UsageError{Err: fmt.Errorf("--size %s: the tables do not depend on a size of that name", name)}
		}
	}
	return nil
}

// members is how many tables a party has.
func (d *drawer) members(p data.PartyRef) (int, error) {
	if !p.Family {
		return 1, nil
	}
	c, _ := d.model.Checked.Client(p.Name)
	n, err := c.Count.Eval(d.size)
	if err != nil {
		return 0, d.wanting(c.Count.Names())
	}
	return n, nil
}

// responses are the data that a likelihood has on its left side.
func (d *drawer) response(name string) bool {
	return slices.ContainsFunc(d.model.Checked.Likelihoods, func(l *check.Likelihood) bool {
		n, ok := l.Stmt.Left.(*ast.Name)
		return ok && n.Name == name
	})
}
