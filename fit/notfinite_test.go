package fit

import (
	"errors"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// A number that is not finite and of which no term is known is at another party only where there is one.
func TestNotFiniteNamesAnotherPartyOnlyWhereThereIsOne(t *testing.T) {
	alone := bindFiles(t, "data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)\n", stdlib.Exact, 0,
		map[string]string{"data.csv": "y\n1\n2\n"})
	const another = "at a party of another process"
	for _, begun := range []bool{false, true} {
		text := func(b *compile.BoundModel) string {
			var told data.Errors
			if !errors.As(notFinite(b, &backends.NotFiniteError{Begun: begun}), &told) {
				t.Fatal("no diagnostic")
			}
			var out strings.Builder
			if err := diag.Text(&out, diag.List(told), false); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		if got := text(alone); strings.Contains(got, another) ||
			!strings.Contains(got, "the sum of the terms") {
			t.Errorf("without clients: %s", got)
		}
		if got := text(linearUnder(t, stdlib.Exact)); !strings.Contains(got, another) {
			t.Errorf("with clients: %s", got)
		}
	}
}
