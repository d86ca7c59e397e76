package repl

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// shownDeclarations is the largest number of statements of one unit that are answered one by one.
const shownDeclarations = 3

// declare adds statements to the model, or replaces those that declare the same. A unit with an error changes
// nothing.
func (s *Session) declare(text string) error {
	file := source.New(inputName, text)
	tree, diags := parser.Parse(file)
	if err := refused(diags); err != nil {
		return err
	}
	if len(tree.Stmts) == 0 {
		return nil // a comment
	}
	added := statementsOf(tree)
	next, replaced, err := s.extended(file, added)
	if err != nil {
		return err
	}
	if next.text() != s.now.text() { // else there is nothing to undo
		s.change(next)
	}
	if err := s.declared(tree, added); err != nil {
		return err
	}
	return s.redeclared(replaced)
}

// A replacement is a statement that another one took the place of.
type replacement struct{ old, new statement }

// extended returns the state with more statements. A statement that replaces another takes its place in the
// text, or where it uses what is declared below, the end.
func (s *Session) extended(file *source.File, added []statement) (*state, []replacement, error) {
	next, replaced, places := insert(s.now, added, true)
	found := next.compile()
	if found.HasErrors() && len(replaced) > 0 {
		if last, _, _ := insert(s.now, added, false); !last.compile().HasErrors() {
			return last, replaced, nil
		}
	}
	if err := refused(relocated(found, next, file, places)); err != nil {
		return nil, nil, err
	}
	return next, replaced, nil
}

// insert adds statements to a copy of a state. places[i] is the index of the i-th among the statements of the
// result.
func insert(s *state, added []statement, inPlace bool) (next *state, replaced []replacement, places []int) {
	next = s.copied()
	for _, a := range added {
		at := slices.IndexFunc(next.Statements, func(t statement) bool { return a.key.replaces(t.key) })
		if at >= 0 {
			replaced = append(replaced, replacement{next.Statements[at], a})
			if inPlace {
				next.Statements[at] = a
				places = append(places, at)
				continue
			}
			next.Statements = slices.Delete(next.Statements, at, at+1)
		}
		next.Statements = append(next.Statements, a)
		places = append(places, len(next.Statements)-1)
	}
	return next, replaced, places
}

// relocated gives diagnostics about what was typed the place in the input, in place of that in the model.
func relocated(l diag.List, next *state, file *source.File, places []int) diag.List {
	start, input := make([]int, len(next.Statements)+1), 0
	for i, t := range next.Statements {
		start[i+1] = start[i] + len(t.Text)
	}
	type part struct{ from, to, shift int }
	var parts []part
	for _, at := range places {
		parts = append(parts, part{start[at], start[at+1], input - start[at]})
		input += len(next.Statements[at].Text)
	}
	move := func(f **source.File, span *source.Span) {
		if *f == nil || (*f).Name != next.name() {
			return
		}
		for _, p := range parts {
			if p.from <= span.Start && span.Start < p.to {
				*f, *span = file, source.Span{Start: span.Start + p.shift, End: span.End + p.shift}
				return
			}
		}
	}
	for _, d := range l {
		own := d.File
		for i := range d.Fixes {
			f := own
			move(&f, &d.Fixes[i].Span)
		}
		for i := range d.Notes {
			move(&d.Notes[i].File, &d.Notes[i].Span)
		}
		move(&d.File, &d.Span)
	}
	return l
}

// change makes a state the present one, and keeps it on disk.
func (s *Session) change(next *state) {
	s.past, s.future, s.now = append(s.past, s.now), nil, next
	s.keep()
}

// redeclared says what was replaced, and which fits are of the model before.
func (s *Session) redeclared(replaced []replacement) error {
	changed := len(replaced) == 0
	for _, r := range replaced {
		changed = changed || r.old.code != r.new.code
		if r.old.code == r.new.code {
			if err := s.say("redeclared", "%s is as it was", r.new.key); err != nil {
				return err
			}
			continue
		}
		if err := s.say("redeclared", "%s was: %s%s", r.new.key, r.old.code,
			s.dependents(r.new.key)); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return s.stale()
}

// dependents names the statements that use what a statement declares.
func (s *Session) dependents(k key) string {
	var out []string
	if k.kind != "name" {
		return ""
	}
	for _, stmt := range s.now.built.File.Stmts {
		uses := false
		ast.Walk(stmt, func(n ast.Node) bool {
			if name, ok := n.(*ast.Name); ok && slices.Contains(k.names, name.Name) {
				uses = true
			}
			return true
		})
		if own := keyOf(stmt); uses && !own.replaces(k) {
			out = append(out, own.String())
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "; used by " + strings.Join(out, ", ")
}

// stale names the fits that the present model has left behind.
func (s *Session) stale() error {
	var names []string
	var what []string
	for _, r := range s.runs {
		if r.of == nil {
			continue // the folder of a run, which has its own model
		}
		if changed := s.now.changes(r.of); len(changed) > 0 {
			names, what = append(names, r.name), changed
		}
	}
	if len(names) == 0 || s.json {
		return nil
	}
	text := fmt.Sprintf("%s: of a model that differs in %s; :fit makes a new one", strings.Join(names, ", "),
		strings.Join(what, ", "))
	_, err := fmt.Fprintln(s.Out, s.wrapped(text))
	return err
}

// declared answers statements: what each is, in which shape, and whose.
func (s *Session) declared(tree *ast.File, added []statement) error {
	var lines []string
	if len(added) > shownDeclarations {
		lines = []string{fmt.Sprintf("%d statements", len(added)), s.overview()}
	} else {
		for _, stmt := range tree.Stmts {
			lines = append(lines, s.described(stmt)...)
		}
	}
	return s.reply("declared", map[string]any{"text": strings.Join(lines, "\n")}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, s.wrapped(strings.Join(lines, "\n")))
		return err
	})
}

// described describes one statement of the present model.
func (s *Session) described(stmt ast.Stmt) []string {
	switch stmt := stmt.(type) {
	case *ast.Server, *ast.Client:
		return []string{s.parties()}
	case *ast.Data:
		return []string{s.dataLine(s.now.built.Checked.Symbols[stmt.Name.Name])}
	case *ast.Likelihood:
		return s.likelihoodLines(stmt)
	case *ast.Transform:
		return []string{s.transformText()}
	case *ast.Levels:
		return []string{format.Stmt(stmt)}
	}
	k := keyOf(stmt)
	if sym := s.now.built.Checked.Symbols[k.String()]; sym != nil {
		return []string{s.symbolLine(sym)}
	}
	return []string{format.Stmt(stmt)}
}

// symbolLine describes a name: its type, its owner, and the prior of a parameter.
func (s *Session) symbolLine(sym *check.Symbol) string {
	owner := sym.Owner
	if owner == "" || sym.Kind == check.Let || sym.Kind == check.Generated {
		owner = ownersText(sym.Owners)
	}
	line := fmt.Sprintf("%s : %s", sym.Name, sym.Type)
	switch {
	case sym.Initial != nil:
		line += " init " + sym.Initial.Name
	case sym.Kind == check.Param:
		line += " ~ " + s.priorOf(sym.Name)
	}
	if sym.Kind == check.Const {
		return fmt.Sprintf("%s = %g", sym.Name, sym.Value)
	}
	return line + " @ " + owner
}

// likelihoodLines says who evaluates a likelihood, and which cuts enter it.
func (s *Session) likelihoodLines(stmt *ast.Likelihood) []string {
	m := s.now.built
	for _, k := range m.Cuts.Likelihoods {
		if format.Expr(k.Stmt.Left) != format.Expr(stmt.Left) {
			continue
		}
		at := k.Party
		if at == "" {
			at = k.Home
			if m.Checked.Transform.Kind.Powers() && k.Home == m.Checked.Server {
				at = "the clients"
			}
		}
		lines := []string{fmt.Sprintf("%s: evaluated at %s", format.Expr(stmt.Left), at)}
		for _, g := range k.Groups {
			for _, c := range g.Cuts {
				lines = append(lines, fmt.Sprintf("  %s of %s crosses as %s : %s", format.Expr(c.Expr),
					c.Client, c.Name, c.Type))
			}
		}
		if t := m.Checked.Transform; t.Implied && len(k.Groups) > 0 {
			lines = append(lines, "  no transform given: "+s.transformText())
		}
		return lines
	}
	return []string{format.Stmt(stmt)}
}
