package repl

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// labelled lists the elements of the current fit that have names by columns and categories, the longest names first.
func (s *Session) labelled() []posterior.Column {
	if s.current == nil {
		return nil
	}
	var out []posterior.Column
	for _, c := range s.current.draws().Columns() {
		if c.Label != "" {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b posterior.Column) int { return cmp.Compare(len(b.Label), len(a.Label)) })
	return out
}

// numbered writes a question as vfl has it: u[medical] is u[2].
func (s *Session) numbered(text string) string {
	for _, c := range s.labelled() {
		text = strings.ReplaceAll(text, c.Label, c.Name)
	}
	return text
}

// worded writes a question as answers have it: u[2] is u[medical].
func (s *Session) worded(text string) string {
	for _, c := range s.labelled() {
		text = strings.ReplaceAll(text, c.Name, c.Label)
	}
	return text
}
