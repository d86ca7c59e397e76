package posterior

import (
	"fmt"
	"slices"
	"strings"
)

// fewGenerated is the largest number of elements of a generated quantity that a table shows unless asked.
const fewGenerated = 20

// A LeftOut stands for the elements of a large generated quantity, as y_rep with one for each row, that a
// table leaves out.
type LeftOut struct {
	Name     string // of the quantity
	Elements int
}

// Folded leaves out the elements of generated quantities that have many.
func Folded(rows []SummaryRow) (kept []SummaryRow, folds []LeftOut) {
	count := map[string]int{}
	for _, r := range rows {
		if r.Generated {
			count[arrayOf(r.Name)]++
		}
	}
	told := map[string]bool{}
	for _, r := range rows {
		name := arrayOf(r.Name)
		switch n := count[name]; {
		case !r.Generated || n <= fewGenerated:
			kept = append(kept, r)
		case !told[name]:
			told[name] = true
			folds = append(folds, LeftOut{name, n})
		}
	}
	return kept, folds
}

// WithoutFolds leaves out the columns of generated quantities that have many, unless there are no others.
func WithoutFolds(d *Draws, columns []int) []int {
	count := map[string]int{}
	for _, k := range columns {
		count[arrayOf(d.Columns()[k].Name)]++
	}
	kept := slices.DeleteFunc(slices.Clone(columns), func(k int) bool {
		c := d.Columns()[k]
		return c.Generated && count[arrayOf(c.Name)] > fewGenerated
	})
	if len(kept) == 0 {
		return columns
	}
	return kept
}

// arrayOf is the name of the variable that an element belongs to: lab[2].y of lab[2].y[3].
func arrayOf(element string) string {
	if open := strings.LastIndexByte(element, '['); open > 0 && strings.HasSuffix(element, "]") {
		return element[:open]
	}
	return element
}

// FoldText is a line for each fold, with what shows its elements: a text in which %s is the name.
func FoldText(folds []LeftOut, shows string) string {
	var b strings.Builder
	for _, f := range folds {
		fmt.Fprintf(&b, "%s: %d generated values; %s\n", f.Name, f.Elements,
			strings.ReplaceAll(shows, "%s", f.Name))
	}
	return b.String()
}
