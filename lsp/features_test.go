package lsp_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

const here = "file:///models/m.vfl"

// model has Greek names, a comment with a character of two units, and a party of each kind.
const model = `server registry
client lab

/// The outcome, 🩺 measured twice.
data y : real[N] @ shared
data x : real[N] @ lab from "dose"
param β ~ normal(0, 1) @ lab
param α ~ normal(0, 1)
param σ ~ half_normal(1) @ registry
let /* 🩺 */ effect = x * β
y ~ normal(α + effect, σ)
transform augmented(rho = 0.25)
`

type hover struct {
	Contents struct{ Value string }
	Range    span
}

// Hover gives the type, the owner and the comment of a name, and what crosses for a cut; of what is built in,
// its page.
func TestHover(t *testing.T) {
	e := begin(t, "")
	if p := e.settle(here, model); len(p.Diagnostics) > 0 {
		t.Fatalf("%+v", p.Diagnostics)
	}
	for marked, want := range map[string][]string{
		"|y ~ normal": {"data y : real[N] @ shared", "type `real[N]`", "owner `shared`", "🩺 measured twice"},
		"x * |β": {"param β ~ normal(0, 1) @ lab", "owner `lab`", "declared in line 7",
			"**Crosses** from `lab` to `registry`", "N numbers, every evaluation", "registry can compute"},
		"~ half_|normal": {"half_normal(sigma)"}, "real[|N] @ lab": {"a size, which data of", "lab"},
		"|transform aug": {"transform augmented(rho = R)"}, "α + effect|": {"let effect", "owner `lab`"},
	} {
		var h hover
		e.must("hover", here, marked, &h)
		for _, w := range want {
			if !strings.Contains(h.Contents.Value, w) {
				t.Errorf("%q has no %q:\n%s", marked, w, h.Contents.Value)
			}
		}
	}
	e.edit(here, model+"import nn\ndata X : real[N, P] @ registry\nlet h = nn.linear(X)\nlet w = sum(h.w)\n")
	for marked, want := range map[string]string{"nn.|linear(": "fn nn.linear(", "h.|w": "real[P]"} {
		var h hover
		if e.must("hover", here, marked, &h); !strings.Contains(h.Contents.Value, want) {
			t.Errorf("%q has no %q:\n%s", marked, want, h.Contents.Value)
		}
	}
	var h *hover
	if e.must("hover", here, "measured| twice", &h); h != nil {
		t.Errorf("a comment is described: %s", h.Contents.Value)
	}
}

// Diagnostics are those of the compiler, in places that count UTF-16; each fix is offered and removes its
// diagnostic.
func TestDiagnosticsAndFixes(t *testing.T) {
	e := begin(t, "")
	wrong := strings.Replace(model, "x * β", "x * γ", 1)
	p := e.edit(here, wrong)
	if len(p.Diagnostics) != 1 || p.Diagnostics[0].Code != string(diag.UnknownName) ||
		p.Diagnostics[0].Range.Start != at(t, wrong, "x * |γ") {
		t.Fatalf("%+v", p)
	}
	right := strings.Replace(model, "x * β\n", "x * inv_logit(β)\n", 1)
	wrong = strings.Replace(right, "inv_logit", "expit", 1)
	if p = e.edit(here, wrong); len(p.Diagnostics) != 1 {
		t.Fatalf("%+v", p)
	}
	var actions []struct {
		Title, Kind string
		Edit        struct{ Changes map[string][]change }
		Command     *struct {
			Command   string
			Arguments []string
		}
	}
	e.must("codeAction", here, "", &actions, fields{"range": p.Diagnostics[0].Range,
		"context": fields{"only": []string{"quickfix"}}})
	if len(actions) < 2 || applied(wrong, actions[0].Edit.Changes[here]) != right {
		t.Fatalf("%+v", actions)
	}
	explain := actions[len(actions)-1]
	var text string
	e.request("workspace/executeCommand", fields{"command": explain.Command.Command,
		"arguments": explain.Command.Arguments}, &text)
	if !strings.Contains(text, "Wrong:") || !strings.Contains(explain.Title, p.Diagnostics[0].Code) {
		t.Errorf("%s gives %s", explain.Title, text)
	}
}

// One action applies all fixes: first those of syntax, and then those of names, which show in a whole text.
func TestFixAll(t *testing.T) {
	e := begin(t, "")
	wrong := strings.NewReplacer(": real[N] @ lab", "real[N] @ lab", "y ~ normal", "y = normal", "* β",
		"* expit(β)").Replace(model)
	for _, left := range []int{2, 1} {
		if p := e.edit(here, wrong); len(p.Diagnostics) != left {
			t.Fatalf("%d are left: %+v", left, p.Diagnostics)
		}
		var actions []struct {
			Kind string
			Edit struct{ Changes map[string][]change }
		}
		e.must("codeAction", here, "", &actions, fields{"context": fields{"only": []string{"source.fixAll"}}})
		if len(actions) != 1 {
			t.Fatalf("%d actions", len(actions))
		}
		wrong = applied(wrong, actions[0].Edit.Changes[here])
	}
	if p := e.edit(here, wrong); len(p.Diagnostics) > 0 {
		t.Errorf("after all fixes: %+v\n%s", p.Diagnostics, wrong)
	}
}

// Words are offered where the language has them, with the names of the model in their places.
func TestCompletion(t *testing.T) {
	e := begin(t, `{"capabilities": {"textDocument": {"completion": {"completionItem": {"snippetSupport":
		true}}}}}`)
	e.edit(here, model)
	for text, want := range map[string][2]string{ // the text behind the model, what is offered, what is not
		"param q ~ half": {"half_normal", "effect"}, "param q ~ normal(0, 1) @ ": {"lab", "half_normal"},
		"data q : ": {"binary", "effect"}, "data q : real[": {"N", "effect"}, "let q = e": {"effect", "lab"},
		"transform ": {"power", "effect"}, "data q : real[N] @ lab from z": {"zscore", "effect"},
		"param q ~ normal(": {"sigma", "from"}, "": {"param", "lab"}, "import ": {"nn", "effect"},
		"weight w : real[N] init ": {"zeros", "effect"}, "data q : real[N] missing ": {"drop", "zscore"},
		"data q : real[N] ": {"from", "effect"}, "import nn\nlet q = nn.": {"linear", "effect"},
		"// let q = ": {"", "effect"}, "fn f(u, v) = exp(u) + ": {"u", "lab"},
		"param q : simp": {"simplex", "effect"}, "generate q ~ ": {"half_normal", "effect"},
	} {
		whole := model + text
		e.edit(here, whole)
		var list struct {
			Items []struct {
				Label    string
				TextEdit change
			}
		}
		end := fields{"position": placeOf(whole, len(whole)), "context": fields{}}
		e.must("completion", here, "", &list, end)
		found := map[string]bool{}
		for _, item := range list.Items {
			found[item.Label] = true
			if got := applied(whole, []change{item.TextEdit}); !strings.HasPrefix(got, model) {
				t.Errorf("%q: %s changes the model above", text, item.Label)
			}
		}
		if want[0] != "" && !found[want[0]] || found[want[1]] {
			t.Errorf("%q offers %v", text, found)
		}
	}
}

// A completion of what is built in has its page when it is looked at.
func TestResolve(t *testing.T) {
	e := begin(t, "")
	for label, want := range map[string]string{"half_normal": "half_normal(sigma)", "no_such": ""} {
		var got struct{ Documentation struct{ Value string } }
		e.request("completionItem/resolve", fields{"label": label, "kind": 3}, &got)
		if text := got.Documentation.Value; !strings.Contains(text, want) || (want == "") != (text == "") {
			t.Errorf("%s: %s", label, text)
		}
	}
}

// A blank asks for words where few may stand, and not in an expression.
func TestCompletionUnasked(t *testing.T) {
	e := begin(t, "")
	for text, want := range map[string]bool{"param q ~ ": true, "param q ~ normal(0, 1) @ ": true,
		"let q = ": false, "y ~ normal(0, ": false} {
		e.edit(here, model+text)
		var list struct{ Items []struct{} }
		if e.must("completion", here, "", &list, fields{"position": placeOf(model+text, len(model+text)),
			"context": fields{"triggerCharacter": " "}}); len(list.Items) > 0 != want {
			t.Errorf("%q: %d words", text, len(list.Items))
		}
	}
}

// A call shows its arguments and which one is written.
func TestSignature(t *testing.T) {
	e := begin(t, "")
	text := model + "fn line(u, v) = u + v\nlet q = line(1, exp(2\n"
	e.edit(here, text)
	for marked, want := range map[string]struct {
		label  string
		active int
	}{"β ~ normal(0, |1)": {"normal(mu, sigma)", 1}, "line(1|, e": {"line(u, v)", 0},
		"exp(2|": {"exp(x)", 0}} {
		var got struct {
			Signatures      []struct{ Label string }
			ActiveParameter int
		}
		e.must("signatureHelp", here, marked, &got)
		if len(got.Signatures) != 1 || got.Signatures[0].Label != want.label ||
			got.ActiveParameter != want.active {
			t.Errorf("%q: %+v", marked, got)
		}
	}
}

// Hints name the owner that is not written, and what crosses at a cut; they follow an edit of another line,
// also one that breaks the text.
func TestHints(t *testing.T) {
	e := begin(t, "")
	e.edit(here, model)
	hints := func() map[string]place {
		var list []struct {
			Position place
			Label    string
		}
		e.must("inlayHint", here, "", &list)
		out := map[string]place{}
		for _, h := range list {
			out[h.Label] = h.Position
		}
		return out
	}
	cut := "→ registry, N numbers, every evaluation"
	if got := hints(); len(got) != 3 || got[cut] != at(t, model, "x * β|") || got["@ lab"] != got[cut] ||
		got["@ registry"] != at(t, model, "α ~ normal(0, 1)|") {
		t.Fatalf("%v", got)
	}
	bare := strings.Replace(model, "augmented(rho = 0.25)", "exact", 1)
	e.edit(here, bare)
	if got := hints(); got[cut+", without noise"] != at(t, bare, "x * β|") {
		t.Errorf("under exact: %v", got)
	}
	e.settle(here, model)
	broken := strings.Replace(model, "param σ ~ half_normal(1) @ registry", "param σ ~\nparam", 1)
	e.edit(here, broken)
	if got := hints(); got[cut] != at(t, broken, "x * β|") {
		t.Errorf("in a broken text: %v", got)
	}
	const formula = "server registry\nclient lab\ndata y : binary[N] @ registry\n" +
		"data x : real[N] @ lab from zscore(x)\ny ~ glm(bernoulli_logit, 1 + x)\n"
	e.settle(here, formula)
	if got := hints(); len(got) != 1 || got[cut] != at(t, formula, "1 + x|") {
		t.Errorf("of a formula, whose parameters are not in the text: %v", got)
	}
}

// The audit stands above the parties; its text is that of the command, and shown where the client has no
// command of its own.
func TestAudit(t *testing.T) {
	for _, own := range []bool{false, true} {
		options := `{"capabilities": {}}`
		if own {
			options = `{"capabilities": {}, "initializationOptions": {"commands": ["vflc.audit"]}}`
		}
		e := begin(t, options)
		e.edit(here, model)
		var lenses []struct {
			Range   span
			Command struct {
				Title, Command string
				Arguments      []string
			}
		}
		e.must("codeLens", here, "", &lenses)
		if len(lenses) != 1 || lenses[0].Command.Title != "audit: lab → registry" {
			t.Fatalf("%+v", lenses)
		}
		var text string
		e.request("workspace/executeCommand", lenses[0].Command, &text)
		if text != "the audit of m" {
			t.Errorf("the audit is %q", text)
		}
		e.request("shutdown", nil, nil) // what was shown has come
		if shown := len(e.asked) > 0; shown == own {
			t.Errorf("a client that has the command itself: %v; the server shows the text: %v", own, shown)
		}
	}
}

// Names are found where they are declared and used; a loop's index is not the name outside of it.
func TestReferences(t *testing.T) {
	e := begin(t, "")
	text := model + "let j = 2\nlet total = j + sum(j * 2 for j in 1..3)\n"
	e.edit(here, text)
	for marked, want := range map[string]int{"x * |β": 2, "|lab\n\n": 3, "y : real[|N]": 2, "|j * 2": 2,
		"total = |j": 2, "measured| twice": 0} {
		var list []struct{ Range span }
		if e.must("references", here, marked, &list); len(list) != want {
			t.Errorf("%q has %d references: %v", marked, len(list), list)
		}
	}
	var to struct{ Range span }
	if e.must("definition", here, "x * |β", &to); to.Range.Start != at(t, text, "param |β") {
		t.Errorf("β is declared at %v", to)
	}
	var symbols []struct{ Name, Detail string }
	e.must("documentSymbol", here, "", &symbols)
	if len(symbols) != 10 || symbols[2].Name != "y" || symbols[2].Detail != "data real[N]" {
		t.Errorf("%+v", symbols)
	}
}

// The formatter is that of the command; a text with errors stays as it is.
func TestFormat(t *testing.T) {
	e := begin(t, "")
	untidy := strings.Replace(model, "let /* 🩺 */ effect = x * β", "let   effect=x*β", 1)
	e.edit(here, untidy)
	var edits []change
	e.must("formatting", here, "", &edits)
	tidy := applied(untidy, edits)
	if !strings.Contains(tidy, "let effect = x * β\n") || strings.Contains(tidy, "let   ") {
		t.Errorf("formatted as\n%s", tidy)
	}
	e.edit(here, tidy)
	if e.must("formatting", here, "", &edits); len(edits) != 0 {
		t.Errorf("a tidy text changes: %v", edits)
	}
	e.edit(here, untidy+"let = 3\n")
	if e.must("formatting", here, "", &edits); len(edits) != 0 {
		t.Errorf("a broken text changes: %v", edits)
	}
}

// Tokens are in order, do not overlap, and name what they are.
func TestTokens(t *testing.T) {
	var legend struct {
		Capabilities struct {
			SemanticTokensProvider struct{ Legend struct{ TokenTypes []string } }
		}
	}
	e := begin(t, "")
	e.edit(here, model)
	if err := e.try("initialize", fields{"capabilities": fields{}}, &legend); err != nil {
		t.Fatal(err)
	}
	var tokens struct{ Data []int }
	e.must("semanticTokens/full", here, "", &tokens)
	kinds, line, from, end := map[string]string{}, 0, 0, 0
	for i := 0; i < len(tokens.Data); i += 5 {
		d := tokens.Data[i:]
		if line += d[0]; d[0] > 0 {
			from, end = 0, 0
		}
		if from += d[1]; from < end {
			t.Fatalf("tokens overlap in line %d", line)
		}
		end = from + d[2]
		start := offset(model, place{line, from})
		kinds[model[start:offset(model, place{line, end})]] =
			legend.Capabilities.SemanticTokensProvider.Legend.TokenTypes[d[3]]
	}
	for word, want := range map[string]string{"lab": "class", "β": "parameter", "N": "typeParameter",
		"normal": "function", "0.25": "number", `"dose"`: "property", "transform": "keyword", "real": "type",
		"/* 🩺 */": "comment", "augmented": "enumMember", "~": "operator"} {
		if kinds[word] != want {
			t.Errorf("%s is %q, not %q", word, kinds[word], want)
		}
	}
}

// A module in another buffer is read from there, and its functions are known by name.
func TestModules(t *testing.T) {
	e := begin(t, "")
	main, beside := "file:///models/main.vfl", "file:///models/own.vfl"
	text := "import \"./own.vfl\"\ndata y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(own.twice(m), 1)\n"
	if p := e.edit(main, text); len(p.Diagnostics) == 0 {
		t.Fatal("a module that is not there is not missed")
	}
	e.edit(beside, "fn twice(v) = 2 * v\n")
	if p := e.await(main); len(p.Diagnostics) > 0 {
		t.Fatalf("%+v", p.Diagnostics)
	}
	var to struct {
		URI   string
		Range span
	}
	e.must("definition", main, "own.|twice", &to)
	if to.URI != beside || to.Range.Start != (place{0, 3}) {
		t.Errorf("twice is declared in %+v", to)
	}
	if e.must("definition", main, "import \"./ow|n", &to); to.URI != beside {
		t.Errorf("the import is of %+v", to)
	}
	e.edit(beside, "fn thrice(v) = 3 * v\n")
	if p := e.await(main); len(p.Diagnostics) != 1 {
		t.Errorf("a function that is gone: %+v", p.Diagnostics)
	}
}

// A client that can watch files is asked to; when a module on disk changes, the models are checked again.
func TestWatchedFiles(t *testing.T) {
	e := begin(t, `{"capabilities": {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}}`)
	if r := <-e.asked; r.Method != "client/registerCapability" || !strings.Contains(string(*r.Params),
		"**/vfl.toml") {
		t.Errorf("the server asks for %s: %s", r.Method, *r.Params)
	}
	dir := t.TempDir()
	uri, module := "file://"+filepath.ToSlash(dir)+"/main.vfl", filepath.Join(dir, "own.vfl")
	for _, text := range []string{"fn once(v) = v\n", "fn twice(v) = 2 * v\n"} {
		if err := os.WriteFile(module, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var p published
		if len(e.open) == 0 {
			p = e.edit(uri, "import \"./own.vfl\"\ndata y : real[N]\nparam m ~ normal(0, 1)\n"+
				"y ~ normal(own.twice(m), 1)\n")
		} else {
			e.notify("workspace/didChangeWatchedFiles", fields{"changes": []fields{{"uri": "file://" + module}}})
			p = e.await(uri)
		}
		if wrong := len(p.Diagnostics) > 0; wrong != strings.Contains(text, "once") {
			t.Errorf("with %q: %+v", text, p.Diagnostics)
		}
	}
}

// The module of a client is checked with its model, and has the diagnostics that are about it.
func TestModuleOfAClient(t *testing.T) {
	e := begin(t, "")
	whole, own := "file:///models/trial.vfl", "file:///models/trial/lab.vfl"
	e.edit(whole, "server registry\nclient lab\ndata y : real[N] @ shared\ncontribution eta : real[N] @ lab\n"+
		"param α ~ normal(0, 1)\nparam σ ~ half_normal(1)\ny ~ normal(α + eta, σ)\n")
	module := "module lab implements trial\ndata x : real[N]\nparam β ~ normal(0, 1)\neta = x * β\n"
	if p := e.settle(own, module); len(p.Diagnostics) > 0 {
		t.Fatalf("%+v", p.Diagnostics)
	}
	var h hover
	if e.must("hover", own, "x * |β", &h); !strings.Contains(h.Contents.Value, "owner `lab`") {
		t.Errorf("%s", h.Contents.Value)
	}
	wrong := strings.Replace(module, "x * β", "x * γ", 1)
	if p := e.settle(own, wrong); len(p.Diagnostics) != 1 || p.Diagnostics[0].Range.Start !=
		at(t, wrong, "x * |γ") {
		t.Errorf("%+v", p.Diagnostics)
	}
	if p := e.await(whole); len(p.Diagnostics) != 1 {
		t.Errorf("the model: %+v", p.Diagnostics)
	}
}

// Changes of parts of a text give the text; positions may count bytes.
func TestIncrementalChanges(t *testing.T) {
	for encoding, chars := range map[string]struct{ line, wide int }{"utf-16": {29, 2}, "utf-8": {32, 4}} {
		e := begin(t, `{"capabilities": {"general": {"positionEncodings": ["`+encoding+`"]}}}`)
		e.edit(here, "param β ~ normal(0, 1) // 🩺 x\r\nparam c ~ normal(0, 1)\r\n")
		var changes []fields
		for _, c := range []change{{span{place{0, chars.line - 1}, place{0, chars.line + 7}}, "zz"},
			{span{place{1, 6}, place{1, 7}}, "δδ"}, {span{place{2, 0}, place{9, 9}}, "y ~"}} {
			changes = append(changes, fields{"range": c.Range, "text": c.NewText})
		}
		e.notify("textDocument/didChange", fields{"textDocument": fields{"uri": here, "version": 2},
			"contentChanges": changes})
		p := e.await(here)
		if len(p.Diagnostics) != 1 || p.Diagnostics[0].Range.Start.Line != 2 || p.Version != 2 {
			t.Errorf("%s: %+v", encoding, p)
		}
		var symbols []struct{ SelectionRange span }
		e.must("documentSymbol", here, "", &symbols)
		if len(symbols) != 2 || symbols[1].SelectionRange != (span{place{1, 6}, place{1, 6 + chars.wide}}) {
			t.Errorf("%s: %+v", encoding, symbols)
		}
		var folds []struct{}
		e.must("foldingRange", here, "", &folds)
	}
}

// What is no request is answered by an error, and the server goes on; one that panics too.
func TestErrorsAreAnswered(t *testing.T) {
	e := begin(t, "")
	e.edit(here, model)
	for method, params := range map[string]string{"textDocument/hover": `{"position": 3}`, "no/method": `{}`,
		"textDocument/rename":      `{"textDocument": {"uri": "` + here + `"}, "newName": "let"}`,
		"workspace/executeCommand": `{"command": "rm", "arguments": ["-r"]}`} {
		if err := e.try(method, json.RawMessage(params), nil); err == nil {
			t.Errorf("%s with %s is answered", method, params)
		}
	}
	var h *hover
	if e.must("hover", "file:///elsewhere.vfl", "", &h, fields{"position": place{}}); h != nil {
		t.Errorf("a document that is not open has a hover")
	}
	e.must("hover", here, "x * |β", &h)
	if h == nil {
		t.Error("the server does not go on")
	}
	e.request("shutdown", nil, nil)
	if err := e.ask("hover", here, "x * |β", nil); err == nil {
		t.Error("a server that is shut down answers")
	}
	e.notify("exit", nil)
	if err := <-e.ended; err != nil {
		t.Errorf("after shutdown and exit: %v", err)
	}
}

// Who exits without shutdown, or asks before initialize, is told so.
func TestLifeCycle(t *testing.T) {
	e := begin(t, "")
	e.notify("exit", nil)
	if err := <-e.ended; err == nil {
		t.Error("an exit without shutdown is no error")
	}
}

// An audit takes its time beside the other requests; a tool that panics is an error of its request alone.
func TestAuditIsBeside(t *testing.T) {
	leave := make(chan struct{})
	slow := tools()
	slow.Audit = func(io.Writer, *compile.Model, func(string) (string, bool)) error {
		<-leave
		panic("a fault of a tool")
	}
	e := beginWith(t, slow, "")
	e.settle(here, model)
	audit, err := e.conn.DispatchCall(t.Context(), "workspace/executeCommand", fields{"command": "vflc.audit",
		"arguments": []string{here}})
	if err != nil {
		t.Fatal(err)
	}
	e.must("hover", here, "x * |β", nil)
	close(leave)
	if err := audit.Wait(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "a fault of a tool") {
		t.Errorf("the audit: %v", err)
	}
	e.must("hover", here, "x * |β", nil)
}

// A request that is cancelled while another one is worked on gets the error of that.
func TestCancel(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := tools()
	slow.Compile = func(f *source.File, open func(string) (string, bool)) (*compile.Model, diag.List, error) {
		if strings.Contains(f.Text, "slowly") { // as the rename below checks it
			close(entered)
			<-leave
		}
		return tools().Compile(f, open)
	}
	e := beginWith(t, slow, "")
	e.settle(here, model)
	doc := fields{"uri": here}
	rename, err := e.conn.DispatchCall(t.Context(), "textDocument/rename", fields{"textDocument": doc,
		"position": at(t, model, "x * |β"), "newName": "slowly"}, jsonrpc2.PickID(jsonrpc2.ID{Num: 76}))
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	hover, err := e.conn.DispatchCall(t.Context(), "textDocument/hover", fields{"textDocument": doc,
		"position": place{}}, jsonrpc2.PickID(jsonrpc2.ID{Num: 77}))
	if err != nil {
		t.Fatal(err)
	}
	e.notify("$/cancelRequest", fields{"id": 77})
	e.notify("$/cancelRequest", fields{"id": 78}) // of nothing
	close(leave)
	var wrong *jsonrpc2.Error
	if err := hover.Wait(t.Context(), nil); !errors.As(err, &wrong) || wrong.Code != -32800 {
		t.Errorf("a cancelled request: %v", err)
	}
	if err := rename.Wait(t.Context(), nil); err != nil {
		t.Errorf("the one before: %v", err)
	}
}
