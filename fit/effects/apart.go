package effects

import (
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// A Range is the least and the largest value of a grid that its owner gives.
type Range struct{ Least, Most float64 }

// ApartRows is one party's table of made-up rows for a prediction across machines: the first line has the
// names of the columns, and the column key numbers the rows, which are the same at all parties. A party that
// has the column of the term varies it; others have so many ordinary rows.
//
// What is predicted of these rows tells others where they lie. So a grid of numbers has the range that its
// owner gives, else goes from the 5 % to the 95 % quantile, and an ordinary row has the median, each rounded
// to a tenth of the power of ten below the distance of these quantiles: neither end of the data is in it,
// where there are at least leastApart rows.
func ApartRows(f *fit.Finished, term, key string, o Options, given *Range) ([][]string, diag.List, error) {
	b, diags, err := f.OwnBasis()
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	r := newRows(b, o)
	out := [][]string{{key}}
	for i := range o.Points {
		out = append(out, []string{strconv.Itoa(i + 1)})
	}
	for k := range r.columns {
		c := &r.columns[k]
		if c.Column == key {
			continue
		}
		varies := c.Column == term
		values := []string{r.typical[c.profiles[0]]}
		if c.Levels == nil && !r.given[c.profiles[0]] || varies {
			values = r.apart(c, varies, given)
		}
		out[0] = append(out[0], c.Column)
		for i := range o.Points {
			out[i+1] = append(out[i+1], values[i*len(values)/o.Points])
		}
		if c.Levels != nil && !varies && !r.given[c.profiles[0]] && c.coded() {
			r.diags.Errorf(diag.NoCentre, nil, source.Span{}, "across machines the effect of a category of %s is "+
				"not held at a centre", c.Column).Note("--at %s=… takes that of a category", c.Column)
		}
	}
	return out, r.diags, nil
}

// leastApart is the number of rows from which on the outer quantiles do not depend on the outermost row.
const leastApart = 21

// apart are the values of a column across machines: of the grid, or of an ordinary row.
func (r *rows) apart(c *column, varies bool, given *Range) []string {
	if c.Levels != nil {
		return c.Levels
	}
	least, most := posterior.Quantile(c.Numbers, 0.05), posterior.Quantile(c.Numbers, 0.95)
	if varies && given != nil {
		least, most = given.Least, given.Most
	} else if len(c.Numbers) < leastApart {
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "%s has fewer than %d numbers, whose quantiles tell "+
			"of single rows", c.Column, leastApart).
			Note("give a value with --at %s=…, and a grid with --range LEAST:MOST", c.Column)
		return []string{""}
	}
	step := 1.0
	if most > least {
		step = portable.Pow(10, math.Floor(portable.Log10(most-least))-1)
	}
	if c.Whole {
		step = max(step, 1)
	}
	near := func(v float64) float64 { return math.RoundToEven(v/step) * step }
	if !varies {
		return []string{text(near(c.median()))}
	}
	grid := *c.Profile
	if grid.Least, grid.Most = near(least), near(most); given != nil {
		grid.Least, grid.Most = least, most
	}
	return column{Profile: &grid}.grid(r.options.Points)
}

// coded reports whether a column is read as a level.
func (c *column) coded() bool { return slices.Contains(c.Read, "level") }

// OfPredictions are the effects that predictions of a table of ApartRows make, at the party that has the
// column. Bands lie between the outer quantiles of the predictions.
func OfPredictions(table [][]string, term string, p *fit.PredictionDocument) (*Document, diag.List) {
	d := &Document{Schema: posterior.Schema, Model: p.Model, Draws: p.Draws, Groups: GroupsNone}
	var diags diag.List
	at := slices.Index(table[0], term)
	for k := range p.Responses {
		r := &p.Responses[k]
		if at < 0 || len(r.Mean) != len(table)-1 || len(r.Quantiles) < 3 {
			diags.Errorf(diag.NotAColumn, nil, source.Span{}, "the table has %d rows with the column %s or without "+
				"it, and the predictions of %s have %d", len(table)-1, term, r.Name, len(r.Mean)).
				Note("give the table and the predictions that were made of it, of three quantiles")
			return nil, diags
		}
		last := len(r.Quantiles) - 1
		d.Of, d.Level = r.Of, r.Quantiles[last].P-r.Quantiles[0].P
		e := Effect{Term: term, Columns: []string{term}, Response: r.Name}
		numbers := 0
		for i, line := range table[1:] {
			if _, err := strconv.ParseFloat(line[at], 64); err == nil {
				numbers++
			}
			if i > 0 && line[at] == table[i][at] {
				continue // a grid of fewer values
			}
			e.Points = append(e.Points, Point{[]string{line[at]}, Spread{r.Mean[i], r.SD[i],
				r.Quantiles[last/2].Values[i], r.Quantiles[0].Values[i], r.Quantiles[last].Values[i]}})
		}
		e.Numeric = numbers == len(table)-1
		d.Effects = append(d.Effects, e)
	}
	return d, diags
}
