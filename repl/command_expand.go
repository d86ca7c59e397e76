package repl

import (
	"context"
	"strings"
)

func expandCommand() command {
	return command{name: "expand", doc: "print the model with its formulas, y ~ glm(…), written out",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("expand", args); err != nil {
				return err
			}
			if err := s.needModel(); err != nil {
				return err
			}
			return s.say(verbatim, "%s", strings.TrimRight(s.now.built.Expanded.Text(), "\n"))
		}}
}
