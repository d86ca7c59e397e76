package posterior

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Suggestion returns "; did you mean NAME?" if one of some names is similar to the wanted one, else "": at
// most two or a third of its letters away.
func Suggestion(want string, names []string) string {
	best, distance := "", max(2, len(want)/3)+1
	for _, name := range names {
		d := levenshtein.ComputeDistance(strings.ToLower(want), strings.ToLower(name))
		if d < distance && d < len([]rune(want)) {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
