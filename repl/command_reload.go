package repl

import (
	"context"
	"os"
)

func reloadCommand() command {
	return command{name: "reload", doc: "read the model's file again",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("reload", args); err != nil {
				return err
			}
			if s.now.Path == "" {
				return inputf("the model has no file yet: :save FILE writes one")
			}
			text, err := os.ReadFile(s.now.Path)
			if err != nil {
				return err
			}
			if err := s.replaceText(string(text)); err != nil {
				return err
			}
			s.saved = s.now
			s.keep()
			return nil
		}}
}
