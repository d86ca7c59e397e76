package backends

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// A EvaluationForecast says before a run between parties how many evaluations it takes: the fewest and the
// most of what is usual.
type EvaluationForecast struct {
	Sequential Range // one after another: each is a round trip, or what a transform needs
	All        Range // of the joint density, as bytes are counted
	Rounds     Range // as parties' policies count them: exchanges of each chain by itself
	// at most, of draws that cross together: those of many clients are divided over several messages
	Columns int
	// how many vectors with a number for each row are in memory where one process has all parties; 0: not
	// more than the draws and the states of chains need
	Vectors int
	Basis   string
}

// Divided is the forecast where all clients together send so many numbers for a column of draws.
func (f EvaluationForecast) Divided(column int) EvaluationForecast {
	more := f.Columns / density.Piece(column)
	f.Sequential.Most += more
	f.Rounds.Most += more
	return f
}

// A Range is from a number to another.
type Range struct{ Least, Most int }

// String implements fmt.Stringer.
func (r Range) String() string { return fmt.Sprintf("%d to %d", r.Least, r.Most) }

// Times is a range of so many times as much.
func (r Range) Times(n int) Range { return Range{r.Least * n, r.Most * n} }

// Plus is the forecast of a run after another. The basis is that of the second.
func (f EvaluationForecast) Plus(first EvaluationForecast) EvaluationForecast {
	add := func(a, b Range) Range { return Range{a.Least + b.Least, a.Most + b.Most} }
	return EvaluationForecast{add(f.Sequential, first.Sequential), add(f.All, first.All),
		add(f.Rounds, first.Rounds),
		f.Columns + first.Columns, max(f.Vectors, first.Vectors), f.Basis}
}
