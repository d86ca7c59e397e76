package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A drawer makes the tables.
type drawer struct {
	model   *compile.Model
	bound   *compile.BoundModel // to the tables with responses that wait to be replaced
	request Request
	wants   []data.Want
	random  *rand.Rand
	tables  []Table
	used    map[string]bool // sizes that were looked up
	learned map[string]int  // sizes that given documents have
}

// size is the value of a size, as given or as the model lists categories.
func (d *drawer) size(name string) (int, bool) {
	d.used[name] = true
	if listed := d.model.Checked.Levels[name]; listed != nil {
		return len(listed), true
	}
	if n, ok := d.request.Sizes[name]; ok {
		return n, true
	}
	if n, ok := d.learned[name]; ok {
		return n, true
	}
	for _, w := range d.wants { // the rows of a table that is given
		for _, g := range d.request.Given {
			if w.Rows.Name == name && w.Owner == g.Party && !g.Document() {
				return g.Rows(), true
			}
		}
	}
	return 0, false
}

// wanting asks for sizes, and for all others that the tables wait for.
func (d *drawer) wanting(names []string) error {
	ask := slices.Clone(names)
	unknown := func(z types.Size) {
		if _, err := z.Eval(d.size); err == nil {
			return
		}
		for _, name := range z.Names() {
			if _, ok := d.size(name); !ok && !slices.Contains(ask, name) {
				ask = append(ask, name)
			}
		}
	}
	for _, c := range d.model.Checked.Clients {
		if c.Family {
			unknown(c.Count)
		}
	}
	for i := range d.wants {
		w := &d.wants[i]
		of := d.model.Checked.Symbols[w.Name].Type
		if d.given(w.Owner) {
			continue
		}
		for k, z := range of.Dims {
			if k == 0 || w.From == nil {
				unknown(z)
			}
		}
		if of.Levels != nil && w.Coding == nil {
			unknown(*of.Levels)
		}
	}
	var flags []string
	for _, name := range ask {
		flags = append(flags, "--size "+name+"=NUMBER")
	}
	if len(ask) > 1 {
		return &fit.UsageError{Err: fmt.Errorf("the sizes %s are not given; add %s", strings.Join(ask, ", "),
			strings.Join(flags, " "))}
	}
	return &fit.UsageError{Err: fmt.Errorf("the size %s is not given; add %s", ask[0], flags[0])}
}

// given reports whether a table of a party is given.
func (d *drawer) given(party string) bool {
	return slices.ContainsFunc(d.request.Given, func(g Table) bool { return g.Party == party })
}

// A need is what a column of a table must be.
type need struct {
	name         string
	elem         types.Elem
	words        []string // the categories; nil: numbers
	levels       int
	positive     bool
	lower, upper *float64
	response     bool
	encoded      bool // an encoder reads it
	// of the parameter of a distribution that the data are, where it is more than a sign
	domain def.Support
	column int // from 1, of a matrix whose columns are columns of the table
	// of a response: new values have the totals of the old ones, as those of multinomial
	totals bool
}

// fill draws the columns of a party's table that are not given.
func (d *drawer) fill(t *Table) error {
	for _, g := range d.request.Given {
		if g.Party == t.Party && g.Member == t.Member {
			for _, c := range g.Columns { // responses will be replaced
				t.Columns = append(t.Columns, data.Values{Name: c.Name, Words: slices.Clone(c.Words)})
			}
		}
	}
	rows, counted := t.Rows(), ""
	var needs []need
	for i := range d.wants {
		w := &d.wants[i]
		if w.Owner != t.Party {
			continue
		}
		n, err := d.dimension(w.Name, 0)
		switch {
		case err != nil && len(t.Columns) == 0:
			return err
		case err != nil:
			n = rows
		case counted != "" && n != rows:
			return untabled("%s has data of %d and of %d rows (%s and %s), which the table that is given "+
				"cannot hold; give them in a Stan-JSON document", t.Party, rows, n, counted, w.Name)
		case len(t.Columns) > 0 && n != rows:
			return &fit.UsageError{Err: fmt.Errorf("the table of %s has %d rows, but %s has %d", t.holder(),
				rows, w.Name, n)}
		}
		rows, counted = n, w.Name
		found, err := d.needs(w, t)
		if err != nil {
			return err
		}
		needs = append(needs, found...)
	}
	if counted == "" {
		t.Columns = nil
		return nil
	}
	return d.add(t, merged(needs), rows)
}

// add draws columns, the key first.
func (d *drawer) add(t *Table, needs []need, rows int) error {
	if t.column(data.DefaultKey) == nil {
		t.Columns = slices.Insert(t.Columns, 0, d.key(rows))
	}
	for _, n := range needs {
		if t.column(n.name) != nil {
			continue
		}
		if least := max(len(n.words), n.levels); rows < least && !n.response {
			return untabled("column %s of %s needs %d rows, so that each of its "+
				"categories has one, but has %d", n.name, t.Party, least, rows)
		}
		t.Columns = append(t.Columns, data.Values{Name: n.name, Words: d.cells(n, rows)})
	}
	return nil
}

// key is that of a given table with as many rows, or numbers.
func (d *drawer) key(rows int) data.Values {
	for _, g := range d.request.Given {
		if key := g.column(data.DefaultKey); key != nil && len(key.Words) == rows {
			return *key
		}
	}
	key := data.Values{Name: data.DefaultKey}
	for i := range rows {
		key.Words = append(key.Words, strconv.Itoa(i+1))
	}
	return key
}

// dimension is the k-th dimension of data.
func (d *drawer) dimension(name string, k int) (int, error) {
	size := d.model.Checked.Symbols[name].Type.Dims[k]
	n, err := size.Eval(d.size)
	if err != nil {
		return 0, d.wanting(size.Names())
	}
	if n < 1 {
		return 0, &fit.UsageError{Err: fmt.Errorf("the size %s of %s is %d", size, name, n)}
	}
	return n, nil
}

// need is what every number of a declaration must be.
func (d *drawer) need(w *data.Want) need {
	n := need{name: w.Name, elem: w.Elem, lower: w.Lower, upper: w.Upper}
	for _, l := range d.model.Checked.Likelihoods {
		if left, ok := l.Stmt.Left.(*ast.Name); ok && left.Name == w.Name {
			n.response, n.totals = true, l.Dist.Event != nil
		}
		n.enters(l.Dist, l.Args)
	}
	for _, s := range d.model.Checked.Order {
		if s.Dist != nil {
			n.enters(s.Dist, s.Args)
		}
	}
	return n
}

// enters takes in that the data may be a parameter of a distribution: then they lie in its domain.
func (n *need) enters(d *def.Dist, args []ast.Expr) {
	for k, a := range args {
		if name, ok := a.(*ast.Name); !ok || name.Name != n.name || n.elem != types.Real || n.lower != nil ||
			n.upper != nil {
			continue
		}
		switch domain := d.Params[k].Domain; {
		case domain == def.Positive || domain == def.NonNegative:
			n.positive = true
		case domain == def.UnitInterval || domain.OfWholes():
			n.domain = domain
		}
	}
}

// inside is element i of rows of a parameter of a distribution: the identity for a matrix, and what is in the
// middle of other sets.
func (n *need) inside(i, rows int) float64 {
	row, column := i, n.column-1
	if n.column == 0 && n.domain.PositiveDiagonal() {
		side := int(math.Sqrt(float64(rows)))
		row, column = i/side, i%side
	}
	switch {
	case n.domain.PositiveDiagonal() && row == column:
		return 1
	case n.domain.PositiveDiagonal():
		return 0
	case n.domain == def.Simplex:
		return 1 / float64(rows)
	case n.domain == def.ZeroSum:
		return 0
	case n.domain == def.UnitVector:
		return 1 / math.Sqrt(float64(rows))
	}
	return float64(i + 1)
}

// needs lists the columns that a declaration reads.
func (d *drawer) needs(w *data.Want, t *Table) ([]need, error) {
	base := d.need(w)
	if w.Elem == types.Level {
		if base.words = w.Coding; w.Coding == nil {
			n, err := d.model.Checked.Symbols[w.Name].Type.Levels.Eval(d.size)
			if err != nil && (w.From != nil || t.column(w.Name) == nil) {
				return nil, d.wanting(d.model.Checked.Symbols[w.Name].Type.Levels.Names())
			}
			base.levels = n
		}
	}
	var out []need
	named := func(name string) {
		n := base
		n.name = name
		out = append(out, n)
	}
	if w.From == nil && w.Rank == 1 {
		named(w.Name)
		return out, nil
	}
	if w.From == nil || len(w.From) == 1 && d.open(w.From[0]) {
		if len(t.Columns) > 0 {
			return nil, nil // * takes what is given
		}
		n, err := d.dimension(w.Name, 1)
		for k := range n {
			named(fmt.Sprintf("%s_%d", w.Name, k+1))
			if base.domain.PositiveDiagonal() {
				out[k].column = k + 1
			}
		}
		return out, err
	}
	for _, c := range w.From {
		if c.Star {
			return nil, untabled("data %s: * with an encoder or beside other columns leaves open how "+
				"many there are; name the columns", w.Name)
		}
		for _, name := range c.Columns {
			named(name)
			if c.Encoder != "" {
				d.encoded(&out[len(out)-1], c)
			}
		}
	}
	return out, nil
}

// open reports whether an item is all columns, of any numbers: as they are, or by an encoder that makes one
// of each.
func (d *drawer) open(c data.FromItem) bool {
	if !c.Star || c.Encoder == "" {
		return c.Star
	}
	e, _ := d.model.Universe.Encoder(c.Encoder)
	return e.Elementwise && !e.Categories && !e.Positive && e.Bounds == nil
}

// encoded sets what an encoder wants of its columns.
func (d *drawer) encoded(n *need, c data.FromItem) {
	e, _ := d.model.Universe.Encoder(c.Encoder)
	n.encoded = true
	n.elem, n.positive, n.lower, n.upper = types.Real, e.Positive, nil, nil
	if !e.Categories || e.Columns.Max > 1 {
		if e.Bounds != nil {
			options, _ := e.Settings(len(c.Columns), c.Further, nil) // which are checked
			low, high := e.Bounds(options)
			n.lower, n.upper = &low, &high
		}
		return
	}
	n.words = []string{"a", "b"}
	for i, o := range slices.DeleteFunc(slices.Clone(e.Options), func(o def.Option) bool {
		return !o.Positional
	}) {
		if o.Word {
			n.words = []string{c.Further[i], "other"}
		}
	}
}

// merged joins what several declarations want of one column.
func merged(needs []need) []need {
	var out []need
	for _, n := range needs {
		i := slices.IndexFunc(out, func(o need) bool { return o.name == n.name })
		if i < 0 {
			out = append(out, n)
			continue
		}
		o := &out[i]
		for _, w := range n.words {
			if !slices.Contains(o.words, w) {
				o.words = append(slices.Clone(o.words), w)
			}
		}
		o.positive = o.positive || n.positive
		o.response, o.encoded = o.response || n.response, o.encoded || n.encoded
		if n.elem != types.Real {
			o.elem = n.elem
		}
	}
	return out
}

// cells draws a column: categories in equal numbers and any order, other numbers from the standard normal
// distribution, folded at bounds.
func (d *drawer) cells(n need, rows int) []string {
	out := make([]string, rows)
	order := d.random.Perm(rows)
	for i := range out {
		switch {
		case n.words != nil:
			out[i] = n.words[order[i]%len(n.words)]
		case n.levels > 0:
			out[i] = strconv.Itoa(order[i]%n.levels + 1)
		case n.elem == types.Binary:
			out[i] = strconv.Itoa(order[i] % 2)
		case n.elem == types.Int || n.elem == types.Count:
			v := float64(d.random.IntN(10))
			if n.response && !n.totals {
				v = 0
			}
			out[i] = text(folded(v, n))
		case n.response && !n.encoded: // of the encoded the spread is wanted before new values are drawn
			out[i] = text(folded(0.5, n))
		case n.domain == def.UnitInterval:
			out[i] = text(1 / (1 + portable.Exp(portable.Normal(d.random))))
		case n.domain.OfWholes():
			out[i] = text(n.inside(i, rows))
		case n.positive:
			out[i] = text(portable.Exp(portable.Normal(d.random)))
		default:
			out[i] = text(folded(portable.Normal(d.random), n))
		}
	}
	return out
}

// folded maps a number into the declared bounds.
func folded(v float64, n need) float64 {
	whole := n.elem != types.Real
	switch {
	case n.lower != nil && n.upper != nil && whole:
		return *n.lower + math.Mod(math.Abs(v), *n.upper-*n.lower+1)
	case n.lower != nil && n.upper != nil:
		return *n.lower + (*n.upper-*n.lower)/(1+portable.Exp(-v))
	case n.lower != nil:
		return *n.lower + math.Abs(v)
	case n.upper != nil:
		return *n.upper - math.Abs(v)
	}
	return v
}

// text writes a number so that it is read back as it is.
func text(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
