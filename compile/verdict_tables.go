package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
)

// Tables are what a verdict takes from the tables of a model where they are at hand. Of a party that is
// missing nothing is known.
type Tables struct {
	// TwoValued names the columns of two values, by party and declaration.
	TwoValued map[string]map[string][]string
	// Only names the column of declarations that have one, by party and declaration.
	Only map[string]map[string][]string
	// Parameters counts those of a party; of a family, those of the member that has most.
	Parameters map[string]int
}

// Tables looks into the tables of a model; nil where they cannot be read.
func (m *Model) Tables(sources data.Sources, joining data.Joining) *Tables {
	b, diags, err := bind(m, sources, joining, sizedPasses())
	if err != nil || diags.HasErrors() {
		return nil
	}
	return &Tables{b.columnsIn(twoValued), b.columnsIn(only), b.parameters()}
}

// parameters counts the parameters of each party.
func (b *BoundModel) parameters() map[string]int {
	out := map[string]int{}
	for member := range b.Values {
		party, _, _ := Member(member)
		n, _ := parametersOf(b.Checked, party, func(size string) (int, bool) {
			return b.Sizes.Value(size, member)
		})
		out[party] = max(out[party], n)
	}
	return out
}

// parametersOf counts the parameters of a party, and reports whether all sizes that this takes are known.
func parametersOf(p *check.Program, party string, size func(string) (int, bool)) (n int, known bool) {
	known = true
	for _, s := range p.Order {
		if s.Kind != check.Param || s.Owner != party {
			continue
		}
		elements := 1
		for _, d := range s.Type.Dims {
			k, err := d.Eval(size)
			elements, known = elements*k, known && err == nil
		}
		n += elements
	}
	return n, known
}

// columnsIn names columns that of lists of a declaration, by party and declaration.
func (b *BoundModel) columnsIn(of func(name string,
	v *data.BoundValue) []string) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for member, values := range b.Values {
		party, _, _ := Member(member)
		if out[party] == nil {
			out[party] = map[string][]string{}
		}
		for name, v := range values {
			for _, column := range of(name, v) {
				if !slices.Contains(out[party][name], column) {
					out[party][name] = append(out[party][name], column)
				}
			}
		}
	}
	return out
}

// twoValued names the columns of two values of a declaration. A column of one value is part of every
// intercept.
func twoValued(name string, v *data.BoundValue) (out []string) {
	if len(v.Dims) == 0 || v.Dims[0] == 0 {
		return nil
	}
	for k := range len(v.Values) / v.Dims[0] {
		of := v.Values[k*v.Dims[0]:][:v.Dims[0]]
		if len(slices.Compact(slices.Sorted(slices.Values(of)))) == 2 {
			out = append(out, v.ColumnName(name, k))
		}
	}
	return out
}

// only names the column of a declaration that has one.
func only(name string, v *data.BoundValue) []string {
	if len(v.Dims) != 2 || v.Dims[1] != 1 {
		return nil
	}
	return []string{v.ColumnName(name, 0)}
}
