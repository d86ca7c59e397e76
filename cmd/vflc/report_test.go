package main

import (
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The report shows the figures of vflc summary, to all digits, and the findings of vflc diagnose, of every
// backend.
func TestReportAgreesWithSummary(t *testing.T) {
	cell := regexp.MustCompile(`<t[hd][^>]*>(.*?)</t[hd]>`)
	tag := regexp.MustCompile(`<[^>]*>`)
	for name, flags := range map[string][]string{
		"nuts": {"--chains", "2", "--warmup", "100", "--draws", "50"},
		"sfvi": {"--iterations", "200", "--draws", "200", "--elbo-draws", "100"},
		"soul": {"--iterations", "100", "--draws", "50"},
	} {
		dir := filepath.Join(t.TempDir(), name)
		do(t, append([]string{"run", "../../examples/logistic.vfl", "--quiet", "--backend", name, "-o", dir},
			flags...)...)
		page := do(t, "report", dir, "-o", "-")
		_, section, _ := strings.Cut(page, `<section id="summary"`)
		section, _, _ = strings.Cut(section, "</section>")
		var got []string
		for _, c := range cell.FindAllStringSubmatch(section, -1) {
			got = append(got, html.UnescapeString(tag.ReplaceAllString(c[1], "")))
		}
		if want := strings.Fields(do(t, "summary", dir)); !slices.Equal(got, want) {
			t.Errorf("%s: the report shows %q, but summary %q", name, got, want)
		}
		text := html.UnescapeString(page)
		for line := range strings.Lines(do(t, "diagnose", dir)) {
			if line = strings.TrimPrefix(strings.TrimSpace(line), "try: "); !strings.Contains(text, line) {
				t.Errorf("%s: the report does not show %q", name, line)
			}
		}
	}
}
