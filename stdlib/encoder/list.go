// Package encoder holds the encoders of `from` clauses, one file each: syntax, and how columns are fitted and
// encoded. A new one is one file and one line in All.
package encoder

import (
	"fmt"

	"github.com/vflc/vflc/stdlib/def"
)

// All returns the encoders in the order of the documentation.
func All() []def.Encoder {
	return []def.Encoder{
		ZScore(),
		Center(),
		Log(),
		Clip(),
		OneHot(),
		Is(),
		Poly(),
		Spline(),
		Interact(),
	}
}

// one is the arity of an encoder of a single column.
func one() def.Arity { return def.Arity{Min: 1, Max: 1} }

// call names the one column of an encoder by its call, as zscore(age).
func call(encoder string) func([]string, *def.Fitted) []string {
	return func(columns []string, _ *def.Fitted) []string {
		return []string{fmt.Sprintf("%s(%s)", encoder, columns[0])}
	}
}
