package repl

import "context"

func quitCommand() command {
	return command{name: "quit", doc: "end the session",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("quit", args); err != nil {
				return err
			}
			s.done = true
			return nil
		}}
}
