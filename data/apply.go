package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// Apply is Bind for new rows: it gives every declaration its value with the encoders that a run has fitted, by party. A category that the run did not see is an error, unless
// its encoder has a place for it.
func (d *Dataset) Apply(wants []Want, recipes map[string][]Recipe) (map[string]Bindings, diag.List) {
	return d.bindBy(wants, func(list *diag.List) func(*Holder) Bindings {
		return func(h *Holder) Bindings {
			out := Bindings{}
			for _, w := range h.wants(wants) {
				r, ok := recipeOf(w.Name, h.Party, recipes)
				if !ok || w.Owner == OwnerShared && !r.in(h.View) {
					continue
				}
				if r.Levels == 0 {
					r.Levels = w.Levels
				}
				if bound := r.apply(h.View, list); bound != nil {
					bound.Levels = max(bound.Levels, r.Levels)
					out[w.Name] = bound
				}
			}
			return out
		}
	})
}

// recipeOf finds the recipe of a declaration: the party's own, or any party's of shared data.
func recipeOf(name, party string, recipes map[string][]Recipe) (Recipe, bool) {
	for _, r := range recipes[party] {
		if r.Name == name {
			return r, true
		}
	}
	for _, list := range recipes {
		for _, r := range list {
			if r.Name == name {
				return r, true
			}
		}
	}
	return Recipe{}, false
}

// in reports whether a table has all columns of a recipe.
func (r Recipe) in(v View) bool {
	for _, f := range r.Encoders {
		for _, name := range f.columns() {
			if _, ok := v.Array(name); !ok {
				return false
			}
		}
	}
	return true
}

// RowKeys returns the keys of rows as they are written, where some table of so many rows has keys, and the name of their column; nil where none has. The table is
// one of the owners given, of any where none is: tables from which nothing is read may hold other rows.
func (d *Dataset) RowKeys(rows int, owners ...string) (name string, keys []string) {
	for _, h := range d.holders() {
		if len(owners) > 0 && !slices.Contains(owners, cmp.Or(h.Family, h.Party)) {
			continue
		}
		k, ok := h.View.Array(h.View.Key)
		if !ok || len(k.Dims) != 1 || k.Len() != rows {
			continue
		}
		for i := range rows {
			keys = append(keys, strings.TrimSpace(column{h.View, k}.text(i)))
		}
		return h.View.Key, keys
	}
	return "", nil
}
