package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/types"
)

// A Described is a column of a party's table as it was read: what it holds, and what reads it.
type Described struct {
	Party   string   `json:"party"`
	File    string   `json:"file"`
	Column  string   `json:"column"`
	Type    string   `json:"type"` // binary, count, int, real; words
	Cells   int      `json:"cells"`
	Missing int      `json:"missing"`
	Values  string   `json:"values"` // a range, or how many words there are and the first of them
	Uses    []string `json:"uses"`   // as declarations read it: "age", "X: zscore"; "the key"
}

// describe lists the columns of all tables, before their rows are joined.
func (d *Dataset) describe(wants []Want, key string) (out []Described) {
	for _, h := range d.holders() {
		h.View.Key = h.keyColumn(key)
		uses, levels := h.uses(wants)
		for _, a := range h.View.Arrays {
			one := Described{Party: h.Party, File: h.View.Name, Column: a.Name, Cells: a.Len(),
				Uses: append([]string{}, uses[a.Name]...)}
			one.Type, one.Missing, one.Values = a.summary(levels[a.Name])
			out = append(out, one)
		}
	}
	return out
}

// uses lists for each column the declarations that read it, and says which are read as a level.
func (h *Holder) uses(wants []Want) (out map[string][]string, levels map[string]bool) {
	b := binder{view: h.View, wants: h.wants(wants)}
	out, levels = map[string][]string{}, map[string]bool{}
	if h.View.Key != "" {
		out[h.View.Key] = []string{"the key"}
	}
	for _, w := range b.wants {
		if w.Owner == OwnerShared && !b.has(w) {
			continue
		}
		for _, c := range b.source(w) {
			names, use := c.Columns, w.Name
			if c.Star {
				names = b.rest()
			}
			if c.Encoder != "" {
				use += ": " + c.Encoder
			}
			for _, name := range names {
				out[name] = append(out[name], use)
				levels[name] = levels[name] || w.Elem == types.Level
			}
		}
	}
	return out, levels
}

// Summary describes the cells: their type, how many are missing, and the range of numbers or the first words.
func (a *Array) Summary() (kind string, missing int, values string) { return a.summary(false) }

// summary is Summary of a column that is read as a level, or not: of a level some words are missing cells.
func (a *Array) summary(level bool) (kind string, missing int, values string) {
	elem := types.Real
	if level {
		elem = types.Level
	}
	missing = len(a.gaps(elem))
	if a.Words == nil {
		kind, values = numbersKind(a.Numbers)
		return kind, missing, values
	}
	const most = 5
	words := slices.DeleteFunc(slices.Sorted(slices.Values(a.Words)), func(w string) bool {
		return level && blankWord(w)
	})
	switch n := len(words); {
	case n == a.Len():
		values = fmt.Sprintf("%d, all different", n)
	case n == 1:
		values = "always " + words[0]
	case n > most:
		values = fmt.Sprintf("%d: %s, …", n, strings.Join(words[:most], ", "))
	default:
		values = fmt.Sprintf("%d: %s", n, strings.Join(words, ", "))
	}
	return "words", missing, values
}

// numbersKind describes numbers by the type that they fit and their range.
func numbersKind(v []float64) (kind, values string) {
	lo, hi, whole := math.Inf(1), math.Inf(-1), true
	for _, x := range v {
		if math.IsNaN(x) {
			continue
		}
		lo, hi = min(lo, x), max(hi, x)
		whole = whole && x == math.Trunc(x)
	}
	switch {
	case lo > hi:
		return "real", "none"
	case whole && lo >= 0 && hi <= 1:
		kind = "binary"
	case whole && lo >= 0:
		kind = "count"
	case whole:
		kind = "int"
	default:
		kind = "real"
	}
	if lo == hi {
		return kind, fmt.Sprintf("always %.6g", lo)
	}
	return kind, fmt.Sprintf("%.6g … %.6g", lo, hi)
}
