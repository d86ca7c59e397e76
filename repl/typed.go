package repl

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

var (
	flagIn  = regexp.MustCompile(`--[a-z][a-z-]*`)
	lineOf  = regexp.MustCompile(`vflc ([a-z]+)( RUN)?\b`)                 // of a command that may be one here too
	excerpt = regexp.MustCompile(`^ *[0-9]* *(\x1b\[[0-9;]*m)?[0-9]* *\|`) // a line of a model, or what marks a place in it
)

// typed writes a message as one reads it at the prompt: commands and flags of vflc run that are commands here are named as such.
func typed(text string) string {
	text = lineOf.ReplaceAllStringFunc(text, func(line string) string {
		if name := lineOf.FindStringSubmatch(line)[1]; slices.Contains(commandNames(), name) {
			return ":" + name
		}
		return line
	})
	return flagIn.ReplaceAllStringFunc(text, func(flag string) string {
		for _, c := range commands() {
			if c.flag && flag == "--"+c.name {
				return ":" + c.name
			}
		}
		return flag
	})
}

// diagnostics writes diagnostics within the width of the terminal. Lines of a model stay whole: a mark below belongs to its column.
func (s *Session) diagnostics(w io.Writer, l diag.List) error {
	var b strings.Builder
	if err := diag.Text(&b, l.Shown(), s.Color); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if !excerpt.MatchString(line) {
			line = s.wrapped(typed(line))
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}
