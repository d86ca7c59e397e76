package effects

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// A ContrastDocument is contrasts, as --json prints them.
type ContrastDocument struct {
	Schema int    `json:"schema"`
	Model  string `json:"model"`
	Draws  int    `json:"draws"`
	Rows   int    `json:"rows"` // that are averaged; 0: ordinary ones are compared
	Of     string `json:"of"`   // expectation, predictor
	// At is what the columns of ordinary rows have.
	At        map[string]string `json:"at,omitempty"`
	Level     float64           `json:"level"`
	Groups    string            `json:"groups"`
	Contrasts []Contrast        `json:"contrasts"`
}

// A Contrast is a difference or a ratio of expectations.
type Contrast struct {
	Contrast string `json:"contrast"`
	By       string `json:"by,omitempty"`
	Response string `json:"response"`
	Category string `json:"category,omitempty"`
	Spread
	// Above is the share of draws in which a difference is above 0, or a ratio above 1.
	Above posterior.Number `json:"above"`
}

// A comparison is two kinds of rows.
type comparison struct {
	text  string
	ratio bool
	sides [2]side
}

// A side gives a row what it has there, of which cell says what the row has else.
type side func(cell func(p *data.Profile) string, row map[*data.Profile]string)

// Contrasts compares expectations of rows at every draw of the run: "age=40 - age=30", "age=40, sex=f /
// age=30", or "age" alone, which is age + 1 - age of numbers and each category less the first. Each side is
// the rows of the run with these values in place of their own, and its expectation the average over them, as
// in avg_comparisons of R's marginaleffects.
func Contrasts(ctx context.Context, f *fit.Finished, name string, texts []string,
	o Options) (*ContrastDocument, diag.List, error) {
	r, diags, err := open(f, o)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	var all []comparison
	for _, t := range texts {
		all = append(all, r.comparisons(t)...)
	}
	d := &ContrastDocument{Schema: posterior.Schema, Model: name, Of: of(o), Level: o.Level,
		Groups: o.Groups}
	n, cell := r.Rows, func(p *data.Profile, row int) string {
		if r.given[p] || o.Groups == GroupsNew && r.group(p) {
			return r.typical[p]
		}
		return p.Cell(row)
	}
	if d.Rows = n; o.Typical {
		n, d.Rows, d.At = 1, 0, r.at(nil)
		cell = func(p *data.Profile, _ int) string { return r.typical[p] }
	}
	strata, in := r.strata(o.By, n, cell)
	if !o.Typical {
		r.sameRows()
	}
	if r.diags.HasErrors() {
		return nil, r.diags, nil
	}
	q := o.request()
	q.Draws = cmp.Or(q.Draws, max(1, mostCells/(2*n)))
	for k := range all {
		c := &all[k]
		made := c.rows(n, cell)
		p, found, err := r.predict(ctx, q, len(made), func(p *data.Profile, row int) string {
			if v, ok := made[row][p]; ok {
				return v
			}
			return cell(p, row%n)
		}, made[0])
		if diags = append(diags, found...); err != nil || diags.HasErrors() {
			return nil, diags, err
		}
		d.Draws = p.Draws
		for y := range p.Responses {
			d.add(c, &p.Responses[y], strata, in)
		}
	}
	return d, diags, nil
}

// rows are what the columns that differ have: in n rows of the left side, then in those of the right one.
func (c *comparison) rows(n int, cell cells) []map[*data.Profile]string {
	out := make([]map[*data.Profile]string, 2*n)
	for k := range out {
		out[k] = map[*data.Profile]string{}
		c.sides[k/n](func(p *data.Profile) string { return cell(p, k%n) }, out[k])
	}
	return out
}

// mostCells is how many rows times draws are predicted unless the draws are given.
const mostCells = 10_000_000

// add compares both sides of a contrast in each stratum.
func (d *ContrastDocument) add(c *comparison, p *fit.PredictedResponse, strata []string, in []int) {
	n := len(in)
	for k, category := range categories(p, 2*n) {
		for s, stratum := range strata {
			var sides [2][]float64
			for side := range sides {
				sides[side] = averages(p.Expected[2*n*k+side*n:][:n], in, s)
			}
			one := Contrast{Contrast: c.text, By: stratum, Response: p.Name, Category: category}
			threshold := 0.0
			for i, a := range sides[0] {
				if b := sides[1][i]; c.ratio {
					sides[0][i], threshold = a/b, 1
				} else {
					sides[0][i] = a - b
				}
			}
			for _, v := range sides[0] {
				if v > threshold {
					one.Above += posterior.Number(1 / float64(len(sides[0])))
				}
			}
			one.Spread = summarise(sides[0], d.Level)
			d.Contrasts = append(d.Contrasts, one)
		}
	}
}

// averages are, by draw, those over the rows that are in a stratum.
func averages(rows [][]float64, in []int, stratum int) []float64 {
	out, n := make([]float64, len(rows[0])), 0
	for i, draws := range rows {
		if in[i] == stratum {
			for k, v := range draws {
				out[k] += v
			}
			n++
		}
	}
	for k := range out {
		out[k] /= float64(n)
	}
	return out
}

// strata are the categories by which rows are averaged, and that of each row.
func (r *rows) strata(by string, n int, cell cells) (names []string, in []int) {
	in = make([]int, n)
	if by == "" {
		return []string{""}, in
	}
	c, ok := r.find(by)
	if !ok {
		return nil, nil
	}
	for i := range in {
		names = append(names, cell(c.profiles[0], i))
	}
	cells := slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	for i := range in {
		in[i] = slices.Index(names, cells[i])
	}
	return names, in
}

// comparisons reads a contrast.
func (r *rows) comparisons(text string) []comparison {
	for _, sign := range []string{" - ", " / "} {
		if left, right, ok := strings.Cut(text, sign); ok {
			c := comparison{text: text, ratio: sign == " / "}
			for k, side := range []string{left, right} {
				fixed := map[*data.Profile]string{}
				for _, setting := range strings.Split(side, ",") {
					r.setting(setting, fixed, map[*data.Profile]bool{})
				}
				c.sides[k] = func(_ func(*data.Profile) string, row map[*data.Profile]string) {
					for p, v := range fixed {
						row[p] = v
					}
				}
			}
			return []comparison{c}
		}
	}
	if strings.ContainsAny(text, "=") {
		r.diags.Errorf(diag.BadContrast, nil, source.Span{}, "%s has one side", text).
			Note("write two, with blanks around the sign: 'age=40 - age=30', or a ratio 'age=40 / age=30'")
		return nil
	}
	c, ok := r.find(strings.TrimSpace(text))
	if !ok {
		return nil
	}
	return c.own()
}

// own are the contrasts of a column by itself: of numbers one more, and each category with the first.
func (c column) own() (out []comparison) {
	to := func(value string) side {
		return func(_ func(*data.Profile) string, row map[*data.Profile]string) { c.set(row, value) }
	}
	if c.Levels == nil {
		more := func(by float64) side {
			return func(cell func(*data.Profile) string, row map[*data.Profile]string) {
				for _, p := range c.profiles {
					if v, err := strconv.ParseFloat(cell(p), 64); err == nil {
						row[p] = text(v + by)
					}
				}
			}
		}
		return []comparison{{text: c.name() + " + 1 - " + c.name(), sides: [2]side{more(1), more(0)}}}
	}
	for _, level := range c.Levels[1:] {
		out = append(out, comparison{text: c.name() + "=" + level + " - " + c.name() + "=" + c.Levels[0],
			sides: [2]side{to(level), to(c.Levels[0])}})
	}
	return out
}

// sameRows refuses averages where parties have rows of their own, of different numbers.
func (r *rows) sameRows() {
	for _, p := range r.Profiles {
		if p.Rows != r.Rows {
			r.diags.Errorf(diag.BadContrast, nil, source.Span{}, "%s and %s have tables of different lengths, so that "+
				"there is no average over rows", r.Profiles[0].Party, p.Party).
				Note("--typical compares two ordinary rows")
			return
		}
	}
}
