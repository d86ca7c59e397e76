package align

import (
	"fmt"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Rules say which identifiers are the same. All parties of an alignment have the same ones.
type Rules struct {
	Exact bool // upper and lower case differ
}

// The words for Rules.
const (
	CaseFold  = "fold"
	CaseExact = "exact"
)

// ParseRules reads the value of --case.
func ParseRules(text string) (Rules, error) {
	switch text {
	case CaseFold:
		return Rules{}, nil
	case CaseExact:
		return Rules{Exact: true}, nil
	}
	return Rules{}, fmt.Errorf("%q: write %s or %s", text, CaseFold, CaseExact)
}

// String says the rules in words.
func (r Rules) String() string {
	text := "blanks at both ends are left out, blanks inside count as one, Unicode in form NFKC"
	if r.Exact {
		return text + ", upper and lower case differ"
	}
	return text + ", upper and lower case are the same"
}

// word is how the rules cross: their version, and each choice.
func (r Rules) word() uint64 {
	w := uint64(1) << 32
	if r.Exact {
		w |= 1
	}
	return w
}

// Normal is an identifier as it is compared; "" where there is none. Applied twice it changes nothing.
func (r Rules) Normal(id string) string {
	id = norm.NFKC.String(id)
	if !r.Exact {
		id = norm.NFKC.String(cases.Fold().String(id))
	}
	return strings.Join(strings.Fields(id), " ")
}

// Identifiers are the identifiers of the rows of a table in their normal form.
type Identifiers struct {
	Normal   []string
	Row      []int    // of each in the table
	Without  int      // rows that have no identifier: they are in no common row
	Repeated [][2]int // rows of which the second has the identifier of the first
}

// Normalise applies the rules to the identifiers of all rows.
func (r Rules) Normalise(ids []string) Identifiers {
	var k Identifiers
	first := map[string]int{}
	for row, id := range ids {
		normal := r.Normal(id)
		at, seen := first[normal]
		switch {
		case normal == "":
			k.Without++
		case seen:
			k.Repeated = append(k.Repeated, [2]int{at, row})
		default:
			first[normal] = row
			k.Normal, k.Row = append(k.Normal, normal), append(k.Row, row)
		}
	}
	return k
}
