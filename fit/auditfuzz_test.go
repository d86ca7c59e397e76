package fit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/splitmodel"
)

// clauses are what may stand behind a likelihood: the densities of censored and truncated values have
// arguments of their own.
var clauses = []string{
	"censor(right = cens)", "censor(left = cens)", "censor(interval = hi)", "truncate(lower = 0)",
	"truncate(upper = top)", "truncate(lower = 0, upper = 9)",
	"truncate(lower = 0) censor(right = cens)", "truncate(upper = top) censor(interval = hi)", "weights w0",
}

// mixtures are mixtures with clients' cuts in their components.
var mixtures = []string{
	"y ~ mixture([0.3, 0.7], normal(m + x * b + w * d, s), normal(m, 2))",
	"y ~ mixture([0.3, 0.7], normal(m + x * b, s), normal(w * d, 2))",
	"y ~ mixture([0.3, 0.7], normal(m + x * b + w * d, s), normal(0, 1)) truncate(lower = 0)",
	splitmodel.Tilted + "y ~ tilted(m + x * b + w * d, s, inv_logit(x * b))",
	splitmodel.Tilted + "y ~ mixture(0.3, tilted(m + x * b + w * d, s, 0.5), normal(0, 1)) censor(right = cens)",
}

// clausedText is a model with a likelihood of two clients' cuts and a clause.
func clausedText(clause string) string {
	return `client a, c
data y : real[N] @ shared
data cens : binary[N] @ shared
data hi : real[N] @ shared
data top : real[N] @ shared
data w0 : real<lower=0>[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param m ~ normal(0, 1)
param s ~ half_normal(1)
param b ~ normal(0, 1) @ a
param d ~ normal(0, 1) @ c
y ~ normal(m + x * b + w * d, s) ` + clause + "\n"
}

// mixedText is the model with another likelihood.
func mixedText(likelihood string) string {
	head, _, _ := strings.Cut(clausedText(""), "y ~ ")
	return head + likelihood + "\n"
}

// auditsOf compiles a text under every transform and audits, as every algorithm has it, what is a bundle: how
// many are.
func auditsOf(t *testing.T, text string) (n int) {
	t.Helper()
	for _, kind := range stdlib.Transforms() {
		m, diags := compiletest.Try(t, source.New("model.vfl", text),
			check.Options{Transform: kind, Accept: diag.Accepted(diag.AcceptanceNames())})
		if diags.HasErrors() || m.Pooled() {
			continue
		}
		bundle, diags := m.Bundle()
		if diags.HasErrors() {
			continue
		}
		for _, a := range Backends() {
			rows, err := Audit(bundle, a, nil)
			if err != nil {
				continue // the algorithm has no run of it
			}
			if _, err := Verdict(bundle, a, nil, nil); err != nil {
				t.Errorf("%s under %s is audited, and has no verdict: %v\n%s", a.Name, kind, err, text)
			}
			if forecasts, err := ForecastAttack(rows, bundle, a, nil); err != nil ||
				len(forecasts) != len(rows) {
				t.Errorf("%s under %s: %d forecasts of %d rows: %v\n%s", a.Name, kind, len(forecasts),
					len(rows), err, text)
			}
			n++
		}
	}
	return n
}

// FuzzAudit: what the compiler accepts can be audited, under every transform and with every algorithm: rows,
// a verdict, and a forecast of the attack.
//
//fuzz:inputs 10000
func FuzzAudit(f *testing.F) {
	for _, page := range diag.Pages {
		f.Add(page.Wrong)
		f.Add(page.Right)
	}
	for _, clause := range clauses {
		f.Add(clausedText(clause))
	}
	for _, likelihood := range mixtures {
		f.Add(mixedText(likelihood))
	}
	examples, _ := filepath.Glob("../examples/*.vfl")
	for _, path := range examples {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(string(b))
		}
	}
	f.Fuzz(func(t *testing.T, text string) { auditsOf(t, text) })
}

// Mixtures and likelihoods with a clause are audited under power too, where the response is shared.
func TestAuditOfClauses(t *testing.T) {
	audited, texts := 0, []string(nil)
	for _, clause := range clauses {
		texts = append(texts, clausedText(clause))
	}
	for _, likelihood := range mixtures {
		texts = append(texts, mixedText(likelihood))
	}
	for _, text := range texts {
		n := auditsOf(t, text)
		audited += n
		if n == 0 {
			t.Errorf("no audit\n%s", text)
		}
	}
	if audited < 20 {
		t.Errorf("%d audits", audited)
	}
}
