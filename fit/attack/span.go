package attack

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// A Clear view is what a receiver has of a cut, or of a sum of several, without noise.
type Clear struct {
	// First compares what one evaluation gives with the cut in it.
	First Inversion
	// Vectors are the cut at the elements that are followed, in different evaluations; NaN where it could not
	// be computed.
	Vectors [][]float64
	// Mean is the mean over so many Draws at which the cut is computed, where it does not cross itself.
	Mean  []float64
	Draws int
	shown bool // the vectors show their span
}

// mostDrawn is how many draws are kept to show their span, at most.
const mostDrawn = 512

// Draw takes the elements of a cut that are followed at a draw at which it does not cross itself.
func (c *Clear) Draw(cut []float64) {
	if c.Mean == nil {
		*c = Clear{First: Compare(cut, cut), Mean: make([]float64, len(cut))}
	}
	c.Draws++
	for i, v := range cut {
		c.Mean[i] += (v - c.Mean[i]) / float64(c.Draws)
	}
	if c.shown || len(c.Vectors) == mostDrawn {
		return
	}
	c.Vectors = append(c.Vectors, cut)
	if k := len(c.Vectors); k >= 32 && k&(k-1) == 0 {
		c.shown = Spanned(c.Vectors)
	}
}

// An Inversion is how well a cut is known from one evaluation in which it is not masked by noise.
type Inversion struct {
	Solved int `json:"solved"` // elements for which the equation has one solution
	Of     int `json:"of"`
	Accuracy
}

// Compare says how well an estimate of a cut, NaN where there is none, agrees with it.
func Compare(estimate, cut []float64) Inversion {
	e := evidence{center: cut}
	out := Inversion{Of: len(cut), Accuracy: e.compare(estimate)}
	for _, v := range estimate {
		if v == v {
			out.Solved++
		}
	}
	return out
}

// exactly is the length, in relation to the longest, from which on a direction of noise-free vectors is more
// than rounding.
const exactly = 1e-7

// span returns an orthonormal basis of the deviations of vectors from their means over the elements, at those
// elements where all are known. It is nil where the vectors are too few to tell: all are independent of one
// another.
func span(vectors [][]float64) (basis [][]float64, elements []int) {
	if len(vectors) == 0 {
		return nil, nil
	}
	for i := range vectors[0] {
		known := true
		for _, v := range vectors {
			known = known && v[i] == v[i]
		}
		if known {
			elements = append(elements, i)
		}
	}
	if len(elements) <= len(vectors) {
		return nil, nil
	}
	columns := make([][]float64, len(vectors))
	for j, v := range vectors {
		columns[j] = pick(v, elements)
		centred(columns[j])
	}
	if basis = orthonormal(columns); basis == nil {
		return nil, nil
	}
	return basis, elements
}

// orthonormal is a basis of the span of noise-free columns; nil where they are all independent of one
// another.
func orthonormal(columns [][]float64) (basis [][]float64) {
	a := mat.NewDense(len(columns[0]), len(columns), nil)
	for j, v := range columns {
		a.SetCol(j, v)
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThinU) {
		return nil
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	for j, value := range values {
		if value <= exactly*values[0] {
			return basis
		}
		basis = append(basis, mat.Col(nil, j, &u))
	}
	return nil
}

// Spanned reports whether noise-free vectors show their span: they are more than its dimensions.
func Spanned(vectors [][]float64) bool {
	basis, _ := span(vectors)
	return basis != nil
}

func pick(v []float64, elements []int) []float64 {
	out := make([]float64, len(elements))
	for k, i := range elements {
		out[k] = v[i]
	}
	return out
}

func pickInts(v, elements []int) []int {
	out := make([]int, len(elements))
	for k, i := range elements {
		out[k] = v[i]
	}
	return out
}

// centred takes the mean off.
func centred(v []float64) {
	vec.Shift(len(v), v, -stat.Mean(v, nil))
}

// noisySpan is the span of the components and of the mean of the cut; nil where these are not known.
func (c components) noisySpan(mean []float64) (basis [][]float64) {
	if !c.known || len(c.directions) == 0 {
		return nil
	}
	var all [][]float64
	for _, d := range append([][]float64{mean}, c.directions...) {
		v := append([]float64(nil), d...)
		centred(v)
		all = append(all, v)
	}
	return spanOf(all)
}
