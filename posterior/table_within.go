package posterior

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriteTableWithin is WriteTable for a terminal of so many columns: where the table is wider, numbers are left out that others nearly tell, the least
// needed first. The name, the owner, the mean and its Monte Carlo error always stay.
func WriteTableWithin(w io.Writer, rows []Row, width int) error {
	columns := shownColumns(rows)
	for _, title := range []string{"ess_tail", "50%", "ess_bulk", "sd", "r_hat", "5%", "95%"} {
		if tableWidth(rows, columns) <= width {
			break
		}
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.title == title })
	}
	return writeAligned(w, tableLines(rows, columns), 2)
}

// tableWidth is the number of characters of the longest line of a table.
func tableWidth(rows []Row, columns []column) int {
	var b strings.Builder
	_ = writeAligned(&b, tableLines(rows, columns), 2) // writing to a Builder does not fail
	longest := 0
	for line := range strings.Lines(b.String()) {
		longest = max(longest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return longest
}
