package fit

import (
	"slices"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// TestUnsolvedPointsAreFound counts the points at which an equation, y' = k·y² from 1, has no solution up to
// its last time: where k is 0.5 or more. None of them is drawn.
func TestUnsolvedPointsAreFound(t *testing.T) {
	text := "data y : real[N]\ndata time : real[N]\nparam k ~ normal(0, 1)\n" +
		"let z = ode z[0] = 1, z'[t] = k * z[t]^2 for t in time\ny ~ normal(z, 2)\n"
	b := bindFiles(t, text, stdlib.NoTransform, 0, map[string]string{"data.csv": "time,y\n1,1.5\n2,6\n"})
	r := run(t, b, map[string]string{"chains": "2", "warmup": "100", "draws": "100"})
	found := r.Document.Diagnostics.Noted
	at := slices.IndexFunc(found, func(f posterior.Finding) bool { return f.Check == "ode" })
	if at < 0 || !(found[at].Value > 0) {
		t.Fatalf("no point without a solution is found: %v", found)
	}
	for _, chain := range r.Draws.Column(0) {
		if k := slices.Max(chain); !(k < 0.5) {
			t.Errorf("drawn where there is no solution: %v", k)
		}
	}
}
