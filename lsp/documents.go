package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// A document is a file that is open in the editor.
type document struct {
	uri, path string
	version   int
	lines     *lines
	file      *source.File
	changed   int      // the number of its last change, among those of all documents
	stale     bool     // it has changed since its last analysis began
	analysed  bool     // an analysis of it is under way
	waiting   []func() // requests that wait for it
	read      *read    // of the present text; nil: not yet
	// of the last analysis; good is that of the last text of which the compiler has checked all names
	facts, good *facts
}

// read is what the text of a document alone tells.
type read struct {
	tree   *ast.File
	broken diag.List
	names  *names
}

func (d *document) text() string { return d.lines.text }

// reading parses the text, once.
func (d *document) reading() *read {
	if d.read == nil {
		tree, broken := parser.Parse(d.file)
		d.read = &read{tree, broken, namesOf(tree)}
	}
	return d.read
}

// pathOf is the file of a URI; other schemes, as untitled, stand for themselves.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// uriOf is the URI of a file: that under which it is open, if it is.
func (s *server) uriOf(path string) string {
	for _, d := range s.docs {
		if d.path == path {
			return d.uri
		}
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

func (s *server) opened(p *ofDocument) (any, error) {
	d := &document{uri: p.TextDocument.URI, path: pathOf(p.TextDocument.URI)}
	s.docs[d.uri] = d
	s.set(d, p.TextDocument.Text, p.TextDocument.Version)
	return nil, nil
}

func (s *server) changed(p *didChange) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, nil
	}
	text := d.text()
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			text = c.Text
			continue
		}
		at := newLines(text, s.bytes).span(*c.Range)
		text = text[:at.Start] + c.Text + text[at.End:]
	}
	s.set(d, text, p.TextDocument.Version)
	return nil, nil
}

// set gives a document a text, and has it analysed.
func (s *server) set(d *document, text string, version int) {
	d.lines, d.version, d.read = newLines(text, s.bytes), version, nil
	d.file = source.New(d.path, text)
	s.touched(d)
}

func (s *server) closed(p *ofDocument) (any, error) {
	if d := s.docs[p.TextDocument.URI]; d != nil {
		delete(s.docs, d.uri)
		s.notify("textDocument/publishDiagnostics", publishDiagnostics{URI: d.uri, Version: d.version,
			Diagnostics: []diagnostic{}})
		d.settled()
		s.touched(nil)
	}
	return nil, nil
}

// settled lets the requests go on that have waited for an analysis.
func (d *document) settled() {
	waiting := d.waiting
	d.waiting = nil
	for _, answer := range waiting {
		answer()
	}
}

// filesChanged analyses everything again: a module, a table or vfl.toml is another one.
func (s *server) filesChanged(*struct{}) (any, error) {
	for _, d := range s.docs {
		s.touched(d)
	}
	return nil, nil
}

// format is one edit that covers what changes; none for a text with errors of syntax, which stays as it is.
func (s *server) format(d *document, _ ofDocument) any {
	r := d.reading()
	if r.broken.HasErrors() {
		return []textEdit{}
	}
	old, now := d.text(), format.Format(r.tree)
	if old == now {
		return []textEdit{}
	}
	head, tail := common(old, now)
	head = strings.LastIndexByte(old[:head], '\n') + 1 // whole lines: no edit begins inside a line's end
	if i := strings.IndexByte(old[len(old)-tail:], '\n'); i >= 0 {
		tail -= i + 1
	} else {
		tail = 0
	}
	at := d.lines.rangeOf(source.Span{Start: head, End: len(old) - tail})
	return []textEdit{{at, now[head : len(now)-tail]}}
}
