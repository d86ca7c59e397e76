// Package encoder describes the encoders of `from` clauses, one file each: names, options and documentation. Their numerics are in
// data. A new one is one file and one line in All.
package encoder

import "github.com/vflc/vflc/stdlib/def"

// All returns the encoders in the order of the documentation.
func All() []def.Encoder {
	return []def.Encoder{
		ZScore(),
		Center(),
		Log(),
		OneHot(),
	}
}

// one is the arity of an encoder of a single column.
func one() def.Arity { return def.Arity{Min: 1, Max: 1} }
