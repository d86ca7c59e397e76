// Package synthetic makes tables for a model: covariates that are drawn, parameters from their priors, and
// responses from the likelihood. A run on them has a known truth.
package synthetic

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/calibrate"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// A Table is what one party holds: columns of one length, the first of them the key where rows have one, or
// the entries of a document.
type Table struct {
	Party   string // "registry", "shared", or a family, which has several tables
	Family  bool
	Member  int // counted from 1; 0 where the party is no family
	Columns []data.Values
	// Shapes are those of the entries of a document, whose cells are in row-major order; nil for a table of
	// columns.
	Shapes map[string][]int
}

// Document reports whether the table is a document.
func (t *Table) Document() bool { return t.Shapes != nil }

// Rows is the number of rows; of a document, which has entries of any shape, 0.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 || t.Document() {
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
	// tables whose columns are used; responses in them are replaced, and columns that they lack are added
	Given []Table
}

// A Simulation is one draw of parameters and data.
type Simulation struct {
	Tables []Table
	Truth  []Value
	Sizes  map[string]int
}

// New simulates a model, which should have transform exact or none: through others it has noise that is none
// of the model's. The error is a fit.UsageError where sizes are wanting, and names what cannot be simulated
// otherwise.
func New(m *compile.Model, r Request) (*Simulation, diag.List, error) {
	d := &drawer{model: m, request: r, wants: lower.Wants(m.Checked),
		random: vector.NewGenerator(vector.SharedKey(r.Seed), "simulate data").Rand(), used: map[string]bool{}}
	if err := d.draw(); err != nil {
		return nil, nil, err
	}
	b, diags, err := compile.BindPlaceholders(m, d.sources())
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	d.bound = b
	gen, problems := b.Generative()
	if diags = append(diags, problems...); !diags.HasErrors() {
		diags = append(diags, calibrate.Simulable(b, gen)...)
	}
	if diags.HasErrors() {
		return nil, diags, nil
	}
	order, problems := fit.NewDrawer(b, gen, d.again)
	if diags = append(diags, problems...); diags.HasErrors() {
		return nil, diags, nil
	}
	out := &Simulation{Tables: d.tables, Sizes: b.Sizes.Common}
	x, err := out.respond(b, gen, order, r.Seed, d)
	if err != nil {
		return nil, diags, err
	}
	if problems, err = d.loads(b); err != nil || problems.HasErrors() {
		return nil, append(diags, problems...), err
	}
	problems, err = out.quantities(d, gen, x)
	return out, append(diags, problems...), err
}

// again binds the tables once more, with some responses in place.
func (d *drawer) again(drawn []fit.Drawn) (*compile.BoundModel, error) {
	for _, y := range drawn {
		if err := d.replace(y, d.bound); err != nil {
			return nil, err
		}
	}
	b, diags, err := compile.BindPlaceholders(d.model, d.sources())
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	return b, err
}

// loads checks that a run reads from the tables what was drawn: a size that follows from the data may have
// become another one.
func (d *drawer) loads(drawn *compile.BoundModel) (diag.List, error) {
	read, diags, err := compile.Bind(d.model, d.sources(), data.Joining{})
	if err != nil || diags.HasErrors() {
		return diags, err
	}
	for _, name := range slices.Sorted(maps.Keys(drawn.Sizes.Common)) {
		if was, is := drawn.Sizes.Common[name], read.Sizes.Common[name]; was != is {
			return nil, untabled("no row was drawn from the last of the %d categories that %s counts, so "+
				"that a run would count %d; write `const %s = %d` in the model, draw more "+
				"rows, or take another seed", was, name, is, name, was)
		}
	}
	return nil, nil
}

// untabled is an error of tables that cannot be made.
func untabled(format string, args ...any) error {
	var l diag.List
	l.Errorf(diag.NoTables, nil, source.Span{}, format, args...)
	return data.Errors(l)
}

// respond draws parameters, which it returns, and responses, which it puts in place.
func (s *Simulation) respond(b *compile.BoundModel, gen *model.SimulatedModel, drawer *fit.Drawer,
	seed uint64,
	d *drawer) ([]float64, error) {
	stream, length := vector.NewGenerator(vector.SharedKey(seed), "simulate model").Rand(), 0
	for _, p := range gen.Graph.Params() {
		length += p.Len
	}
	x := make([]float64, length)
	simulator := gen.NewSimulator()
	if err := simulator.Prior(stream, x, nil); err != nil {
		return nil, undrawn(b, err)
	}
	responses, err := drawer.Draw(simulator, stream, x)
	var told data.Errors
	if errors.As(err, &told) {
		return nil, err
	}
	if err != nil {
		return nil, undrawn(b, err)
	}
	for _, y := range responses {
		if err := d.replace(y, b); err != nil {
			return nil, err
		}
	}
	for k, p := range gen.Params {
		port := gen.Graph.Params()[k]
		if v := p.Imputed; v != nil { // all cells are observed
			if err := d.replace(fit.Drawn{Data: v.Data, Holder: v.Holder,
				Values: x[port.Offset : port.Offset+port.Len]}, b); err != nil {
				return nil, err
			}
			continue
		}
		s.know(p.Name, p.Owner, port.Shape, x[port.Offset:port.Offset+port.Len])
	}
	return x, nil
}

// replace writes a response to the table of its holder.
func (d *drawer) replace(y fit.Drawn, b *compile.BoundModel) error {
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
		return d.put(t, bound, y.Data, y.Values)
	}
	return nil
}

// undrawn is an error of a draw that did not succeed, as where wide priors give a rate that overflows.
func undrawn(b *compile.BoundModel, err error) error {
	var l diag.List
	at := source.Span{} // of the name that the error begins with
	if name, _, _ := strings.Cut(err.Error(), ":"); b.Checked.Symbols[name] != nil {
		at = b.Checked.Symbols[name].Ident.Span()
	}
	d := l.Errorf(diag.Undrawable, b.Source, at, "%v", err)
	if errors.Is(err, model.ErrOutside) {
		d.Note("give what it depends on a prior inside its domain, as half_normal, or a bound, as " +
			"real<lower=0>; data of it come from a table, --data server=FILE")
	} else {
		d.Note("take another seed, or priors that are less wide")
	}
	return data.Errors(l)
}

// put writes values, first index fastest, into the columns or the entry that a declaration reads.
func (d *drawer) put(t *Table, bound *data.BoundValue, name string, values []float64) error {
	written := func(v float64) string {
		if bound.Labels != nil {
			return bound.Labels[int(v)-1]
		}
		return text(v)
	}
	if shape := t.Shapes[name]; t.Document() && len(bound.Encoders) == 1 && len(shape) == len(bound.Dims) {
		if !slices.Equal(shape, bound.Dims) {
			return untabled("rows of %s are left out since cells of the given document "+
				"are missing; fill them in", name)
		}
		words := t.column(name).Words
		eachRowMajor(shape, func(at, columnMajor int) { words[at] = written(values[columnMajor]) })
		return nil
	}
	for k, f := range bound.Encoders {
		if f.Encoder != "column" && f.Encoder != "level" {
			return untabled("%s goes through the encoder %s, so that its column cannot be drawn; "+
				"declare it without the encoder", name, f.Encoder)
		}
		column, rows := t.column(f.Column), bound.Dims[0]
		if n := len(column.Words); n != rows {
			return untabled("%d of %d rows are left out since cells of the given tables "+
				"are missing; fill them in", n-rows, n)
		}
		for row, v := range values[k*rows : (k+1)*rows] {
			column.Words[row] = written(v)
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
			if t.Party != p.Name {
				continue
			}
			if t.Document() {
				s.Tables = append(s.Tables, data.Document("the document of "+t.holder(), t.document()))
			} else {
				s.Tables = append(s.Tables, data.Columns("the table of "+t.holder(), t.Columns...))
			}
		}
		out = append(out, s)
	}
	return out
}

// draw makes the tables of all parties, with responses that wait to be replaced.
func (d *drawer) draw() error {
	d.learn()
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
			fill := d.fill
			if d.documented(&t) {
				fill = d.entries
			}
			if err := fill(&t); err != nil {
				return err
			}
			if len(t.Columns) > 0 {
				d.tables = append(d.tables, t)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.request.Sizes)) {
		if !d.used[name] {
			return &fit.UsageError{Err: fmt.Errorf("--size %s: the tables do not "+
				"depend on a size of that name", name)}
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
