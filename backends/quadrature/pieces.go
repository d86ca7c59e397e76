package quadrature

import (
	"fmt"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable/pareto"
)

// The columns of draws are divided into pieces that cross one after another, so that what the server holds does not grow with the number of clients. What a column brings does not depend on
// its piece.

// A piece is a range of columns.
type piece struct{ from, to int }

func (p piece) len() int { return p.to - p.from }

// ids are the draws of a piece of a batch, whose column 0 is the mean.
func (p piece) ids() piece { return piece{max(0, p.from-1), p.to - 1} }

// pieces divides columns.
func (k *Kernel) pieces(columns int) (out []piece) {
	most := k.relay.Piece(columns)
	for from := 0; from < columns; from += most {
		out = append(out, piece{from, min(from+most, columns)})
	}
	return out
}

// Of a batch in pieces the first weights decide whether the others are made: the Pareto shape of 500 has a standard error of 0.2, so that a shape above 0.7, beyond which weights correct nothing, by
// more than twice that is no accident.
const (
	firstWeights = 500
	inVain       = 0.7 + 0.5
)

// firstDecision is the column after which a batch may end: that of the piece which completes the first weights.
func firstDecision(pieces []piece) (column int) {
	for _, p := range pieces {
		if column = p.to; column > firstWeights {
			break
		}
	}
	return column
}

// vain reports whether draws with these log p − log q are too far from the posterior for any number of them to be corrected.
func vain(ratios []float64) bool { return pareto.Smooth(ratios, 1).K > inVain }

// InPieces says of draws that they may be too many for one message.
var InPieces = fmt.Sprintf(" (in several messages beyond %d numbers of all clients together)", density.MostNumbers)
