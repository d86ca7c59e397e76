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
	"github.com/vflc/vflc/posterior"
)

func fitCommand() command {
	return command{name: "fit", args: "[BACKEND] [SETTING=VALUE …] [as NAME]",
		doc: "fit the model; Ctrl-C stops and keeps the draws", values: settingValues, more: settingsHelp,
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
	settings map[string]string // of the backend
	choices  map[string]string // beside them
	chosen   fit.FitChoices    // that they are
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
	if what := meant(name); what != "" {
		return backends.Algorithm{}, usagef("%s is no backend; write %s", name, what)
	}
	return backends.Algorithm{}, usagef("there is no backend %s%s; there are: %s", name,
		nearest(name, backendNames()), strings.Join(backendNames(), ", "))
}

// order reads the arguments of :fit.
func (s *Session) order(args string) (order, error) {
	o := order{name: s.freeName(), backend: fit.Backends()[0], settings: map[string]string{},
		choices: map[string]string{}}
	list := words(args)
	if at := slices.Index(list, "as"); at >= 0 {
		if at+1 == len(list) {
			return o, usagef(":fit: a name follows as")
		}
		o.name, list = list[at+1], slices.Delete(slices.Clone(list), at, at+2)
		if !identifier.MatchString(o.name) {
			return o, usagef(":fit: %q is no name; write letters, digits and _", o.name)
		}
	}
	list = s.flagged(list)
	if len(list) > 1 && !strings.Contains(list[1], "=") && slices.Contains(settingNames(), list[0]) {
		return o, usagef("%s is no backend; write %s", list[0], fitLine(list[:2]))
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
	var err error
	if o.chosen, err = fit.ParseChoices(o.choices); err != nil {
		return o, usagef(":fit: %v", err)
	}
	o.chosen.Model.Encrypted = backends.Encrypted(o.settings)
	return o, nil
}

// flagged writes flags of vflc run, as advice has them, as one writes them here: --metric dense as
// metric=dense.
func (s *Session) flagged(list []string) (out []string) {
	for i := 0; i < len(list); i++ {
		name, flag := strings.CutPrefix(list[i], "--")
		switch {
		case flag && !strings.Contains(name, "=") && isSwitch(name):
			name += "=true"
		case flag && !strings.Contains(name, "=") && i+1 < len(list):
			i++
			name += "=" + list[i]
		}
		out = append(out, name)
	}
	return out
}

// setting reads NAME=VALUE.
func (o *order) setting(word string) error {
	name, value, ok := strings.Cut(word, "=")
	if !ok {
		return usagef(":fit: %q is not understood; write SETTING=VALUE", word)
	}
	var names []string
	for _, set := range o.backend.Settings {
		if set.Name == name {
			o.settings[name] = value
			return nil
		}
		names = append(names, set.Name)
	}
	for _, c := range fit.Choices() {
		if c.Name != name {
			names = append(names, c.Name)
			continue
		}
		switch before := o.choices[name]; {
		case value == "":
			return usagef(":fit: %s= needs a value", name)
		case before != "" && c.Repeat:
			value = before + "," + value
		}
		o.choices[name] = value
		return nil
	}
	if others := having(name); others != nil {
		return usagef("%s has no setting %s; it is one of %s, as :fit %s %s", o.backend.Name, name,
			strings.Join(others, ", "), others[0], word)
	}
	if name == "backend" {
		return usagef(":fit: the backend comes first, without a name: :fit %s", value)
	}
	return usagef("%s has no setting %s%s; it has: %s; :help fit says what they do", o.backend.Name, name,
		nearest(name, names), strings.Join(names, ", "))
}

// having lists the backends that have a setting.
func having(setting string) (out []string) {
	for _, a := range fit.Backends() {
		if slices.ContainsFunc(a.Settings, func(s backends.Setting) bool { return s.Name == setting }) {
			out = append(out, a.Name)
		}
	}
	return out
}

// command is the command line that does the same.
func (o order) command(s *Session) []string {
	out := append(s.runArguments(), "--backend", o.backend.Name, fmt.Sprintf("--seed=%d", o.chosen.Run.Seed))
	for _, c := range fit.Choices() {
		if v, ok := o.choices[c.Name]; ok && c.Name != "seed" {
			out = append(out, "--"+c.Name+"="+v)
		}
	}
	for _, set := range o.backend.Settings {
		if v, ok := o.settings[set.Name]; ok {
			out = append(out, "--"+set.Name+"="+v)
		}
	}
	return out
}

// model is the present model as the order has it, with its warnings.
func (s *Session) model(o order) (*compile.Model, diag.List, error) {
	m, found := s.now.built, s.now.found
	again := o.chosen.Model.Encrypted
	for _, c := range fit.Choices() {
		_, chosen := o.choices[c.Name]
		again = again || chosen && c.Model
	}
	if again {
		if m, found = s.now.compiled(o.chosen.Model); found.HasErrors() {
			return nil, nil, refused(found)
		}
	}
	for _, suits := range []func(*compile.Model) error{o.chosen.Names, o.chosen.Noise} {
		if err := suits(m); err != nil {
			return nil, nil, usagef(":fit: %v", err)
		}
	}
	return m, found, nil
}

// goesOn says how a fit could go on after it was stopped.
const goesOn = "a fit at this prompt begins anew; :save FILE says the line of vflc run, which with -o " +
	"FOLDER makes one that can be resumed"

// fit runs an algorithm on the present model. The context's end stops it, with the draws that there are:
// where their summary takes long, the session goes on without it.
func (s *Session) fit(ctx context.Context, o order) error {
	m, found, err := s.model(o)
	if err != nil {
		return err
	}
	sources, err := s.now.sources(m)
	if err != nil {
		return err
	}
	s.flush()
	screen := newFolding(s)
	options := o.chosen.Run
	options.Algorithm, options.Settings, options.Joining, options.Progress = o.backend, o.settings,
		s.now.joining(), screen
	options.Origin = fit.Origin{Command: o.command(s), Constants: o.chosen.Model.Set, Continue: goesOn}
	p, diags, err := fit.Open(m, sources, options)
	if err := s.opened(found, diags, err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out := make(chan outcome, 1)
	go func() {
		res, err := p.Sample(context.Background(), ctx.Done())
		out <- outcome{res, err, &run{Finished: fit.Finished{Bound: p.BoundModel}, name: o.name, of: s.now}}
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
	return s.say("fit",
		"%s: stopped; its draws are kept, and are being summarised: %s or :summary waits for that", o.name,
		firstOf(m))
}

// patience is how long an interrupted fit may summarise its draws before the prompt comes back without the
// summary.
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
		return nil, &Failure{Code: 130,
			Err: errors.New("stopped before the first draw; a smaller warm-up gives some sooner")}
	case o.err != nil:
		return nil, o.err
	}
	r := o.run
	r.Result, r.Run = o.result, &posterior.Run{Path: r.name, Record: &o.result.Record,
		Document: &o.result.Document, Draws: o.result.Draws}
	s.take(r)
	return r, nil
}

// settle waits for the summary of a fit that was interrupted, and says what is wrong with it. The present
// unit may be interrupted while it waits.
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

// opened judges the preparation of a run. Warnings about the model and the data are shown.
func (s *Session) opened(model, diags diag.List, err error) error {
	var usage *fit.UsageError
	switch {
	case errors.As(err, &usage):
		return &Failure{Code: exitUsage, Err: err}
	case err != nil:
		return err
	case diags.HasErrors():
		return missing(s.now, refused(diags))
	}
	return s.diagnostics(s.Live, s.news(append(slices.Clone(model), diags...)))
}

// news keeps the warnings that have not been shown yet. That a let is used nowhere is none at a prompt, where
// questions use it.
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
	if errors.As(err, &f) && len(f.Diagnostics) > 0 && f.Diagnostics[0].Code == diag.NoTable &&
		len(now.Tables) == 0 {
		f.Diagnostics[0].Note("at this prompt, :data PARTY = FILE names a table")
	}
	return err
}

// fitted answers with the summary of a fit, how it was made, and what is wrong with it.
func (s *Session) fitted(r *run) error {
	return s.table("fit", r, r.Result.Summary(), true, s.below(r))
}

// below is what stands below the summary of a fit.
func (s *Session) below(r *run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.name, r.Result.Footer())
	for _, m := range r.Result.Document.Diagnostics.Messages {
		fmt.Fprintf(&b, "warning: %s\n", m)
	}
	if len(r.Result.Diagnose()) > 0 {
		b.WriteString(":diagnose says what to try\n")
	}
	return s.typed(b.String())
}

// bind binds the present model, for what needs data and no fit.
func (s *Session) bind(m *compile.Model) (*compile.BoundModel, error) {
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
	return slices.DeleteFunc(slices.Clone(l), func(d *diag.Diagnostic) bool {
		return d.Code == diag.Unused && s.isLet(d)
	})
}
