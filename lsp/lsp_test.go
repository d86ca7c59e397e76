package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lsp"
)

// tools compiles models with the modules beside them, and audits them for the first backend.
func tools() lsp.Toolchain {
	return lsp.Toolchain{
		Version: "test",
		Compile: func(src *source.File, open func(string) (string, bool)) (*compile.Model, diag.List, error) {
			dir := filepath.Dir(src.Name)
			m, diags := compile.Compile(src, check.Options{Import: func(path string) (string, error) {
				if text, ok := open(filepath.Join(dir, path)); ok {
					return text, nil
				}
				return safefile.Beside(dir)(path)
			}, Module: func(client string) (*source.File, error) {
				path := filepath.Join(strings.TrimSuffix(src.Name, ".vfl"), client+".vfl")
				if text, ok := open(path); ok {
					return source.New(path, text), nil
				}
				return nil, nil
			}})
			return m, diags, nil
		},
		Rows: rows,
		Audit: func(w io.Writer, m *compile.Model, _ func(string) (string, bool)) error {
			_, err := fmt.Fprintf(w, "the audit of %s", m.Name)
			return err
		},
	}
}

// rows is what crosses in a run by the first backend.
func rows(m *compile.Model, _ func(string) (string, bool)) (*compile.Model, []compile.Disclosure, error) {
	bundle, diags := m.Bundle()
	if bundle == nil || diags.HasErrors() {
		return nil, nil, nil
	}
	out, err := fit.Audit(bundle, fit.Backends()[0], nil)
	return m, out, err
}

// An editor is a client of a server in the same process.
type editor struct {
	testing.TB
	conn  *jsonrpc2.Conn
	shown chan published // what the server publishes
	asked chan *jsonrpc2.Request
	ended chan error
	open  map[string]string
}

type published struct {
	URI         string
	Version     int
	Diagnostics []struct {
		Range    span
		Severity int
		Code     string
		Message  string
	}
}

type place struct{ Line, Character int }

type span struct{ Start, End place }

// begin starts a server and an editor of it with these capabilities and options.
func begin(t testing.TB, initialize string) *editor { return beginWith(t, tools(), initialize) }

func beginWith(t testing.TB, tools lsp.Toolchain, initialize string) *editor {
	here, there := net.Pipe()
	e := &editor{TB: t, shown: make(chan published, 1000), asked: make(chan *jsonrpc2.Request, 1000),
		ended: make(chan error, 1), open: map[string]string{}}
	go func() { e.ended <- lsp.Serve(context.Background(), there, tools) }()
	e.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(here,
		jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.HandlerWithError(e.take))
	t.Cleanup(func() { e.conn.Close() })
	if initialize == "" {
		initialize = `{"capabilities": {}}`
	}
	e.request("initialize", json.RawMessage(initialize), nil)
	e.notify("initialized", struct{}{})
	return e
}

// take keeps what the server says of itself.
func (e *editor) take(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	if r.Method == "textDocument/publishDiagnostics" {
		var p published
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		e.shown <- p
		return nil, nil
	}
	e.asked <- r
	return nil, nil
}

// try makes a request and returns its error.
func (e *editor) try(method string, params, result any) error {
	return e.conn.Call(context.Background(), method, params, result)
}

// request makes a request that must be answered.
func (e *editor) request(method string, params, result any) {
	e.Helper()
	if err := e.try(method, params, result); err != nil {
		e.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) notify(method string, params any) {
	e.Helper()
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.Fatalf("%s: %v", method, err)
	}
}

type fields map[string]any

// edit opens a document, or gives it another text, and waits for its diagnostics.
func (e *editor) edit(uri, text string) published {
	e.Helper()
	version := len(text)*1000 + len(e.open)
	if _, open := e.open[uri]; !open {
		e.notify("textDocument/didOpen", fields{"textDocument": fields{"uri": uri, "version": version,
			"languageId": "vfl", "text": text}})
	} else {
		e.notify("textDocument/didChange", fields{"textDocument": fields{"uri": uri, "version": version},
			"contentChanges": []fields{{"text": text}}})
	}
	e.open[uri] = text
	return e.await(uri)
}

// settle is edit, and waits until the server knows what crosses.
func (e *editor) settle(uri, text string) published {
	e.Helper()
	p := e.edit(uri, text)
	e.settled(uri)
	return p
}

// settled waits until the server knows what crosses: the answer to a request for hints does.
func (e *editor) settled(uri string) {
	e.Helper()
	e.must("inlayHint", uri, "", nil)
}

// await is what the server shows next of a document.
func (e *editor) await(uri string) published {
	e.Helper()
	for {
		select {
		case p := <-e.shown:
			if p.URI == uri {
				return p
			}
		case err := <-e.ended:
			e.Fatalf("the server has ended: %v", err)
		}
	}
}

// at is the place in a text where the bar stands in a part of it, in units of UTF-16.
func at(t testing.TB, text, marked string) place {
	t.Helper()
	i := strings.Index(text, strings.Replace(marked, "|", "", 1))
	if i < 0 {
		t.Fatalf("%q is not in the text", marked)
	}
	return placeOf(text, i+strings.Index(marked, "|"))
}

func placeOf(text string, i int) place {
	line := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	return place{strings.Count(text[:i], "\n"), len(utf16.Encode([]rune(line)))}
}

// offset is the byte of a place.
func offset(text string, p place) int {
	at := 0
	for range p.Line {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for n := 0; n < p.Character; {
		r := []rune(text[at:])[0]
		n += len(utf16.Encode([]rune{r}))
		at += len(string(r))
	}
	return at
}

// ask makes a request about a marked place of a document.
func (e *editor) ask(method, uri, marked string, result any, more ...fields) error {
	e.Helper()
	p := fields{"textDocument": fields{"uri": uri}, "range": span{End: place{Line: 100000}},
		"context": fields{"includeDeclaration": true}, "options": fields{"tabSize": 4}}
	if marked != "" {
		p["position"] = at(e, e.open[uri], marked)
	}
	for _, m := range more {
		for k, v := range m {
			p[k] = v
		}
	}
	return e.try("textDocument/"+method, p, result)
}

// must is ask where there is an answer.
func (e *editor) must(method, uri, marked string, result any, more ...fields) {
	e.Helper()
	if err := e.ask(method, uri, marked, result, more...); err != nil {
		e.Fatalf("%s at %q: %v", method, marked, err)
	}
}

// A change is an edit of a text.
type change struct {
	Range   span
	NewText string
}

// applied is a text after edits of it.
func applied(text string, edits []change) string {
	for i := len(edits) - 1; i >= 0; i-- {
		c := edits[i]
		text = text[:offset(text, c.Range.Start)] + c.NewText + text[offset(text, c.Range.End):]
	}
	return text
}

// examples are the models of the project by path.
func examples(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"../examples/*.vfl", "../examples/*/*.vfl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			out[whole] = string(text)
		}
	}
	return out
}
