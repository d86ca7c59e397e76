package lsp_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/brief"
)

// requests about a place of a document.
var requests = []string{"hover", "completion", "signatureHelp", "definition", "references", "documentHighlight",
	"documentSymbol", "foldingRange", "semanticTokens/full", "inlayHint", "codeLens", "codeAction", "formatting"}

// Whatever is cut off from a model, every request is answered at the end and in the middle of what is left.
func TestTruncated(t *testing.T) {
	e := begin(t, "")
	models, n := examples(t), 0
	for _, path := range slices.Sorted(maps.Keys(models)) {
		text, uri := models[path], "file://"+path
		for cut := 0; cut < len(text); cut += max(1, len(text)/brief.Draws(2, 100)) {
			n++
			if cut+n%7 > len(text) {
				continue
			}
			part := strings.ToValidUTF8(text[:cut+n%7], "")
			e.edit(uri, part)
			for _, at := range []int{len(part), len(strings.ToValidUTF8(part[:len(part)/2], ""))} {
				for _, method := range requests {
					e.must(method, uri, "", nil, fields{"position": placeOf(part, at)})
				}
			}
		}
	}
	for len(e.asked) > 0 {
		if r := <-e.asked; r.Method == "window/logMessage" {
			t.Errorf("the server had a fault: %s", *r.Params)
		}
	}
}

// A model in which a name is another one means the same: its parties have the same programs, up to that name.
// Back again, it is the text that it was.
func TestRenameKeepsTheModel(t *testing.T) {
	e := begin(t, "")
	models, renamed, taken := examples(t), 0, 0
	for i, path := range slices.Sorted(maps.Keys(models)) {
		text, uri := models[path], "file://"+path
		if p := e.edit(uri, text); slices.ContainsFunc(p.Diagnostics, isError) {
			continue
		}
		var symbols []struct {
			Name, Detail   string
			SelectionRange span
		}
		e.must("documentSymbol", uri, "", &symbols)
		for k, s := range symbols {
			if !brief.Share(3, i, k) {
				continue
			}
			for _, other := range symbols {
				change := fields{"position": s.SelectionRange.Start, "newName": other.Name}
				if other.Name != s.Name && space(other.Detail) == space(s.Detail) &&
					e.ask("rename", uri, "", nil, change) == nil {
					t.Errorf("%s: %s may be renamed to %s, which is taken", path, s.Name, other.Name)
				}
				taken++
			}
			name := s.Name + "_renamed"
			now, ok := rename(e, uri, s.SelectionRange.Start, name)
			if !ok {
				continue
			}
			renamed++
			if got, want := programs(t, path, now), programs(t, path, text); !slices.Equal(unnamed(got, name,
				s.Name), want) {
				t.Errorf("%s: %s as %s gives other programs\n%v", path, s.Name, name, now)
			}
		}
	}
	if renamed < 50 || taken < 300 {
		t.Errorf("%d names are renamed, %d are taken", renamed, taken)
	}
}

// space tells the names of functions, distributions and modules, which have spaces of their own.
func space(detail string) string {
	if slices.Contains([]string{"fn", "dist", "module"}, detail) {
		return detail
	}
	return ""
}

func isError(d struct {
	Range    span
	Severity int
	Code     string
	Message  string
}) bool {
	return d.Severity == 1
}

// rename is the text of a document after a rename; false where it is refused.
func rename(e *editor, uri string, at place, name string) (string, bool) {
	var edits struct{ Changes map[string][]change }
	if e.ask("rename", uri, "", &edits, fields{"position": at, "newName": name}) != nil {
		return "", false
	}
	return applied(e.open[uri], edits.Changes[uri]), true
}

// programs are the words of the programs of a model's parties.
func programs(t *testing.T, path, text string) (out []string) {
	t.Helper()
	m, diags, _ := tools().Compile(source.New(path, text), func(string) (string, bool) { return "", false })
	if diags.HasErrors() {
		t.Fatalf("%s: %s\n%s", path, diags.Shown()[0].Message, text)
	}
	files := m.Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := string(files[name]); strings.HasSuffix(name, ".vfl") {
			for _, w := range parser.Words(text) {
				out = append(out, text[w.Start:w.End])
			}
		}
	}
	return out
}

// unnamed gives a name back its old form in the words of programs. The column that data with the new name
// read, where they had read it by their name, is left out.
func unnamed(words []string, name, old string) (out []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case i+1 < len(words) && words[i] == "from" && words[i+1] == old && slices.Contains(words[max(0,
			i-20):i], name):
			i++
		default:
			w := words[i]
			if w == name || strings.HasPrefix(w, name+"_l") || strings.HasPrefix(w, name+".") {
				w = old + w[len(name):]
			}
			out = append(out, w)
		}
	}
	return out
}

// A rename that would capture, or be captured, is refused, and so is one to a word of the language.
func TestRenameIsRefused(t *testing.T) {
	e := begin(t, "")
	text := model + "let u = 2\nlet total = u + sum(u * j for j in 1..3)\nfn f(v) = v + u\n" +
		"data K : int\ndata T : real[K]\n"
	e.edit(here, text)
	for marked, names := range map[string][]string{"let |u": {"j", "v", "total", "let", "2x", "a b", "", "shared"},
		"for |j": {"u", "for"}, "f(|v)": {"u", "y_lpdf"}, "data |K": {"L"}, "x * |β": {"σ", "lab", "N"},
		"|transform": {"q"}, "normal|(0": {"q"}} {
		for _, name := range names {
			if err := e.ask("rename", here, marked, nil, fields{"newName": name}); err == nil {
				t.Errorf("%q may be named %q", marked, name)
			}
		}
	}
	for marked, want := range map[string]string{"for |j": "sum(u * k for k in 1..3)", "data |T": "from T",
		"|lab\n\n": "client k\n", "fn |f": "fn k(v)"} {
		if now, ok := rename(e, here, at(t, text, marked), "k"); !ok || !strings.Contains(now, want) {
			t.Errorf("%q renamed: %v %s", marked, ok, now)
		}
	}
	e.edit(here, text+"let = 4\n")
	if err := e.ask("rename", here, "let |u", nil, fields{"newName": "free"}); err == nil {
		t.Error("a name is changed in a broken text")
	}
}

// written is a model with so many lines: two clients with data, parameters and terms of a predictor each.
func written(lines int) string {
	var b strings.Builder
	b.WriteString("server registry\nclient a, b\ndata y : real[N] @ shared\nparam m ~ normal(0, 1)\n")
	sum := "m"
	for i := range (lines - 7) / 4 {
		owner := []string{"a", "b"}[i%2]
		fmt.Fprintf(&b, "/// The covariate %d.\ndata x%d : real[N] @ %s\nparam b%d ~ normal(0, 2.5) @ %s\n"+
			"let t%d = b%d * x%d\n", i, i, owner, i, owner, i, i, i)
		sum += fmt.Sprintf(" + t%d", i)
	}
	fmt.Fprintf(&b, "param s ~ half_normal(1)\ny ~ normal(%s, s)\ntransform augmented(rho = 0.25)\n", sum)
	return b.String()
}

// The model of the benchmark is one without errors, and as long as it says.
func TestWritten(t *testing.T) {
	text := written(60)
	m, diags, _ := tools().Compile(source.New(filepath.Base(here), text), nil)
	if diags.HasErrors() || strings.Count(text, "\n") != 59 {
		t.Fatalf("%d lines, %v", strings.Count(text, "\n"), diags.Shown()[0].Message)
	}
	var cuts []compile.Disclosure
	_, rows, err := tools().Rows(m, nil)
	for _, r := range rows {
		if len(r.Cuts) > 0 {
			cuts = append(cuts, r)
		}
	}
	if err != nil || len(cuts) != 2 {
		t.Errorf("%d cuts cross, %v", len(cuts), err)
	}
}

// BenchmarkRequests measures, over a model of 500 lines, each request after a change, and how long it takes
// until the diagnostics of a change are there.
func BenchmarkRequests(b *testing.B) {
	text := written(500)
	for _, method := range append([]string{"diagnostics"}, requests...) {
		b.Run(strings.ReplaceAll(method, "/", "-"), func(b *testing.B) {
			e := begin(b, "")
			e.edit(here, text)
			measure(b, e, method, text)
		})
	}
}
