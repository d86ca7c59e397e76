// Package types holds element types, symbolic shapes, and the owners of values.
package types

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Elem is the element type of a value.
type Elem int

// The element types. The only implicit conversion is from a numeric type to Real.
const (
	Real Elem = iota
	Int
	Binary // 0 or 1
	Count  // an integer ≥ 0
	Level  // a category 1..R, used only as an index or in comparisons
)

var elemNames = [...]string{"real", "int", "binary", "count", "level"}

// String returns the name used in source.
func (e Elem) String() string { return elemNames[e] }

// Numeric reports whether values of e may enter arithmetic.
func (e Elem) Numeric() bool { return e != Level }

// Integral reports whether values of e are whole numbers.
func (e Elem) Integral() bool { return e != Real }

// A Size is an integer polynomial in size names, in canonical form: two sizes are equal only if they are the
// same polynomial. The zero Size is the constant 0. Sizes are values: operations return new ones.
type Size struct {
	terms map[string]int // product of names ("", "N", "K*N", sorted) → coefficient ≠ 0
}

// Const returns the size k.
func Const(k int) Size {
	if k == 0 {
		return Size{}
	}
	return Size{map[string]int{"": k}}
}

// Named returns the size bound to a name.
func Named(name string) Size { return Size{map[string]int{name: 1}} }

// Add returns s + k·t.
func (s Size) Add(t Size, k int) Size {
	out := make(map[string]int, len(s.terms)+len(t.terms))
	for n, c := range s.terms {
		out[n] = c
	}
	for n, c := range t.terms {
		if out[n] += k * c; out[n] == 0 {
			delete(out, n)
		}
	}
	return Size{out}
}

// Mul returns s·t.
func (s Size) Mul(t Size) Size {
	out := map[string]int{}
	for n, c := range s.terms {
		for m, d := range t.terms {
			names := append(split(n), split(m)...)
			sort.Strings(names)
			key := strings.Join(names, "*")
			if out[key] += c * d; out[key] == 0 {
				delete(out, key)
			}
		}
	}
	return Size{out}
}

func split(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, "*")
}

// Int returns the value of a constant size.
func (s Size) Int() (int, bool) {
	switch {
	case len(s.terms) == 0:
		return 0, true
	case len(s.terms) == 1:
		k, ok := s.terms[""]
		return k, ok
	}
	return 0, false
}

// Equal reports whether the two are the same polynomial.
func (s Size) Equal(t Size) bool { return len(s.Add(t, -1).terms) == 0 }

// IsOne reports whether s is the constant 1.
func (s Size) IsOne() bool { k, ok := s.Int(); return ok && k == 1 }

// Names returns the names in s, sorted.
func (s Size) Names() []string {
	seen := map[string]bool{}
	for n := range s.terms {
		for _, m := range split(n) {
			seen[m] = true
		}
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Eval returns the value of s, given the values of its names. The error names the first name without a value.
func (s Size) Eval(value func(name string) (int, bool)) (int, error) {
	total := 0
	for _, n := range s.sorted() {
		product := s.terms[n]
		for _, m := range split(n) {
			v, ok := value(m)
			if !ok {
				return 0, fmt.Errorf("size %s has no value", m)
			}
			product *= v
		}
		total += product
	}
	return total, nil
}

func (s Size) sorted() []string {
	keys := make([]string, 0, len(s.terms))
	for n := range s.terms {
		keys = append(keys, n)
	}
	sort.Slice(keys, func(i, j int) bool { // names before the constant, as one writes N - 1
		if (keys[i] == "") != (keys[j] == "") {
			return keys[j] == ""
		}
		return keys[i] < keys[j]
	})
	return keys
}

// A SizeTerm is one term of a size: a coefficient times a product of names.
type SizeTerm struct {
	Coefficient int
	Names       []string
}

// Terms returns the terms of s in the order in which String prints them; the size 0 has none.
func (s Size) Terms() []SizeTerm {
	var out []SizeTerm
	for _, n := range s.sorted() {
		out = append(out, SizeTerm{s.terms[n], split(n)})
	}
	return out
}

// String prints s as source, such as "N", "T - K" or "2*P + 1".
func (s Size) String() string {
	if len(s.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, n := range s.sorted() {
		c := s.terms[n]
		switch {
		case i == 0 && c < 0:
			b.WriteString("-")
		case i > 0 && c < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		c = max(c, -c)
		switch {
		case n == "":
			b.WriteString(strconv.Itoa(c))
		case c == 1:
			b.WriteString(n)
		default:
			b.WriteString(strconv.Itoa(c) + "*" + n)
		}
	}
	return b.String()
}

// A Type is an element type with a shape. A scalar has no dimensions.
type Type struct {
	Elem   Elem
	Dims   []Size
	Levels *Size // number of categories of a Level
}

// Scalar reports whether t has no dimensions.
func (t Type) Scalar() bool { return len(t.Dims) == 0 }

// Shape returns the dimensions as text.
func (t Type) Shape() []string {
	out := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		out[i] = d.String()
	}
	return out
}

// SameShape reports whether the dimensions are equal.
func (t Type) SameShape(u Type) bool {
	if len(t.Dims) != len(u.Dims) {
		return false
	}
	for i := range t.Dims {
		if !t.Dims[i].Equal(u.Dims[i]) {
			return false
		}
	}
	return true
}

// String prints t as source, such as real[N, P] or level(R)[N].
func (t Type) String() string {
	s := t.Elem.String()
	if t.Levels != nil {
		s += "(" + t.Levels.String() + ")"
	}
	if len(t.Dims) == 0 {
		return s
	}
	return s + "[" + strings.Join(t.Shape(), ", ") + "]"
}

// Broadcast returns the shape of a and b broadcast over trailing axes, by NumPy's rule, and whether they are
// compatible.
func Broadcast(a, b []Size) ([]Size, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]Size(nil), a...)
	shift := len(a) - len(b)
	for i, d := range b {
		switch e := out[shift+i]; {
		case d.Equal(e), d.IsOne():
		case e.IsOne():
			out[shift+i] = d
		default:
			return nil, false
		}
	}
	return out, true
}

// Elementwise returns the shape of what goes element by element with arrays of sizes a and b, and whether
// they go together: one is a number, or both have so many axes, and of each pair of sizes one is 1 or they
// are equal.
func Elementwise(a, b []Size) ([]Size, bool) {
	if len(a) != len(b) && len(a) > 0 && len(b) > 0 {
		return nil, false
	}
	return Broadcast(a, b)
}

// A Place is where the axes of an array lie among more: so many axes of size 1 come before and behind them.
type Place struct{ Before, Behind int }

// Places lists where the axes of an array of sizes a may lie among those of b, of which there are more and
// with which they have to fit: as the last ones first. An array with one element has one place.
func Places(a, b []Size, fit func(a, b []Size) bool) []Place {
	var out []Place
	for behind := 0; behind <= len(b)-len(a); behind++ {
		at := len(b) - len(a) - behind
		if fit(a, b[at:at+len(a)]) {
			out = append(out, Place{at, behind})
		}
	}
	if len(out) > 1 && !slices.ContainsFunc(a, func(s Size) bool { return !s.IsOne() }) {
		return out[:1]
	}
	return out
}

// Owners is the set of parties whose private names an expression depends on. The empty set means that all
// parties may know the value. The sets form a lattice under inclusion: a value flows only to a larger set. A
// set is sorted and immutable.
type Owners []string

// Join returns the union.
func (o Owners) Join(p Owners) Owners {
	if len(p) == 0 {
		return o
	}
	if len(o) == 0 || slices.Equal(o, p) {
		return p
	}
	out := append(append(Owners(nil), o...), p...)
	sort.Strings(out)
	n := 0
	for i, name := range out {
		if i == 0 || name != out[n-1] {
			out[n] = name
			n++
		}
	}
	return out[:n]
}

// Shared reports whether the set is empty.
func (o Owners) Shared() bool { return len(o) == 0 }

// Sole returns the one party of the set, if it has exactly one.
func (o Owners) Sole() (string, bool) {
	if len(o) == 1 {
		return o[0], true
	}
	return "", false
}

// Within reports whether the set holds no party other than party.
func (o Owners) Within(party string) bool {
	for _, n := range o {
		if n != party {
			return false
		}
	}
	return true
}

// String lists the parties.
func (o Owners) String() string {
	if len(o) == 0 {
		return "shared"
	}
	return strings.Join(o, ", ")
}
