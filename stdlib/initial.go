package stdlib

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// initials are the kinds of initial values that weights may have, in the order of the documentation. Names
// and spreads are those of Keras and PyTorch. A new kind is a descriptor and one line here.
func initials() []def.Initial {
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

// fixedSpread is the half-width and the standard deviation of the kinds that do not depend on the shape, as
// in Keras.
const fixedSpread = 0.05

func uniform() def.Initial {
	return uniformly("uniform", "uniform(-0.05, 0.05), whatever the shape.", func([]int) float64 {
		return fixedSpread * fixedSpread / 3
	})
}

func normal() def.Initial {
	return normally("normal", "normal(0, 0.05), whatever the shape.", func([]int) float64 {
		return fixedSpread * fixedSpread
	})
}

const (
	glorotDoc = " The variance is 2/(in + out), for a matrix of in rows and out columns: for layers with " +
		"tanh or no activation (Glorot and Bengio 2010)."
	heDoc = " The variance is 2/in, for a matrix of in rows: for layers with relu (He, Zhang, Ren and " +
		"Sun 2015). PyTorch calls it Kaiming initialisation."
	lecunDoc = " The variance is 1/in, for a matrix of in rows (LeCun, Bottou, Orr and Müller 1998)."
)

func glorotUniform() def.Initial {
	return uniformly("glorot_uniform", "uniform around 0."+glorotDoc+" It is the default of a matrix.",
		glorot)
}
func glorotNormal() def.Initial {
	return normally("glorot_normal", "normal around 0."+glorotDoc, glorot)
}
func heUniform() def.Initial { return uniformly("he_uniform", "uniform around 0."+heDoc, he) }
func heNormal() def.Initial  { return normally("he_normal", "normal around 0."+heDoc, he) }
func lecunUniform() def.Initial {
	return uniformly("lecun_uniform", "uniform around 0."+lecunDoc, lecun)
}
func lecunNormal() def.Initial { return normally("lecun_normal", "normal around 0."+lecunDoc, lecun) }

func glorot(dims []int) float64 {
	in, out := def.Fans(dims)
	return 2 / max(1, in+out)
}

func he(dims []int) float64 {
	in, _ := def.Fans(dims)
	return 2 / max(1, in)
}

func lecun(dims []int) float64 { return he(dims) / 2 }

// uniformly is a kind of values that are uniform around 0 with a variance.
func uniformly(name, doc string, variance func([]int) float64) def.Initial {
	return def.Initial{
		Name: name, Doc: "Values are " + doc, Variance: variance,
		Fill: func(dims []int, random *rand.Rand, values []float64) {
			half := math.Sqrt(3 * variance(dims))
			for i := range values {
				values[i] = half * (float64(2*random.Float64()) - 1)
			}
		},
		Examples: []string{"weight W : real[4, 8] init " + name},
	}
}

// normally is a kind of values that are normal around 0 with a variance.
func normally(name, doc string, variance func([]int) float64) def.Initial {
	return def.Initial{
		Name: name, Doc: "Values are " + doc, Variance: variance,
		Fill: func(dims []int, random *rand.Rand, values []float64) {
			sd := math.Sqrt(variance(dims))
			for i := range values {
				values[i] = sd * portable.Normal(random)
			}
		},
		Examples: []string{"weight W : real[4, 8] init " + name},
	}
}
