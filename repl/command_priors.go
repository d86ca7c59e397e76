package repl

import "context"

func priorsCommand() command {
	return command{name: "priors", doc: "print the prior of every parameter",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("priors", args); err != nil {
				return err
			}
			if err := s.needModel(); err != nil {
				return err
			}
			var rows [][]string
			for _, p := range s.now.built.Checked.Priors() {
				rows = append(rows, []string{p.Parameter, p.Owner, p.Type, p.Text()})
			}
			if len(rows) == 0 {
				return s.say("priors", "the model has no parameters")
			}
			return s.lines("priors", []string{"parameter", "owner", "type", "prior"}, rows)
		}}
}
