package encoder

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/stdlib/def"
)

// Categories lists the distinct values of a column in order: by value, in canonical form, if all are numbers,
// else by bytes. Missing cells have no category.
func Categories(c def.Column) []string {
	values := map[float64]bool{}
	if c.Words == nil {
		for _, v := range c.Numbers {
			if !math.IsNaN(v) {
				values[v] = true
			}
		}
	}
	for _, w := range c.Words {
		v, ok := Number(w)
		if !ok {
			return slices.Sorted(slices.Values(c.Words))
		}
		values[v] = true
	}
	var out []string
	for _, v := range slices.Sorted(maps.Keys(values)) {
		out = append(out, canonical(v))
	}
	return out
}

// Number reads a word as a finite decimal number.
func Number(word string) (float64, bool) {
	v, err := strconv.ParseFloat(word, 64)
	ok := err == nil && !strings.ContainsAny(word, "xX_") && !math.IsNaN(v) && !math.IsInf(v, 0)
	return v, ok
}

// canonical writes equal numbers alike, so that 1 and 1.0 are one category, and 0 and -0.
func canonical(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) }

// Places returns the index of each cell's category, counted from 0, and -1 where the cell is missing or its
// category is not listed.
func Places(c def.Column, categories []string) []int {
	find := finder(categories)
	if c.Words == nil {
		return placesOfNumbers(c.Numbers, find)
	}
	byCode := make([]int, len(c.Words))
	for i, w := range c.Words {
		byCode[i] = find(w)
	}
	out := make([]int, len(c.Codes))
	for i, code := range c.Codes {
		out[i] = -1
		if code >= 0 {
			out[i] = byCode[code]
		}
	}
	return out
}

func placesOfNumbers(v []float64, find func(string) int) []int {
	known := map[float64]int{}
	out := make([]int, len(v))
	for i, x := range v {
		place, ok := known[x]
		switch {
		case math.IsNaN(x):
			place = -1
		case !ok:
			place = find(canonical(x))
			known[x] = place
		}
		out[i] = place
	}
	return out
}

// Numeric reports whether all categories are numbers, so that they are compared by value.
func Numeric(categories []string) bool {
	return !slices.ContainsFunc(categories, func(c string) bool { _, ok := Number(c); return !ok })
}

// finder returns a function for the index of a word in the categories, -1 where it is not one of them.
func finder(categories []string) func(word string) int {
	numeric := Numeric(categories)
	index := make(map[string]int, len(categories))
	for k, category := range categories {
		index[category] = k
	}
	return func(word string) int {
		if v, ok := Number(word); numeric && ok {
			word = canonical(v)
		}
		if k, ok := index[word]; ok {
			return k
		}
		return -1
	}
}

// maxListed is how many categories a message lists: enough to find one's own, few enough for one line.
const maxListed = 12

// some lists categories for a message, the first of many.
func some(categories []string) string {
	text := strings.Join(categories[:min(len(categories), maxListed)], ", ")
	if n := len(categories) - maxListed; n > 0 {
		text += fmt.Sprintf(", … %d more", n)
	}
	return text
}

// NewCategory is the fault of a cell whose category is not listed.
func NewCategory(categories []string) def.Fault {
	return def.Fault{Kind: def.UnknownCategory,
		Text: "is not a category of the data that the model was fitted to (" + some(categories) + ")"}
}
