// Package transforms lists the transforms of the language, one file each: their names and properties. A new one is one file and
// one line in All.
package transforms

import "github.com/vflc/vflc/stdlib/def"

// All returns the transforms in the order of the documentation.
func All() []def.Transform {
	return []def.Transform{None, Augmented, Power}
}

// Default is the transform of a model with clients that names none.
var Default = Augmented
