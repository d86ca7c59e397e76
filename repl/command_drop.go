package repl

import (
	"context"
	"slices"
	"strings"
)

func dropCommand() command {
	return command{name: "drop", args: "NAME",
		doc:    "remove the statement that declares a name; of a likelihood, write its left side",
		values: func(s *Session, _ []string) []string { return s.keys() },
		run: func(s *Session, _ context.Context, args string) error {
			if args == "" {
				return usagef(":drop needs the name of what to remove: %s", strings.Join(s.keys(), ", "))
			}
			next := s.now.copied()
			at := slices.IndexFunc(next.Statements, func(t statement) bool {
				return t.key.String() == args || slices.Contains(t.key.names, args)
			})
			// of a response and data with one name, the likelihood comes first
			if i := slices.IndexFunc(next.Statements, func(t statement) bool {
				return t.key.kind == "response" && t.key.String() == args
			}); i >= 0 {
				at = i
			}
			if at < 0 {
				return usagef("no statement declares %s%s", args, nearest(args, s.keys()))
			}
			gone := next.Statements[at]
			next.Statements = slices.Delete(next.Statements, at, at+1)
			if err := refused(next.compile()); err != nil {
				return err
			}
			s.change(next)
			if err := s.say("dropped", "removed: %s", gone.code); err != nil {
				return err
			}
			return s.stale()
		}}
}

// keys lists what the statements of the model declare.
func (s *Session) keys() []string {
	var out []string
	for _, t := range s.now.Statements {
		if !slices.Contains(out, t.key.String()) {
			out = append(out, t.key.String())
		}
	}
	return out
}
