package posterior

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/portable"
)

// WriteTable writes rows as a text table, names to the left and numbers to the right. Digits stop where the
// Monte Carlo error begins; columns that apply to no row are left out.
func WriteTable(w io.Writer, rows []SummaryRow) error { return WriteTableWithin(w, rows, 0) }

// WriteTableWithin is WriteTable for a terminal of some columns, 0 for no limit: names that would make the
// table wider are cut, to a third of it at most. Where that is not enough, numbers are left out that others
// nearly tell, the least needed first. The name, the owner, the mean and its Monte Carlo error always stay.
func WriteTableWithin(w io.Writer, rows []SummaryRow, width int) error {
	columns := shownColumns(rows)
	if width <= 0 {
		return writeAligned(w, tableLines(rows, columns, math.MaxInt), 2)
	}
	least := min(max(leastName, width/3), longestName(rows))
	for _, title := range []string{"ess_tail", "50%", "ess_bulk", "sd", "r_hat", "5%", "95%"} {
		if roomForNames(rows, columns, width) >= least {
			break
		}
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.title == title })
	}
	return writeAligned(w, tableLines(rows, columns, max(leastName, roomForNames(rows, columns, width))), 2)
}

// longestName is the width of the column of names where none is cut.
func longestName(rows []SummaryRow) int {
	longest := Width("parameter")
	for _, r := range rows {
		longest = max(longest, Width(r.Shown()))
	}
	return longest
}

// leastName is how many characters of a name a table shows, whatever its width.
const leastName = 16

// roomForNames is what the other columns of a table leave of a width.
func roomForNames(rows []SummaryRow, columns []column, width int) int {
	first, wide := true, 0
	var widest []int
	for line := range tableLines(rows, columns, math.MaxInt) {
		if first {
			widest, first = make([]int, len(line)), false
		}
		for k, cell := range line {
			widest[k] = max(widest[k], Width(cell))
		}
	}
	for _, n := range widest[1:] {
		wide += n + 2
	}
	return width - wide
}

// tableLines iterates over the cells of a table line by line, the titles first. Names have at most so many
// characters. It reuses the memory of a line for the next.
func tableLines(rows []SummaryRow, columns []column, most int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		line := []string{"parameter", "owner"}
		for _, c := range columns {
			line = append(line, c.title)
		}
		if !yield(line) {
			return
		}
		for _, r := range rows {
			line[0], line[1] = Cut(r.Shown(), most), r.Owner
			for k, c := range columns {
				line[2+k] = c.show(r)
			}
			if !yield(line) {
				return
			}
		}
	}
}

// AlignLeft lays out lines of cells in columns, two blanks apart. All lines have as many cells as the first.
func AlignLeft(lines [][]string) string {
	var b strings.Builder
	_ = writeAligned(&b, slices.Values(lines), len(lines[0])) // writing to a Builder does not fail
	return b.String()
}

// writeAligned pads the cells of every column to one width, the first few columns to the left and the others
// to the right. Lines end without blanks. It reads the lines twice, so that a long table need not be in
// memory.
func writeAligned(w io.Writer, lines iter.Seq[[]string], left int) error {
	var width []int
	for line := range lines {
		if width == nil {
			width = make([]int, len(line))
		}
		for k, cell := range line {
			width[k] = max(width[k], Width(cell))
		}
	}
	out := bufio.NewWriter(w)
	var text []byte
	for line := range lines {
		text = text[:0]
		for k, cell := range line {
			pad := strings.Repeat(" ", width[k]-Width(cell))
			if k < left {
				text = append(append(text, cell...), pad...)
			} else {
				text = append(append(text, pad...), cell...)
			}
			text = append(text, "  "...)
		}
		out.Write(append(bytes.TrimRight(text, " "), '\n'))
	}
	return out.Flush()
}

// column is one numeric column of the table.
type column struct {
	title string
	value func(SummaryRow) Number
	show  func(SummaryRow) string
}

func shownColumns(rows []SummaryRow) []column {
	var out []column
	for _, c := range allColumns() {
		for _, r := range rows {
			if !math.IsNaN(float64(c.value(r))) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

func allColumns() []column {
	limited := func(title string, value func(SummaryRow) Number) column {
		return column{title, value, func(r SummaryRow) string {
			return Limited(float64(value(r)), float64(r.MCSE))
		}}
	}
	fixed := func(title string, decimals int, value func(SummaryRow) Number) column {
		return column{title, value, func(r SummaryRow) string {
			return fixedOrDash(float64(value(r)), decimals)
		}}
	}
	return []column{
		limited("mean", func(r SummaryRow) Number { return r.Mean }),
		{"mcse", func(r SummaryRow) Number {
			return r.MCSE
		}, func(r SummaryRow) string { return significant(float64(r.MCSE), 2) }},
		limited("sd", func(r SummaryRow) Number { return r.SD }),
		limited("5%", func(r SummaryRow) Number { return r.Q5 }),
		limited("50%", func(r SummaryRow) Number { return r.Q50 }),
		limited("95%", func(r SummaryRow) Number { return r.Q95 }),
		fixed("ess_bulk", 0, func(r SummaryRow) Number { return r.ESSBulk }),
		fixed("ess_tail", 0, func(r SummaryRow) Number { return r.ESSTail }),
		fixed("r_hat", 3, func(r SummaryRow) Number { return r.RHat }),
	}
}

// Limited prints v up to the decimal place of the leading digit of its standard error se.
// Without a positive se it prints six significant digits.
func Limited(v, se float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case !(se > 0) || math.IsInf(se, 0) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	place := int(math.Floor(portable.Log10(se)))
	if place >= -6 {
		return strconv.FormatFloat(v, 'f', max(0, -place), 64)
	}
	digits := 0
	if v != 0 {
		digits = max(0, int(math.Floor(portable.Log10(math.Abs(v))))-place)
	}
	return strconv.FormatFloat(v, 'e', digits, 64)
}

// significant prints v with n significant digits.
func significant(v float64, n int) string {
	if math.IsNaN(v) {
		return "-"
	}
	if a := math.Abs(v); a >= 1e-6 && a < 1e6 {
		decimals := n - 1 - int(math.Floor(portable.Log10(a)))
		return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}

func fixedOrDash(v float64, decimals int) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
