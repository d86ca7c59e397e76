package density

import (
	"context"
	"errors"
)

// Encrypting is an Env whose rows stay encrypted: nobody can decrypt a number of a row, and of an evaluation
// sums over rows alone are decrypted, each by one party. It has one likelihood, at the server, of one sum
// that every client enters once, and nothing else crosses: no auxiliary variables, no shared parameters. A
// party's columns are those of the map from its parameters to its contribution, Linear.Cuts of a client and
// Linear.Rows[0] of the server, which may have none; the server's are followed by those of its Linear.Globals
// phi, by which the derivative of a row's log likelihood is no product with a column of data. A contribution,
// the cut of a client or Offset + Matrix·θ of the server, has a number a row. Slices of slices are by block
// of this process. Every call is made by all parties in the same order. What is decrypted, for whom, is
// Openings of the exchange with the name of the method.
type Encrypting interface {
	// Columns is how many columns each party has, in party order, the globals' included: all know it.
	Columns() []int
	// Slopes sets grad[b], at block b alone, to the sums over rows of its columns times the derivative of the
	// row's log likelihood by its predictor, and of the derivatives by globals, where parties contribute
	// cut[b] and the server's globals are phi: it tells them to all, and elsewhere phi is not read. The error
	// is ErrRange, at every party, where a contribution is beyond what the encrypted likelihood holds for:
	// nothing is decrypted then but that, and an evaluation nearer by may follow.
	Slopes(ctx context.Context, phi []float64, cut, grad [][]float64) error
	// Curvatures sets gram, a matrix of the columns of all parties in party order, at the server to their
	// products summed over rows with weights: minus the second derivative of the row's log likelihood by its
	// predictor, or its expectation given that, at the contributions of the last Slopes; and likewise the
	// second derivatives by globals. Elsewhere it is left as it is.
	Curvatures(ctx context.Context, gram []float64) error
	// LogLik sets total[i], at the server, to the log likelihood at the contributions cut[b][i*rows:][:rows]
	// and the globals of number i in phi, which the server tells all, plus the numbers plus[b][i] of all blocks:
	// these are added under encryption, so that nobody learns the terms. Elsewhere total is left as it is.
	LogLik(ctx context.Context, phi []float64, cut, plus [][]float64, total []float64) error
	// Afford is how many of so many log likelihoods may still be decrypted; the same at every party.
	Afford(logLiks int) int
	// Consult is a round trip in which each party tells the server numbers, and the server answers each what
	// it alone receives, and all what they all receive. Nothing is decrypted.
	Consult(ctx context.Context, by Consulted) error
}

// ErrRange is the error of an evaluation beyond the range in which the encrypted likelihood holds.
var ErrRange = errors.New("density: a contribution is beyond the range in which the encrypted likelihood holds")

// A Consulted is the algorithm's part in Encrypting.Consult.
type Consulted interface {
	// Size is how many numbers a party with so many columns tells and receives, and how many all receive.
	Size(columns int) (up, down, all int)
	// Ask sets what block b tells.
	Ask(b int, up []float64)
	// Counsel is called at the server with what each party tells, in party order, itself included; it sets
	// what each receives, and what all do.
	Counsel(up, down [][]float64, all []float64)
	// Take takes the answer at block b, of the server too.
	Take(b int, down, all []float64)
}

// The exchanges of the methods of Encrypting.
var (
	EncryptedSlopes     = &Exchange{Name: "encrypted slopes"}         // Encrypting.Slopes
	EncryptedCurvatures = &Exchange{Name: "encrypted curvatures"}     // Encrypting.Curvatures
	EncryptedLogLik     = &Exchange{Name: "encrypted log likelihood"} // Encrypting.LogLik
	Consulting          = &Exchange{Name: "consulting"}               // Encrypting.Consult
)

// A Decryption is numbers that depend on all rows and become known to a party, by decryption or because one
// that decrypted them tells.
type Decryption struct {
	Sums   Sums
	Number int // of Totals, Parts and Told
}

// Sums says what numbers a Decryption has, and who knows them.
type Sums int

// The kinds.
const (
	OwnGradients  Sums = 1 + iota // one for each column of a party, known to it
	Gradients                     // these, known to the server also
	CrossProducts                 // one for each pair of columns of all parties, known to the server
	Covariances                   // of the coefficients, one for each pair of a party's columns, known to it
	Totals                        // known to the server
	Parts                         // of each party, which the server learns and adds up; all learn the totals
	Told                          // what the server tells all, of what it knows
)

// Numbers is how many numbers of one victim's rows a coalition learns by an opening, given the columns of all
// parties and who belongs to the coalition, in party order. Masks, by which the server learns but the totals
// of parts, are not counted on, and nor is what follows from numbers of another opening but that members know
// of one another.
func (o Decryption) Numbers(columns []int, in []bool) int {
	inside, outside, others, pairs := 0, 0, 0, 0
	for b, c := range columns {
		if in[b] {
			inside, pairs = inside+c, pairs+c*(c+1)/2
		} else {
			outside, others = outside+c, others+1
		}
	}
	p := inside + outside
	switch {
	case o.Sums == OwnGradients:
		return inside
	case o.Sums == Parts && in[0]:
		return o.Number * others
	case o.Sums == Covariances && !in[0]:
		return pairs
	case o.Sums == Parts, o.Sums == Told && !in[0]:
		return o.Number
	case o.Sums == Told || o.Sums == Covariances || !in[0]:
		return 0
	case o.Sums == Gradients:
		return outside
	case o.Sums == CrossProducts:
		return p * (p + 1) / 2
	case o.Sums == Totals:
		return o.Number
	}
	return 0
}

// Opened is how many numbers of a victim's rows a coalition learns by uses of exchanges, by their usual and
// their greatest numbers of times in a run: what a budget of decrypted numbers is held to before the run. Of
// a run the Env counts what it does.
func Opened(uses []Use, columns []int, in []bool) (usual, most int) {
	for _, u := range uses {
		once := 0
		for _, o := range u.Openings {
			once += o.Numbers(columns, in)
		}
		usual += u.Times * once
		most += u.MostTimes * once
	}
	return usual, most
}
