package protocol

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// A coalition is parties that put together what they learn, and how many numbers of others' rows that is.
type coalition struct {
	in      []bool
	numbers int
}

// An account counts the numbers that depend on rows and became known, by coalition: D. The first coalitions
// are the parties one by one; then follow all but one.
type account struct {
	columns    []int
	coalitions []coalition
}

func newAccount(columns []int) *account {
	a := &account{columns: columns}
	for _, alone := range []bool{true, false} {
		for k := range columns {
			c := coalition{in: make([]bool, len(columns))}
			for i := range c.in {
				c.in[i] = (i == k) == alone
			}
			a.coalitions = append(a.coalitions, c)
		}
	}
	return a
}

// add counts openings.
func (a *account) add(openings ...density.Decryption) {
	for i := range a.coalitions {
		c := &a.coalitions[i]
		for _, o := range openings {
			c.numbers += o.Numbers(a.columns, c.in)
		}
	}
}

// announced counts a number that each party tells all.
func (a *account) announced() {
	for i := range a.coalitions {
		for _, in := range a.coalitions[i].in {
			if !in {
				a.coalitions[i].numbers++
			}
		}
	}
}

// most is how many numbers the party has that learned most, and how many all but one have, at most.
func (a *account) most() (one, together int) {
	for i, c := range a.coalitions {
		if i < len(a.columns) {
			one = max(one, c.numbers)
		} else {
			together = max(together, c.numbers)
		}
	}
	return one, together
}

// A Reckoning is what became known of the rows in a run.
type Reckoning struct {
	Rows          int
	One, Together int     // numbers known to the party that learned most, and to all but one
	Noise         float64 // of a decrypted gradient, in posterior standard deviations, the largest
}

// String says it as the line below a run.
func (s Reckoning) String() string {
	percent := func(d int) string { return fmt.Sprintf("D/n = %.2g %%", 100*float64(d)/float64(s.Rows)) }
	return fmt.Sprintf("Encrypted rows, n = %d: the party that learned most knows D = %d numbers that depend on the others' rows, %s; all but one together know %d, %s. "+
		"Decryption adds noise to a gradient, of %.2g posterior standard deviations of a coefficient at most.",
		s.Rows, s.One, percent(s.One), s.Together, percent(s.Together), s.Noise)
}
