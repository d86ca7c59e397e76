package lower_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
)

// Words that a distribution takes in an order have one that the model gives, or there is a warning; numbers,
// and distributions that know no order, need none.
func TestWordsWhoseOrderCounts(t *testing.T) {
	page, _ := diag.Explain(diag.WordsInOrder)
	ordered := func(text string) (out []*diag.Diagnostic) {
		t.Helper()
		archive := txtar.Parse([]byte(text))
		f := fixture{Text: string(archive.Files[0].Data),
			Tables: map[string]string{"server": string(archive.Files[1].Data)}}
		for _, d := range f.Diagnose(t, check.Options{}) {
			if d.Severity == diag.Error {
				t.Fatalf("%s\n%s", d.Message, text)
			}
			if d.Code == page.Code {
				out = append(out, d)
			}
		}
		return out
	}
	found := ordered(page.Wrong)
	if len(found) != 1 || !strings.Contains(found[0].Message, "ordered_logistic") ||
		!strings.HasSuffix(found[0].Message, ": fair, good, poor") ||
		!strings.Contains(found[0].Notes[0].Message, "levels K =") {
		t.Errorf("the wrong example: %v", found)
	}
	probit := strings.Replace(page.Wrong, "ordered_logistic", "ordered_probit", 1)
	if len(ordered(probit)) != 1 {
		t.Error("no warning of ordered_probit")
	}
	for name, text := range map[string]string{
		"a list":       page.Right,
		"the alphabet": strings.Replace(page.Right, `"poor", "fair", "good"`, `"fair", "good", "poor"`, 1),
		"numbers": strings.NewReplacer("\npoor,", "\n1,", "\nfair,", "\n2,", "\ngood,",
			"\n3,").Replace(page.Wrong),
		"no order": strings.NewReplacer("param c : ordered[K - 1] ~ normal(0, 3)",
			"param c : real[K] ~ normal(0, 3)",
			"ordered_logistic(b * x, c)", "categorical_logit(col(b * x) .* row(c))").Replace(page.Wrong),
	} {
		if found := ordered(text); len(found) > 0 {
			t.Errorf("%s: %s", name, found[0].Message)
		}
	}
}
