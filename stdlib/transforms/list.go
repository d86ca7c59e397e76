// Package transforms lists the transforms of the language, one file each: their names and properties. A new one is one file and
// one line in All.
package transforms

import (
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// All returns the transforms in the order of the documentation.
func All() []def.Transform {
	return []def.Transform{None, Exact, Augmented, Power}
}

// Named returns the transform with the given name, and whether there is one.
func Named(name string) (def.Transform, bool) {
	at := slices.IndexFunc(All(), func(t def.Transform) bool { return t.Name == name })
	if at < 0 {
		return def.Transform{}, false
	}
	return All()[at], true
}

// Names lists their names.
func Names() (out []string) {
	for _, t := range All() {
		out = append(out, t.Name)
	}
	return out
}

// WithNoise returns those under which clients send auxiliary variables.
func WithNoise() []def.Transform {
	return slices.DeleteFunc(All(), func(t def.Transform) bool { return !t.Noise })
}

// Default is the transform of a model with clients that names none.
var Default = Augmented
