package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/source"
)

// An editor shows the audit that the command prints, by the vfl.toml beside the model; what crosses is the
// same; and a text in the editor takes the place of a file. Tables are not read: one that cannot be is no
// error.
func TestAnEditorShowsWhatCommandsPrint(t *testing.T) {
	dir := t.TempDir()
	const text = "import \"./own.vfl\"\nclient a\ndata y : real[N] @ shared\ndata x : real[N] @ a\n" +
		"param b ~ normal(0, 1) @ a\nparam m ~ normal(0, 1)\ny ~ normal(m + own.twice(b) * x, 1)\n"
	model := filepath.Join(dir, "m.vfl")
	for name, content := range map[string]string{"m.vfl": text, "own.vfl": "fn once(v) = v\n",
		"a.csv": "x,x\n\"\xff"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tools := toolchain()
	none := func(string) (string, bool) { return "", false }
	if _, diags, err := tools.Compile(source.New(model, text), none); err != nil || !diags.HasErrors() {
		t.Fatalf("a function that the module does not have: %v, %v", diags, err)
	}
	module := "fn twice(v) = 2 * v\n"
	opened := func(path string) (string, bool) { return module, path == filepath.Join(dir, "own.vfl") }
	for _, settings := range []string{"transform = \"exact\"", "transform = \"augmented\"\nrho = 0.3\nbackend = " +
		"\"sfvi\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, "vfl.toml"), []byte("[run]\n"+settings), 0o600); err != nil {
			t.Fatal(err)
		}
		m, diags, err := tools.Compile(source.New(model, text), opened)
		if err != nil || diags.HasErrors() {
			t.Fatalf("%s: %v, %v", settings, diags, err)
		}
		_, rows, err := tools.Rows(m, opened)
		var shown, printed bytes.Buffer
		if err != nil || len(rows) == 0 || tools.Audit(&shown, m, opened) != nil {
			t.Fatalf("%s: %d rows, %v", settings, len(rows), err)
		}
		if err := os.WriteFile(filepath.Join(dir, "own.vfl"), []byte(module), 0o600); err != nil {
			t.Fatal(err)
		}
		audit := newRoot("audit")
		audit.SetArgs([]string{"audit", model})
		audit.SetOut(&printed)
		if err := audit.Execute(); err != nil || shown.String() != printed.String() || shown.Len() < 1000 {
			t.Errorf("%s: %v\n%s\nis not\n%s", settings, err, shown.String(), printed.String())
		}
		for _, r := range rows {
			if !strings.Contains(printed.String(), "\n"+r.What+" ") {
				t.Errorf("%s: %s crosses, and the audit does not have it", settings, r.What)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "vfl.toml"), []byte("[run]\nrho = -1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tools.Compile(source.New(model, text), none); err == nil {
		t.Error("a wrong vfl.toml is taken")
	}
}
