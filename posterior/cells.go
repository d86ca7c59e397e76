package posterior

import (
	"math"
	"slices"
)

// Cells returns the cells of the table that WriteTable writes, line by line, the titles first.
func Cells(rows []SummaryRow) [][]string {
	var out [][]string
	for line := range tableLines(rows, shownColumns(rows), math.MaxInt) {
		out = append(out, slices.Clone(line))
	}
	return out
}
