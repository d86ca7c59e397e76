package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior/runs"
)

func fitCommand() command {
	return command{name: "fit", args: "[BACKEND] [SETTING=VALUE …] [seed=N] [as NAME]", doc: "fit the model; Ctrl-C stops and keeps the draws", values: settingNames,
		run: func(s *Session, ctx context.Context, args string) error {
			if err := s.needModel(); err != nil {
				return err
			}
			if err := s.settle(); err != nil {
				return err
			}
			o, err := s.order(args)
			if err != nil {
				return err
			}
			return s.fit(ctx, o)
		}}
}

// An order is what a line of :fit asks for.
type order struct {
	name     string
	backend  backends.Algorithm
	settings map[string]string
	seed     uint64
}

func backendNames() []string {
	var out []string
	for _, a := range fit.Backends() {
		out = append(out, a.Name)
	}
	return out
}

func backend(name string) (backends.Algorithm, error) {
	if a, ok := fit.Backend(name); ok {
		return a, nil
	}
	return backends.Algorithm{}, usagef("there is no backend %s%s; there are: %s", name, nearest(name, backendNames()), strings.Join(backendNames(), ", "))
}

// settingNames proposes backends and the settings of the one that was named.
func settingNames(_ *Session, before []string) []string {
	a := fit.Backends()[0]
	for _, w := range before {
		if b, ok := fit.Backend(w); ok {
			a = b
		}
	}
	out := []string{"seed=", "as"}
	if len(before) == 0 {
		out = append(out, backendNames()...)
	}
	for _, set := range a.Settings {
		out = append(out, set.Name+"=")
	}
	return out
}

// order reads the arguments of :fit.
func (s *Session) order(args string) (order, error) {
	o := order{name: s.freeName(), backend: fit.Backends()[0], settings: map[string]string{}, seed: 1}
	list := words(args)
	if n := len(list); n >= 1 && list[n-1] == "as" {
		return o, usagef(":fit: a name follows as")
	} else if n >= 2 && list[n-2] == "as" {
		o.name, list = list[n-1], list[:n-2]
		if !identifier.MatchString(o.name) {
			return o, usagef(":fit: %q is no name; write letters, digits and _", o.name)
		}
	}
	if len(list) > 0 && !strings.Contains(list[0], "=") {
		a, err := backend(list[0])
		if err != nil {
			return o, err
		}
		o.backend, list = a, list[1:]
	}
	for _, word := range list {
		if err := o.setting(word); err != nil {
			return o, err
		}
	}
	return o, nil
}

// setting reads NAME=VALUE. Dashes in front are allowed, as advice of other commands has them.
func (o *order) setting(word string) error {
	name, value, ok := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if !ok {
		return usagef(":fit: %q is not understood; write SETTING=VALUE", word)
	}
	if name == "seed" {
		if _, err := fmt.Sscan(value, &o.seed); err != nil {
			return usagef(":fit: seed=%s: write a whole number", value)
		}
		return nil
	}
	var names []string
	for _, set := range o.backend.Settings {
		if set.Name == name {
			o.settings[name] = value
			return nil
		}
		names = append(names, set.Name)
	}
	if name == "backend" {
		return usagef(":fit: the backend comes first, without a name: :fit %s", value)
	}
	return usagef("%s has no setting %s%s; it has: %s", o.backend.Name, name, nearest(name, names), strings.Join(names, ", "))
}

// command is the command line that does the same.
func (o order) command(s *Session) []string {
	out := append(s.runArguments(), "--backend", o.backend.Name, "--seed", fmt.Sprint(o.seed))
	for _, set := range o.backend.Settings {
		if v, ok := o.settings[set.Name]; ok {
			out = append(out, "--"+set.Name, v)
		}
	}
	return out
}

// fit runs an algorithm on the present model. The context's end stops it, with the draws that there are: where their summary takes long, the session goes on without it.
func (s *Session) fit(ctx context.Context, o order) error {
	m := s.now.built
	sources, err := s.now.sources(m)
	if err != nil {
		return err
	}
	s.flush()
	screen := newFolding(s)
	p, diags, err := fit.Open(m, sources, fit.Options{
		Algorithm: o.backend, Settings: o.settings, Joining: s.now.joining(), Seed: o.seed, Progress: screen, Origin: fit.Origin{Command: o.command(s)},
	})
	if err := s.opened(diags, err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out := make(chan outcome, 1)
	go func() {
		res, err := p.Sample(context.Background(), ctx.Done())
		out <- outcome{res, err, &run{name: o.name, of: s.now, order: o, bound: p.Bound}}
	}()
	select {
	case got := <-out:
		return s.finished(got)
	case <-ctx.Done():
	}
	select {
	case got := <-out:
		return s.finished(got)
	case <-screen.ended:
	}
	select {
	case got := <-out:
		return s.finished(got)
	case <-time.After(patience):
	}
	s.late, s.lateName = out, o.name
	return s.say("fit", "%s: stopped; its draws are kept, and are being summarised: %s or :summary waits for that", o.name, firstOf(m))
}

// patience is how long an interrupted fit may summarise its draws before the prompt comes back without the summary.
const patience = 300 * time.Millisecond

// An outcome is how a fit ended.
type outcome struct {
	result *fit.Result
	err    error
	run    *run
}

// finished answers with a fit that has ended.
func (s *Session) finished(o outcome) error {
	r, err := s.kept(o)
	if err != nil {
		return err
	}
	return s.fitted(r)
}

// kept makes a fit that has ended the current one.
func (s *Session) kept(o outcome) (*run, error) {
	var early *fit.InterruptedError
	switch {
	case errors.As(o.err, &early):
		return nil, &Failure{Code: 130, Err: errors.New("stopped before the first draw; a smaller warm-up gives some sooner")}
	case o.err != nil:
		return nil, o.err
	}
	r := o.run
	r.result, r.stored = o.result, &runs.Run{Path: r.name, Record: &o.result.Record, Document: &o.result.Document, Draws: o.result.Draws}
	s.take(r)
	return r, nil
}

// settle waits for the summary of a fit that was interrupted, and says what is wrong with it. The present unit may be interrupted while it waits.
func (s *Session) settle() error {
	if s.late == nil {
		return nil
	}
	select {
	case got := <-s.late:
		s.late = nil
		r, err := s.kept(got)
		if err != nil {
			return err
		}
		if !s.json {
			fmt.Fprint(s.Out, s.wrapped(s.below(r)))
		}
		return nil
	case <-s.answering.Done():
		return s.answering.Err()
	}
}

// firstOf is the name of a parameter, as an example.
func firstOf(m *compile.Model) string {
	for _, st := range m.Checked.File.Stmts {
		if p, ok := st.(*ast.Param); ok {
			return p.Name.Name
		}
	}
	return ":fits"
}

// folding shows progress, and its messages within the width.
type folding struct {
	*terminal.Screen
	s     *Session
	ended chan struct{} // closed when nothing more is shown
	once  sync.Once
}

func newFolding(s *Session) *folding {
	return &folding{Screen: terminal.NewScreen(s.Live, false), s: s, ended: make(chan struct{})}
}

func (f *folding) Message(text string) { f.Screen.Message(f.s.wrapped(text)) }

func (f *folding) End() {
	f.Screen.End()
	f.once.Do(func() { close(f.ended) })
}

// opened judges the preparation of a run. Warnings about the data are shown.
func (s *Session) opened(diags diag.List, err error) error {
	var usage *fit.UsageError
	switch {
	case errors.As(err, &usage):
		return &Failure{Code: exitUsage, Err: err}
	case err != nil:
		return err
	case diags.HasErrors():
		return missing(s.now, refused(diags))
	}
	return s.diagnostics(s.Live, s.news(append(slices.Clone(s.now.found), diags...)))
}

// news keeps the warnings that have not been shown yet. That a let is used nowhere is none at a prompt, where questions use it.
func (s *Session) news(l diag.List) (out diag.List) {
	for _, d := range s.withoutLets(l) {
		key := string(d.Code) + d.Message
		if s.warned[key] {
			continue
		}
		s.warned[key] = true
		out = append(out, d)
	}
	return out
}

// isLet reports whether a warning is about a let.
func (s *Session) isLet(d *diag.Diagnostic) bool {
	for _, t := range s.now.Statements {
		if t.is("let") && strings.HasPrefix(d.Message, t.key.String()+" ") {
			return true
		}
	}
	return false
}

// missing adds the way out at the prompt to an error about absent tables.
func missing(now *state, err error) error {
	var f *Failure
	if errors.As(err, &f) && len(f.Diagnostics) > 0 && f.Diagnostics[0].Code == diag.NoTable && len(now.Tables) == 0 {
		f.Diagnostics[0].Note("at this prompt, :data PARTY = FILE names a table")
	}
	return err
}

// fitted answers with the summary of a fit, how it was made, and what is wrong with it.
func (s *Session) fitted(r *run) error {
	return s.table("fit", r, r.result.Summary(), true, s.below(r))
}

// below is what stands below the summary of a fit.
func (s *Session) below(r *run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.name, r.result.Footer())
	for _, m := range r.result.Document.Diagnostics.Messages {
		fmt.Fprintf(&b, "warning: %s\n", m)
	}
	if len(r.result.Diagnose()) > 0 {
		b.WriteString(":diagnose says what to try\n")
	}
	return b.String()
}

// bind binds the present model, for what needs data and no fit.
func (s *Session) bind(m *compile.Model) (*compile.Bound, error) {
	sources, err := s.now.sources(m)
	if err != nil {
		return nil, err
	}
	b, diags, err := compile.Bind(m, sources, s.now.joining())
	if err == nil {
		err = missing(s.now, refused(diags))
	}
	return b, err
}

// withoutLets leaves out warnings that a let is used nowhere.
func (s *Session) withoutLets(l diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(l), func(d *diag.Diagnostic) bool { return d.Code == diag.Unused && s.isLet(d) })
}
