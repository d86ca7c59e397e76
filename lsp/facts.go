package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// facts are what the compiler found out about a text.
type facts struct {
	file  *source.File
	model *compile.Model // of a broken text, that of its whole statements
	part  bool           // the text is the module of a client, and the model another file
	whole bool           // there are no errors
	list  diag.List
	err   error // of settings beside the model
	// what crosses in a run, and the model as such a run has it; of a whole text
	run  *compile.Model
	rows []compile.Disclosure
}

// touched has a document analysed, and those that may import it; nil is one that is closed.
func (s *server) touched(d *document) {
	s.changes++
	if d != nil {
		d.changed, d.stale = s.changes, true
	}
	for _, other := range s.docs {
		if f := other.facts; other != d && f != nil && f.model != nil && (f.part || imports(f.model)) {
			other.stale = true
		}
	}
	if !s.busy {
		s.busy = true
		time.AfterFunc(s.tools.Delay, func() { s.post(s.analyse) })
	}
}

// imports reports whether other files are part of a model.
func imports(m *compile.Model) bool {
	if m.File == nil {
		return false
	}
	for _, s := range m.File.Stmts {
		switch s := s.(type) {
		case *ast.Import:
			if s.Path != "" {
				return true
			}
		case *ast.Contribution:
			return true
		}
	}
	return false
}

// analyse has the stale document that was changed last analysed, in a goroutine of its own, and then the
// next, until none is left.
func (s *server) analyse() {
	var next *document
	for _, d := range s.docs {
		if d.stale && (next == nil || d.changed > next.changed) {
			next = d
		}
	}
	if next == nil {
		s.busy = false
		return
	}
	next.stale, next.analysed = false, true
	file, open := next.file, s.texts()
	go func() {
		f := s.find(file, open)
		s.post(func() {
			if s.docs[next.uri] == next { // else it has been closed
				s.accept(next, f)
			}
		})
		run, rows := s.crossings(f, open)
		s.post(func() {
			if s.docs[next.uri] == next && f.whole {
				s.complement(next, f, run, rows)
			}
			if next.analysed = false; !next.stale {
				next.settled()
			}
			s.analyse()
		})
	}()
}

// texts are the files that are open, as they are now.
func (s *server) texts() func(path string) (string, bool) {
	texts := map[string]string{}
	for _, d := range s.docs {
		texts[d.path] = d.text()
	}
	return func(path string) (string, bool) {
		text, ok := texts[filepath.Clean(path)]
		return text, ok
	}
}

// find compiles a text. It does not belong to the worker.
func (s *server) find(file *source.File, open func(string) (string, bool)) (f *facts) {
	f = &facts{file: file}
	defer func() {
		if r := recover(); r != nil {
			f.err = s.fault("the analysis of "+file.Name, r)
		}
	}()
	model := modelOf(file, open)
	f.part = model != file
	f.model, f.list, f.err = s.tools.Compile(model, open)
	f.whole = f.err == nil && !f.list.HasErrors()
	if f.part { // what is wrong with the model shows there
		f.list = slices.DeleteFunc(f.list, func(x *diag.Diagnostic) bool { return !f.own(x.File) })
		return f
	}
	if f.err == nil && f.model.Checked == nil {
		f.model, _, _ = s.tools.Compile(source.New(file.Name, spared(file.Text, f.model.File)), open)
	}
	return f
}

// own reports whether a file that a diagnostic is about is the text, which the compiler may have read anew.
func (f *facts) own(file *source.File) bool {
	return file == f.file || file != nil && file.Name == f.file.Name && file.Text == f.file.Text
}

// modelOf is the model that a text belongs to: NAME.vfl, where the text is the module NAME/CLIENT.vfl of a
// client, and else the text.
func modelOf(file *source.File, open func(string) (string, bool)) *source.File {
	tree, _ := parser.Parse(file)
	if len(tree.Stmts) == 0 {
		return file
	}
	if _, module := tree.Stmts[0].(*ast.Private); !module {
		return file
	}
	path := filepath.Dir(file.Name) + filepath.Ext(file.Name)
	if text, ok := open(path); ok {
		return source.New(path, text)
	}
	text, err := safefile.Read(path, safefile.MaxText)
	if err != nil {
		return file
	}
	return source.New(path, string(text))
}

// crossings finds what crosses in a run of a whole text. It does not belong to the worker.
func (s *server) crossings(f *facts, open func(string) (string, bool)) (run *compile.Model,
	rows []compile.Disclosure) {
	if !f.whole || f.part || f.model.Checked.For != "" {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			_ = s.fault("the audit of "+f.file.Name, r)
		}
	}()
	run, rows, _ = s.tools.Rows(f.model, open) // an error is one of the backend: vflc run gives it
	return run, rows
}

// spared is a text with blanks for what is no part of a whole statement: everything else stays in its place.
func spared(text string, tree *ast.File) string {
	out := []byte(strings.Repeat(" ", len(text)))
	for i := range len(text) {
		if text[i] == '\n' {
			out[i] = '\n'
		}
	}
	for _, st := range tree.Stmts {
		copy(out[st.Span().Start:], text[st.Span().Start:st.Span().End])
	}
	return string(out)
}

// accept keeps the facts of a document and shows its diagnostics.
func (s *server) accept(d *document, f *facts) {
	d.facts = f
	s.publish(d)
}

// complement adds to the facts of a whole text what crosses, and has the client ask for hints again.
func (s *server) complement(d *document, f *facts, run *compile.Model, rows []compile.Disclosure) {
	f.run, f.rows, d.good = run, rows, f
	if s.client.Capabilities.Workspace.InlayHint.RefreshSupport {
		s.ask("workspace/inlayHint/refresh", nil)
	}
	if s.client.Capabilities.Workspace.CodeLens.RefreshSupport {
		s.ask("workspace/codeLens/refresh", nil)
	}
}

// program is what is known of the names of a document: of its present text, or else of the last whole one.
func (d *document) program() *check.Program {
	for _, f := range []*facts{d.facts, d.good} {
		if f != nil && f.model != nil && f.model.Checked != nil {
			return f.model.Checked
		}
	}
	return nil
}

// symbol finds a name of the model, or of a client's module, which has the client's name in front there.
func (d *document) symbol(name string) *check.Symbol {
	for _, f := range []*facts{d.facts, d.good} {
		if f == nil || f.model == nil || f.model.Checked == nil {
			continue
		}
		if f.part {
			client := strings.TrimSuffix(filepath.Base(d.path), filepath.Ext(d.path))
			if sym := f.model.Checked.Symbols[client+"."+name]; sym != nil {
				return sym
			}
		}
		if sym := f.model.Checked.Symbols[name]; sym != nil {
			return sym
		}
	}
	return nil
}

// cuts lists the cuts of the last whole text, each with what crosses for it.
func (d *document) cuts() []crossing {
	if d.good == nil || d.good.run == nil || d.good.run.Cuts == nil {
		return nil
	}
	var out []crossing
	for _, k := range d.good.run.Cuts.Cuts {
		if c := (crossing{cut: k}); c.find(d.good.rows) {
			out = append(out, c)
		}
	}
	return out
}

// A crossing is a cut with the line of the audit in which it leaves its client.
type crossing struct {
	cut *cut.Expression
	row compile.Disclosure
}

func (c *crossing) find(rows []compile.Disclosure) bool {
	for _, r := range rows {
		if r.From == c.cut.Client && r.Carries(c.cut.Name) {
			c.row = r
			return true
		}
	}
	return false
}

// numbers says how many numbers a line of the audit is about.
func numbers(shape []string) string {
	if len(shape) == 0 {
		return "1 number"
	}
	return strings.Join(shape, " × ") + " numbers"
}
