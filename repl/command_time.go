package repl

import (
	"context"
	"time"
)

func timeCommand() command {
	return command{name: "time", args: "[UNIT]", doc: "say how long a line takes; without one, the last",
		run: func(s *Session, ctx context.Context, args string) error {
			if args == "" {
				return s.say("time", "%v", s.took.Round(time.Microsecond))
			}
			begun := time.Now()
			if err := s.Eval(ctx, args); err != nil {
				return err
			}
			return s.say("time", "%v", time.Since(begun).Round(time.Microsecond))
		}}
}
