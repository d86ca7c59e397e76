package repl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
)

// A Verb is a command of vflc about finished runs. At the prompt it is about fits, whose names stand for RUN
// in any place: where there is none, about the current one, or where it needs several, about all.
type Verb struct {
	Usage string   // as "plot RUN [RUN…] [KIND]"
	Doc   string   // one line
	Words []string // that arguments may be, beside parameters and fits
	Flags string   // that it has, a line each
	JSON  bool     // it has --json
	File  bool     // it has --output, which > FILE stands for
}

// A VerbLine is a line of a verb to carry out.
type VerbLine struct {
	Words         []string
	Fit           func(name string) *fit.Finished // nil: there is none of the name
	Out, Messages io.Writer
}

// commands are those of the prompt alone with the verbs, in the order of help.
func (s *Session) commands() []command {
	all := ownCommands()
	at := slices.IndexFunc(all, func(c command) bool { return c.name == exportCommand().name })
	for k, v := range s.Verbs {
		all = slices.Insert(all, at+k, v.command())
	}
	return all
}

// command is the verb as one of the prompt.
func (v Verb) command() command {
	name, args, _ := strings.Cut(v.Usage, " ")
	args, _, _ = strings.Cut(args, " | ")
	args = strings.NewReplacer("RUN [RUN…]", "[FIT…]", "RUN RUN…", "[FIT FIT…]", "RUN", "[FIT]").Replace(args)
	if v.File {
		args += " [> FILE]"
	}
	return command{name: name, args: args, doc: v.Doc, files: v.File,
		values: func(s *Session, before []string) []string {
			return slices.Concat(s.parameters(before), v.Words, s.runNames())
		},
		more: func(int) string { return strings.TrimRight(v.Flags, "\n") },
		run: func(s *Session, ctx context.Context, args string) error {
			return s.carryOut(ctx, v, name, words(args))
		}}
}

// carryOut answers a line of a verb.
func (s *Session) carryOut(ctx context.Context, v Verb, name string, args []string) error {
	fits, args, err := s.fitsIn(args, strings.Contains(v.Usage, "RUN RUN"), name)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range fits {
		names = append(names, r.name)
	}
	args, file := intoFile(args)
	line := slices.Concat([]string{name}, names, args)
	if file != "" {
		line = append(line, "--output", file)
	}
	if s.json && v.JSON {
		line = append(line, "--json")
	}
	var out, messages bytes.Buffer
	sheet := func(b *bytes.Buffer) io.Writer {
		return &terminal.Sheet{Writer: b, Columns: s.Width, Colours: s.Color && !s.json}
	}
	err = s.Carry(ctx, VerbLine{line, s.fitNamed, sheet(&out), sheet(&messages)})
	io.WriteString(s.Live, s.within(messages.String()))
	if err == nil && file != "" {
		fmt.Fprintf(&out, "written: %s\n", file)
	}
	if out.Len() == 0 {
		return err
	}
	fields := map[string]any{}
	if json.Unmarshal(out.Bytes(), &fields) != nil {
		fields["text"] = out.String()
	}
	fields["fit"] = strings.Join(names, ", ")
	if problem := s.reply(name, fields, func(w io.Writer) error {
		_, err := io.WriteString(w, s.within(out.String()))
		for _, r := range fits {
			s.remind(w, r)
		}
		return err
	}); problem != nil {
		return problem
	}
	return err
}

// fitsIn takes the names of fits from arguments. A parameter of the same name goes before.
func (s *Session) fitsIn(args []string, several bool, name string) (fits []*run, rest []string, err error) {
	if err := s.settle(); err != nil {
		return nil, nil, err
	}
	for _, word := range args {
		at := slices.IndexFunc(s.runs, func(r *run) bool { return r.name == word })
		if at < 0 || slices.Contains(s.parameters(nil), word) {
			rest = append(rest, word)
			continue
		}
		fits = append(fits, s.runs[at])
	}
	switch {
	case several && len(fits) == 0:
		fits = s.runs
	case len(fits) == 0:
		current, err := s.runOf("")
		return []*run{current}, rest, err
	}
	if several && len(fits) < 2 {
		have := "there is no fit yet"
		if len(s.runs) > 0 {
			have = "there is " + some(s.runNames(), 8)
		}
		return nil, nil, usagef(":%s needs two fits; %s", name, have)
	}
	return fits, rest, nil
}

// intoFile takes > FILE from arguments.
func intoFile(args []string) (rest []string, file string) {
	at := slices.IndexFunc(args, func(word string) bool { return strings.HasPrefix(word, ">") })
	if at < 0 {
		return args, ""
	}
	rest, file = slices.Clone(args[:at]), strings.TrimPrefix(strings.Join(args[at:], " "), ">")
	return rest, strings.TrimSpace(file)
}

// fitNamed is a fit by its name; nil: there is none.
func (s *Session) fitNamed(name string) *fit.Finished {
	for _, r := range s.runs {
		if r.name == name {
			return &r.Finished
		}
	}
	return nil
}

// within is a text of a verb in the width of the terminal. Rows of tables, in which two blanks divide
// columns, are cut; sentences are broken, and say commands as one writes them here.
func (s *Session) within(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		switch {
		case !strings.Contains(strings.TrimLeft(line, " "), "  "):
			line = s.wrapped(s.typed(line))
		case s.Wrap:
			line = cut(line, s.Width())
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// parameters lists the names and the elements of what the current fit has draws of.
func (s *Session) parameters([]string) []string {
	if s.current == nil {
		return nil
	}
	out := s.current.Draws.Names()
	for _, c := range s.current.Draws.Columns() {
		if !slices.Contains(out, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}
