package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// A command is a line that begins with a colon.
type command struct {
	name string
	args string // as in help
	doc  string // one sentence
	// values lists what may stand as an argument, given the arguments before it; nil: nothing is proposed.
	values func(s *Session, before []string) []string
	more   func(width int) string // further help, in lines; nil: none
	files  bool                   // its arguments are files too
	flag   bool                   // a flag of vflc run has its name, and the same value
	run    func(s *Session, ctx context.Context, args string) error
}

// ownCommands lists the commands of the prompt alone, in the order of help. Each is one file, and one line
// here.
func ownCommands() []command {
	return []command{
		openCommand(), dataCommand(), rowsCommand(), keyCommand(), headCommand(), describeCommand(),
		modelCommand(), dropCommand(), undoCommand(), redoCommand(), editCommand(), reloadCommand(),
		saveCommand(), recoverCommand(),
		typeCommand(), ownersCommand(), expandCommand(), splitCommand(), auditCommand(), priorsCommand(),
		priorCommand(),
		fitCommand(), fitsCommand(), exportCommand(),
		setCommand(), timeCommand(), historyCommand(), scriptCommand(), demoCommand(), helpCommand(),
		quitCommand(),
	}
}

// usage is a command with its arguments.
func (c command) usage() string { return strings.TrimSpace(":" + c.name + " " + c.args) }

// command runs a line after its colon.
func (s *Session) command(ctx context.Context, line string) error {
	name, args, _ := strings.Cut(line, " ")
	c, err := s.find(name)
	if err != nil {
		return err
	}
	return c.run(s, ctx, strings.TrimSpace(args))
}

// find returns a command by its name, or the beginning of one name only.
func (s *Session) find(name string) (command, error) {
	var names []string
	var begun []command
	for _, c := range s.commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
		if name != "" && strings.HasPrefix(c.name, name) {
			begun = append(begun, c)
		}
	}
	switch {
	case len(begun) == 1:
		return begun[0], nil
	case len(begun) > 1:
		var each []string
		for _, c := range begun {
			each = append(each, ":"+c.name)
		}
		return command{}, usagef(":%s may be %s", name, strings.Join(each, " or "))
	}
	near := nearest(name, names)
	if near != "" {
		near = strings.Replace(near, "did you mean ", "did you mean :", 1)
	}
	return command{}, usagef("no command :%s%s; :help lists them", name, near)
}

// none refuses arguments.
func none(c, args string) error {
	if args != "" {
		return usagef(":%s takes no arguments", c)
	}
	return nil
}

// lines answers with a table of cells, aligned to the left.
func (s *Session) lines(kind string, title []string, rows [][]string) error {
	return s.reply(kind, map[string]any{"columns": title, "rows": rows}, func(w io.Writer) error {
		text := posterior.AlignLeft(append([][]string{title}, rows...))
		for line := range strings.Lines(text) {
			if _, err := fmt.Fprintln(w, cut(strings.TrimRight(line, " \n"), s.Width())); err != nil {
				return err
			}
		}
		return nil
	})
}

// cut returns the first characters of a line that is too long for the terminal.
func cut(line string, width int) string {
	r := []rune(line)
	if len(r) <= width {
		return line
	}
	return string(r[:max(0, width-1)]) + "…"
}

// needModel is an error where nothing has been declared.
func (s *Session) needModel() error {
	if s.now.built == nil {
		return inputf("there is no model yet: declare one, or :open FILE")
	}
	return nil
}

// words divides arguments at blanks, except within quotes, of one kind or the other.
func words(args string) []string {
	var out []string
	var b strings.Builder
	quote, begun := rune(0), false
	for _, r := range args {
		switch {
		case quote == 0 && (r == '"' || r == '\'' && !begun):
			quote, begun = r, true
		case r == quote:
			quote = 0
		case r == ' ' && quote == 0:
			if begun {
				out = append(out, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteRune(r)
			begun = true
		}
	}
	if begun {
		out = append(out, b.String())
	}
	return out
}

// commandNames lists the commands, sorted.
func (s *Session) commandNames() []string {
	var out []string
	for _, c := range s.commands() {
		out = append(out, c.name)
	}
	slices.Sort(out)
	return out
}
