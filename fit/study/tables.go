package study

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// A Sheet is a table as it is shown: the header and the lines, with the numbers as texts. Plain are the
// numbers with all digits, for files that programs read.
type Sheet struct {
	Table  Table
	Header []string
	Lines  [][]string
	Plain  struct {
		Header []string
		Lines  [][]string
	}
}

// groups returns the values on some axes of the results that meet conditions, each combination once in order
// of occurrence, with the results that have it. A result without a value on an axis belongs to the
// combination with none there.
func groups(results []*Result, where []Condition, axes []string) (keys [][]string, members [][]*Result) {
	for _, r := range results {
		if !has(where, r.Cell) {
			continue
		}
		key := make([]string, len(axes))
		for k, axis := range axes {
			key[k], _ = r.Cell.Label(axis)
		}
		at := slices.IndexFunc(keys, func(k []string) bool { return slices.Equal(k, key) })
		if at < 0 {
			at = len(keys)
			keys, members = append(keys, key), append(members, nil)
		}
		members[at] = append(members[at], r)
	}
	return keys, members
}

// asResults are cells without results, for checks before any has run.
func (s *Study) asResults() []*Result {
	var out []*Result
	for _, c := range s.Cells {
		out = append(out, &Result{Cell: c})
	}
	return out
}

// Check reports tables whose lines do not say which cells they are of, and figures without cells.
func (s *Study) Check() diag.List {
	var list diag.List
	all := s.asResults()
	for _, t := range s.Tables {
		keys, members := groups(all, t.Where, t.Rows)
		if len(keys) == 0 {
			list.Errorf(diag.BadSelection, s.File, t.Span, "the table %s has no cells", t.Name)
		}
		for k, cells := range members {
			if axis := differing(cells, slices.Concat(t.Rows, t.Over)); axis != "" {
				list.Errorf(diag.BadSelection, s.File, t.Span,
					"the line %s of the table %s has %d cells, which differ in %s", shownKey(t.Rows, keys[k]),
					t.Name, len(cells), axis).
					Note("name %s in rows for a line of each, or in over for their mean", axis)
				break
			}
		}
	}
	for _, f := range s.Figures {
		if _, members := groups(all, f.Where, nil); len(members) == 0 {
			list.Errorf(diag.BadSelection, s.File, f.Span, "the figure %s has no cells", f.Name)
		}
		for _, c := range s.Cells {
			if command, ok := CommandOf(c.Command); ok && command.Writes != RunDir && has(f.Where, c) {
				list.Errorf(diag.BadSelection, s.File, f.Span, "the figure %s has a cell that is no fit: %s",
					f.Name, c.Name()).Note("figures show draws; where = { … } chooses cells")
				break
			}
		}
	}
	return list
}

func shownKey(axes, key []string) string {
	var parts []string
	for k, axis := range axes {
		if key[k] != "" {
			parts = append(parts, axis+" "+key[k])
		}
	}
	return strings.Join(parts, ", ")
}

// differing is an axis other than those given on which cells differ, "" if there is none.
func differing(cells []*Result, but []string) string {
	for _, a := range cells {
		for _, l := range a.Cell.Labels {
			if slices.Contains(but, l.Axis) {
				continue
			}
			for _, b := range cells {
				if v, _ := b.Cell.Label(l.Axis); v != l.Value {
					return l.Axis
				}
			}
		}
	}
	return ""
}

// Sheet computes a table from the results.
func (t Table) Sheet(results []*Result) Sheet {
	out := Sheet{Table: t}
	keys, members := groups(results, t.Where, t.Rows)
	out.Header, out.Plain.Header = slices.Clone(t.Rows), slices.Clone(t.Rows)
	for _, c := range t.Columns {
		out.Header = append(out.Header, c.Title)
		out.Plain.Header = append(out.Plain.Header, c.Title, c.Title+" se")
		for _, b := range t.Beside {
			if b.has(c.Title) {
				out.Header = append(out.Header, c.Title+", "+b.Source)
				out.Plain.Header = append(out.Plain.Header, c.Title+", "+b.Source)
			}
		}
	}
	for k, cells := range members {
		line, plain := slices.Clone(keys[k]), slices.Clone(keys[k])
		for _, c := range t.Columns {
			value, numbers := shownColumn(cells, c)
			line, plain = append(line, value), append(plain, numbers...)
			for _, b := range t.Beside {
				if b.has(c.Title) {
					text := b.of(cells[0].Cell, c.Title)
					line, plain = append(line, text), append(plain, text)
				}
			}
		}
		out.Lines, out.Plain.Lines = append(out.Lines, line), append(out.Plain.Lines, plain)
	}
	return out
}

// has reports whether there are numbers for a column.
func (b Beside) has(title string) bool {
	return slices.ContainsFunc(b.Lines, func(l BesideLine) bool { _, ok := l.Values[title]; return ok })
}

// of is the number for a column in the line of a cell, "" if there is none.
func (b Beside) of(c *GridCell, title string) string {
	for _, l := range b.Lines {
		if has(l.Where, c) {
			return l.Values[title]
		}
	}
	return ""
}

// shownColumn is the average of a quantity over cells, as a text with its standard error where there are
// several values, and as two numbers.
func shownColumn(cells []*Result, c Heading) (string, []string) {
	var samples []float64
	for _, r := range cells {
		if r.Failed != "" {
			return "failed", []string{"", ""}
		}
		samples = append(samples, r.samples(c.Quantity, c.Parameter)...)
	}
	if samples == nil {
		return "", []string{"", ""}
	}
	a := average(samples)
	plain := []string{strconv.FormatFloat(a.Mean, 'g', -1, 64), ""}
	if math.IsNaN(a.SE) {
		return significant(a.Mean, 4), plain
	}
	plain[1] = strconv.FormatFloat(a.SE, 'g', -1, 64)
	return withError(a), plain
}

// significant writes a number with so many digits, without an exponent where it is of moderate size.
func significant(x float64, digits int) string {
	size := math.Abs(x)
	switch {
	case x == math.Trunc(x) && size < 1e15:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case size < 1e-4 || size >= 1e15:
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, digits-1-int(math.Floor(portable.Log10(size)))), 64)
}

// withError writes a mean with as many decimals as its standard error needs for two digits.
func withError(a Average) string {
	if !(a.SE > 0) || a.SE < 1e-9 || a.SE > 1e9 {
		return significant(a.Mean, 4) + " ± " + significant(a.SE, 2)
	}
	decimals := max(0, 1-int(math.Floor(portable.Log10(a.SE))))
	return strconv.FormatFloat(a.Mean, 'f', decimals, 64) + " ± " + strconv.FormatFloat(a.SE, 'f', decimals,
		64)
}

// Name is what the table is called.
func (s Sheet) Name() string { return cmp.Or(s.Table.Title, s.Table.Name) }

// Text is the table in characters.
func (s Sheet) Text() string {
	return posterior.AlignLeft(slices.Concat([][]string{s.Header}, s.Lines))
}

// Markdown is the table in Markdown.
func (s Sheet) Markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(c, "|", `\|`))
		}
		b.WriteString("|\n")
	}
	line(s.Header)
	line(slices.Repeat([]string{"---"}, len(s.Header)))
	for _, l := range s.Lines {
		line(l)
	}
	return b.String()
}

// WriteCSV writes the table with all digits; each column is followed by its standard error.
func (s Sheet) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(slices.Concat([][]string{s.Plain.Header}, s.Plain.Lines))
}

// WriteValues writes every number of every cell, a line each.
func WriteValues(w io.Writer, s *Study, results []*Result) error {
	axes := s.Axes()
	lines := [][]string{slices.Concat([]string{"cell"}, axes, []string{"quantity", "parameter", "value",
		"se"})}
	for _, r := range results {
		head := []string{r.ID}
		for _, axis := range axes {
			v, _ := r.Cell.Label(axis)
			head = append(head, v)
		}
		for _, v := range r.Values {
			a := average(v.Samples)
			se := ""
			if !math.IsNaN(a.SE) {
				se = strconv.FormatFloat(a.SE, 'g', -1, 64)
			}
			lines = append(lines,
				slices.Concat(head,
					[]string{v.Quantity, v.Parameter, strconv.FormatFloat(a.Mean, 'g', -1, 64), se}))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
