package data

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/vflc/vflc/internal/grouped"
)

// more adds to a message the number of others like it.
func more(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more %s)", n, grouped.Noun(n, noun))
}

// maxListed is the largest number of names or examples in a message, few enough for one line.
const maxListed = 12

// listed joins names with commas, and adds the number of those left out.
func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, … %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}

// nearest returns the name that is at most two or a third of its letters away from the wanted one, else "".
func nearest(want string, names []string) string {
	best, distance := "", max(2, len(want)/3)+1
	for _, name := range names {
		d := levenshtein.ComputeDistance(strings.ToLower(want), strings.ToLower(name))
		if d < distance && d < len([]rune(want)) {
			best, distance = name, d
		}
	}
	return best
}

// suggestion returns "; did you mean NAME?" if a name is similar.
func suggestion(want string, names []string) string {
	if near := nearest(want, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
