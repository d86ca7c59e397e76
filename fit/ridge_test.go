package fit

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// Two clients' covariates that are nearly one are a ridge that neither sees. A metric of all parties halves
// the gradients at least, and parties apart have its draws bit for bit, with masks too. The audit says that
// each client can compute the other's column. Without that metric a finding names it.
func TestARidgeApart(t *testing.T) {
	t.Parallel()
	const model = `client a, b
data y : real[N]
data x : real[N] @ a
data w : real[N] @ b
param s ~ half_normal(1)
param u ~ normal(0, 5) @ a
param v ~ normal(0, 5) @ b
y ~ normal(x * u + w * v, s)
transform exact
`
	dir := t.TempDir()
	texts := map[string]string{"server": "id,y\n", "a": "id,x\n", "b": "id,w\n"}
	for i := range 30 {
		at := float64(i)
		x := math.Sin(1.7 * at)
		w := x + 0.01*math.Cos(2.9*at)
		texts["a"] += fmt.Sprintf("%d,%v\n", i, x)
		texts["b"] += fmt.Sprintf("%d,%v\n", i, w)
		texts["server"] += fmt.Sprintf("%d,%v\n", i, x+w+0.3*math.Sin(5.3*at))
	}
	for party, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, party+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, diags := compile.Compile(source.New("model.vfl", model), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	tables := func(party string) []string {
		return []string{party + "=" + filepath.Join(dir, party+".csv")}
	}
	a, _ := Backend("nuts")
	given := map[string]string{"chains": "2", "warmup": "300", "draws": "40", "metric": "joint"}
	spanned := equalApart(t, m, tables, a, given)
	joint := spanned.Document.Work.Gradients
	bundle, diags := m.Bundle()
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	lines, err := Verdict(bundle, a, given, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := compile.VerdictText(lines)
	for _, want := range []string{"a can compute: server's y, b's w of every row",
		"b can compute: server's y, a's x of every row"} {
		if !strings.Contains(said, want) {
			t.Errorf("the audit does not say %q:\n%s", want, said)
		}
	}
	masked := maps.Clone(given)
	masked["wire"], masked["secure-sum"] = "fixed", "on"
	equalApart(t, m, tables, a, masked)
	given["metric"] = "diag"
	each := equalApart(t, m, tables, a, given)
	diag := each.Document.Work.Gradients
	for metric, r := range map[string]*Result{"joint": spanned, "diag": each} {
		told := slices.ContainsFunc(r.Diagnose(), func(f posterior.Finding) bool {
			return f.Check == "between" && strings.Contains(f.Try, "--metric joint")
		})
		if told != (metric == "diag") {
			t.Errorf("--metric %s: told of a ridge between parties: %t", metric, told)
		}
	}
	if t.Logf("%d gradients, and %d under a diagonal metric", joint, diag); 2*joint > diag {
		t.Errorf("more than half")
	}
}
