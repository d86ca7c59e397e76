package repl

import (
	"context"
	"strings"
)

func splitCommand() command {
	return command{name: "split", args: "[PARTY]", doc: "print the program that a party runs",
		values: func(s *Session, _ []string) []string { return s.programs() },
		run: func(s *Session, _ context.Context, args string) error {
			if err := s.needModel(); err != nil {
				return err
			}
			if s.now.built.Pooled() {
				return s.say("split",
					"transform %s pools the data: one process runs the model as it is, and "+
						"there are no party programs", s.now.built.Checked.Transform.Kind)
			}
			names := s.programs()
			if args == "" {
				return s.say("split", "programs of %s; :split PARTY prints one", strings.Join(names, ", "))
			}
			for _, p := range s.now.built.Programs {
				if p.Party == args {
					return s.say(verbatim, "%s", strings.TrimRight(p.Text, "\n"))
				}
			}
			return usagef("there is no party %s%s; there are: %s", args, nearest(args, names),
				strings.Join(names, ", "))
		}}
}

func (s *Session) programs() []string {
	var out []string
	if s.now.built != nil {
		for _, p := range s.now.built.Programs {
			out = append(out, p.Party)
		}
	}
	return out
}
