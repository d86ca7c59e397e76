package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// publish shows the diagnostics of a document.
func (s *server) publish(d *document) {
	out := []diagnostic{}
	if d.facts.err != nil {
		out = append(out, diagnostic{Severity: 1, Source: "vflc", Message: d.facts.err.Error()})
	}
	l := newLines(d.facts.file.Text, s.bytes)
	for _, x := range d.facts.list.Shown() {
		out = append(out, s.diagnostic(d, l, x))
	}
	if d.facts.file == d.file { // else those of the present text are on their way
		s.notify("textDocument/publishDiagnostics", publishDiagnostics{d.uri, d.version, out})
	}
}

// diagnostic is a message as an editor shows it: notes with a place are related places, other ones stand
// below the message.
func (s *server) diagnostic(d *document, l *lines, x *diag.Diagnostic) diagnostic {
	out := diagnostic{Severity: int(x.Severity) + 1, Code: string(x.Code), Source: "vflc", Message: x.Message}
	if _, ok := diag.Explain(x.Code); ok && slices.Contains(s.client.Options.Commands, explainCommand) {
		out.About = &codeLink{explainScheme + ":" + string(x.Code) + ".md"}
	}
	at := x.Span
	if x.File != nil && !d.facts.own(x.File) {
		at = importOf(d, x.File)
		out.Message = fmt.Sprintf("%s:%d: %s", x.File.Name, x.File.Position(x.Span.Start).Line, x.Message)
	}
	out.Range = l.rangeOf(at)
	for _, n := range x.Notes {
		if d.facts.own(n.File) {
			out.Related = append(out.Related, relatedPlace{location{d.uri, l.rangeOf(n.Span)}, n.Message})
			continue
		}
		out.Message += "\n" + n.Message
	}
	for _, f := range x.Fixes {
		out.Message += "\nfix: " + f.Message
	}
	return out
}

// importOf is where a text names another file; its beginning where that is unknown.
func importOf(d *document, file *source.File) source.Span {
	for _, st := range d.reading().tree.Stmts {
		if i, ok := st.(*ast.Import); ok && i.Path != "" &&
			strings.HasSuffix(file.Name, strings.TrimPrefix(i.Path, "./")) {
			return i.Span()
		}
	}
	return source.Span{}
}

// The commands that an editor may run, and the scheme under which it shows the page of a code.
const (
	auditCommand   = "vflc.audit"
	explainCommand = "vflc.explain"
	explainScheme  = "vflc-explain"
)
