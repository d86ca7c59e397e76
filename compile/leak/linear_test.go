package leak_test

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/fn"
	"github.com/vflc/vflc/tests/compiletest"
)

// Of a client with 7 rows and 3 columns: w has one element for each column, e for each row.
const inForms = `client a
data t : real[N] @ shared
data X : real[N, P] @ a
data V : real[P, P] @ a
data x : real[N] @ a
data g : level(G)[N] @ a
data y : real[N] @ a
data Z : binary[N] @ a
param m ~ normal(0, 1)
param s ~ half_normal(1) @ shared
param w : real[P] ~ normal(0.5, 0.1) @ a
param c ~ normal(0.5, 0.1) @ a
param d ~ normal(0.5, 0.1) @ a
param e : real[N] ~ normal(0.5, 0.1) @ a
param E : real[N, P] ~ normal(0.5, 0.1) @ a
param W : real[G, P] ~ normal(0.5, 0.1) @ a
`

var ofForms = map[string]string{"shared": "t\n1\n2\n3\n4\n5\n6\n7\n", "a": `{
"X": [[1, 2, 0.3], [0.2, 1, 0.5], [1, 1, -1], [0.4, -2, 0.9], [2, 0.1, 1], [-1, 0.7, 0.6], [0.8, 0.3, 2]],
"V": [[2, 0.3, 0.1], [0.3, 3, 0.2], [0.1, 0.2, 1]], "x": [0.3, -0.2, 1.1, 0.7, -0.9, 0.4, 1.6],
"g": ["A", "B", "A", "B", "A", "A", "B"], "y": [1, 0.2, -1, 2, 0.4, 0.6, -2], "Z": [0, 1, 1, 0, 1, 0, 1]}`}

// using is the head of a model with the parameters of the client in a form.
func using(form string) string {
	lines := strings.SplitAfter(inForms, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		name, own := strings.CutPrefix(line, "param ")
		return own && strings.HasSuffix(line, "@ a\n") &&
			!regexp.MustCompile(`\b`+name[:1]+`\b`).MatchString(form)
	}), "")
}

// A seenCut is a cut as a function of the client's parameters, and as what the server sees of it.
type seenCut struct {
	at        func(x []float64) []float64
	dim, rows int
}

func cutOf(t *testing.T, form string) seenCut {
	t.Helper()
	b := compiletest.Fixture{Text: using(form) + "t ~ normal(m + " + form + ", s)\ntransform exact\n",
		Tables: ofForms}.Bind(t, check.Options{})
	party := b.Lowered[1].PartyData
	p, diags := lower.NewProbe(party, lower.Probing{
		Prior: func(string) *check.Symbol { return nil }, Sent: leak.Sent(party.Program),
		Args: func(k *check.Likelihood) []ast.Expr { return leak.Outside(party.Program, k) },
	})
	if diags.HasErrors() {
		t.Fatalf("%s: %v", form, diags)
	}
	exec := p.Graph.NewExec()
	return seenCut{func(x []float64) []float64 {
		exec.Forward(x)
		return slices.Clone(exec.Output(0))
	}, p.Graph.Dim(), p.Sent[0].Rows}
}

// told reports whether the server finds the parameters up to a change of basis: as many rounds as there are
// numbers show a span of that many dimensions, and in others the parameters are one linear function of the
// coordinates in it.
func (c seenCut) told() bool {
	r := rand.New(rand.NewPCG(7, 9))
	rounds := 2*c.dim + 3
	var cuts, values *mat.Dense
	for k := range rounds {
		x := make([]float64, c.dim)
		for i := range x {
			x[i] = 1.9*r.Float64() - 0.95
		}
		y := c.at(x)
		if slices.ContainsFunc(y, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return false
		}
		if k == 0 {
			cuts, values = mat.NewDense(rounds, len(y), nil), mat.NewDense(rounds, c.dim, nil)
		}
		cuts.SetRow(k, y)
		values.SetRow(k, x)
	}
	left := without(values, cuts)
	return mat.Norm(left, 2) < 1e-8 && mat.Norm(without(cuts, values), 2) < 1e-8*mat.Norm(cuts, 2)
}

// formsOf are cuts in which w goes through a function; an elementwise one has the same for all.
var formsOf = map[string][]string{
	"sum": {"[sum(X[k, :] .* w) for k in 1..N]",
		"[sum(X[k, j] * w[j] for j in 1..P) for k in 1..N]"},
	"mean":           {"[mean(X[k, :] .* w) for k in 1..N]", "mean(w) * x"},
	"sd":             {"sd(w) * x"},
	"dot":            {"[dot(X[k, :], w) for k in 1..N]", "[dot(w, X[k, :]) for k in 1..N]", "dot(w, w) * x"},
	"rowdot":         {"rowdot(X, outer(x, w))", "rowdot(outer(x, w), outer(x, w))"},
	"col":            {"(X * col(w))[:, 1]"},
	"row":            {"row_sums(X .* row(w))"},
	"col_means":      {"X * col_means(diag(w))", "col_means(X' .* col(w))"},
	"cumulative_sum": {"X * cumulative_sum(w)", "cumulative_sum(X * w)", "cumulative_sum(X .* row(w)) * V[1, :]"},
	"cumulative_max": {"X * cumulative_max(w)"},
	"where":          {"where(x > 0, X * w, 2 * (X * w))", "where(X > 0, row(w), 0) * V[2, :]"},
	"pow":            {"X * pow(w, 2)"},
	"min":            {"min(w) * x", "X * min(w, 0.5)"},
	"max":            {"max(w) * x", "X * max(w, 0.5)"},
	"sort":           {"X * w .* sort(x)"},
	"rank":           {"X * w .* rank(x)"},
	"quantile":       {"X * w * quantile(x, 0.5)"},
	"row_sums":       {"row_sums(X .* row(w))", "X * row_sums(diag(w))"},
	"row_means":      {"row_means(X .* row(w))"},
	"col_sums":       {"col_sums(X' .* col(w))"},
	"row_max":        {"row_max(X .* row(w))"},
	"row_min":        {"row_min(X .* row(w))"},
	"col_max":        {"col_max(X' .* col(w))"},
	"col_min":        {"col_min(X' .* col(w))"},
	"outer":          {"outer(x, w) * V[1, :]", "rowdot(outer(x, w), X)"},
	"append":         {"append(X[1:3, :] * w, X[4:N, :] * w)", "X * append(w[1:2], w[3:P])"},
	"rep":            {"rep(c, N) .* x + d * x ^ 2"},
	"log_sum_exp":    {"log_sum_exp(X .* row(w))"},
	"softmax":        {"X * softmax(w)"},
	"log_softmax":    {"X * log_softmax(w)"},
	"log_mix":        {"log_mix(0.3, X * w, x)"},
	"pi":             {"X * w * pi()"},
	"cholesky":       {"X * (cholesky(diag(w)) * V[1, :])"},
	"solve":          {"X * solve(V, w)", "X * solve(diag(w), V[1, :])"},
	"diag":           {"X * (diag(w) * V[1, :])", "X * (diag(w) * w)"},
	"quad_form":      {"quad_form(V, w) * x"},
	"hmm_marginal":   {"rep(hmm_marginal(X', softmax(V .* row(w)), softmax(w)), N) .* x"},
	"hmm_hidden_state_prob": {
		"X * w .* hmm_hidden_state_prob(X', softmax(V), softmax(V[1, :]))[1, :]"},
	"gp_exp_quad": {"gp_exp_quad(x, exp(c), exp(d)) * x"},
	"gp_matern32": {"gp_matern32(x, exp(c), exp(d)) * x"},
	"gp_matern52": {"gp_matern52(x, exp(c), exp(d)) * x"},
}

// forms lists all of them, and others without a function.
func forms(t *testing.T) []string {
	out := []string{"X * w", "-(X * w)", "X * w / 2", "X * w ./ (2 + x)", "(row(w) * X')[1, :]",
		"((row(w) * X')')[:, 1]",
		"x * w[1] + x ^ 2 * w[2] + x ^ 3 * w[3]", "x * c", "x * c + d", "x * c * d",
		"X * w + mean(w)", "X * w + w[1]",
		"rowdot(X, W[g])", "W[g] * V[1, :]", "(sum(X .* row(w) by g) * V[2, :])[g]", "X[:, 1] * exp(c)",
		"e", "x .* e", "diag(x) * e", "e[[N + 1 - k for k in 1..N]]", "[e[k] * x[k] for k in 1..N]",
		"append(e[1:3], e[4:N])", "cumulative_sum(e)", "row_sums(col(e) .* X)",
		"[dot(X[k, :], rep(e[k], P)) for k in 1..N]",
		"rowdot(X, E)", "row_sums(E)", "X * w + e", "mean(e) * x", "(sum(e by g))[g]", "where(x > 0, e, 2 * e)",
		"[sum(X[k, j] * E[k, j] for j in 1..P) for k in 1..N]", "[sum(V[1, j] * e[k] for j in 1..P) for k in 1..N]"}
	for _, f := range fn.Elementwise() {
		form := "X * " + f.Name + "(w)"
		if strings.HasPrefix(f.Domain, "x < 0") {
			form = "X * " + f.Name + "(-w)"
		}
		out = append(out, form)
	}
	for _, f := range fn.Structural() {
		if len(formsOf[f.Name]) == 0 {
			t.Errorf("%s has no form of a cut", f.Name)
		}
		out = append(out, formsOf[f.Name]...)
	}
	return out
}

// fewer are forms that are refused though they tell fewer numbers than there are, or functions of them.
var fewer = []string{"W[g] * V[1, :]", "(sum(X .* row(w) by g) * V[2, :])[g]", "X[:, 1] * exp(c)",
	"outer(x, w) * V[1, :]"}

// Where a cut is a linear function that tells all parameters in it, a likelihood of the client with these is
// refused, whatever functions they go through.
func TestLinearCuts(t *testing.T) {
	for _, form := range forms(t) {
		text := using(form) + "t ~ normal(m + " + form + ", s)\nZ ~ bernoulli_logit(" + form +
			")\ntransform exact\n"
		cut := cutOf(t, form)
		got, want := refused(t, text, diag.OwnLeak), cut.told()
		if got != (want || slices.Contains(fewer, form)) {
			t.Errorf("%s: refused %t, told %t", form, got, want)
		}
		text = strings.Replace(text, "Z ~ bernoulli_logit("+form+")", "y ~ normal("+form+", 1)", 1)
		if got := refused(t, text, diag.OwnLeak); got != (want && cut.dim >= cut.rows) {
			t.Errorf("%s in a normal likelihood: refused %t, told %t", form, got, want)
		}
	}
}
