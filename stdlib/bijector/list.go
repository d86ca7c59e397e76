// Package bijector holds the maps from unconstrained space to the supports of parameters, one file each. A
// new one is one file and one line in All, or in Structured.
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

// Structured returns the maps to vectors and matrices whose elements depend on each other, by the names of
// their types.
func Structured() []def.Structured {
	return []def.Structured{
		Ordered(),
		PositiveOrdered(),
		Simplex(),
		UnitVector(),
		CorrCholesky(),
		CorrMatrix(),
		CovMatrix(),
		SumToZero(),
	}
}
