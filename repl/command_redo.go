package repl

import "context"

func redoCommand() command {
	return command{name: "redo", doc: "make the change again that was taken back last",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("redo", args); err != nil {
				return err
			}
			if len(s.future) == 0 {
				return inputf("there is nothing to redo")
			}
			last := len(s.future) - 1
			was := s.now
			s.past, s.now, s.future = append(s.past, s.now), s.future[last], s.future[:last]
			return s.stepped("redone", was)
		}}
}
