package lower

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
)

// Labels returns the names of the elements of parameters along their axes, by the party that holds the
// parameter and by the parameter's name: those of the server and @ shared ones are the server's, those of a
// member lab[2] have names such as lab[2].beta. An axis without names is nil, and a parameter without any is
// left out.
//
// An axis has names where its size is one name that is also the number of columns of a matrix made from
// columns, or of the categories of a level, in data that the party of the parameter holds: its own, and
// shared data; for an @ shared parameter, shared data alone. Categories that the model lists are everybody's.
// Where several of these name one size, they must agree. Missing cells that are imputed have the key of their
// row and their column as names.
func Labels(p *check.Program, values map[string]data.Bindings,
	sizes *Sizes) map[string]map[string][][]string {
	out := map[string]map[string][][]string{}
	for _, s := range p.Order {
		if s.Kind != check.Param && !s.Imputed() {
			continue
		}
		for holder, name := range holders(p, s, sizes) {
			l := labeller{program: p, values: values[holder], party: holder, shared: s.Owner == check.Shared,
				sizes: sizes}
			axes := l.axes(s)
			if s.Imputed() {
				name, axes = missingName(name), cells(values[holder][s.Name])
			}
			if axes == nil {
				continue
			}
			if out[holder] == nil {
				out[holder] = map[string][][]string{}
			}
			out[holder][name] = axes
		}
	}
	return out
}

// cells names the missing cells of imputed data, nil where there are none.
func cells(b *data.BoundValue) [][]string {
	if b == nil || len(b.Gaps) == 0 {
		return nil
	}
	names := make([]string, len(b.Gaps))
	for i, g := range b.Gaps {
		names[i] = g.Name
	}
	return [][]string{names}
}

// holders returns who holds a parameter, with the name that it has there.
func holders(p *check.Program, s *check.Symbol, sizes *Sizes) map[string]string {
	switch {
	case s.Owner == check.Shared:
		return map[string]string{p.Server: s.Name}
	case !s.Family:
		return map[string]string{s.Owner: s.Name}
	}
	out := map[string]string{}
	for k := 1; k <= sizes.Members[s.Owner]; k++ {
		member := memberName(s.Owner, k)
		out[member] = member + "." + s.Name
	}
	return out
}

// A labeller names the axes of the parameters of one party.
type labeller struct {
	program *check.Program
	values  data.Bindings // of the party
	party   string
	shared  bool // shared data alone may name an axis
	sizes   *Sizes
}

// axes returns the names along every axis of a parameter, nil where no axis has any.
func (l labeller) axes(s *check.Symbol) [][]string {
	t := s.DeclaredType()
	if t == nil {
		return nil
	}
	out, some := make([][]string, len(t.Dims)), false
	for k, e := range t.Dims {
		out[k] = l.axis(sizeName(e))
		some = some || out[k] != nil
	}
	if !some {
		return nil
	}
	return out
}

// sizeName returns the name that a size consists of, "" for any other expression.
func sizeName(e ast.Expr) string {
	if n, ok := e.(*ast.Name); ok {
		return n.Name
	}
	return ""
}

// axis returns the names of the elements that a size counts; nil where numbers name them.
func (l labeller) axis(size string) []string {
	n, ok := l.sizes.Value(size, l.party)
	if !ok {
		c := l.program.Symbols[size]
		if c == nil || c.Kind != check.Const {
			return nil
		}
		n = int(c.Value)
	}
	found := l.found(size, n)
	if len(found) == 0 || len(found[0]) != n || numbered(found[0]) {
		return nil
	}
	for _, other := range found {
		if !slices.Equal(other, found[0]) {
			return nil
		}
	}
	sorted := slices.Sorted(slices.Values(found[0]))
	if len(slices.Compact(sorted)) < n {
		return nil
	}
	return unmistakable(size, found[0])
}

// found lists what names the elements of a size.
func (l labeller) found(size string, n int) (out [][]string) {
	if listed := l.program.Levels[size]; listed != nil {
		out = append(out, listed)
	}
	for _, s := range l.program.Order {
		v := l.values[s.Name]
		if s.Kind != check.Data || v == nil || l.shared && s.Owner != check.Shared {
			continue
		}
		t := s.Decl.(*ast.Data).Type
		if t == nil {
			continue
		}
		if len(t.Dims) == 2 && sizeName(t.Dims[1]) == size && len(v.ColumnNames) == n {
			out = append(out, v.ColumnNames)
		}
		if t.Levels != nil && sizeName(t.Levels) == size {
			out = append(out, categories(v, n, l.program.Levels[size]))
		}
	}
	return out
}

// categories returns those of a level: as listed, as coded from words, or the numbers that code themselves.
func categories(v *data.BoundValue, n int, listed []string) []string {
	switch {
	case listed != nil:
		return listed
	case v.Labels != nil:
		return v.Labels
	}
	return numbers(n)
}

func numbers(n int) []string {
	out := make([]string, n)
	for k := range out {
		out[k] = strconv.Itoa(k + 1)
	}
	return out
}

// numbered reports whether names are the numbers of their elements.
func numbered(names []string) bool { return slices.Equal(names, numbers(len(names))) }

// unmistakable writes categories that could be read as numbers of other elements (levels R = 3, 1, 2) with
// the name of their size: R=3.
func unmistakable(size string, names []string) []string {
	if !slices.ContainsFunc(names, func(name string) bool {
		k, err := strconv.Atoi(name)
		return err == nil && k >= 1 && k <= len(names)
	}) {
		return names
	}
	out := make([]string, len(names))
	for k, name := range names {
		out[k] = fmt.Sprintf("%s=%s", size, name)
	}
	return out
}
