package stdlib

import (
	"regexp"
	"testing"

	"github.com/vflc/vflc/lang/diag"
)

var called = regexp.MustCompile(`([a-z_0-9A-Z]+)\(`)

// A name known elsewhere is none of this version, and stands once. What to write instead exists: a name that
// takes its place is one of its namespace, and every call in an expression is of a function, a distribution,
// a type or an encoder.
func TestNamesKnownElsewhere(t *testing.T) {
	u := New()
	function := func(name string) bool {
		_, one := u.Func(name)
		_, other := u.Structural(name)
		return one || other
	}
	has := map[diag.Namespace]func(string) bool{
		diag.Functions:     function,
		diag.Distributions: func(name string) bool { _, ok := u.Dist(name); return ok },
		diag.Encoders:      func(name string) bool { _, ok := u.Encoder(name); return ok },
		diag.Values:        func(string) bool { return false },
		diag.Initials:      func(name string) bool { _, ok := u.Initial(name); return ok },
		diag.Types: func(name string) bool {
			_, structured := u.Structured(name)
			return structured || name == "real" || name == "int" || name == "binary" || name == "count" ||
				name == "level"
		},
	}
	clause := map[string]bool{MixtureName: true, "truncate": true, "censor": true}
	total := 0
	for space, exists := range has {
		seen := map[string]bool{}
		for _, f := range diag.Foreigns(space) {
			total++
			if seen[f.Name] || exists(f.Name) {
				t.Errorf("%s stands twice, or is a name of this version", f.Name)
			}
			seen[f.Name] = true
			if f.From == "" || f.Same && !exists(f.Write) {
				t.Errorf("%s: %q does not exist", f.Name, f.Write)
			}
			for _, m := range called.FindAllStringSubmatch(f.Write, -1) {
				if !clause[m[1]] && !exists(m[1]) && !function(m[1]) && !has[diag.Distributions](m[1]) {
					t.Errorf("%s: %s in %q does not exist", f.Name, m[1], f.Write)
				}
			}
		}
	}
	if total < 200 {
		t.Errorf("only %d names", total)
	}
}
