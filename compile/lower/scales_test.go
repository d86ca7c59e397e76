package lower

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
)

// A column is named where prior scale times its spread is far from the response's scale, whatever the units:
// multiplied column and prior divided by as much say the same.
func TestColumnsOnAnotherScaleThanTheirPriors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	normals, rare := make([]float64, 500), make([]float64, 500)
	for i := range normals {
		normals[i] = r.NormFloat64()
	}
	rare[3] = 1
	matrix := &check.Symbol{Name: "X"}
	for _, unit := range []float64{1e-6, 1, 1e6} {
		for _, c := range []struct {
			values          []float64
			scale, response float64
			want            string
		}{
			{normals, 1, 1, ""},
			{normals, 500, 1, ""},
			{normals, 2000, 1, "almost any"},
			{normals, 2000, 1000, ""},
			{normals, 0.02, 1, ""},
			{normals, 0.001, 1, "almost none"},
			{normals, 1, 10_000, "almost none"},
			{normals, 1, 0, ""}, // a response whose scale is not known
			{normals, 0, 1, ""}, // a prior without a constant scale
			{rare, 0.1, 1, ""},  // its standard deviation is 0.045, the effect of its row 0.1
		} {
			scaled := slices.Clone(c.values)
			for i := range scaled {
				scaled[i] = 3 + unit*scaled[i]
			}
			var got []string
			unscaled([]covariate{{name: "the intercept", scale: 1e9},
				{matrix, "x", scaled, false, c.scale / unit}}, c.response,
				func(code diag.Code, at *check.Symbol, text string, args ...any) *diag.Diagnostic {
					if code != diag.UnscaledColumn || at != matrix {
						t.Errorf("%s of %v", code, at)
					}
					got = append(got, fmt.Sprintf(text, args...))
					return &diag.Diagnostic{}
				})
			if said := strings.Join(got, " "); len(got) > 1 || (c.want == "") != (said == "") ||
				!strings.Contains(said, c.want) {
				t.Errorf("unit %g, prior %g, response %g: %q, want %q", unit, c.scale, c.response, said,
					c.want)
			}
		}
	}
}
