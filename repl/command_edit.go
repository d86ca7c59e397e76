package repl

import (
	"context"
	"os"
	"path/filepath"
)

func editCommand() command {
	return command{name: "edit", doc: "change the model's text in $EDITOR",
		run: func(s *Session, _ context.Context, args string) error {
			if err := none("edit", args); err != nil {
				return err
			}
			if s.Shell == nil {
				return usagef("there is no editor here")
			}
			dir, err := os.MkdirTemp("", "vflc")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			path := filepath.Join(dir, filepath.Base(s.now.name()))
			if err := os.WriteFile(path, []byte(s.now.text()), 0o600); err != nil {
				return err
			}
			s.flush()
			if err := s.Shell(editor(), path); err != nil {
				return inputf("%s: %v; $EDITOR names another editor", editor(), err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return s.replaceText(string(text))
		}}
}

func editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if e := os.Getenv(name); e != "" {
			return e
		}
	}
	return "vi"
}

// replaceText makes another text the model, with the same tables.
func (s *Session) replaceText(text string) error {
	if text == s.now.text() {
		return s.say("model", "unchanged")
	}
	next, err := readText(s.now.name(), text)
	if err != nil {
		return err
	}
	next.Path, next.Tables, next.Key, next.Intersect = s.now.Path, s.now.Tables, s.now.Key, s.now.Intersect
	s.change(next)
	if err := s.say("model", "%s", s.overview()); err != nil {
		return err
	}
	return s.stale()
}
