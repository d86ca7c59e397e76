package effects

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// rows are the run with its columns, and what an ordinary row has.
type rows struct {
	*fit.Basis
	options Options
	columns []column
	typical map[*data.Profile]string
	given   map[*data.Profile]bool // by --at
	diags   diag.List
}

// A column is one quantity: a column of one table, or those of one name of data that several parties hold.
type column struct {
	*data.Profile
	profiles []*data.Profile
	alone    bool // no other column has its name
}

// name is what a term calls the column.
func (c column) name() string {
	if c.alone {
		return c.Column
	}
	return c.Party + "." + c.Column
}

// set gives the column a value in a row.
func (c column) set(row map[*data.Profile]string, value string) {
	for _, p := range c.profiles {
		row[p] = value
	}
}

// open reads the tables of a run and finds what an ordinary row has: of a number its mean, of whole numbers
// the median, and the first category.
func open(f *fit.Finished, o Options) (*rows, diag.List, error) {
	b, diags, err := f.Basis()
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	r := newRows(b, o)
	return r, r.diags, nil
}

func newRows(b *fit.Basis, o Options) *rows {
	r := &rows{Basis: b, options: o, typical: map[*data.Profile]string{}, given: map[*data.Profile]bool{}}
	for _, p := range b.Profiles {
		k := slices.IndexFunc(r.columns, func(c column) bool {
			return c.Column == p.Column && c.Joint && p.Joint
		})
		if k < 0 {
			k, r.columns = len(r.columns), append(r.columns, column{Profile: p, alone: true})
		}
		r.columns[k].profiles = append(r.columns[k].profiles, p)
	}
	for i := range r.columns {
		for k := range r.columns {
			r.columns[i].alone = r.columns[i].alone && (i == k || r.columns[i].Column != r.columns[k].Column)
		}
		r.columns[i].set(r.typical, r.columns[i].ordinary())
	}
	if o.Groups == GroupsNew {
		for _, g := range r.Groups {
			for _, p := range g.Columns {
				r.typical[p] = unseen(p)
			}
		}
	}
	for _, text := range o.At {
		r.setting(text, r.typical, r.given)
	}
	return r
}

// setting gives a column the value of a text COLUMN=VALUE in a row.
func (r *rows) setting(text string, row map[*data.Profile]string, given map[*data.Profile]bool) {
	name, value, ok := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || value == "" {
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "%s: write COLUMN=VALUE", text)
		return
	}
	c, ok := r.find(name)
	if !ok {
		return
	}
	if _, err := strconv.ParseFloat(value, 64); err != nil && c.Levels == nil {
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "%s has numbers, and %s is none", name, value)
	} else if c.Levels != nil && !slices.Contains(c.Levels, value) {
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "%s has no category %s%s", name, value,
			posterior.Suggestion(value, c.Levels)).Note("its categories are %s", some(c.Levels))
	}
	c.set(row, value)
	for _, p := range c.profiles {
		given[p] = true
	}
}

// find finds a column by its name, or PARTY.COLUMN.
func (r *rows) find(name string) (column, bool) {
	var found []column
	var names []string
	for _, c := range r.columns {
		names = append(names, c.name())
		if c.Column == name || c.Party+"."+c.Column == name {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "no column %s enters the predictions%s", name,
			posterior.Suggestion(name, names)).Note("there are %s", some(names))
	default:
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "%s is a column of several parties", name).
			Note("write %s or %s", found[0].name(), found[1].name())
	}
	return column{}, false
}

// group reports whether a column has the categories of group effects.
func (r *rows) group(p *data.Profile) bool {
	return slices.ContainsFunc(r.Groups, func(g fit.GroupEffect) bool {
		return slices.Contains(g.Columns, p)
	})
}

// some lists names, not all of many.
func some(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// at is what columns have that no term varies.
func (r *rows) at(terms []*term) map[string]string {
	out := map[string]string{}
	for _, c := range r.columns {
		p := c.profiles[0]
		varies := len(terms) == 1 && terms[0].rows[0][p] != ""
		if (!r.group(p) || r.given[p]) && !varies {
			out[c.name()] = r.typical[p]
		}
	}
	return out
}

// cells is what a column has in a row, from 0.
type cells func(p *data.Profile, row int) string

func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// ordinary is what an ordinary row has.
func (c column) ordinary() string {
	switch {
	case c.Levels != nil:
		return c.Levels[0]
	case c.Whole:
		return text(math.RoundToEven(c.median()))
	}
	return text(c.Mean)
}

func (c column) median() float64 { return posterior.Quantile(c.Numbers, 0.5) }

// unseen is a category that a column does not have.
func unseen(p *data.Profile) string {
	most := 0.0
	for _, level := range p.Levels {
		v, err := strconv.ParseFloat(level, 64)
		if err != nil {
			out := "new"
			for slices.Contains(p.Levels, out) {
				out += "'"
			}
			return out
		}
		most = max(most, v)
	}
	return text(most + 1)
}

// grid is the values along which a column varies: so many from the least to the largest, of whole numbers
// each, if they are no more, and all categories.
func (c column) grid(points int) (out []string) {
	switch {
	case c.Levels != nil:
		return c.Levels
	case c.Whole && c.Most-c.Least < float64(points):
		for v := c.Least; v <= c.Most; v++ {
			out = append(out, text(v))
		}
		return out
	case c.Most == c.Least:
		return []string{text(c.Least)}
	}
	step := (c.Most - c.Least) / float64(points-1)
	for k := range points {
		v := c.Least + float64(float64(k)*step)
		if k == points-1 {
			v = c.Most
		}
		if c.Whole {
			v = math.RoundToEven(v)
		}
		out = append(out, text(v))
	}
	return slices.Compact(out)
}

// deviation is that of a normal distribution with the same median absolute deviation.
const deviation = 1.4826

// few are values of the second column of a term: the mean, and one standard deviation below and above.
func (c column) few() (out []string) {
	if c.Levels != nil {
		return c.Levels
	}
	centre, spread := c.Mean, c.SD
	if c.Whole {
		centre = c.median()
		var away []float64
		for _, v := range c.Numbers {
			away = append(away, math.Abs(v-centre))
		}
		slices.Sort(away)
		spread = deviation * posterior.Quantile(away, 0.5)
	}
	for _, k := range []float64{-1, 0, 1} {
		v := centre + float64(k*spread)
		if c.Whole {
			v = math.RoundToEven(v)
		}
		out = append(out, text(v))
	}
	return slices.Compact(out)
}
