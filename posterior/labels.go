package posterior

import (
	"strconv"
	"strings"
	"unicode"
)

// Labelled returns variables with the names of their elements, by variable, along each axis. Names that do
// not fit the dimensions of a variable are not used.
func Labelled(vars []Variable, labels map[string][][]string) []Variable {
	out := make([]Variable, len(vars))
	for i, v := range vars {
		out[i] = v
		if axes := labels[v.Name]; v.fits(axes) {
			out[i].Labels = axes
		}
	}
	return out
}

// fits reports whether there is one list of names for each axis, of the right length or none.
func (v Variable) fits(axes [][]string) bool {
	if len(axes) != len(v.Dims) {
		return false
	}
	for k, names := range axes {
		if names != nil && len(names) != v.Dims[k] {
			return false
		}
	}
	return true
}

// label names an element by its labels, and by numbers along axes without any; "" where no axis has labels.
func (v Variable) label(index []int) string {
	if v.Labels == nil {
		return ""
	}
	parts := make([]string, len(index))
	for k, i := range index {
		parts[k] = strconv.Itoa(i)
		if v.Labels[k] != nil {
			parts[k] = v.Labels[k][i-1]
		}
	}
	return v.Name + "[" + strings.Join(parts, ", ") + "]"
}

// shown is what a person reads: the label if there is one. Characters that a terminal would obey are
// replaced.
func shown(name, label string) string {
	if label == "" {
		return name
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '�'
	}, label)
}
