package repl

import (
	"context"
	"os"
)

func recoverCommand() command {
	return command{name: "recover",
		doc: "bring back the model of the last session that ended without saving it",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("recover", args); err != nil {
				return err
			}
			if s.Journal == "" {
				return inputf("this session keeps no journal")
			}
			for _, f := range s.journals() {
				old, err := readJournal(f)
				if err != nil {
					continue
				}
				s.change(old)
				os.Remove(f)
				return s.say("model", "%s", s.overview())
			}
			return inputf("no earlier session has left a model behind")
		}}
}
