package split_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// TestNegatedSums: where a sum of cuts is taken away, a client's own cut goes with the others' sum under one
// sign, and no other program of the kind is loaded.
func TestNegatedSums(t *testing.T) {
	model := strings.Replace(twoHospitals, "param alpha", "data x : real[N] @ shared\nparam alpha", 1) +
		"x ~ normal(alpha - XA * beta_a - XB * beta_b, 1)\n"
	programs, manifest := compiled(t, model, check.Options{Transform: stdlib.Power})
	text := programs["hospital_a"]
	if !strings.Contains(text, "x ~ normal(alpha - (o_1 + XA * beta_a), 1) ^ (1/2)") {
		t.Fatalf("the sum is not taken away:\n%s", text)
	}
	if _, diags := split.Load(manifest, "hospital_a", "hospital_a.vfl", text,
		stdlib.New()); diags.HasErrors() {
		t.Errorf("refused: %v", codes(diags))
	}
	for _, other := range []string{"alpha - (o_1 - XA * beta_a)", "alpha - o_1 + XA * beta_a",
		"alpha - (o_1 + XA * beta_a + XA[:, 1])", "alpha - (o_1 + 2 * XA * beta_a)"} {
		changed := strings.Replace(text, "alpha - (o_1 + XA * beta_a)", other, 1)
		if _, diags := split.Examine(manifest, "hospital_a", "hospital_a.vfl", changed,
			stdlib.New()); !diags.HasErrors() || diags.Shown()[0].Code != diag.ClientData {
			t.Errorf("%s: want %s, got %v", other, diag.ClientData, codes(diags))
		}
	}
}
