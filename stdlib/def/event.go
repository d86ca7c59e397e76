package def

import (
	"fmt"
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/linear"
)

// An EventArg is one argument of a block of events, vectors or matrices: element j of that of event i is
// V[i*Step + j*Stride]. Step is 1, or 0 where one value serves all events. A matrix is stored by columns.
type EventArg struct {
	V            []float64
	Step, Stride int
	Len          int // elements of one event: 1 for a number
}

// Index is the place of element j of event i.
func (a EventArg) Index(i, j int) int { return i*a.Step + j*a.Stride }

// At returns element j of event i.
func (a EventArg) At(i, j int) float64 { return a.V[i*a.Step+j*a.Stride] }

// Accumulate adds w·v to the value of event i in dst, which is laid out as the argument is.
func (a EventArg) Accumulate(dst []float64, i int, w float64, v []float64) {
	dst = dst[i*a.Step:]
	for j, x := range v {
		dst[j*a.Stride] += float64(w * x)
	}
}

// Fill copies the value of event i to dst.
func (a EventArg) Fill(dst []float64, i int) {
	if a.Stride == 1 {
		copy(dst, a.V[i*a.Step:])
		return
	}
	for j := range dst {
		dst[j] = a.V[i*a.Step+j*a.Stride]
	}
}

// Whole is an argument with one value, in contiguous memory, for all events.
func Whole(v []float64) EventArg { return EventArg{V: v, Stride: 1, Len: len(v)} }

// Events is one call of the log density of a distribution of events: N of them. LP, where not nil, has length
// N and is overwritten with the normalised log density of each event. Where W is not nil, W[i]·∂ log p_i/∂·
// is added to DX and DTheta[k], which are laid out as the arguments that they are derivatives by; nil where
// not wanted. The derivative by a symmetric matrix is symmetric: an element and its mirror image share it.
//
// Outside the support, or with a parameter outside its domain, log p is -Inf and the partials are
// unspecified, but there is no panic. The callee allocates nothing.
type Events struct {
	N      int
	X      EventArg
	Theta  []EventArg
	LP, W  []float64
	DX     []float64
	DTheta [][]float64
	Work   []float64
	// Again reports that values, parameters and Work are those that the call before left.
	Again    bool
	Products linear.Products // for the factors of large matrices
}

// SimplexTolerance is how far the sum of a simplex may be from 1.
const SimplexTolerance = 1e-8

// Give adds W[i]·v to the derivative by element j of event i of parameter k, where that is wanted.
func (b *Events) Give(k, i, j int, v float64) {
	if b.DTheta[k] != nil {
		b.DTheta[k][b.Theta[k].Index(i, j)] += float64(b.W[i] * v)
	}
}

// GiveX is Give for the value.
func (b *Events) GiveX(i, j int, v float64) {
	if b.DX != nil {
		b.DX[b.X.Index(i, j)] += float64(b.W[i] * v)
	}
}

// A Scatter is how the shape of an elliptic distribution is given.
type Scatter uint8

// The scatters; NotNormal is that of a distribution which is no normal one.
const (
	NotNormal Scatter = iota
	ByCovariance
	ByFactor // Cholesky's, of the covariance
	ByPrecision
)

// An Event is what makes a distribution one of vectors or matrices, or of numbers with vectors for
// parameters: in place of LogDensity, Expand and Sample.
type Event struct {
	Rank int // axes of one value: 0 for a number, 1 for a vector, 2 for a square matrix
	// Least is the smallest size, that of the vectors and of the sides of the matrices; More is by how much
	// the number of categories is above it, for a value that is a category.
	Least, More int
	Density     func(b *Events)
	// Expand writes the sum of the densities of many numbers, or of vectors of counts, that are data inside
	// the support, or of simplexes that are parameters, as that of a distribution of numbers does, but with
	// its constants. It returns false, having added nothing, where it does not serve the shapes of the
	// parameters; nil: it never does.
	Expand func(b DensityBuilder, x Value, theta []Value) bool
	Work   func(k int) int // the length of Events.Work for the size k; nil: none
	// Sample overwrites x with a draw; nil for an improper distribution. k is the size. What x holds before
	// is a value that was observed, from which a multinomial takes its total.
	Sample func(r *rand.Rand, x []float64, theta [][]float64, k int)
	// Centred is Sample of an improper distribution whose density is that of one among vectors that sum to 0.
	Centred func(r *rand.Rand, x []float64, theta [][]float64, k int)
	InOrder bool // the codes of categories are their order
	// OfTotal reports that a draw has the total of what x holds before.
	OfTotal bool
	// Joint is set where a value is one vector of all rows of a table, each of which enters the terms of
	// others; it says how. Such a density cannot be taken apart by rows, nor be raised to a power by each
	// client.
	Joint string
	// Walk is set where a value is a random walk from 0 whose steps are normal, with the first parameter for
	// their mean and the second for their standard deviation.
	Walk bool
	// Scatter is set where a value is normal, with the first parameter for its mean: what the second is.
	Scatter   Scatter
	NoSampler string // why there is no Sample, "" where there is
	// Check reports why parameters that are each inside their domain are not allowed together, "" where they
	// are; nil: they always are.
	Check func(theta [][]float64, k int) string
}

// Room is the length of Events.Work.
func (e *Event) Room(k int) int {
	if e.Work == nil {
		return 0
	}
	return e.Work(k)
}

// Ordered reports whether the codes of categories are their order.
func (d *Dist) Ordered() bool { return d.Event != nil && d.Event.InOrder }

// Joint says how the rows of a likelihood that is one value for all of them enter each other's terms; ""
// where rows are independent.
func (d *Dist) Joint() string {
	if d.Event == nil {
		return ""
	}
	return d.Event.Joint
}

// Drawable reports whether values can be drawn.
func (d *Dist) Drawable() bool { return d.Sample != nil || d.Event != nil && d.Event.Sample != nil }

// Proper reports whether the density integrates to 1; that of one that a model declares is taken to.
func (d *Dist) Proper() bool { return d.Drawable() || d.Declared }

// WithoutDraws is the reason why nothing can be drawn.
func (d *Dist) WithoutDraws() string {
	if d.Form != nil {
		for _, of := range d.Form.Of {
			if !of.Drawable() {
				return of.WithoutDraws()
			}
		}
	}
	if d.Declared {
		return fmt.Sprintf("dist %s has no generator: add its steps, the last one `generate %s = …`", d.Name,
			d.Value)
	}
	return d.Name + " is improper"
}

// WithoutCDF is the reason why a distribution has no distribution function.
func (d *Dist) WithoutCDF() string {
	switch {
	case d.Event == nil:
		return d.NoCDF
	case d.Event.Rank > 0:
		return "its values are vectors or matrices, of which none is below another"
	}
	return "its values are categories; sum the probabilities of those that you mean"
}
