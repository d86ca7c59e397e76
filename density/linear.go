package density

import (
	"iter"
	"slices"
)

// Linearisable is a Block whose density can be a quadratic function of θ plus likelihoods of rows, each of
// which sees θ and what the block receives through predictors of its own.
type Linearisable interface {
	// Linear returns the density in that form; inPlace: the matrix of Cuts may be the block's own, in tiles,
	// and what is alike in all rows may be there once. The error says what has another form, and where. It
	// moves slot Here.
	Linear(inPlace bool) (*Linear, error)
}

// LinearisableGiven is a Block whose density can be that of Linear given a few hyperparameters, of which the
// prior of θ is a function.
type LinearisableGiven interface {
	// LinearGiven is Linear with Given; nil where there are no hyperparameters.
	LinearGiven() (*Linear, error)
}

// Linearised returns the density of a block in that form, where priors depend on hyperparameters given these.
// The error says what has another form, and where.
func Linearised(b Block) (*Linear, error) {
	l, err := RequireOf[Linearisable](b)
	if err != nil {
		return nil, err
	}
	lin, err := l.Linear(false)
	if g, ok := b.(LinearisableGiven); ok && err != nil {
		if given, unfit := g.LinearGiven(); given != nil || unfit != nil {
			return given, unfit
		}
	}
	return lin, err
}

// A Linear is a block's density in terms of linear maps of some elements of θ, called θ below; the others are
// Globals. Matrices are column-major. They are the party's own data: nothing here may be sent as it is.
type Linear struct {
	// Index lists the elements of the block's θ that the maps are of, ascending.
	Index []int
	// Globals are the other elements.
	Globals Globals
	// Cuts gives the cuts (also where they cross themselves), Sends the shared parameters that the block
	// sends, from θ.
	Cuts, Sends Affine
	// Prior is everything but the likelihoods and the density of the globals, where that is a density of θ
	// alone.
	Prior Quadratic
	Rows  []RowLikelihood
	// Members lists the sums that cuts of the block enter.
	Members []Member
	// Sums are the lengths of all sums, and Clients how many clients there are.
	Sums    []int
	Clients int
	// Received is how many elements of shared parameters the block receives.
	Received int
	// Given is nil where Prior is all of it. Else Prior is that at one value of hyperparameters, Given.Hyper
	// and what the block receives, on which nothing else depends: Given.At sets the prior of a form at
	// others, the density of the hyperparameters in it. Of a Given no maps but that, and Sends and To, are
	// set.
	Given *Conditional
	// Vector makes n numbers, 0 each, where the party has vectors with a number for each row of which only a
	// few enter a computation, and Free takes one back; nil: they are in memory.
	Vector func(n int) []float64
	Free   func(v []float64)
}

// Globals are elements φ of a block's θ that its likelihoods depend on beside their predictors, such as a
// scale, or that such depend on.
type Globals struct {
	Index []int // elements of the block's θ, ascending
	// Density returns the log density of φ, of all that is no likelihood, and sets grad to its gradient.
	Density func(phi, grad []float64) float64
}

// A Member is a cut that enters a sum. Offset and Len are its range among the block's cuts.
type Member struct{ Group, Offset, Len int }

// An Affine is the map θ ↦ Offset + Matrix·θ.
type Affine struct {
	Offset []float64 // nil: 0 in all of Rows
	Rows   int       // where Offset is nil
	Matrix []float64 // Len × Dim
	// Tile is 0, or of how many rows the tiles are in which Matrix is: one after another, each of them
	// column-major, the last as long as the others. Alike: all rows are, and Matrix is one tile.
	Tile  int
	Alike bool
}

// Len is how many rows there are.
func (a *Affine) Len() int {
	if a.Offset == nil {
		return a.Rows
	}
	return len(a.Offset)
}

// alikeRows is of how many rows the tile is where all rows are alike.
const alikeRows = 4096

// Compact keeps what is alike in all rows once.
func (a *Affine) Compact() {
	rows := a.Len()
	if !slices.ContainsFunc(a.Offset, func(v float64) bool { return v != 0 }) {
		a.Offset, a.Rows = nil, rows
	}
	if a.Tile != 0 || rows <= alikeRows {
		return
	}
	for column := range slices.Chunk(a.Matrix, rows) {
		if slices.ContainsFunc(column, func(v float64) bool { return v != column[0] }) {
			return
		}
	}
	var tile []float64
	for column := range slices.Chunk(a.Matrix, rows) {
		tile = append(tile, column[:alikeRows]...)
	}
	a.Matrix, a.Tile, a.Alike = tile, alikeRows, true
}

// Stretch is N rows of a matrix from row From on: column j begins at Matrix[j·Stride].
type Stretch struct {
	From, N, Stride int
	Matrix          []float64
}

// Stretches are n rows from one on, as far as they follow one another in memory.
func (a *Affine) Stretches(from, n int) iter.Seq[Stretch] {
	return func(pass func(Stretch) bool) {
		rows := a.Len()
		if len(a.Matrix) == 0 || n == 0 {
			return
		}
		if a.Tile == 0 {
			pass(Stretch{from, n, rows, a.Matrix[from:]})
			return
		}
		tile := 0
		if !a.Alike {
			tile = len(a.Matrix) / ((rows + a.Tile - 1) / a.Tile)
		}
		for row, to := from, from+n; row < to; {
			in := row % a.Tile
			s := Stretch{row, min(a.Tile-in, to-row), a.Tile, a.Matrix[row/a.Tile*tile+in:]}
			if !pass(s) {
				return
			}
			row += s.N
		}
	}
}

// A Quadratic is the function Value + Gradientᵀθ − ½θᵀ·Precision·θ.
type Quadratic struct {
	Value     float64
	Gradient  []float64
	Precision []float64 // Dim × Dim
}

// RowLikelihood is a likelihood of rows: a sum of functions of predictors, of which predictor i is element i
// of a sum of contributions plus Offset + Matrix·θ + Shared·(what the block receives). Where a row sees
// several, the first ones of all rows come before the second ones.
type RowLikelihood struct {
	Term  string // in the model
	Width int    // predictors of a row; 0: one
	Group int    // the sum: see Cut.Group
	Own   int    // offset, among the block's own cuts, of that which enters the sum; −1: none does
	Affine
	Shared []float64 // Len × Received
	// Evaluate sets lp, as far as there are rows, to the log density of each at the predictors eta and the
	// globals phi, and slope and by to the derivatives, by the predictors and by the globals, of their sum
	// with weights seeds; nil: 1. A nil by is not wanted.
	Evaluate func(phi, eta, lp, slope, seeds, by []float64)
	// Part is Evaluate for the rows from one on, a multiple of Block, of which there is eta, at most so many.
	// It is nil where Block is 0: all rows are evaluated at once.
	Block int
	Part  func(from int, phi, eta, lp, slope, seeds, by []float64)
}

// EvaluatePart is Evaluate for the rows from one on of which there is eta: all, or as Part has it.
func (r *RowLikelihood) EvaluatePart(from int, phi, eta, lp, slope, seeds, by []float64) {
	if r.Part == nil {
		r.Evaluate(phi, eta, lp, slope, seeds, by)
		return
	}
	r.Part(from, phi, eta, lp, slope, seeds, by)
}
