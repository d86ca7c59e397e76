package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a model whose comments end every kind of text that a page has.
const hostile = `// </code></pre></style></title><script>alert(1)</script> <img src="x" onerror="alert(2)"> & &lt; ]]> {{.}}
/* --> <svg onload='alert(3)'/> */
client a
data y : real[N] @ shared from "<script>alert(4)</script>"
data x : real[N] @ a from "<b>&amp;\"'"
param v ~ normal(0, 1) @ a
let h = x * v
y ~ normal(h, 1) // javascript:alert(5)
`

// Whatever stands in the model, in names of files and in the command is text.
func TestHostileTexts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `<script>alert(6)`)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		good(t, nil, os.MkdirAll(filepath.Dir(path), 0o755))
		good(t, nil, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	path := write(`m.vfl`, hostile)
	write("m/server.csv", "id,<script>alert(4)</script>\n1,0.2\n2,0.4\n3,-1\n4,0\n")
	write("m/a.csv", "id,\"<b>&amp;\"\"'\"\n1,1\n2,2\n3,-1\n4,0.5\n")
	r := run(t, task{model: path, backend: "nuts",
		command: []string{"vflc", "run", "</code><script>alert('7')</script>", "$(rm -rf .)"}})
	text := written(t, r)
	page := parse(t, text)
	checkSelfContained(t, page)
	checkStructure(t, page, false)
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") ||
		strings.Contains(text, "<svg onload") {
		t.Error("a text became an element")
	}
	if got := page.section(t, "model").with("model")[0].content(); got != hostile {
		t.Errorf("the model became\n%s", got)
	}
	if got := page.section(t,
		"repeat").named("pre")[0].content(); got !=
		`vflc run '</code><script>alert('\''7'\'')</script>' '$(rm -rf .)'` {
		t.Errorf("the command became %s", got)
	}
}
