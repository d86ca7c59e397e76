package data

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/types"
)

// A Profile is what a column that declarations read says of the rows of a table: where other values of it can
// lie, and what an ordinary row has. An entry of a document with several numbers a row has one for each.
type Profile struct {
	Party, Column string   // "lab[2]"; "age", of an entry "X[3]"
	Uses          []string // the declarations that read it, in their order
	Read          []string // how: the name of an encoder, "level", or "column" as it is
	Levels        []string // of a category: in the order of its codes; nil of numbers
	Whole         bool     // the declarations read whole numbers alone
	// of numbers, without missing cells: the largest and the least, the mean, the standard deviation (n − 1)
	Least, Most, Mean, SD float64
	Numbers               []float64 // sorted, without missing cells; nil of categories
	Rows                  int
	// Joint is set of data that every party holds, and of members of a family with rows of their own: a
	// column of one name is one quantity.
	Joint bool

	holder *Holder
	array  *Array
	at     int // among the numbers of a row
}

// Profiles describe the columns that declarations with a size of rows read, table by table. The recipes are
// those of the parties that own them; columns of other sizes are left out.
func (d *Dataset) Profiles(wants []Want, recipes map[string][]Recipe, rows map[string]bool) (out []*Profile) {
	for _, h := range d.holders() {
		for _, w := range h.wants(wants) {
			r, ok := recipeOf(w.Name, h.Party, recipes)
			if !ok || !rows[w.Rows.Name] || w.Owner == OwnerShared && !r.in(h.View) {
				continue
			}
			for k := range r.Encoders {
				for c, name := range r.Encoders[k].columns() {
					if a, ok := h.View.Array(name); ok && len(a.Dims) > 0 {
						out = h.profiled(out, a, w, &r, k, c)
					}
				}
			}
		}
	}
	for _, p := range out {
		p.measure()
	}
	return out
}

// profiled adds the use of an array by one encoder of a recipe: of its c-th column.
func (h *Holder) profiled(out []*Profile, a *Array, w Want, r *Recipe, encoder, c int) []*Profile {
	f := &r.Encoders[encoder]
	e, encoded := encoderNamed(f.Encoder)
	category := a.Words != nil || f.Encoder == levels || encoded && e.Categories && len(f.known(e, c)) > 0
	whole := f.Encoder == plain && r.Elem != types.Real.String()
	for at := range a.stride() {
		i := slices.IndexFunc(out, func(p *Profile) bool { return p.array == a && p.at == at })
		if i < 0 {
			p := &Profile{Party: h.Party, Column: a.Name, Whole: true, Rows: a.Dims[0], holder: h, array: a,
				at: at}
			if a.stride() > 1 {
				p.Column = fmt.Sprintf("%s[%d]", a.Name, at+1)
			}
			i, out = len(out), append(out, p)
		}
		p := out[i]
		p.Uses, p.Read, p.Whole = append(p.Uses, w.Name), append(p.Read, f.Encoder), p.Whole && whole
		p.Joint = p.Joint || w.Owner == OwnerShared || w.Rows.Own
		switch {
		case !category || len(p.Levels) > 0:
		case encoded:
			p.Levels = append([]string{}, f.known(e, c)...)
		default:
			p.Levels = append([]string{}, f.Words...)
		}
	}
	return out
}

// measure computes the statistics of a column, and lists categories that no encoder lists.
func (p *Profile) measure() {
	if p.Levels != nil {
		if len(p.Levels) == 0 {
			p.Levels = p.found()
		}
		return
	}
	for i := range p.Rows {
		if v := p.array.Numbers[i*p.array.stride()+p.at]; !math.IsNaN(v) {
			p.Numbers = append(p.Numbers, v)
		}
	}
	slices.Sort(p.Numbers)
	n := float64(len(p.Numbers))
	for _, v := range p.Numbers {
		p.Mean += v / n
	}
	for _, v := range p.Numbers {
		p.SD += float64((v - p.Mean) * (v - p.Mean) / (n - 1))
	}
	p.SD = math.Sqrt(p.SD)
	if n > 0 {
		p.Least, p.Most = p.Numbers[0], p.Numbers[len(p.Numbers)-1]
	}
}

// found are the distinct cells: numbers by their size, words by their bytes.
func (p *Profile) found() (out []string) {
	if p.array.Words != nil {
		return slices.Sorted(slices.Values(p.array.Words))
	}
	var numbers []float64
	for i := range p.Rows {
		if v := p.array.Numbers[i*p.array.stride()+p.at]; !math.IsNaN(v) {
			numbers = append(numbers, v)
		}
	}
	slices.Sort(numbers)
	for _, v := range slices.Compact(numbers) {
		out = append(out, written(v))
	}
	return out
}

// Cell is the text of the column in a row, from 0; "NA" where it is missing.
func (p *Profile) Cell(row int) string {
	i := row*p.array.stride() + p.at
	if p.array.Missing(i) {
		return "NA"
	}
	return column{p.holder.View, p.array}.text(i)
}

// MadeUp are sources with n made-up rows in place of those of the tables that have profiles: what cell says
// of each column, and nothing of columns that no declaration reads. Other tables are as they are.
func (d *Dataset) MadeUp(profiles []*Profile, n int, cell func(p *Profile, row int) string) Sources {
	out := slices.Clone(d.Sources)
	for k, s := range out {
		var tables []Reader
		some := false
		for m := range s.tables() {
			party := s.Name
			if s.Family {
				party = fmt.Sprintf("%s[%d]", s.Name, m+1)
			}
			var own []*Profile
			for _, p := range profiles {
				if p.Party == party {
					own = append(own, p)
				}
			}
			for _, h := range d.holders() {
				if h.Party != party {
					continue
				}
				if some = some || len(own) > 0; len(own) == 0 {
					tables = append(tables, h.View.reader)
				} else {
					tables = append(tables, h.madeUp(own, n, cell))
				}
			}
		}
		if some {
			out[k].Files, out[k].Tables = nil, tables
		}
	}
	return out
}

// madeUp is one table with made-up rows.
func (h *Holder) madeUp(own []*Profile, n int, cell func(p *Profile, row int) string) Reader {
	name := "the made-up rows of " + h.Party
	texts := map[*Profile][]string{}
	for _, p := range own {
		for i := range n {
			texts[p] = append(texts[p], cell(p, i))
		}
	}
	if !h.View.Document {
		var columns []Values
		for _, p := range own {
			columns = append(columns, Values{Name: p.Column, Words: texts[p]})
		}
		return Columns(name, columns...)
	}
	entries := map[string]any{}
	for _, a := range h.View.Arrays {
		if of := slices.IndexFunc(own, func(p *Profile) bool { return p.array == a }); of >= 0 {
			entries[a.Name] = nested(append([]int{n}, a.Dims[1:]...), func(i int) any {
				return a.entry(texts[own[of+i%a.stride()]][i/a.stride()])
			})
		} else if len(a.Dims) > 0 && a.problem == "" {
			entries[a.Name] = nested(a.Dims, func(i int) any { return a.entry(column{h.View, a}.text(i)) })
		}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		panic("data: " + err.Error()) // texts and finite numbers
	}
	return Document(name, text)
}

// entry is a cell of a document: a number, or a word where the array has words.
func (a *Array) entry(text string) any {
	text = strings.TrimSpace(text)
	if _, err := strconv.ParseFloat(text, 64); err != nil || a.Words != nil {
		return text
	}
	return json.RawMessage(text)
}

// nested are the cells of an array in row-major order as lists of lists.
func nested(dims []int, cell func(i int) any) any {
	if len(dims) == 0 {
		return cell(0)
	}
	step := 1
	for _, d := range dims[1:] {
		step *= d
	}
	out := make([]any, dims[0])
	for k := range out {
		out[k] = nested(dims[1:], func(i int) any { return cell(k*step + i) })
	}
	return out
}
