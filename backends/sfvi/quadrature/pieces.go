package quadrature

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// The columns of draws are divided into pieces that cross one after another, so that what the server holds
// does not grow with the number of clients. What a column brings does not depend on its piece.

// A piece is a range of columns.
type piece struct{ from, to int }

func (p piece) len() int { return p.to - p.from }

// ids are the draws of a piece of a batch, whose column 0 is the mean.
func (p piece) ids() piece { return piece{max(0, p.from-1), p.to - 1} }

// pieces divides columns.
func (k *Kernel) pieces(columns int) []piece { return k.divide(nil, columns) }

// divide adds the pieces of the columns up to one, from the last piece on.
func (k *Kernel) divide(out []piece, to int) []piece {
	from := 0
	if len(out) > 0 {
		from = out[len(out)-1].to
	}
	for most := k.relay.Piece(to - from); from < to; from += most {
		out = append(out, piece{from, min(from+most, to)})
	}
	return out
}

// firstDecision is the column after which a batch may end: that of the last of the first weights, where there
// are more. It does not depend on how many columns one message takes, and nor does the result.
func (k *Kernel) firstDecision() (column int) { return 1 + min(k.first, k.crossing) }

// Vectors is how many vectors with a number for each row a fit has in memory at least, with those of the
// messages of one client; others are streamed.
const Vectors = 16

// InPieces says of draws that they may be too many for one message.
var InPieces = fmt.Sprintf(" (in several messages beyond %d numbers of all clients together)",
	density.MostNumbers)
