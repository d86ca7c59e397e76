// Package lsp is a language server: it answers an editor's questions about models, in the Language Server
// Protocol over a pair of pipes.
//
// The reading end takes messages in order; one goroutine, the worker, answers them in that order and owns all
// documents. A document is parsed when it is asked about. What needs the compiler is computed by another
// goroutine, one document at a time and always of its last text, and kept as facts. A text that is broken
// keeps the facts of the last one that was whole.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// A Toolchain is what the server lets the commands do, so that an editor shows what they print.
type Toolchain struct {
	Version string
	// Compile compiles a model as vflc check does. open has the texts of files that are open in the editor
	// and differ from those on disk. The error is about settings beside the model.
	Compile func(model *source.File, open func(path string) (string, bool)) (*compile.Model, diag.List, error)
	// Rows lists what crosses in a run of a model, as vflc audit does, with the model as it is compiled for
	// such a run: which cuts it has may depend on the algorithm.
	Rows func(m *compile.Model, open func(path string) (string, bool)) (*compile.Model, []compile.Disclosure,
		error)
	// Audit writes what vflc audit prints of a model.
	Audit func(w io.Writer, m *compile.Model, open func(path string) (string, bool)) error
	// Delay is how long the server waits, after a change, for the next one.
	Delay time.Duration
}

// Serve answers a client until it says exit or goes. It is an error if the client says exit and has not said
// shutdown.
func Serve(ctx context.Context, pipe io.ReadWriteCloser, tools Toolchain) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{tools: tools, docs: map[string]*document{}, tasks: make(chan func(), 64), done: ctx.Done(),
		cancelled: map[jsonrpc2.ID]bool{}, universe: stdlib.New(), methods: methods(), end: cancel}
	s.conn = jsonrpc2.NewConn(ctx, newFrames(pipe), s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	defer s.conn.Close()
	defer func() {
		for _, dir := range s.folders {
			os.RemoveAll(dir)
		}
	}()
	for {
		select {
		case task := <-s.tasks:
			task()
		case <-s.conn.DisconnectNotify():
			return s.outcome
		case <-ctx.Done():
			return s.outcome
		}
	}
}

type server struct {
	tools    Toolchain
	conn     *jsonrpc2.Conn
	universe *stdlib.Universe
	methods  map[string]method
	tasks    chan func() // for the worker
	done     <-chan struct{}
	end      func()

	mu        sync.Mutex
	cancelled map[jsonrpc2.ID]bool // of the requests that wait, those that the client no longer wants

	// what follows belongs to the worker
	client      initializeParams
	initialized bool
	shutdown    bool
	outcome     error
	bytes       bool // characters are bytes
	docs        map[string]*document
	changes     int      // of all documents so far
	folders     []string // of texts that the client was shown
	busy        bool     // an analysis is under way, or about to begin
}

// A method answers one kind of request; of a notification nobody reads the answer.
type method func(s *server, params json.RawMessage) (any, error)

// on reads the parameters of a method.
func on[P any](f func(*server, *P) (any, error)) method {
	return func(s *server, params json.RawMessage) (any, error) {
		p := new(P)
		if len(params) > 0 {
			if err := json.Unmarshal(params, p); err != nil {
				return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
			}
		}
		return f(s, p)
	}
}

// about is on for questions about a document that is open; about another one the answer is null.
func about[P interface{ uri() string }](f func(*server, *document, P) any) method {
	return on(func(s *server, p *P) (any, error) {
		d := s.docs[(*p).uri()]
		if d == nil {
			return nil, nil
		}
		return f(s, d, *p), nil
	})
}

func (p ofDocument) uri() string { return p.TextDocument.URI }

// Handle takes a message from the wire, in order. What is cancelled is noted at once: the worker may be busy.
func (s *server) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	if req.Method == "$/cancelRequest" {
		var p struct {
			ID jsonrpc2.ID `json:"id"`
		}
		if req.Params != nil && json.Unmarshal(*req.Params, &p) == nil {
			s.mu.Lock()
			if _, waits := s.cancelled[p.ID]; waits {
				s.cancelled[p.ID] = true
			}
			s.mu.Unlock()
		}
		return
	}
	if !req.Notif {
		s.mu.Lock()
		s.cancelled[req.ID] = false
		s.mu.Unlock()
	}
	s.post(func() { s.answer(req) })
}

// post gives a task to the worker.
func (s *server) post(task func()) {
	select {
	case s.tasks <- task:
	case <-s.done:
	}
}

// answer runs a method and replies.
func (s *server) answer(req *jsonrpc2.Request) {
	if d := s.tooEarly(req); d != nil {
		d.waiting = append(d.waiting, func() { s.answer(req) })
		return
	}
	s.mu.Lock()
	unwanted := s.cancelled[req.ID]
	delete(s.cancelled, req.ID)
	s.mu.Unlock()
	var result any
	var err error = &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
	if req.Notif || !unwanted {
		result, err = s.attempt(req)
	}
	if long, ok := result.(later); ok {
		go func() {
			result, err := s.guard(req.Method, long)
			s.post(func() { s.reply(req, result, err) })
		}()
		return
	}
	s.reply(req, result, err)
}

// later is an answer that takes long, and is worked out beside the worker, whose documents it leaves alone.
type later func() (any, error)

// reply answers a request; of a notification nobody waits for the answer.
func (s *server) reply(req *jsonrpc2.Request, result any, err error) {
	if req.Notif {
		return
	}
	if text, ok := result.(shown); ok && err == nil {
		result, err = text.text, s.show(text)
	}
	var e *jsonrpc2.Error
	ctx := context.Background()
	switch {
	case err == nil:
		err = s.conn.Reply(ctx, req.ID, result)
	case errors.As(err, &e):
		err = s.conn.ReplyWithError(ctx, req.ID, e)
	default:
		err = s.conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{Code: codeFailed, Message: err.Error()})
	}
	if err != nil {
		s.end()
	}
}

// tooEarly is the document of a request about what the compiler finds, where that is on its way.
func (s *server) tooEarly(req *jsonrpc2.Request) *document {
	var p ofDocument
	switch req.Method {
	case "textDocument/inlayHint", "textDocument/codeLens", "textDocument/codeAction":
		if req.Params != nil && json.Unmarshal(*req.Params, &p) == nil {
			if d := s.docs[p.uri()]; d != nil && (d.stale || d.analysed) {
				return d
			}
		}
	}
	return nil
}

// guard works something out. If that panics it is an error of its request, and the server goes on.
func (s *server) guard(what string, work func() (any, error)) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, s.fault(what, r)
		}
	}()
	return work()
}

// attempt runs a method.
func (s *server) attempt(req *jsonrpc2.Request) (any, error) {
	f := s.methods[req.Method]
	switch {
	case f == nil:
		return nil, &jsonrpc2.Error{Code: codeMethod, Message: "vflc does not know " + req.Method}
	case !s.initialized && req.Method != "initialize" && req.Method != "exit":
		return nil, &jsonrpc2.Error{Code: codeUninitialized, Message: "the first request is initialize"}
	case s.shutdown && req.Method != "exit":
		return nil, &jsonrpc2.Error{Code: codeInvalid, Message: "after shutdown there is exit alone"}
	}
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	return s.guard(req.Method, func() (any, error) { return f(s, params) })
}

// fault tells the client of a mistake of the server.
func (s *server) fault(what string, r any) error {
	s.notify("window/logMessage", map[string]any{"type": 1, "message": fmt.Sprintf("%s: %v\n%s", what, r,
		debug.Stack())})
	return &jsonrpc2.Error{Code: codeInternal, Message: fmt.Sprintf("vflc has a fault in %s: %v", what, r)}
}

// notify sends a notification. A client that is gone ends the server elsewhere.
func (s *server) notify(method string, params any) {
	_ = s.conn.Notify(context.Background(), method, params)
}

// ask sends a request whose answer does not matter.
func (s *server) ask(method string, params any) {
	_, _ = s.conn.DispatchCall(context.Background(), method, params)
}

// methods lists what the server answers.
func methods() map[string]method {
	nothing := on(func(*server, *struct{}) (any, error) { return nil, nil })
	return map[string]method{
		"initialize": on((*server).initialize), "initialized": on((*server).watch), "$/setTrace": nothing,
		"workspace/didChangeConfiguration": nothing, "textDocument/didSave": nothing,
		"shutdown": on(func(s *server, _ *struct{}) (any, error) {
			s.shutdown = true
			return nil, nil
		}),
		"exit": on(func(s *server, _ *struct{}) (any, error) {
			if !s.shutdown {
				s.outcome = errors.New("the client has said exit, and not shutdown before")
			}
			s.end()
			return nil, nil
		}),
		"textDocument/didOpen": on((*server).opened), "textDocument/didChange": on((*server).changed),
		"textDocument/didClose":            on((*server).closed),
		"workspace/didChangeWatchedFiles":  on((*server).filesChanged),
		"textDocument/hover":               about((*server).hover),
		"textDocument/formatting":          about((*server).format),
		"completionItem/resolve":           on((*server).resolve),
		"textDocument/completion":          about((*server).complete),
		"textDocument/signatureHelp":       about((*server).signatureHelp),
		"textDocument/definition":          about((*server).definition),
		"textDocument/references":          about((*server).references),
		"textDocument/documentHighlight":   about((*server).highlight),
		"textDocument/documentSymbol":      about((*server).symbols),
		"textDocument/foldingRange":        about((*server).folds),
		"textDocument/semanticTokens/full": about((*server).tokens),
		"textDocument/inlayHint":           about((*server).hints),
		"textDocument/codeLens":            about((*server).lenses),
		"textDocument/codeAction":          about((*server).actions),
		"textDocument/prepareRename":       on((*server).prepareRename),
		"textDocument/rename":              on((*server).rename),
		"workspace/executeCommand":         on((*server).execute),
	}
}

// watch has a client that can tell of files that change: models, modules, and settings beside them.
func (s *server) watch(*struct{}) (any, error) {
	if !s.client.Capabilities.Workspace.WatchedFiles.DynamicRegistration {
		return nil, nil
	}
	var watchers []map[string]string
	for _, pattern := range []string{"**/*.vfl", "**/" + data.SettingsFile} {
		watchers = append(watchers, map[string]string{"globPattern": pattern})
	}
	const method = "workspace/didChangeWatchedFiles"
	s.ask("client/registerCapability", map[string]any{"registrations": []any{map[string]any{"id": method,
		"method": method, "registerOptions": map[string]any{"watchers": watchers}}}})
	return nil, nil
}

// initialize settles what client and server can do.
func (s *server) initialize(p *initializeParams) (any, error) {
	s.client, s.initialized = *p, true
	encoding := "utf-16"
	if slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8") {
		encoding, s.bytes = "utf-8", true
	}
	capabilities := map[string]any{
		"positionEncoding":           encoding,
		"textDocumentSync":           map[string]any{"openClose": true, "change": 2, "save": true},
		"hoverProvider":              true,
		"documentFormattingProvider": true,
		"completionProvider": map[string]any{"resolveProvider": true,
			"triggerCharacters": []string{"~", "@", ":", ".", "(", " "}},
		"signatureHelpProvider":     map[string]any{"triggerCharacters": []string{"(", ","}},
		"definitionProvider":        true,
		"referencesProvider":        true,
		"documentHighlightProvider": true,
		"documentSymbolProvider":    true,
		"foldingRangeProvider":      true,
		"inlayHintProvider":         true,
		"codeLensProvider":          map[string]any{},
		"codeActionProvider":        map[string]any{"codeActionKinds": []string{quickFix, fixAll}},
		"renameProvider":            map[string]any{"prepareProvider": true},
		"semanticTokensProvider": map[string]any{"full": true, "legend": map[string]any{
			"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}},
	}
	if own := p.Options.Commands; !slices.Contains(own, auditCommand) { // else it has commands of these names
		capabilities["executeCommandProvider"] = map[string]any{"commands": []string{auditCommand,
			explainCommand}}
	}
	return map[string]any{"capabilities": capabilities,
		"serverInfo": map[string]string{"name": "vflc", "version": s.tools.Version}}, nil
}
