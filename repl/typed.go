package repl

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

var (
	flagIn = regexp.MustCompile(`--([a-z][a-z-]*)( [a-z0-9.+-]*[a-z0-9])?`) // with the word behind it
	// of a command that may be one here too
	lineOf = regexp.MustCompile(`vflc ([a-z]+)( RUN)?\b`)
	// a line of a model, or what marks a place in it
	excerpt = regexp.MustCompile(`^ *[0-9]* *(\x1b\[[0-9;]*m)?[0-9]* *\|`)
)

// typed writes a message as one reads it at the prompt: commands and flags of vflc run that are commands here
// are named as such, and settings as :fit has them. What stands behind a command of vflc stays a command
// line.
func (s *Session) typed(text string) string {
	text = lineOf.ReplaceAllStringFunc(text, func(line string) string {
		if name := lineOf.FindStringSubmatch(line)[1]; slices.Contains(s.commandNames(), name) {
			return ":" + name
		}
		return line
	})
	text, after, found := strings.Cut(text, "vflc ")
	line := ""
	if found {
		line = "vflc " + after
	}
	names := settingNames()
	return flagIn.ReplaceAllStringFunc(text, func(flag string) string {
		parts := flagIn.FindStringSubmatch(flag)
		name, word := parts[1], parts[2]
		for _, c := range s.commands() {
			if c.flag && name == c.name {
				return ":" + name + word
			}
		}
		switch {
		case !slices.Contains(names, name):
			return flag
		case word != "" && isValue(name, word[1:]):
			return name + "=" + word[1:]
		}
		return name + word
	}) + line
}

// isValue reports whether a word behind the name of a setting is a value of it.
func isValue(name, word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil || slices.ContainsFunc(fit.Backends(), func(a backends.Algorithm) bool {
		return slices.Contains(valuesOf(a, name), word)
	})
}

// diagnostics writes diagnostics within the width of the terminal. Lines of a model stay whole: a mark below
// belongs to its column.
func (s *Session) diagnostics(w io.Writer, l diag.List) error {
	var b strings.Builder
	if err := diag.Text(&b, l.Shown(), s.Color); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if !excerpt.MatchString(line) {
			line = s.wrapped(s.typed(line))
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}
