package data

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/vflc/vflc/lang/diag"
)

// onehot gives a 0/1 column per category: all of them, or with drop=first all but the first.
func onehot() Encoder {
	return Encoder{
		Name: "onehot", Whole: true, Options: map[string][]string{"drop": {"first"}},
		fit: func(c column, f *Fitted, list *diag.List) bool {
			if !f.learn(c, list) {
				return false
			}
			if f.DropFirst && len(f.Categories) == 1 {
				c.fail(list, issue{diag.ConstantColumn, "has the one category " + f.Categories[0] + ", so onehot with drop=first leaves no column; leave it out"})
				return false
			}
			return true
		},
		names: func(f *Fitted) []string {
			var out []string
			for _, category := range f.kept() {
				out = append(out, f.Column+"="+category)
			}
			return out
		},
		encode: func(f *Fitted) func(string, []float64) issue {
			find, skip := f.finder(), len(f.Categories)-len(f.kept())
			return func(cell string, out []float64) issue {
				k, is := find(cell)
				clear(out)
				if k >= skip {
					out[k-skip] = 1
				}
				return is
			}
		},
	}
}

// kept lists the categories that have a column.
func (f *Fitted) kept() []string {
	if f.DropFirst {
		return f.Categories[1:]
	}
	return f.Categories
}

// learn collects the categories of a column: by value if all are numbers, else in the order of their bytes.
func (f *Fitted) learn(c column, list *diag.List) bool {
	bad := faults{list: list, col: c}
	values := map[string]float64{}
	f.Numeric = true
	for i := range c.len() {
		cell := c.cell(i)
		if is, empty := missing(cell); empty {
			bad.add(i, is)
			continue
		}
		v, is := number(cell)
		f.Numeric = f.Numeric && !is.bad()
		values[cell] = v
	}
	place := map[string]float64{}
	for cell, v := range values {
		if f.Numeric {
			cell = canonical(v) // 1 and 1.0 are one category
		}
		place[cell] = v
	}
	f.Categories = slices.Collect(maps.Keys(place))
	slices.SortFunc(f.Categories, func(a, b string) int {
		if f.Numeric {
			return cmp.Compare(place[a], place[b])
		}
		return cmp.Compare(a, b)
	})
	return bad.done()
}

func canonical(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) } // +0: no category -0

// finder returns what gives the 0-based place of a cell's category, -1 with an issue where it has none.
func (f *Fitted) finder() func(cell string) (int, issue) {
	index := make(map[string]int, len(f.Categories))
	for k, category := range f.Categories {
		index[category] = k
	}
	return func(cell string) (int, issue) {
		if is, empty := missing(cell); empty {
			return -1, is
		}
		if v, is := number(cell); f.Numeric && !is.bad() {
			cell = canonical(v)
		}
		if k, ok := index[cell]; ok {
			return k, issue{}
		}
		return -1, issue{diag.NewCategory, "is not a category of the data that the model was fitted to (" + listed(f.Categories) + ")"}
	}
}
