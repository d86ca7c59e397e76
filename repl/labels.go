package repl

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/posterior"
)

// labelled lists the elements of the current fit that have names by columns and categories, the longest names
// first.
func (s *Session) labelled() []posterior.Scalar {
	if s.current == nil {
		return nil
	}
	var out []posterior.Scalar
	for _, c := range s.current.Draws.Columns() {
		if c.Label != "" {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b posterior.Scalar) int {
		return cmp.Compare(len(b.Label), len(a.Label))
	})
	return out
}

// bracketed is a name with something in brackets.
var bracketed = regexp.MustCompile(`([\p{L}_][\p{L}0-9_.]*)\[([^\[\]]+)\]`)

// numbered writes a question as vfl has it: u[medical] is u[2], and so is beta[medical] where the element is
// beta[ward=medical]. The error is that of a category that there is not.
func (s *Session) numbered(text string) (string, error) {
	for _, c := range s.labelled() {
		text = strings.ReplaceAll(text, c.Label, c.Name)
	}
	var wrong error
	return bracketed.ReplaceAllStringFunc(text, func(at string) string {
		m := bracketed.FindStringSubmatch(at)
		index, err := s.index(m[1], strings.TrimSpace(m[2]))
		switch {
		case err != nil:
			wrong = cmp.Or(wrong, err)
			return at
		case index == "":
			return at
		}
		return m[1] + "[" + index + "]"
	}), wrong
}

// index is the number of an element that is named by its label, or by the category at the end of one; ""
// where the brackets hold something else.
func (s *Session) index(name, inner string) (string, error) {
	names := s.elements(name)
	if len(names) == 0 || !category.MatchString(inner) || s.indexes(inner) {
		return "", nil
	}
	var found, all, known []string
	at := ""
	for _, c := range names {
		label := c.Label[len(name)+1 : len(c.Label)-1]
		_, word, _ := strings.Cut(label, "=")
		all, known = append(all, label), append(known, label, word)
		if label == inner || strings.HasSuffix(label, "="+inner) || posterior.ColumnIn(label) == inner {
			found, at = append(found, label), strings.TrimSuffix(strings.TrimPrefix(c.Name, name+"["), "]")
		}
	}
	switch len(found) {
	case 1:
		return at, nil
	case 0:
		return "", usagef("%s has no element %s (it has: %s)%s", name, inner, some(all, 8),
			nearest(inner, known))
	}
	return "", usagef("%s has several elements of %s: %s", name, inner, some(found, 8))
}

// indexes reports whether a name of the model may be an index.
func (s *Session) indexes(name string) bool {
	if s.now.built == nil {
		return false
	}
	sym := s.now.built.Checked.Symbols[name]
	return sym != nil && (sym.Kind == check.Data || sym.Kind == check.Const)
}

// category matches what may be a category and is no number.
var category = regexp.MustCompile(`^[\pL_][^\[\](),<>+*/-]*$`)

// elements lists the labelled elements of a vector: a parameter of the current fit, or a let of the model.
func (s *Session) elements(name string) []posterior.Scalar {
	if s.current == nil {
		return nil
	}
	var out []posterior.Scalar
	for _, c := range s.current.Draws.Columns() {
		if c.Label != "" && strings.HasPrefix(c.Name, name+"[") {
			out = append(out, c)
		}
	}
	if out != nil || s.current.Bound == nil || s.now.built == nil {
		return out
	}
	sym := s.now.built.Checked.Symbols[name]
	if sym == nil || sym.Kind != check.Let || len(sym.Type.Dims) != 1 {
		return nil
	}
	if axes := axesOf(s.current.Bound, sym.Type, sym.Owners); axes != nil {
		v := posterior.Variable{Name: name, Dims: []int{len(axes[0])}}
		return posterior.Columns(posterior.Labelled([]posterior.Variable{v},
			map[string][][]string{name: axes}))
	}
	return nil
}

// worded writes a question as answers have it: u[2] is u[medical].
func (s *Session) worded(text string) string {
	for _, c := range s.labelled() {
		text = strings.ReplaceAll(text, c.Name, c.Label)
	}
	return bracketed.ReplaceAllStringFunc(text, func(at string) string {
		name, _, _ := strings.Cut(at, "[")
		for _, c := range s.elements(name) {
			if c.Name == at {
				return c.Label
			}
		}
		return at
	})
}

// axesOf names the elements of a value along its axes as those of the parameters whose sizes it has: of
// shared ones, and of parties that it depends on. Where two name a size differently, its elements have no
// names. nil where no axis has any.
func axesOf(b *compile.BoundModel, t types.Type, owners types.Owners) [][]string {
	sizes := map[string][]string{}
	for _, parameters := range b.Labels() {
		for name, axes := range parameters {
			sym := b.Checked.Symbols[name]
			if sym == nil || sym.Owner != check.Shared && !slices.Contains(owners, sym.Owner) {
				continue
			}
			for k, names := range axes {
				size := sym.Type.Dims[k].String()
				if before, ok := sizes[size]; ok && names != nil && !slices.Equal(before, names) {
					sizes[size] = []string{}
				} else if names != nil {
					sizes[size] = names
				}
			}
		}
	}
	out, some := make([][]string, len(t.Dims)), false
	for k, d := range t.Dims {
		if names := sizes[d.String()]; len(names) > 0 {
			out[k], some = names, true
		}
	}
	if !some {
		return nil
	}
	return out
}
