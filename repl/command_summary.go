package repl

import (
	"context"
	"slices"

	"github.com/vflc/vflc/posterior"
)

func summaryCommand() command {
	return command{name: "summary", args: "[PARAMETER…]", doc: "summarise the posterior; a parameter's name alone gives its rows", values: (*Session).parameters,
		run: func(s *Session, _ context.Context, args string) error {
			r, err := s.runOf("")
			if err != nil {
				return err
			}
			columns, err := r.draws().Choose(words(args))
			if err != nil {
				return &Failure{Code: exitUsage, Err: err}
			}
			return s.table("summary", r, posterior.Summarise(r.draws().Select(columns)), len(words(args)) == 0, "")
		}}
}

// parameters lists the names and the elements of what the current fit has draws of.
func (s *Session) parameters([]string) []string {
	if s.current == nil {
		return nil
	}
	out := s.current.draws().Names()
	for _, c := range s.current.draws().Columns() {
		if !slices.Contains(out, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}
