// Package bijector holds the maps from unconstrained space to the supports of parameters, one file each. A new one is one file and one
// line in All.
package bijector

import "github.com/vflc/vflc/stdlib/def"

// All returns the bijectors in the order of the documentation.
func All() []def.Bijector {
	return []def.Bijector{
		Identity(),
		Lower(),
		Upper(),
		Interval(),
	}
}
