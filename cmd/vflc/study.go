package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// studyFlags are those of study.
type studyFlags struct {
	data  string
	dir   string
	jobs  int
	list  bool
	quiet bool
	json  bool
	nats  natsFlags
}

func newStudy() *cobra.Command {
	var f studyFlags
	cmd := &cobra.Command{
		Use:   "study FILE.toml",
		Short: "Run a grid of fits and cross-validations, and put the results side by side",
		Long: `Run the cells of a study, several at the same time, and write tables (CSV), figures (SVG), all numbers (results.csv) and a report in Markdown (study.md).

A cell is ` + cellCommands() + ` with the flags that the study gives it, and computes what that command does. Its result is a
folder whose name follows from the model, the tables, the flags and the version of vflc: a study that is run again, after an interrupt, a crash or a change of the file, computes only what is
not there, and continues a fit from where it was.

With --nats the cells are worked on by the processes of vflc worker on any machines, which get the models and tables of the study; the results are the same.

--data names the folder with the tables that the study lists; without it, and without a folder in the study, the cells use the tables beside their models.`,
		Example: `  vflc study examples/paper/heart.toml --data tables -o heart
  vflc study grid.toml --list
  vflc study grid.toml --jobs 2`,
		Args: oneArgument("a FILE.toml"),
		RunE: action(func(cmd *cobra.Command, args []string) error { return runStudy(cmd, args[0], &f) }),
	}
	fs := cmd.Flags()
	fs.StringVar(&f.data, "data", "",
		"`folder` with the tables that the study lists, in place of the one that it names")
	fs.StringVarP(&f.dir, "output", "o", "",
		"`folder` of the results (default the name of the study with -study, in the present folder)")
	fs.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0),
		"number of cells to work on at the same time; the results do not depend on it")
	fs.BoolVar(&f.list, "list", false, "print the cells and whether their results are there, and run nothing")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress")
	fs.BoolVar(&f.json, "json", false, "print the results as JSON: of each cell its labels and numbers")
	f.nats.add(cmd)
	return cmd
}

// cellCommands are the commands of cells, for help.
func cellCommands() string {
	var out []string
	for _, c := range study.Commands() {
		out = append(out, "`vflc "+c.Name+"` ("+c.Doc+")")
	}
	return strings.Join(out, " or ")
}

// A studyState is what the steps of a study share.
type studyState struct {
	cmd    *cobra.Command
	flags  *studyFlags
	study  *study.Study
	store  *study.Store
	found  map[string]*inspection // by the name of a cell
	failed map[string]error
	lock   sync.Mutex // of what is said
}

func runStudy(cmd *cobra.Command, path string, f *studyFlags) error {
	s := &studyState{cmd: cmd, flags: f, found: map[string]*inspection{}, failed: map[string]error{}}
	switch {
	case f.jobs < 1:
		return usagef("--jobs must be positive")
	case f.nats.check(cmd) != nil:
		return f.nats.check(cmd)
	case f.dir == "":
		f.dir = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "-study"
	}
	if err := s.read(path); err != nil {
		return err
	}
	var err error
	if f.dir, err = filepath.Abs(f.dir); err != nil {
		return err
	}
	if s.store, err = study.OpenStore(f.dir, !f.list); err != nil {
		return err
	}
	defer s.store.Close()
	if f.list {
		return s.list()
	}
	if s.study.Origin() != "" && !f.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), s.study.Origin())
	}
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	if err := s.work(ctx); err != nil {
		return err
	}
	results, err := s.store.Collect(s.study, s.failed)
	if err != nil {
		return err
	}
	return s.report(results)
}

// read reads the study, and checks every cell as far as that is possible before it runs.
func (s *studyState) read(path string) error {
	text, err := safefile.Read(path, safefile.MaxText)
	if err != nil {
		return err
	}
	if s.flags.data != "" {
		if info, err := os.Stat(s.flags.data); err != nil || !info.IsDir() {
			return usagef("--data %s: name the folder that has the tables of the study", s.flags.data)
		}
		if s.flags.data, err = filepath.Abs(s.flags.data); err != nil {
			return err
		}
	}
	var list diag.List
	s.study, list = study.Read(source.New(path, string(text)), s.flags.data)
	if !list.HasErrors() {
		list = append(list, s.study.Check()...)
	}
	if !list.HasErrors() {
		list = append(list, s.inspect()...)
	}
	return settle(s.cmd, list)
}

// inspect asks the command of each cell whether it would run, and what its result depends on.
func (s *studyState) inspect() (list diag.List) {
	for _, c := range s.study.Cells {
		if d := s.wrongFlag(c); d != nil {
			list = append(list, d)
			continue
		}
		found := &inspection{}
		var said strings.Builder
		err := carryOut(context.WithValue(s.cmd.Context(), inspectionKey{}, found), c.Args(), io.Discard,
			&said)
		if !found.done {
			list.Errorf(diag.BadCell, s.study.File, c.Span, "this cell would not run (%s): %s", c.Name(),
				reasonOf(err, said.String()))
			continue
		}
		c.Inputs = found.inputs
		s.found[c.ID()] = found
	}
	return list
}

// wrongFlag is the first flag of a cell that its command does not have, or whose value it does not take.
func (s *studyState) wrongFlag(c *study.GridCell) *diag.Diagnostic {
	var list diag.List
	cmd, _, err := newRoot(c.Command).Find([]string{c.Command})
	if err != nil {
		return list.Errorf(diag.BadCell, s.study.File, c.Span, "%v", err)
	}
	var all []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	for _, f := range c.Flags {
		if cmd.Flags().Lookup(f.Name) == nil {
			return list.Errorf(diag.BadCell, s.study.File, f.Span, "vflc %s has no flag --%s%s", c.Command,
				f.Name, didYouMean(f.Name, all))
		}
		if err := cmd.Flags().Set(f.Name, f.Value); err != nil {
			return list.Errorf(diag.BadCell, s.study.File, f.Span, "--%s: %v", f.Name, err)
		}
	}
	return nil
}

// carryOut carries out a command line in this process, and shows its error.
func carryOut(ctx context.Context, args []string, out, messages io.Writer) error {
	ran, err := perform(ctx, args, out, messages)
	if err != nil && !errors.Is(err, errInspected) {
		exitCode(messages, ran, err)
	}
	return err
}

// work makes the cells whose results are not there.
func (s *studyState) work(ctx context.Context) error {
	var open []*cells.Cell
	labels := map[string]string{}
	for _, c := range s.study.Cells {
		id := c.ID()
		if _, there := labels[id]; !there && !s.store.Has(&c.Cell) {
			labels[id] = c.Name()
			open = append(open, &c.Cell)
		}
	}
	if len(open) == 0 {
		return nil
	}
	pool, end, err := s.pool(ctx, open)
	if err != nil {
		return err
	}
	defer end()
	begun, made := time.Now(), 0
	err = pool.Work(fit.Sharing(ctx, s.flags.jobs), open,
		func(c *cells.Cell, result []byte, failed error) (bool, error) {
			made++
			how := ""
			if failed != nil {
				s.failed[c.ID()], how = failed, ": failed"
			} else if result != nil { // of a worker
				if err := s.store.Unpack(c, bytes.NewReader(result)); err != nil {
					return false, err
				}
			}
			s.say("%d / %d cells, %v  %s%s", made, len(open), time.Since(begun).Round(time.Second),
				labels[c.ID()], how)
			return false, nil
		})
	if by := interruption(ctx); by != nil {
		fmt.Fprintf(s.cmd.ErrOrStderr(),
			"interrupted; the same command continues the study from what is in %s%s\n", s.flags.dir,
			s.flags.nats.afterwards())
		return by
	}
	return err
}

// say prints a line of progress.
func (s *studyState) say(format string, args ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if !s.flags.quiet {
		fmt.Fprintf(s.cmd.ErrOrStderr(), format+"\n", args...)
	}
}

// pool is who makes cells: this process, or workers elsewhere.
func (s *studyState) pool(ctx context.Context, open []*cells.Cell) (cells.Pool, func(), error) {
	if s.flags.nats.URL == "" {
		return cells.Local{Jobs: s.flags.jobs, Make: func(ctx context.Context, c *cells.Cell) ([]byte,
			error) {
			return nil, makeCell(ctx, s.store, c)
		}}, func() {}, nil
	}
	for _, c := range open {
		if err := s.found[c.ID()].near(); err != nil {
			return nil, nil, err
		}
		*c = *c.Moved(absolute)
	}
	say := func(text string) { s.say("%s", text) }
	link, err := s.flags.nats.open(ctx, s.cmd, say)
	if err != nil {
		return nil, nil, err
	}
	return cells.SpreadPool{Link: link, Files: func(c *cells.Cell) []cells.CellInput {
		return s.found[c.ID()].files
	}, Say: say}, link.Close, nil
}

// makeCell makes the result of a cell in a store.
func makeCell(ctx context.Context, store *study.Store, c *cells.Cell) error {
	command, _ := study.CommandOf(c.Command)
	return store.Make(c, func(dir string, resumed bool, log io.Writer) error {
		var said strings.Builder
		messages := io.MultiWriter(log, &said)
		result := filepath.Join(dir, command.Writes)
		if command.Output != "" {
			line := append(c.Args(), "--"+command.Output, result)
			if resumed {
				line = []string{newResume().Name(), result}
			}
			return reasoned(carryOut(ctx, line, io.Discard, messages), &said)
		}
		return safefile.Write(result, ownerOnly, func(w io.Writer) error {
			return reasoned(carryOut(ctx, append(c.Args(), "--json", "--quiet"), w, messages), &said)
		})
	})
}

// reasoned is an error that says what the command has printed.
func reasoned(err error, said *strings.Builder) error {
	if err == nil {
		return nil
	}
	return errors.New(reasonOf(err, said.String()))
}

// reasonOf is the first error among the messages of a command with the ways out that it names, else the error
// itself.
func reasonOf(err error, said string) (reason string) {
	lines := bufio.NewScanner(strings.NewReader(said))
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "vflc: ")
		out, note := strings.CutPrefix(text, "  note: ")
		switch {
		case ok, strings.Contains(text, ": error V"), strings.HasSuffix(text, "]") &&
			strings.Contains(text, "[V"):
			if reason != "" {
				return reason
			}
			reason = text
		case note && reason != "":
			reason += "; " + out
		}
	}
	if reason == "" {
		return err.Error()
	}
	return reason
}

// report writes the results and prints the tables.
func (s *studyState) report(results []*study.Result) error {
	sheets, err := s.store.Write(s.study, results)
	if err != nil {
		return err
	}
	out := s.cmd.OutOrStdout()
	if s.flags.json {
		err = posterior.WriteJSON(out, study.Document(s.study, results))
	} else {
		for _, sheet := range sheets {
			fmt.Fprintf(out, "%s\n\n%s\n", sheet.Name(), sheet.Text())
		}
	}
	if err != nil {
		return err
	}
	failed, doubted := 0, 0
	for _, r := range results {
		if r.Doubts() != "" {
			doubted++
		}
		if r.Failed != "" {
			failed++
			fmt.Fprintf(s.cmd.ErrOrStderr(), "no result of %s: %s\n", r.Cell.Name(), r.Failed)
		}
	}
	if doubted > 0 {
		fmt.Fprintf(s.cmd.ErrOrStderr(),
			"warning: %s with findings, which the report counts below its tables\n",
			grouped.Count(doubted, "cell"))
	}
	if !s.flags.quiet {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "%s; %s has the report\n", grouped.Count(len(results), "cell"),
			filepath.Join(s.flags.dir, study.ReportFile))
	}
	if failed > 0 {
		return shown(exitInput)
	}
	return nil
}

// list prints the cells.
func (s *studyState) list() error {
	lines := [][]string{{"cell", "state", "labels"}}
	done := 0
	for _, c := range s.study.Cells {
		state := ""
		if s.store.Has(&c.Cell) {
			state = "done"
			done++
		}
		lines = append(lines, []string{c.ID(), state, c.Name()})
	}
	_, err := fmt.Fprintf(s.cmd.OutOrStdout(), "%s\n%s, %d done\n", posterior.AlignLeft(lines),
		grouped.Count(len(s.study.Cells), "cell"), done)
	return err
}
