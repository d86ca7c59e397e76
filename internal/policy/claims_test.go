package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Sentences that were written here once and were wrong: from what crosses, receivers compute columns,
// coefficients and contributions, through noise and masks. A text says what can be computed, or what is sent.
var untrue = []string{
	`neither an? covariate nor an? coefficient leaves`,
	`no (covariate|coefficient|column|data)s?( and no \w+)? (leaves?|crosses|cross)\b`,
	`(covariates?|coefficients?|data|parameters) (of a client )?never leaves? `,
	`(tables?|parameters|coefficients|data)( and (tables?|parameters|coefficients|draws|data))* stay (with|where) the`,
	`data stayed where`,
	`no client's own`,
	`knows? only (their|the) sums?\b`,
	`(sees|knows|learns) (the )?(totals?|sums?) alone`,
	`no row shows`,
	`masks? (hides?|protects?) (them|it|whose|what|each|rows|a row)\b`,
	`masked sums? (could |can |would )?(hides?|protects?)\b`,
	`but not whose (they|it) (is|are)`,
	`hides more than any rho`,
	`masks hid\b`,
	`only (their|the) sums\b`,
	`no way to separate\b`,
	`sums are not known to separate`,
	`the verdict names the contribution alone`,
	`withstood (all |our )?attacks`,
	`(the|only the) noise( alone)? covers`,
	`disclose nothing (new|that)`,
	`(rho|ρ) is to protect`,
	`noise here stops`,
	`nobody (learns|knows|sees) how many`,
	`default fits? of .?sfvi`,
}

var (
	groups   = regexp.MustCompile(`\([^()]*\)\??`)
	optional = regexp.MustCompile(`.\?`)
	literals = regexp.MustCompile(`[a-z' ]+`)
)

// A claim is a pattern, and a text that all that it matches has: looking for that is fast.
type claim struct {
	pattern *regexp.Regexp
	has     string
}

func newClaim(pattern string) claim {
	rest := pattern
	for groups.MatchString(rest) {
		rest = groups.ReplaceAllString(rest, "|")
	}
	all := literals.FindAllString(optional.ReplaceAllString(rest, "|"), -1)
	return claim{regexp.MustCompile(pattern), slices.MaxFunc(all, func(a, b string) int {
		return len(a) - len(b)
	})}
}

// claimed lists what a text claims.
func claimed(text string) (out []string) {
	text = strings.ToLower(text)
	for _, c := range claims {
		if strings.Contains(text, c.has) {
			out = append(out, c.pattern.FindAllString(text, -1)...)
		}
	}
	return out
}

var claims = func() (out []claim) {
	for _, u := range untrue {
		out = append(out, newClaim(u))
	}
	return out
}()

// No text of the project has one of them. Texts of tests, and these patterns, are left out.
func TestNoUntrueClaimsOfPrivacy(t *testing.T) {
	for _, example := range []string{"Neither a covariate nor a coefficient leaves its owner.",
		"Tables and parameters stay with their parties", "with masks know only their sums",
		"the server then learns a sum of cuts, and no client's own",
		"an algorithm whose sums are not known to separate (sfvi)",
		"For sfvi no way to separate masked sums is known here", "they have withstood our attacks",
		"so that the noise alone covers them", "Nobody learns how many cells are missing"} {
		if len(claimed(example)) == 0 {
			t.Errorf("the patterns miss %q", example)
		}
	}
	for _, fine := range []string{"masked sums do not hide columns of two values", "No table is sent."} {
		if len(claimed(fine)) > 0 {
			t.Errorf("the patterns refuse %q", fine)
		}
	}
	walk(t, func(name string) {
		prose := slices.Contains([]string{".go", ".md", ".vfl", ".toml", ".txtar", ".svg", ".html"},
			filepath.Ext(name))
		if !prose || strings.HasSuffix(name, "_test.go") {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		// a sentence may be broken at the end of a line
		joined := strings.Join(strings.Fields(string(text)), " ")
		for _, m := range claimed(strings.ReplaceAll(joined, " // ", " ")) {
			t.Errorf("%s: %q is not so: say what is sent, or what can be computed", name, m)
		}
	})
}
