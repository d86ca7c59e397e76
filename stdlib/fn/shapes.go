package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
)

// The errors of shape rules name the user's types; the caller adds the place and the name of the function.

// numeric reports an error for a level, which can only be an index or be compared.
func numeric(t types.Type) error {
	if !t.Elem.Numeric() {
		return fmt.Errorf("a number is needed, but this is a %s; a level can only be an index or be compared",
			t)
	}
	return nil
}

// array reports an error for scalars and levels.
func array(t types.Type) error {
	if t.Scalar() {
		return fmt.Errorf("an array is needed, but this is a scalar (%s)", t)
	}
	return numeric(t)
}

// ofRank reports an error for a type without rank dimensions.
func ofRank(t types.Type, rank int) error {
	if err := numeric(t); err != nil {
		return err
	}
	if len(t.Dims) != rank {
		return fmt.Errorf("a %s is needed, but this is %s", [...]string{"scalar", "vector", "matrix"}[rank],
			described(t))
	}
	return nil
}

func described(t types.Type) string {
	switch len(t.Dims) {
	case 0:
		return fmt.Sprintf("a scalar (%s)", t)
	case 1:
		return fmt.Sprintf("a vector (%s)", t)
	case 2:
		return fmt.Sprintf("a matrix (%s)", t)
	}
	return t.String()
}

// total is the element type of a sum: sums of whole numbers are whole.
func total(e types.Elem) types.Elem {
	if e == types.Binary {
		return types.Count
	}
	return e
}

// common is the element type that holds values of both.
func common(a, b types.Elem) types.Elem {
	switch {
	case a == b:
		return a
	case a == types.Real || b == types.Real:
		return types.Real
	case a == types.Int || b == types.Int:
		return types.Int
	}
	return types.Count
}

// A Misfit is the error of arguments that do not go together element by element.
type Misfit struct{ A, B types.Type }

func (m Misfit) Error() string {
	return fmt.Sprintf("%s and %s do not go together element by element", m.A, m.B)
}

// elementwise is the type of an elementwise result of several numbers.
func elementwise(args []types.Type) (types.Type, error) {
	out := args[0]
	for _, t := range args {
		if err := numeric(t); err != nil {
			return types.Type{}, err
		}
		dims, ok := types.Elementwise(out.Dims, t.Dims)
		if !ok {
			return types.Type{}, Misfit{out, t}
		}
		out = types.Type{Elem: common(out.Elem, t.Elem), Dims: dims}
	}
	return out, nil
}

// real makes the elements of a type real.
func real(t types.Type, err error) (types.Type, error) {
	return types.Type{Elem: types.Real, Dims: t.Dims}, err
}
