package repl

import (
	"bytes"
	"context"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
)

func auditCommand() command {
	return command{name: "audit", args: "[BACKEND]",
		doc:    "print what crosses between parties, and what a curious receiver can compute from it",
		values: func(*Session, []string) []string { return backendNames() },
		run: func(s *Session, _ context.Context, args string) error {
			if err := s.needModel(); err != nil {
				return err
			}
			a := fit.Backends()[0]
			if args != "" {
				var err error
				if a, err = backend(args); err != nil {
					return err
				}
			}
			return s.audit(a)
		}}
}

func (s *Session) audit(a backends.Algorithm) error {
	if s.Audit == nil {
		return usagef("there is no audit here")
	}
	var b bytes.Buffer
	if err := s.Audit(&b, s.now.built, a); err != nil {
		return err
	}
	return s.say("audit", "%s", bytes.TrimRight(b.Bytes(), "\n"))
}
