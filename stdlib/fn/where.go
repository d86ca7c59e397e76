package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Where chooses between two values element by element.
func Where() def.Structural {
	return def.Structural{
		Name: "where",
		Doc: "`where(c, a, b)` is a where the condition c is 1 and b where it is 0, element by " +
			"element; each is an array of one shape or a number. Both a and b are computed everywhere.",
		Examples: []string{"data age : real[N]\nparam young ~ normal(0, 1)\nparam old ~ normal(0, 1)\nlet " +
			"effect = where(age < 40, young, old)"},
		Range:    func(x []def.Range) def.Range { return x[1].Join(x[2]) },
		Linear:   [][]int{{1, 2}},
		Arity:    def.Arity{Min: 3, Max: 3},
		Positive: true,
		RowWise:  true,
		Infer:    inferWhere,
	}
}

func inferWhere(args []types.Type) (types.Type, error) {
	c, a, b := args[0], args[1], args[2]
	if c.Elem != types.Binary {
		return types.Type{}, fmt.Errorf("the condition must be binary, such as a comparison, but it is %s", c)
	}
	for _, t := range args[1:] {
		if err := numeric(t); err != nil {
			return types.Type{}, err
		}
	}
	t, err := elementwise(args)
	t.Elem = common(a.Elem, b.Elem)
	return t, err
}
