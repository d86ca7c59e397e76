package repl

import (
	"context"
	"fmt"
)

func fitsCommand() command {
	return command{name: "fits", args: "[NAME]", doc: "list the fits, or make another the one that questions are about",
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
			if len(s.runs) == 0 {
				return s.say("fits", "no fits yet: :fit makes one")
			}
			var rows [][]string
			for _, r := range s.runs {
				mark, d := "", r.draws()
				if r == s.current {
					mark = "current"
				}
				name := r.stored.Name()
				if r.stored.Document != nil {
					name += ", " + r.stored.Document.Backend + ", transform " + r.stored.Document.Transform
				}
				rows = append(rows, []string{r.name, name, fmt.Sprintf("%d × %d draws", d.Chains(), d.Len(0)), mark})
			}
			return s.lines("fits", []string{"fit", "model", "draws", ""}, rows)
		}}
}
