package repl

import (
	"context"
	"slices"

	"github.com/vflc/vflc/node/release"
)

func summaryCommand() command {
	return command{name: "summary", args: "[FIT] [PARAMETER…]",
		doc: "summarise the posterior; a parameter's name alone gives its rows",
		values: func(s *Session, before []string) []string {
			return append(s.parameters(before), s.runNames()...)
		},
		run: func(s *Session, _ context.Context, args string) error {
			list, name := words(args), ""
			if len(list) > 0 && slices.Contains(s.runNames(), list[0]) && !slices.Contains(s.parameters(nil),
				list[0]) {
				name, list = list[0], list[1:]
			}
			r, err := s.runOf(name)
			if err != nil {
				return err
			}
			rows, err := release.Summarise(r.draws(), r.published, list)
			if err != nil {
				return &Failure{Code: exitUsage, Err: err}
			}
			return s.table("summary", r, rows, len(list) == 0, "")
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
