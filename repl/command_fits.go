package repl

import (
	"context"
	"fmt"
)

func fitsCommand() command {
	return command{name: "fits", args: "[NAME]",
		doc:    "list the fits, or make another the one that questions are about",
		values: func(s *Session, _ []string) []string { return s.runNames() },
		run: func(s *Session, _ context.Context, args string) error {
			if args != "" {
				r, err := s.runOf(args)
				if err != nil {
					return err
				}
				s.current = r
				return s.say("fits", "questions are about %s now", r.name)
			}
			if err := s.settle(); err != nil {
				return err
			}
			if len(s.runs) == 0 {
				return s.say("fits", "no fits yet: :fit makes one")
			}
			var rows [][]string
			for _, r := range s.runs {
				rows = append(rows, s.fitLine(r))
			}
			return s.lines("fits", []string{"fit", "model", "backend", "transform", "draws"}, rows)
		}}
}

// fitLine describes a fit. A star marks the current one.
func (s *Session) fitLine(r *run) []string {
	mark, backend, transform, d := "  ", "-", "-", r.Draws
	if r == s.current {
		mark = "* "
	}
	if doc := r.Document; doc != nil {
		backend, transform = doc.Backend, doc.Transform
	}
	return []string{mark + r.name, r.Name(), backend, transform,
		fmt.Sprintf("%d × %d", d.Chains(), d.Len(0))}
}
