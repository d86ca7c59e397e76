package repl

import (
	"context"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
)

func undoCommand() command {
	return command{name: "undo", doc: "take back the last change of the model or its tables",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("undo", args); err != nil {
				return err
			}
			if len(s.past) == 0 {
				return inputf("there is nothing to undo")
			}
			last := len(s.past) - 1
			was := s.now
			s.future, s.now, s.past = append(s.future, s.now), s.past[last], s.past[:last]
			return s.stepped("undone", was)
		}}
}

// stepped says what a step in the history of the model has changed.
func (s *Session) stepped(how string, was *state) error {
	s.keep()
	what := strings.Join(s.now.changes(was), ", ")
	if what == "" {
		what = "a computed value"
	}
	if err := s.say(how, "%s: %s; %s", how, what, grouped.Count(len(s.now.Statements), "statement")); err !=
		nil {
		return err
	}
	for _, r := range slices.Backward(s.runs) { // the fit of this model, if there is one
		if r.of == nil || len(s.now.changes(r.of)) > 0 {
			continue
		}
		if s.current != r && s.current.of != nil && len(s.now.changes(s.current.of)) > 0 {
			s.current = r
			if err := s.say("fits", "questions are about %s again, which is of this model",
				r.name); err != nil {
				return err
			}
		}
		break
	}
	return s.stale()
}
