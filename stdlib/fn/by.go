package fn

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// WithGrouped returns functions and, behind them, those by groups of the ones that have groups.
func WithGrouped(list []def.Structural) []def.Structural {
	out := slices.Clone(list)
	for _, f := range list {
		if f.Groups {
			out = append(out, byGroups(f))
		}
	}
	return out
}

// byGroups is a function of the rows of each group: NAME(v by g, h) takes the rows of v that have the same
// levels g and h together.
func byGroups(of def.Structural) def.Structural {
	out := of
	out.Name, out.Groups, out.ByGroups = of.Name+" by", false, true
	out.Arity = def.Arity{Min: 2, Max: -1}
	out.Mixes, out.RowWise, out.Positive = true, false, of.Positive && !of.Empty
	out.Range = func(args []def.Range) def.Range { return of.Range(args[:1]) }
	out.Infer = func(args []types.Type) (types.Type, error) {
		v := args[0]
		if len(v.Dims)+len(args)-2 > 3 {
			return types.Type{}, fmt.Errorf("the result has more than three dimensions")
		}
		column, err := of.Infer([]types.Type{{Elem: v.Elem, Dims: v.Dims[:1]}})
		out := types.Type{Elem: column.Elem}
		for _, g := range args[1:] {
			out.Dims = append(out.Dims, *g.Levels)
		}
		out.Dims = append(out.Dims, v.Dims[1:]...)
		return out, err
	}
	return out
}
