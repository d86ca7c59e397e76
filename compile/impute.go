package compile

import (
	"fmt"
	"maps"
	"slices"
)

// Imputed describes, a line for each party's data, how many missing cells are parameters. It panics once the
// values have been released.
func (b *BoundModel) Imputed() (out []string) {
	if b.Values == nil {
		panic("compile: the values of the model have been released")
	}
	for _, s := range b.Checked.Order {
		if !s.Imputed() {
			continue
		}
		for _, party := range slices.Sorted(maps.Keys(b.Values)) {
			v := b.Values[party][s.Name]
			if v == nil {
				continue
			}
			name := s.Name
			if s.Family {
				name = party + "." + name
			}
			out = append(out, fmt.Sprintf("%s: %d of %d cells are missing; the model imputes them", name,
				len(v.Gaps), len(v.Values)))
		}
	}
	return out
}
