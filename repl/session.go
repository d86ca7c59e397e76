package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/stdlib"
)

// Exit codes of a failed unit, as of the commands of vflc.
const (
	exitInput = 1 // the model, the data or a file is wrong
	exitUsage = 2 // the unit is no command, or its arguments do not fit
)

// A Config says where a session writes, and what is around it. The zero value writes nothing.
type Config struct {
	Out   io.Writer  // answers
	Live  io.Writer  // progress of fits, and messages about them
	Width func() int // of Out in characters
	Color bool       // Out takes escape sequences for colours
	Wrap  bool       // long lines of text are broken at blanks to fit the width
	// Shell runs a command of the system's shell, or a program with its arguments, at the terminal.
	Shell func(command string, args ...string) error
	// Audit writes what crosses between the parties of a model.
	Audit func(w io.Writer, m *compile.Model, a backends.Algorithm) error
	// Verbs are the commands of vflc that take fits, and Carry carries out a line of one.
	Verbs []Verb
	Carry func(ctx context.Context, line VerbLine) error
	// History keeps what was typed; nil: nothing is kept.
	History *History
	// Journal is the file that holds the model while it is not saved, so that a process that is killed does
	// not lose it; "": none.
	Journal string
}

// A Session is a model in the making, its tables, and its fits. It is not safe for concurrent use.
type Session struct {
	Config
	universe     *stdlib.Universe
	now          *state
	past, future []*state
	saved        *state // whose text is in its file
	runs         []*run
	current      *run // that questions are about; nil: none
	// gives the fit that was interrupted and whose draws are still being summarised; nil: none
	late      chan outcome
	lateName  string
	answering context.Context // of the unit that is being answered
	json      bool
	pager     bool
	depth     int // of scripts within scripts
	took      time.Duration
	warned    map[string]bool // warnings that have been shown
	done      bool
}

// New returns a session with an empty model.
func New(c Config) *Session {
	for _, w := range []*io.Writer{&c.Out, &c.Live} {
		if *w == nil {
			*w = io.Discard
		}
	}
	if c.Width == nil {
		c.Width = func() int { return 80 }
	}
	s := &Session{Config: c, universe: stdlib.New(), now: &state{}, warned: map[string]bool{}}
	s.saved = s.now
	return s
}

// Done reports whether the session has been asked to end.
func (s *Session) Done() bool { return s.done }

// A Failure is the error of a unit: what is wrong, and the exit code of a process that ends with it.
type Failure struct {
	Code        int
	Diagnostics diag.List // in place of Err
	Err         error
}

func (f *Failure) Error() string {
	if f.Err != nil {
		return f.Err.Error()
	}
	return data.Errors(f.Diagnostics).Error()
}

func (f *Failure) Unwrap() error { return f.Err }

func usagef(format string, args ...any) error {
	return &Failure{Code: exitUsage, Err: fmt.Errorf(format, args...)}
}

func inputf(format string, args ...any) error {
	return &Failure{Code: exitInput, Err: fmt.Errorf(format, args...)}
}

// refused returns the errors of a list as a Failure; nil if there are none.
func refused(l diag.List) error {
	if !l.HasErrors() {
		return nil
	}
	return &Failure{Code: exitInput, Diagnostics: l}
}

// Eval answers one unit of input: statements, commands, questions, or several of them on lines of their own.
// It stops at the first that fails. The error is a *Failure. A context that ends stops a fit, which keeps its
// draws, and gives up other work.
func (s *Session) Eval(ctx context.Context, unit string) error {
	s.answering = ctx
	for _, p := range pieces(unit) {
		begun := time.Now()
		err := s.piece(ctx, p)
		s.took = time.Since(begun)
		if err != nil {
			return s.failure(ctx, err)
		}
		if s.done {
			break
		}
	}
	return nil
}

// failure gives every error an exit code.
func (s *Session) failure(ctx context.Context, err error) error {
	var f *Failure
	var diags data.Errors
	err = data.Trouble(err)
	switch {
	case errors.As(err, &f):
		inLine(f.Diagnostics)
		return err
	case errors.As(err, &diags):
		return &Failure{Code: exitInput, Diagnostics: diag.List(diags)}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return &Failure{Code: 130, Err: errors.New("interrupted")}
	}
	return &Failure{Code: exitInput, Err: err}
}

// inLine calls the end of what was typed the end of the line.
func inLine(l diag.List) {
	for _, d := range l {
		if d.File != nil && d.File.Name == inputName {
			d.Message = strings.Replace(d.Message, parser.EndOfFile, "the end of the line", 1)
		}
	}
}

// Show writes the error of a unit.
func (s *Session) Show(w io.Writer, err error) {
	var f *Failure
	errors.As(err, &f)
	switch {
	case s.json && f != nil:
		message := map[string]any{"answer": "error", "code": f.Code, "message": f.Error()}
		s.encode(message)
	case f != nil && f.Diagnostics != nil:
		s.diagnostics(w, f.Diagnostics)
	case f != nil && f.Err == nil: // it has been shown
	default:
		fmt.Fprintln(w, s.wrapped(s.typed(err.Error())))
	}
}

// reply writes an answer: text for people, or one line of JSON with its kind and the value.
func (s *Session) reply(kind string, value any, text func(w io.Writer) error) error {
	if !s.json {
		return text(s.Out)
	}
	fields := map[string]any{"answer": kind}
	if m, ok := value.(map[string]any); ok {
		for k, v := range m {
			fields[k] = v
		}
	} else {
		fields["value"] = value
	}
	return s.encode(fields)
}

// encode writes a line of JSON.
func (s *Session) encode(fields map[string]any) error {
	e := json.NewEncoder(s.Out)
	e.SetEscapeHTML(false)
	return e.Encode(fields)
}

// say is an answer that is a text.
func (s *Session) say(kind, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return s.reply(kind, map[string]any{"text": text}, func(w io.Writer) error {
		if kind != verbatim {
			text = s.wrapped(text)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	})
}

// verbatim is the kind of answers whose lines are never broken: programs.
const verbatim = "program"

// A piece of a unit is of one kind: vfl, or a line of another.
type piece struct {
	mark byte // ':', '?', '!', or 0 for vfl
	text string
}

// pieces divides a unit. Lines that begin with a mark stand alone, except inside a statement.
func pieces(unit string) []piece {
	var out []piece
	var vfl strings.Builder
	flush := func() {
		if strings.TrimSpace(vfl.String()) != "" {
			out = append(out, piece{0, vfl.String()})
		}
		vfl.Reset()
	}
	for line := range strings.Lines(unit) {
		trimmed := strings.TrimSpace(line)
		if m := markOf(trimmed); m != 0 && !open(vfl.String()) {
			flush()
			out = append(out, piece{m, strings.TrimSpace(trimmed[1:])})
			continue
		}
		vfl.WriteString(line)
	}
	flush()
	return out
}

// markOf returns the mark of a line that is not vfl. A line of vfl may begin with the colon of a type, which
// a blank follows.
func markOf(line string) byte {
	switch {
	case line == "":
		return 0
	case line[0] == '?' || line[0] == '!':
		return line[0]
	case line[0] == ':' && (len(line) == 1 || line[1] != ' '):
		return ':'
	}
	return 0
}

// open reports whether brackets of a text are open.
func open(text string) bool {
	depth := 0
	for _, w := range parser.Words(text) {
		switch text[w.Start:w.End] {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return depth > 0
}

// A flusher holds what is written to it until it is asked to show it.
type flusher interface{ Flush() }

// flush shows what has been answered so far, before something else writes to the terminal.
func (s *Session) flush() {
	if f, ok := s.Out.(flusher); ok {
		f.Flush()
	}
}

// More reports whether a unit goes on: a bracket is open, or it ends with something that another word must
// follow.
func More(unit string) bool {
	if m := markOf(strings.TrimSpace(unit)); m != 0 {
		return false
	}
	if i := strings.LastIndex(unit, "/*"); i >= 0 && !strings.Contains(unit[i:], "*/") {
		return true
	}
	words := parser.Words(unit)
	if open(unit) {
		return true
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains([]string{"+", "-", "*", "/", ".*", "./", "^", ",", "=", "~", "@", ":", "&&", "||",
		"<", ">", "<=", ">=", "==", "!=", "from", "|"}, unit[last.Start:last.End])
}

func (s *Session) piece(ctx context.Context, p piece) error {
	switch p.mark {
	case ':':
		return s.command(ctx, p.text)
	case '?':
		return s.document(ctx, p.text)
	case '!':
		return s.shell(p.text)
	}
	text := strings.TrimSpace(p.text)
	asked, err := s.question(ctx, text)
	if !asked {
		err = s.declare(p.text)
	}
	if hint := s.colonless(text); err != nil && hint != "" {
		return usagef("%s", hint)
	}
	return err
}

// bare is a text that begins as a command without its mark: a word alone, or before another word, which is no
// expression of vfl.
var bare = regexp.MustCompile(`^([A-Za-z]+)( +[\pL\d"'./*].*)?;?$`)

// colonless says how to write what is wrong as vfl and begins with the name of a command, or as SQL; "" for
// any other text.
func (s *Session) colonless(text string) string {
	m := bare.FindStringSubmatch(text)
	if m == nil || s.now.built != nil && s.now.built.Checked.Symbols[m[1]] != nil {
		return ""
	}
	word := strings.ToLower(m[1])
	switch word {
	case "select":
		return "there is no SQL at this prompt: :head shows the first rows of the tables, :describe COLUMN " +
			"summarises one, and mean(COLUMN) of a column that is declared is over its rows"
	case "exit", "q", "bye":
		word = quitCommand().name
	}
	if slices.Contains(parser.Keywords(), word) || !slices.Contains(s.commandNames(), word) {
		return ""
	}
	return fmt.Sprintf("commands begin with a colon: :%s%s", word, m[2])
}

func (s *Session) shell(command string) error {
	switch {
	case s.Shell == nil:
		return usagef("there is no shell here")
	case command == "":
		return usagef("write a command of the shell after !, as !ls")
	}
	s.flush()
	if err := s.Shell(command); err != nil {
		return inputf("!%s: %v", command, err)
	}
	return nil
}

// nearest proposes a name that was perhaps meant.
func nearest(name string, known []string) string {
	if near := check.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// inputName is what messages call the text that was typed.
const inputName = "input"
