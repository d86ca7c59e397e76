package repl

import (
	"context"

	"github.com/vflc/vflc/internal/safefile"
)

// deepest is how many scripts may run one another.
const deepest = 8

func scriptCommand() command {
	return command{name: "script", args: "FILE", doc: "run the lines of a file, up to the first that fails",
		files: true,
		run: func(s *Session, ctx context.Context, args string) error {
			list := words(args)
			if len(list) != 1 {
				return usagef(":script needs a file")
			}
			if s.depth >= deepest {
				return inputf("%d scripts run one another: does %s run itself?", s.depth, list[0])
			}
			text, err := safefile.Read(list[0], safefile.MaxText)
			if err != nil {
				return err
			}
			s.depth++
			defer func() { s.depth-- }()
			return s.Script(ctx, string(text))
		}}
}

// Script runs the units of a text, up to the first that fails.
func (s *Session) Script(ctx context.Context, text string) error {
	for _, unit := range Units(text) {
		if err := s.Eval(ctx, unit); err != nil || s.done {
			return err
		}
	}
	return nil
}
