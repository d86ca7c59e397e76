package density

import (
	"context"
	"errors"
	"slices"
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
	// and the globals of number i in phi, which the server tells all, plus the numbers plus[b][i] of all
	// blocks: these are added under encryption, so that nobody learns the terms. Elsewhere total is left as
	// it is.
	LogLik(ctx context.Context, phi []float64, cut, plus [][]float64, total []float64) error
	// Affords reports whether so much may still become known; the same at every party.
	Affords(what ...Decryption) bool
	// Afford is how many of so many log likelihoods may still be decrypted besides, and whether it is their
	// bytes that allow no more; the same at every party.
	Afford(logLiks int, besides ...Decryption) (n int, bytes bool)
	// Consult is a round trip in which each party tells the server numbers, and the server answers each what
	// it alone receives, and all what they all receive. Nothing is decrypted.
	Consult(ctx context.Context, by Consulted) error
}

// ErrRange is the error of an evaluation beyond the range in which the encrypted likelihood holds.
var ErrRange = errors.New("density: a contribution is beyond the range in which the " +
	"encrypted likelihood holds")

// A Consulted is the algorithm's part in Encrypting.Consult.
type Consulted interface {
	// Size is how many numbers a party tells and receives, by its number and its columns, and how many all
	// receive.
	Size(party, columns int) (up, down, all int)
	// Ask sets what block b tells.
	Ask(b int, up []float64)
	// Counsel is called at the server with what each party tells, in party order, itself included; it sets
	// what each receives, and what all do.
	Counsel(up, down [][]float64, all []float64)
	// Take takes the answer at block b, of the server too.
	Take(b int, down, all []float64)
}

// A Declaring is a Consulted that says itself what becomes known, where that is not what its sizes say:
// nothing of what follows from the programs alone, and once what is told in two messages.
type Declaring interface {
	Consulted
	Opens() []Decryption
}

// The exchanges of the methods of Encrypting.
var (
	EncryptedSlopes     = &Exchange{Name: "encrypted slopes"}         // Encrypting.Slopes
	EncryptedCurvatures = &Exchange{Name: "encrypted curvatures"}     // Encrypting.Curvatures
	EncryptedLogLik     = &Exchange{Name: "encrypted log likelihood"} // Encrypting.LogLik
	Consulting          = &Exchange{Name: "consulting"}               // Encrypting.Consult
)

// Sealed reports whether an exchange is one of these, which a session does not send itself.
func (x *Exchange) Sealed() bool {
	return x == EncryptedSlopes || x == EncryptedCurvatures || x == EncryptedLogLik || x == Consulting
}

// A Decryption is numbers that depend on rows and become known to a party, by decryption or because one that
// knows them tells.
type Decryption struct {
	Sums   Sums
	Number int // of Totals, Parts, Told, Announced and Outlined
	// Usual is how many there are in a usual run together, where that is not Number each time.
	Usual int
}

// Sums says what numbers a Decryption has, and who knows them.
type Sums int

// The kinds.
const (
	OwnGradients  Sums = 1 + iota // one for each column of a party, known to it
	Gradients                     // these, known to the server also
	CrossProducts                 // one for each pair of columns of all parties, known to the server
	Steps                         // one for each column of a party, which the server tells it
	// one for each pair of columns, which the server tells in draws that it gives parties together
	Covariances
	// one for each column of a party, which tells the server draws of its parameters
	Deviations
	Totals    // known to the server
	Parts     // of each party, which the server learns and adds up; all learn the totals
	Told      // what the server tells all, of what it knows
	Announced // of each party, which tells all
	Outlined  // of each column of a party, which tells all
	Declared  // what follows from programs, no row deciding it, which all learn
)

// Numbers is how many numbers a coalition learns by an opening, given the columns of all parties and who
// belongs to the coalition, in party order: those that a member learns from others, but for those that the
// server, a member, has made of what it knows. Masks, by which the server learns but the totals of parts, are
// not counted on, and nor is what follows from numbers of another opening.
func (o Decryption) Numbers(columns []int, in []bool) int {
	inside, p, members := 0, 0, 0
	for b, c := range columns {
		if p += c; in[b] {
			inside, members = inside+c, members+1
		}
	}
	pairs := func(c int) int { return c * (c + 1) / 2 }
	at := func(server bool, n int) int {
		if server != in[0] {
			return 0
		}
		return n
	}
	switch o.Sums {
	case OwnGradients:
		return inside
	case Gradients, Deviations:
		return at(true, p-inside)
	case CrossProducts:
		return at(true, pairs(p))
	case Steps:
		return at(false, inside)
	case Covariances:
		return at(false, pairs(inside))
	case Totals:
		return at(true, o.Number)
	case Parts:
		return at(true, o.Number*(len(columns)-1)) + at(false, o.Number)
	case Told:
		return at(false, o.Number)
	}
	tellers, theirs := len(columns), p
	if members == 1 { // whose own are nothing new to it; two hear each other's
		tellers, theirs = tellers-1, p-inside
	}
	switch o.Sums {
	case Announced:
		return o.Number * tellers
	case Outlined:
		return o.Number * theirs
	}
	return 0
}

// RowsPerNumber is how many rows there are for each number of others' rows that a party learns, where nobody
// says otherwise.
const RowsPerNumber = 20

// Learned is D: how many numbers that depend on others' rows a coalition knows after openings, each so often.
// One that contains another knows as many or more: with the server, what that tells is not counted, so that
// the coalition without it may be the one to count.
func Learned(opened map[Decryption]int, columns []int, in []bool) (numbers int) {
	for o, times := range opened {
		numbers += times * o.Numbers(columns, in)
	}
	if rest := append([]bool{false}, in[1:]...); in[0] && slices.Contains(rest, true) {
		numbers = max(numbers, Learned(opened, columns, rest))
	}
	return numbers
}

// Opened is how many numbers a coalition learns by uses of exchanges, by their usual and their greatest
// numbers of times in a run: what a budget of decrypted numbers is held to before the run. Of a run the Env
// counts what it does.
func Opened(uses []Use, columns []int, in []bool) (usual, most int) {
	usually, mostly := map[Decryption]int{}, map[Decryption]int{}
	for _, u := range uses {
		for _, o := range u.Openings {
			mostly[o] += u.MostTimes
			if o.Usual > 0 {
				usually[Decryption{Sums: o.Sums, Number: o.Usual}]++
			} else {
				usually[o] += u.Times
			}
		}
	}
	return Learned(usually, columns, in), Learned(mostly, columns, in)
}
