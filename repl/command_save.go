package repl

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/internal/atomicfile"
)

func saveCommand() command {
	return command{name: "save", args: "[FILE]", doc: "write the model, and print the command that runs it", files: true,
		run: func(s *Session, _ context.Context, args string) error {
			path := s.now.Path
			if list := words(args); len(list) == 1 {
				path = list[0]
			} else if len(list) > 1 {
				return usagef(":save takes one file")
			}
			if path == "" {
				return usagef(":save needs a file, as :save model.vfl")
			}
			if s.now.empty() {
				return s.needModel()
			}
			if filepath.Ext(path) == "" {
				path += ".vfl"
			}
			if err := atomicfile.WriteBytes(path, 0o644, []byte(s.now.text())); err != nil {
				return err
			}
			next := s.now.copied()
			next.Path = path
			if err := refused(next.compile()); err != nil {
				return err
			}
			s.now, s.saved = next, next
			s.keep()
			return s.reply("saved", map[string]any{"file": path, "command": s.runLine()}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "written: %s\nto run it:\n%s\n", path, s.runLine())
				return err
			})
		}}
}

// runLine is the command that runs the present model on its tables.
func (s *Session) runLine() string { return strings.Join(s.runArguments(), " ") }

func (s *Session) runArguments() []string {
	out := []string{"vflc", "run", quoted(s.now.name())}
	for _, f := range s.now.flags() {
		out = append(out, "--data", quoted(f))
	}
	if s.now.Key != "" {
		out = append(out, "--key", quoted(s.now.Key))
	}
	if s.now.Intersect {
		out = append(out, "--rows", rowsIntersect)
	}
	return out
}

// quoted puts quotes around what a shell would divide or expand.
func quoted(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n\"'\\$&;|<>()*?[]#~`!{}") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
