package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/fit/study/spread"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/internal/inputfile"
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
		Long: `Run the cells of a study, several at the same time, and write tables (CSV), figures (PNG and SVG), all numbers (results.csv) and a report in Markdown (study.md).

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
	fs.StringVar(&f.data, "data", "", "`folder` with the tables that the study lists, in place of the one that it names")
	fs.StringVarP(&f.dir, "output", "o", "", "`folder` of the results (default the name of the study with -study, in the present folder)")
	fs.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "number of cells to work on at the same time; the results do not depend on it")
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
	tasks  []study.Task // of the cells, in their order
	inputs map[string][]study.Input
	files  map[string]*inspection
	lock   sync.Mutex
	failed map[*study.Cell]error
}

func runStudy(cmd *cobra.Command, path string, f *studyFlags) error {
	s := &studyState{cmd: cmd, flags: f, inputs: map[string][]study.Input{}, files: map[string]*inspection{}, failed: map[*study.Cell]error{}}
	switch {
	case f.jobs < 1:
		return usagef("--jobs must be positive")
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
	results, err := s.store.Collect(s.study, s.tasks, s.failed)
	if err != nil {
		return err
	}
	return s.report(results)
}

// read reads the study, and checks every cell as far as that is possible before it runs.
func (s *studyState) read(path string) error {
	text, err := inputfile.Read(path, inputfile.MaxText)
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
		err := carryOut(context.WithValue(s.cmd.Context(), inspectionKey{}, found), c.Args(), io.Discard, &said)
		if !found.done {
			list.Errorf(diag.BadCell, s.study.File, c.Span, "this cell would not run (%s): %s", c.Name(), reasonOf(err, said.String()))
			continue
		}
		if err := found.files(c.New); err != nil {
			list.Errorf(diag.BadCell, s.study.File, c.Span, "%v", err)
			continue
		}
		t, err := study.Identify(c, found.inputs)
		if err != nil {
			list.Errorf(diag.BadCell, s.study.File, c.Span, "%v", err)
			continue
		}
		s.tasks, s.inputs[t.ID], s.files[t.ID] = append(s.tasks, t), found.inputs, found
	}
	return list
}

// wrongFlag is the first flag of a cell that its command does not have, or whose value it does not take.
func (s *studyState) wrongFlag(c *study.Cell) *diag.Diagnostic {
	var list diag.List
	cmd, _, err := newRoot().Find([]string{c.Command})
	if err != nil {
		return list.Errorf(diag.BadCell, s.study.File, c.Span, "%v", err)
	}
	var all []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	for _, f := range c.Flags {
		if cmd.Flags().Lookup(f.Name) == nil {
			return list.Errorf(diag.BadCell, s.study.File, f.Span, "vflc %s has no flag --%s%s", c.Command, f.Name, didYouMean(f.Name, all))
		}
		if err := cmd.Flags().Set(f.Name, f.Value); err != nil {
			return list.Errorf(diag.BadCell, s.study.File, f.Span, "--%s: %v", f.Name, err)
		}
	}
	return nil
}

// carryOut carries out a command line in this process.
func carryOut(ctx context.Context, args []string, out, messages io.Writer) error {
	root := newRoot()
	root.SetOut(out)
	root.SetErr(messages)
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(context.WithValue(ctx, commandLineKey{}, append([]string{"vflc"}, args...)))
	if err != nil && !errors.Is(err, errInspected) {
		exitCode(messages, ran, err)
	}
	return err
}

// work does the cells whose results are not there.
func (s *studyState) work(ctx context.Context) error {
	var open []study.Task
	for _, t := range s.tasks {
		same := func(o study.Task) bool { return o.ID == t.ID }
		if !s.store.Has(t) && !slices.ContainsFunc(open, same) {
			open = append(open, t)
		}
	}
	begun := time.Now()
	report := func(t study.Task, failed error, done, all int) {
		if failed != nil {
			s.fail(t, failed)
		}
		if s.flags.quiet {
			return
		}
		how := ""
		if failed != nil {
			how = ": failed"
		}
		fmt.Fprintf(s.cmd.ErrOrStderr(), "%d / %d cells, %v  %s%s\n", done, all, time.Since(begun).Round(time.Second), t.Cell.Name(), how)
	}
	if s.flags.nats.url != "" && len(open) > 0 {
		err := s.spread(ctx, open, report)
		if by := interruption(ctx); by != nil {
			fmt.Fprintln(s.cmd.ErrOrStderr(), "interrupted; the workers go on, and the same command takes their results")
			return by
		}
		return err
	}
	queue := study.NewLocal(open, report)
	var wait sync.WaitGroup
	var lost error
	for range min(s.flags.jobs, max(1, len(open))) {
		wait.Go(func() {
			if err := study.Work(ctx, queue, s.do); err != nil {
				s.lock.Lock()
				lost = err
				s.lock.Unlock()
			}
		})
	}
	wait.Wait()
	if err := interruption(ctx); err != nil {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "interrupted; the same command continues the study from what is in %s\n", s.flags.dir)
		return err
	}
	return lost
}

// fail notes that the cells with a result have none.
func (s *studyState) fail(t study.Task, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, o := range s.tasks {
		if o.ID == t.ID {
			s.failed[o.Cell] = err
		}
	}
}

// spread has the cells made by workers elsewhere.
func (s *studyState) spread(ctx context.Context, open []study.Task, report func(t study.Task, failed error, done, all int)) error {
	var all []spread.Work
	for _, t := range open {
		found := s.files[t.ID]
		if found.far != "" {
			return usagef("--nats: %s is no file; the tables of a study that is spread are files", found.far)
		}
		cell := *t.Cell
		for _, flags := range []*[]study.Flag{&cell.Flags, &cell.New} {
			*flags = slices.Clone(*flags)
			for k, f := range *flags {
				if f.Name == study.DataFlag {
					(*flags)[k].Value = absoluteTables(f.Value)
				}
			}
		}
		t.Cell = &cell
		all = append(all, spread.Work{Task: t, Inputs: s.inputs[t.ID], Files: found.texts})
	}
	link, err := s.flags.nats.open(ctx)
	if err != nil {
		return err
	}
	defer link.Close()
	return link.Offer(ctx, fit.Version(), all, s.store, report)
}

// absoluteTables writes the files of PARTY=FILE,FILE as absolute paths.
func absoluteTables(value string) string {
	party, files, named := strings.Cut(value, "=")
	if !named {
		files = value
	}
	list := strings.Split(files, ",")
	for k, file := range list {
		if path, err := filepath.Abs(file); err == nil {
			list[k] = path
		}
	}
	if files = strings.Join(list, ","); named {
		return party + "=" + files
	}
	return files
}

// do makes the result of a cell.
func (s *studyState) do(ctx context.Context, t study.Task) error {
	return makeCell(ctx, s.store, t, s.inputs[t.ID])
}

// makeCell makes the result of a cell in a store.
func makeCell(ctx context.Context, store *study.Store, t study.Task, inputs []study.Input) error {
	command, _ := study.CommandOf(t.Cell.Command)
	return store.Make(t, inputs, func(dir string, resumed bool, log io.Writer) error {
		var said strings.Builder
		messages := io.MultiWriter(log, &said)
		result := filepath.Join(dir, command.Writes)
		if command.Output != "" {
			line := append(t.Cell.Args(), "--"+command.Output, result)
			if resumed {
				line = []string{newResume().Name(), result}
			}
			err := carryOut(ctx, line, io.Discard, messages)
			if err == nil && t.Cell.Predicts {
				err = carryOut(ctx, append(t.Cell.PredictArgs(result), "--output", filepath.Join(dir, study.PredictionsFile)), io.Discard, messages)
			}
			return reasoned(err, &said)
		}
		return atomicfile.Write(result, ownerOnly, func(w io.Writer) error {
			return reasoned(carryOut(ctx, append(t.Cell.Args(), "--json", "--quiet"), w, messages), &said)
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

// reasonOf is the first error among the messages of a command, else the error itself.
func reasonOf(err error, said string) string {
	lines := bufio.NewScanner(strings.NewReader(said))
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "vflc: "); ok {
			return text
		}
		if strings.Contains(lines.Text(), ": error V") || strings.HasSuffix(lines.Text(), "]") && strings.Contains(lines.Text(), "[V") {
			return lines.Text()
		}
	}
	return err.Error()
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
	failed := 0
	for _, r := range results {
		if r.Failed != "" {
			failed++
			fmt.Fprintf(s.cmd.ErrOrStderr(), "no result of %s: %s\n", r.Cell.Name(), r.Failed)
		}
	}
	if !s.flags.quiet {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "%d cells; %s has the report\n", len(results), filepath.Join(s.flags.dir, study.ReportFile))
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
	for _, t := range s.tasks {
		state := ""
		if s.store.Has(t) {
			state = "done"
			done++
		}
		lines = append(lines, []string{t.ID, state, t.Cell.Name()})
	}
	_, err := fmt.Fprintf(s.cmd.OutOrStdout(), "%s\n%d cells, %d done\n", posterior.AlignLeft(lines), len(s.tasks), done)
	return err
}
