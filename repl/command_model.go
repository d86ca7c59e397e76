package repl

import (
	"context"
	"io"
)

func modelCommand() command {
	return command{name: "model", doc: "print the model as it was typed, and the warnings about it",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("model", args); err != nil {
				return err
			}
			if s.now.empty() {
				return s.say("model", "%s", s.overview())
			}
			return s.reply("model", map[string]any{"text": s.now.text()}, func(w io.Writer) error {
				if _, err := io.WriteString(w, s.now.text()); err != nil {
					return err
				}
				return s.diagnostics(w, s.withoutLets(s.now.found))
			})
		}}
}
