package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// Every report is a whole page that asks nothing of a network, has all sections, and says what the run says.
func TestPages(t *testing.T) {
	for name, x := range tasks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, x)
			text := written(t, r)
			if len(text) > 3_000_000 {
				t.Errorf("%d bytes", len(text))
			}
			page := parse(t, text)
			checkSelfContained(t, page)
			checkStructure(t, page, x.logLik)
			checkSummary(t, page, posterior.Summarise(r.Draws))
			checkFindings(t, page, fit.Diagnose(r))
			if d := page.section(t, "split").with("diagram"); len(d) != 1 {
				t.Errorf("%d diagrams", len(d))
			}
			if n := len(page.section(t, "plots").with("plot")); n < 3 {
				t.Errorf("%d plots", n)
			}
		})
	}
}

// checkSelfContained requires the policy, its style, and that nothing refers to another file or contains a
// program.
func checkSelfContained(t *testing.T, page *node) {
	t.Helper()
	policy := ""
	for _, m := range page.named("meta") {
		if m.attrs["http-equiv"] == "Content-Security-Policy" {
			policy = m.attrs["content"]
		}
	}
	styles := page.named("style")
	if len(styles) != 1 {
		t.Fatalf("%d styles", len(styles))
	}
	style := styles[0].content()
	sum := sha256.Sum256([]byte(style))
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"; policy != want {
		t.Errorf("policy %s, want %s", policy, want)
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style refers to another file")
	}
	for _, n := range page.all(func(*node) bool { return true }) {
		if slices.Contains([]string{"script", "iframe", "object", "embed", "form", "foreignObject", "use",
			"image"}, n.name) {
			t.Errorf("there is an element %s", n.name)
		}
		for a, v := range n.attrs {
			switch {
			case a == "style" || strings.HasPrefix(a, "on"):
				t.Errorf("%s has an attribute %s, which the policy refuses", n.name, a)
			case a == "href" || a == "src" || a == "srcset" || a == "action":
				if !strings.HasPrefix(v, "#") && !strings.HasPrefix(v, "data:") {
					t.Errorf("%s refers to %s", n.name, v)
				}
			}
		}
	}
}

// checkStructure requires all sections, that on predictive accuracy where its densities are stored, headings
// without gaps, titles of columns, texts of pictures, and links that lead somewhere.
func checkStructure(t *testing.T, page *node, logLik bool) {
	t.Helper()
	var ids, want []string
	for _, s := range page.named("section") {
		ids = append(ids, s.attrs["id"])
	}
	for _, s := range sections() {
		if s.id != "accuracy" || logLik {
			want = append(want, s.id)
		}
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	level := 0
	for _, h := range page.named("h1", "h2", "h3") {
		if next := int(h.name[1] - '0'); next > level+1 {
			t.Errorf("the heading %q skips a level", h.content())
		} else {
			level = next
		}
	}
	if len(page.named("h1")) != 1 {
		t.Error("a page has one title")
	}
	for _, h := range page.named("th") {
		if h.attrs["scope"] == "" {
			t.Errorf("the title %q is of no row or column", h.content())
		}
	}
	for _, s := range page.named("svg") {
		if s.attrs["role"] != "img" || s.attrs["aria-label"] == "" && s.attrs["aria-labelledby"] == "" {
			t.Error("a picture has no text")
		}
	}
	for _, s := range page.with("scroll") {
		if s.attrs["tabindex"] != "0" || s.attrs["aria-label"] == "" {
			t.Error("a part that scrolls cannot be reached with the keyboard")
		}
	}
	checkLinks(t, page)
}

func checkLinks(t *testing.T, page *node) {
	t.Helper()
	seen := map[string]bool{}
	for _, n := range page.all(func(n *node) bool { return n.attrs["id"] != "" }) {
		if seen[n.attrs["id"]] {
			t.Errorf("two elements have the id %s", n.attrs["id"])
		}
		seen[n.attrs["id"]] = true
	}
	for _, a := range page.named("a") {
		if !seen[strings.TrimPrefix(a.attrs["href"], "#")] {
			t.Errorf("%s leads nowhere", a.attrs["href"])
		}
	}
	for _, n := range page.all(func(n *node) bool { return n.attrs["aria-labelledby"] != "" }) {
		if !seen[n.attrs["aria-labelledby"]] {
			t.Errorf("%s is not there to name a %s", n.attrs["aria-labelledby"], n.name)
		}
	}
}

// table returns the cells of the first table of a section.
func table(t *testing.T, section *node) [][]string {
	t.Helper()
	tables := section.named("table")
	if len(tables) == 0 {
		t.Fatal("there is no table")
	}
	var out [][]string
	for _, row := range tables[0].named("tr") {
		var cells []string
		for _, c := range row.named("th", "td") {
			cells = append(cells, c.content())
		}
		out = append(out, cells)
	}
	return out
}

// checkSummary requires the figures of the table that vflc summary prints.
func checkSummary(t *testing.T, page *node, rows []posterior.SummaryRow) {
	t.Helper()
	var b strings.Builder
	if err := posterior.WriteTable(&b, rows); err != nil {
		t.Fatal(err)
	}
	var want [][]string
	for line := range strings.Lines(b.String()) {
		want = append(want, regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1))
	}
	if diff := cmp.Diff(want, table(t, page.section(t, "summary"))); diff != "" {
		t.Error(diff)
	}
}

// checkFindings requires the first finding of each check, or the words that nothing is wrong.
func checkFindings(t *testing.T, page *node, found []posterior.Finding) {
	t.Helper()
	text := page.section(t, "findings").content()
	if len(found) == 0 && !strings.Contains(text, "No problem found") {
		t.Errorf("no findings, but the page says %s", text)
	}
	for i, f := range found {
		if (i == 0 || found[i-1].Check != f.Check) && (!strings.Contains(text, f.Text) ||
			!strings.Contains(text, f.Try)) {
			t.Errorf("the finding %q is not in %s", f.Text, text)
		}
	}
}

// The text of the model is on the page as it is in the folder, and each name has the class of its owner.
func TestModelText(t *testing.T) {
	r := run(t, task{model: "logistic.vfl", backend: "nuts"})
	model := parse(t, written(t, r)).section(t, "model")
	pre := model.with("model")[0]
	source, err := fit.RecordedModel(r.Path, r.Record)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(source.Text, pre.content()); diff != "" {
		t.Error(diff)
	}
	classes := map[string]map[string]bool{}
	for _, s := range pre.named("span") {
		if classes[s.content()] == nil {
			classes[s.content()] = map[string]bool{}
		}
		classes[s.content()][s.attrs["class"]] = true
	}
	for name, class := range map[string]string{"registry": "p0", "b": "p0", "hospital_a": "p1", "XA": "p1",
		"beta_a": "p1", "hospital_b": "p2", "XB": "p2", "beta_b": "p2", "y": "shared", "shared": "shared"} {
		if want := map[string]bool{class: true}; !cmp.Equal(classes[name], want) {
			t.Errorf("%s has the classes %v, want %s", name, classes[name], class)
		}
	}
	var legend []string
	for _, line := range model.named("li") {
		legend = append(legend, line.content())
	}
	if want := []string{"registry (server): b", "hospital_a (client): XA, beta_a",
		"hospital_b (client): XB, beta_b", "shared (known to every party): y"}; !cmp.Equal(legend, want) {
		t.Errorf("legend %q, want %q", legend, want)
	}
}

// The diagram has a box for each party with what its program computes, and an arrow for each line of the
// audit that is of a round. Texts fit into their boxes.
func TestDiagram(t *testing.T) {
	for _, transform := range []string{"", "power", "exact"} {
		report, diags, err := New(run(t, task{model: "logistic.vfl", backend: "nuts", transform: transform}))
		good(t, diags, err)
		rows, err := report.disclosures()
		good(t, nil, err)
		d := report.draw(rows)
		arrows := 0
		for _, row := range rows {
			// anybody may ask for the answer to a preflight
			if row.Often != "once" && slices.Contains(report.parties(), row.To) {
				arrows++
			}
		}
		if len(d.Boxes) != 3 || len(d.Arrows) != arrows || arrows == 0 {
			t.Errorf("%s: %d boxes, %d arrows, want 3 and %d", transform, len(d.Boxes), len(d.Arrows), arrows)
		}
		for _, b := range d.Boxes {
			if b.X < 0 || b.X+b.W > d.Width || b.Y+b.H > d.Height {
				t.Errorf("%s: %s is outside of the picture", transform, b.Title.Full)
			}
			for _, l := range b.Lines {
				if l.Y > b.Y+b.H || len([]rune(l.Text)) > inBox {
					t.Errorf("%s: %q is outside of %s", transform, l.Text, b.Title.Full)
				}
			}
		}
		for _, a := range d.Arrows {
			if a.Y > d.Height {
				t.Errorf("%s: an arrow is outside of the picture", transform)
			}
		}
		text := fmt.Sprint(d.Boxes)
		if !strings.Contains(text, "beta_a : real[PA] ~ normal(0, 1)") || strings.Contains(text, "send") {
			t.Errorf("%s: %s", transform, text)
		}
	}
}

// A family is one box, which says how many members it has; in the table each has its line.
func TestFamily(t *testing.T) {
	page := parse(t, written(t, run(t, tasks(t)["family"])))
	if text := page.section(t, "split").with("diagram")[0].content(); !strings.Contains(text,
		"a family of 10 clients") {
		t.Error(text)
	}
	if rows := table(t, page.section(t, "summary")); len(rows) != 22 {
		t.Errorf("%d lines, want a title, b, and two coefficients of each of ten labs", len(rows))
	}
	if text := page.section(t, "forecast").content(); !strings.Contains(text, "rho√(J-1) = 0.75") {
		t.Errorf("the noise of the power model is that of the others: %s", text)
	}
}

// What crosses, and what follows from it, is what vflc audit says; of pooled data it is everything.
func TestAudit(t *testing.T) {
	for name, want := range map[string][]string{
		"nuts": {"z_1, drawn around XA * beta_a", "noise of sd 0.25", "rho is no differential privacy",
			"residual sd"},
		"exact":      {"X_a * beta_a itself, as z_1", "linear span of its covariates"},
		"pooled":     {"data X_a", "everything: whoever runs the process reads it"},
		"clientless": {"Nothing crossed between parties."},
	} {
		text := parse(t, written(t, run(t, tasks(t)[name]))).section(t, "audit").content()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in %s", name, w, text)
			}
		}
	}
}

// Coefficients carry the names of their columns and categories, in the table and in the plots.
func TestLabels(t *testing.T) {
	page := parse(t, written(t, run(t, tasks(t)["labels"])))
	var names []string
	for _, row := range table(t, page.section(t, "summary"))[1:] {
		names = append(names, row[0])
	}
	want := []string{"b", "beta[zscore(age)]", "beta[sex=f]", "beta[sex=m]", "u[<north>]", "u[R & D]",
		"u[south]"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for _, name := range want {
		if !strings.Contains(page.section(t, "plots").content(), name) {
			t.Errorf("no plot of %s", name)
		}
	}
}
