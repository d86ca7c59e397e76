package effects

import (
	comma "encoding/csv"
	"io"
	"slices"
	"strconv"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// Usual are the options of a plot without any.
func Usual() Options { return Options{Groups: GroupsNone, Points: 100, Level: 0.95} }

// Table has a line of titles and one for each point of an effect. Of numbers it has no more than most, at
// even distances and with both ends; 0: all.
func (e *Effect) Table(level float64, most int, number func(float64) string) [][]string {
	title := append(slices.Clone(e.Columns), "response")
	if e.Category != "" {
		title = append(title, "category")
	}
	out := [][]string{append(title, titles(level)...)}
	for _, i := range e.shown(most) {
		var line []string
		for _, cell := range e.Points[i].At {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				cell = number(v)
			}
			line = append(line, cell)
		}
		line = append(line, e.Response)
		if e.Category != "" {
			line = append(line, e.Category)
		}
		out = append(out, append(line, e.Points[i].cells(number)...))
	}
	return out
}

// shown are the points of a table. Of numbers some are left out.
func (e *Effect) shown(most int) (out []int) {
	n := len(e.Points)
	curves := 1
	for i := range n - 1 {
		if len(e.Columns) > 1 && e.Points[i].At[1] != e.Points[i+1].At[1] {
			curves++
		}
	}
	each := n / curves
	for i := range n {
		k := i % each
		if most == 0 || !e.Numeric || each <= most || k == 0 ||
			k*(most-1)/(each-1) != (k-1)*(most-1)/(each-1) {
			out = append(out, i)
		}
	}
	return out
}

func titles(level float64) []string {
	outer := float64(50 * (1 - level))
	return []string{"mean", "sd", "50%", share(outer) + "%", share(100-outer) + "%"}
}

func share(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func (s Spread) cells(number func(float64) string) (out []string) {
	for _, v := range []posterior.Number{s.Mean, s.SD, s.Median, s.Lower, s.Upper} {
		out = append(out, number(float64(v)))
	}
	return out
}

// WriteCSV writes all effects: a table each, with a line of titles before it where the columns change.
func (d *Document) WriteCSV(w io.Writer) error {
	var title []string
	c := comma.NewWriter(w)
	for k := range d.Effects {
		table := d.Effects[k].Table(d.Level, 0, text)
		if slices.Equal(title, table[0]) {
			table = table[1:]
		} else {
			title = table[0]
		}
		if err := c.WriteAll(table); err != nil {
			return err
		}
	}
	return nil
}

// Table has a line of titles and one for each contrast.
func (d *ContrastDocument) Table(number func(float64) string) [][]string {
	by := slices.ContainsFunc(d.Contrasts, func(c Contrast) bool { return c.By != "" })
	kinds := slices.ContainsFunc(d.Contrasts, func(c Contrast) bool { return c.Category != "" })
	line := func(contrast, stratum, response, category string) []string {
		out := []string{contrast}
		if by {
			out = append(out, stratum)
		}
		if out = append(out, response); kinds {
			out = append(out, category)
		}
		return out
	}
	out := [][]string{append(append(line("contrast", "by", "response", "category"), titles(d.Level)...), "above")}
	for _, c := range d.Contrasts {
		out = append(out, append(append(line(c.Contrast, c.By, c.Response, c.Category), c.cells(number)...),
			number(float64(c.Above))))
	}
	return out
}

// WriteCSV writes the contrasts.
func (d *ContrastDocument) WriteCSV(w io.Writer) error {
	return comma.NewWriter(w).WriteAll(d.Table(text))
}

// Plotted are the effects for a plot of kind effects: a panel for each term and response. Categories of a
// response are curves of one panel, where one column varies.
func (d *Document) Plotted() (out []plot.EffectPanel) {
	for k := range d.Effects {
		e := &d.Effects[k]
		together := e.Category != "" && len(e.Columns) == 1
		if last := len(out) - 1; together && k > 0 && d.Effects[k-1].Term == e.Term &&
			d.Effects[k-1].Response == e.Response {
			out[last].Lines = append(out[last].Lines, e.bands()...)
			continue
		}
		one := plot.EffectPanel{X: e.Columns[0], Y: d.Of + " of " + e.Response, Title: e.Term,
			Band: share(100*d.Level) + " %", Lines: e.bands()}
		if e.Category != "" && !together {
			one.Y += " = " + e.Category
		}
		if !e.Numeric {
			one.Names = e.names()
		}
		out = append(out, one)
	}
	return out
}

// names are the categories of the first column.
func (e *Effect) names() (out []string) {
	for _, p := range e.Points {
		if !slices.Contains(out, p.At[0]) {
			out = append(out, p.At[0])
		}
	}
	return out
}

// bands has a curve for each value of the second column.
func (e *Effect) bands() (out []plot.BandLine) {
	names := e.names()
	for i, p := range e.Points {
		name := e.Category
		if len(e.Columns) > 1 {
			name = e.Columns[1] + " = " + short(p.At[1])
		}
		if i == 0 || name != out[len(out)-1].Name {
			out = append(out, plot.BandLine{Name: name})
		}
		b := &out[len(out)-1]
		x := float64(slices.Index(names, p.At[0]))
		if e.Numeric {
			x, _ = strconv.ParseFloat(p.At[0], 64)
		}
		b.X, b.Middle = append(b.X, x), append(b.Middle, float64(p.Median))
		b.Lower, b.Upper = append(b.Lower, float64(p.Lower)), append(b.Upper, float64(p.Upper))
	}
	return out
}

// short is a number with few digits, or a category.
func short(cell string) string {
	if v, err := strconv.ParseFloat(cell, 64); err == nil {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return cell
}
