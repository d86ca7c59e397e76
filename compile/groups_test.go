package compile

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
)

// Group effects are told from categories with priors of their own, however their scale enters.
func TestGroupEffects(t *testing.T) {
	head := "data y : real[N]\ndata ward : level(J)[N]\ndata sex : level(2)[N]\nparam tau ~ half_normal(1)\n"
	correlated, err := os.ReadFile("../examples/applied/correlated_slopes.vfl")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{head + "param u : real[J] ~ normal(0, tau)\nparam a : real[2] ~ normal(0, 1)\n" +
			"y ~ normal(u[ward] + a[sex], 1)\n", []string{"u"}},
		{head + "param z : real[J] ~ normal(0, 1)\nlet u = tau * z\ny ~ normal(u[ward], 1)\n", []string{"z"}},
		{head + "param z : real[J] ~ normal(0, 1)\ny ~ normal(z[ward] * tau, 1)\n", []string{"z"}},
		{head + "param a : real[J] ~ normal(0, 1)\ny ~ normal(2 * a[ward] + tau, 1)\n", nil},
		{string(correlated), []string{"u.z"}},
	} {
		m, diags := Compile(source.New("m.vfl", c.text), check.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := slices.Sorted(maps.Keys(m.GroupEffects())); !slices.Equal(got, c.want) {
			t.Errorf("%v, not %v in\n%s", got, c.want, c.text)
		}
	}
}
