package initial

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

func zeros() def.Initial {
	return constant("zeros", 0,
		"All values are 0: for intercepts. A hidden layer of a network must not begin with equal columns, "+
			"which would stay equal.", "weight c : real[8] init zeros")
}

func ones() def.Initial {
	return constant("ones", 1, "All values are 1: for factors.", "weight s init ones")
}

func constant(name string, value float64, doc, example string) def.Initial {
	return def.Initial{
		Name: name, Doc: doc,
		Fill: func(_ []int, _ *rand.Rand, values []float64) {
			for i := range values {
				values[i] = value
			}
		},
		Variance: func([]int) float64 { return 0 },
		Examples: []string{example},
	}
}
