// Package initial lists the kinds of initial values that weights may have. Names and spreads are those of
// Keras and PyTorch. A new kind is a descriptor and one line in All.
package initial

import "github.com/vflc/vflc/stdlib/def"

// All returns the kinds in the order of the documentation.
func All() []def.Initial {
	return []def.Initial{
		zeros(),
		ones(),
		uniform(),
		normal(),
		glorotUniform(),
		glorotNormal(),
		heUniform(),
		heNormal(),
		lecunUniform(),
		lecunNormal(),
	}
}

// Default returns the kind of a weight that names none, by its number of dimensions: as in a dense layer of
// Keras, matrices are drawn and intercepts are 0.
func Default(rank int) def.Initial {
	if rank < 2 {
		return zeros()
	}
	return glorotUniform()
}
