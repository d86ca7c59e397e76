package posterior

import "slices"

// Cells returns the cells of the table that WriteTable writes, line by line, the titles first.
func Cells(rows []Row) [][]string {
	var out [][]string
	for line := range tableLines(rows, shownColumns(rows)) {
		out = append(out, slices.Clone(line))
	}
	return out
}
