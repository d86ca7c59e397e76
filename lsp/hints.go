package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// hints shows who owns what a declaration does not say, and behind each cut what crosses: to whom, how many
// numbers, how often.
func (s *server) hints(d *document, p ofDocument) any {
	out := []inlayHint{}
	if d.good == nil || d.good.part || len(d.good.model.Checked.Clients) == 0 {
		return out
	}
	within := d.lines.span(p.Range)
	add := func(at int, label, tooltip string) {
		if within.Start <= at && at <= within.End {
			h := inlayHint{Position: d.lines.position(at), Label: label, PaddingLeft: true}
			if tooltip != "" {
				h.Tooltip = markdown(tooltip)
			}
			out = append(out, h)
		}
	}
	for _, st := range d.good.model.File.Stmts {
		name, owner := declared(st)
		if name == nil || owner != nil || st.Span().End == 0 {
			continue
		}
		if at := name.Span(); d.good.model.Source.Text[at.Start:at.End] != name.Name {
			continue // a formula has declared it
		}
		sym := d.good.model.Checked.Symbols[name.Name]
		at, there := d.place(st.Span())
		if sym == nil || sym.Decl == nil || !there || sym.Kind == check.Const {
			continue
		}
		if data, ok := st.(*ast.Data); ok {
			if at, there = d.place(data.Type.Span()); !there {
				continue
			}
		}
		add(at.End, "@ "+ownerOf(sym), "")
	}
	for _, c := range d.cuts() {
		if at, there := d.place(c.cut.Expr.Span()); there {
			add(at.End, c.label(), c.sentence())
		}
	}
	slices.SortStableFunc(out, func(a, b inlayHint) int {
		return (a.Position.Line-b.Position.Line)<<20 + a.Position.Character - b.Position.Character
	})
	return out
}

// label is what crosses, in few words.
func (c *crossing) label() string {
	text := fmt.Sprintf("→ %s, %s, %s", c.row.To, numbers(c.row.Shape), c.row.Often)
	if c.row.Bare {
		text += ", without noise"
	}
	return text
}

// lenses offers the audit above the parties of a model.
func (s *server) lenses(d *document, _ ofDocument) any {
	out := []codeLens{}
	var at source.Span
	found := false
	for _, st := range d.reading().tree.Stmts {
		switch st.(type) {
		case *ast.Client, *ast.Server:
			if !found {
				at, found = st.Span(), true
			}
		}
	}
	if !found {
		return out
	}
	title := "audit"
	if cuts := d.cuts(); d.good != nil && d.good.rows != nil {
		title = fmt.Sprintf("audit: %s", crossings(cuts))
	}
	return append(out, codeLens{d.lines.rangeOf(at), command{title, auditCommand, []string{d.uri}}})
}

// crossings sums up what crosses.
func crossings(cuts []crossing) string {
	if len(cuts) == 0 {
		return "no cut crosses"
	}
	var from []string
	for _, c := range cuts {
		if text := c.row.From + " → " + c.row.To; !slices.Contains(from, text) {
			from = append(from, text)
		}
	}
	return strings.Join(from, ", ")
}

// execute runs a command: its text is the answer, and shown where the client has no such command itself.
func (s *server) execute(p *executeParams) (any, error) {
	if len(p.Arguments) != 1 {
		return nil, fmt.Errorf("%s takes one argument", p.Command)
	}
	argument := p.Arguments[0]
	switch p.Command {
	case explainCommand:
		page, ok := diag.Explain(diag.Code(argument))
		if !ok {
			return nil, fmt.Errorf("there is no diagnostic %s", argument)
		}
		var b strings.Builder
		err := page.Write(&b)
		return shown{p.Command, argument, b.String()}, err
	case auditCommand:
		d := s.docs[argument]
		if d == nil {
			return nil, fmt.Errorf("%s is not open", argument)
		}
		file, open := d.file, s.texts()
		return later(func() (any, error) { return s.audit(file, open) }), nil
	}
	return nil, fmt.Errorf("vflc has no command %s", p.Command)
}

// audit is what vflc audit prints of a text. It does not belong to the worker: tables may be large.
func (s *server) audit(file *source.File, open func(string) (string, bool)) (any, error) {
	m, diags, err := s.tools.Compile(file, open)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, errors.New("the model has errors; without them vflc audits it")
	}
	var b strings.Builder
	err = s.tools.Audit(&b, m, open)
	return shown{auditCommand, m.Name + "-audit", b.String()}, err
}

// shown is the text that a command gives.
type shown struct{ command, file, text string }

// show has a client that has no such command itself show a text: in a file, where it can open one.
func (s *server) show(t shown) error {
	if slices.Contains(s.client.Options.Commands, t.command) {
		return nil
	}
	if !s.client.Capabilities.Window.ShowDocument.Support {
		s.notify("window/showMessage", map[string]any{"type": 3, "message": t.text})
		return nil
	}
	dir, err := os.MkdirTemp("", "vflc")
	if err != nil {
		return err
	}
	s.folders = append(s.folders, dir)
	path := filepath.Join(dir, t.file+".txt")
	if err := os.WriteFile(path, []byte(t.text), 0o600); err != nil {
		return err
	}
	s.ask("window/showDocument", map[string]any{"uri": s.uriOf(path), "takeFocus": true})
	return nil
}
