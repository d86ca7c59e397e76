package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/repl"
	"github.com/vflc/vflc/repl/term"
)

// replFlags are the flags of repl.
type replFlags struct {
	units  []string
	bail   bool
	noInit bool
}

func newRepl() *cobra.Command {
	var f replFlags
	cmd := &cobra.Command{
		Use:   "repl [MODEL]",
		Short: "Explore at a prompt: declare, load, fit, ask and plot",
		Long: `Read statements of vfl, commands and questions, and answer each. At a terminal lines are edited, completed with Tab and kept in a history;
otherwise they are read from standard input. :help lists the commands, docs/repl.md is an introduction.

What is typed is kept in vflc/history.jsonl, and a model that is not saved in vflc/session-PID.json, both in $XDG_STATE_HOME (else
~/.local/state), readable by you alone. Lines of vflc/init.repl in $XDG_CONFIG_HOME (else ~/.config) are run first.`,
		Example: `  vflc repl
  vflc repl examples/logistic.vfl
  vflc repl -c ':open examples/logistic.vfl' -c ':priors'
  vflc repl --bail < script`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("repl takes one MODEL, but has %d arguments", len(args))
			}
			return nil
		},
		RunE: action(func(cmd *cobra.Command, args []string) error { return runRepl(cmd, args, &f) }),
	}
	cmd.Flags().StringArrayVarP(&f.units, "command", "c", nil,
		"answer this `line` and end, with the exit code of the first error; repeatable")
	cmd.Flags().BoolVar(&f.bail, "bail", false, "end at the first error, with its exit code")
	cmd.Flags().BoolVar(&f.noInit, "no-init", false, "do not run init.repl")
	return cmd
}

// runRepl holds a session at a terminal, or over standard input.
func runRepl(cmd *cobra.Command, args []string, f *replFlags) error {
	out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
	person := f.units == nil && terminal.Is(os.Stdin) && terminal.Is(out)
	state := stateFolder()
	config := repl.Config{
		Out: out, Live: errs, Width: terminal.Width(out), Color: terminal.Colours(out),
		Shell: shell,
		Audit: func(w io.Writer, m *compile.Model, a backends.Algorithm) error {
			r, err := auditModel(m, a, nil, nil)
			if err != nil {
				return err
			}
			return r.print(w)
		},
	}
	config.Wrap, config.Verbs, config.Carry = person, promptVerbs(), carryLine
	if person && state != "" {
		var err error
		if config.History, err = repl.OpenHistory(filepath.Join(state, "history.jsonl")); err != nil {
			fmt.Fprintf(errs, "the history cannot be kept: %v\n", err)
		}
		config.Journal = filepath.Join(state, fmt.Sprintf("session-%d.json", os.Getpid()))
	}
	s := repl.New(config)
	defer s.End()
	if err := begin(s, errs, args, f); err != nil {
		return err
	}
	switch {
	case f.units != nil:
		return answerAll(s, errs, repl.NewLines(strings.NewReader(strings.Join(f.units, "\n"))), true)
	case person:
		return converse(s, out)
	}
	return answerAll(s, errs, repl.NewLines(os.Stdin), f.bail)
}

// promptVerbs are the commands about finished runs that a prompt has.
func promptVerbs() (out []repl.Verb) {
	for _, make := range []func() *cobra.Command{newSummary, newDiagnose, newPlot, newPPC, newPredict,
		newEffects, newContrast, newLOO, newWAIC, newCompare, newSensitivity, newEvidence} {
		cmd := make()
		v := repl.Verb{Usage: cmd.Use, Doc: cmd.Short, Flags: cmd.Flags().FlagUsages(),
			JSON: cmd.Flags().Lookup("json") != nil, File: cmd.Flags().Lookup("output") != nil}
		if strings.Contains(cmd.Use, "KIND") {
			v.Words = plot.Names()
		}
		out = append(out, v)
	}
	return out
}

// carryLine carries out a line of a verb.
func carryLine(ctx context.Context, l repl.VerbLine) error {
	_, err := perform(context.WithValue(ctx, fitsKey{}, l.Fit), l.Words, l.Out, l.Messages)
	if err == nil {
		return nil
	}
	f := &failure{exitUsage, err}
	errors.As(err, &f)
	return &repl.Failure{Code: f.code, Err: f.err}
}

// begin runs the lines of the init file and opens the model.
func begin(s *repl.Session, errs io.Writer, args []string, f *replFlags) error {
	if path := initFile(); path != "" && !f.noInit {
		switch text, err := os.ReadFile(path); {
		case err == nil:
			if err := s.Script(context.Background(), string(text)); err != nil {
				fmt.Fprintf(errs, "%s: ", path)
				s.Show(errs, err)
			}
		case !errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(errs, "%v\n", err)
		}
	}
	if len(args) == 0 {
		return nil
	}
	if err := s.Open(args[0]); err != nil {
		s.Show(errs, err)
		return shown(codeOf(err))
	}
	return nil
}

func codeOf(err error) int {
	var f *repl.Failure
	if errors.As(err, &f) {
		return f.Code
	}
	return exitInput
}

// answerAll answers units of a text. With bail it ends at the first error, with its exit code; an interrupt
// ends it in any case.
func answerAll(s *repl.Session, errs io.Writer, lines *repl.Lines, bail bool) error {
	for !s.Done() {
		unit, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		ctx, release := repl.Interruptible(context.Background())
		err = s.Eval(ctx, unit)
		stopped := ctx.Err() != nil
		release()
		if err != nil {
			s.Show(errs, err)
		}
		switch {
		case stopped:
			return shown(exitOf(syscall.SIGINT))
		case err != nil && bail:
			return shown(codeOf(err))
		}
	}
	return nil
}

// converse reads from a person at a terminal.
func converse(s *repl.Session, out io.Writer) error {
	editor, err := term.New(term.Config{
		In: os.Stdin, Out: os.Stdout, Complete: s.Complete, More: repl.Goes,
		History: func() []string {
			var texts []string
			if s.History != nil {
				for _, e := range s.History.Entries() {
					texts = append(texts, e.Text)
				}
			}
			return texts
		},
	})
	if err != nil {
		return err
	}
	defer editor.Close()
	defer terminal.Keep(os.Stdin)() // so that Ctrl-C drops no line that was typed ahead
	defer restoreOnEnd(editor)()
	fmt.Fprintf(out, "%s\n:help lists the commands, Ctrl-D ends.\n", version())
	if left := s.Left(); left != "" {
		fmt.Fprintln(out, left)
	}
	return s.Talk(editor, page)
}

// restoreOnEnd ends the process in good order on the signals that end one, with the terminal as it was. The
// model is in the journal.
func restoreOnEnd(editor *term.Editor) (release func()) {
	got, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(got, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case by := <-got:
			editor.Restore()
			os.Exit(exitOf(by))
		case <-done:
		}
	}()
	return func() {
		signal.Stop(got)
		close(done)
	}
}

// page shows a text with a pager where it is longer than the screen. The error says that it was not shown.
func page(text string) error {
	_, height := terminal.Size(os.Stdout)
	if strings.Count(text, "\n") < height {
		return errors.New("it fits on the screen")
	}
	command := os.Getenv("PAGER")
	if command == "" {
		path, err := exec.LookPath("less")
		if err != nil {
			return err
		}
		command = path + " -FRX"
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), os.Stdout, os.Stderr
	return cmd.Run()
}

// shell runs a command of the system's shell at the terminal; with arguments, a program with them.
func shell(command string, args ...string) error {
	line := append([]string{"-c", command}, args...)
	if len(args) > 0 {
		line[1] = command + ` "$@"`
		line = append([]string{"-c", line[1], "sh"}, args...)
	}
	cmd := exec.Command("sh", line...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// stateFolder is where history and journals are; "" where the system names no folder of the user's.
func stateFolder() string { return userFolder("XDG_STATE_HOME", ".local/state") }

func initFile() string {
	dir := userFolder("XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "init.repl")
}

// userFolder is the folder vflc in the one that a variable names, else below the user's home.
func userFolder(variable, below string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return ""
		}
		dir = filepath.Join(home, below)
	}
	return filepath.Join(dir, "vflc")
}
