package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/density"
)

// An account counts the numbers that depend on rows and became known.
type account struct {
	columns []int // of the parties
	opened  map[density.Decryption]int
}

func newAccount(columns []int) *account {
	return &account{columns: columns, opened: map[density.Decryption]int{}}
}

// add counts openings.
func (a *account) add(openings ...density.Decryption) {
	for _, o := range openings {
		a.opened[o]++
	}
}

// with is the account after more openings.
func (a *account) with(openings ...density.Decryption) *account {
	out := &account{columns: a.columns, opened: maps.Clone(a.opened)}
	out.add(openings...)
	return out
}

// learned is how many numbers each party knows, or where alone is false all but it.
func (a *account) learned(alone bool) []int {
	out := make([]int, len(a.columns))
	for k := range out {
		in := make([]bool, len(out))
		for i := range in {
			in[i] = (i == k) == alone
		}
		out[k] = density.Learned(a.opened, a.columns, in)
	}
	return out
}

// announced is numbers that each party tells all.
func announced(n int) density.Decryption {
	return density.Decryption{Sums: density.Announced, Number: n}
}

// toldAll is numbers that the server tells all.
func toldAll(n int) density.Decryption { return density.Decryption{Sums: density.Told, Number: n} }

// A Reckoning is what became known of the rows in a run: D.
type Reckoning struct {
	Rows int `json:"rows"`
	// numbers that depend on others' rows and each party knows, in party order
	Alone []int `json:"party"`
	Rest  []int `json:"all_but"` // that all but each know together
	// of a decrypted gradient, in posterior standard deviations, the largest
	Noise float64 `json:"noise"`
	// draws that were not weighed: their predictors are beyond the range of the polynomials
	Far int `json:"far,omitempty"`
}

// One is D of the party that learned most.
func (s Reckoning) One() int { return slices.Max(s.Alone) }

// Of is D of the rows of one party: how many numbers one other party knows.
func (s Reckoning) Of(party int) (most int) {
	for k, d := range s.Alone {
		if k != party {
			most = max(most, d)
		}
	}
	return most
}

// Together is D of all but one party.
func (s Reckoning) Together() int { return slices.Max(s.Rest) }

// By says it as the line below a run of parties with names.
func (s Reckoning) By(names []string) string {
	percent := func(d int) string { return fmt.Sprintf("D/n = %.2g %%", 100*float64(d)/float64(s.Rows)) }
	var each []string
	for k, name := range names {
		each = append(each, fmt.Sprintf("%s %d", name, s.Alone[k]))
	}
	line := fmt.Sprintf("Encrypted rows, n = %d: the party that learned most knows D = %d numbers that "+
		"depend on the others' rows, %s (%s); all but one together know %d, %s. "+
		"Decryption adds noise to a gradient, of %.2g posterior standard deviations "+
		"of a coefficient at most.",
		s.Rows, s.One(), percent(s.One()), strings.Join(each, ", "), s.Together(), percent(s.Together()),
		s.Noise)
	if s.Far > 0 {
		line += fmt.Sprintf(" Draws with predictors beyond the range of the "+
			"polynomials, %d, have the weight 0.", s.Far)
	}
	return line
}
