package cut_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
)

const more = `data n : count[N] @ shared
data h : binary[N] @ shared
data E : real<lower=0>[N] @ shared
data W : real[N, N] @ shared
data XK : real[N, 3] @ shared
param t ~ half_normal(1) @ a
param q ~ uniform(0, 1)
param d ~ half_normal(1)
param M : real[P, 3] ~ normal(0, 1) @ a
param V : real[Q, 3] ~ normal(0, 1) @ b
`

// without is a transform whose clients add no noise.
var without = def.Transform{Name: "plain"}

// find finds the cuts of a model under a transform that need not be a listed one.
func find(t testing.TB, text string, kind def.Transform) *cut.Program {
	t.Helper()
	tree, diags := parser.Parse(source.New("m.vfl", text))
	checked, found := check.Check(&check.Linked{File: tree}, stdlib.New(), check.Options{Transform: kind})
	diags = append(diags, found...)
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags.Shown()[0].Message, text)
	}
	p, diags := cut.Find(checked)
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags.Shown()[0].Message, text)
	}
	if err := p.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// after writes the distribution of the last likelihood as it is left with its groups.
func after(p *cut.Program) string {
	l := p.Likelihoods[len(p.Likelihoods)-1]
	var args []string
	for _, a := range l.Args {
		args = append(args, format.Expr(a))
	}
	return strings.Join(args, ", ")
}

// Noise is added to the largest expression of a client such that the argument stays inside its support and
// every operation around is monotone.
func TestNoiseIsOnThePredictor(t *testing.T) {
	for _, c := range []struct{ statement, cuts, left string }{
		{"n ~ poisson(exp(m + fa + fb))", "a: XA * u; b: XB * v; 1+2+", "exp(m + $1)"},
		{"n ~ poisson(E .* exp(w + fa + fb))", "a: XA * u; b: XB * v; 1+2+", "E .* exp(w + $1)"},
		{"n ~ poisson(exp(m) + exp(w + fa))", "a: XA * u; 1+", "exp(m) + exp(w + $1)"},
		{"n ~ poisson(exp(fa) + exp(fb))", "a: XA * u; b: XB * v; 1,; 2,", "exp($1) + exp($2)"},
		{"n ~ poisson(exp(fa) .* exp(fb))", "a: XA * u; b: XB * v; 1,; 2,", "exp($1) .* exp($2)"},
		{"n ~ poisson(q + relu(fa))", "a: XA * u; 1+", "q + relu($1)"},
		{"n ~ poisson(m^2 + softplus(fa))", "a: XA * u; 1+", "m^2 + softplus($1)"},
		{"h ~ bernoulli(inv_logit(fa + fb + w))", "a: XA * u; b: XB * v; 1+2+", "inv_logit(w + $1)"},
		{"h ~ bernoulli(q * inv_logit(fa))", "a: XA * u; 1+", "q * inv_logit($1)"},
		{"h ~ bernoulli(1 - exp(-exp(fa + m)))", "a: XA * u; 1+", "1 - exp(-exp(m + $1))"},
		{"h ~ bernoulli(0.5 + 0.5 * tanh(k * (fa + w) + m))", "a: k * (XA * u); 1+",
			"0.5 + 0.5 * tanh(k * w + m + $1)"},
		{"y ~ normal(m, exp(fa))", "a: XA * u; 1+", "m, exp($1)"},
		{"y ~ normal(m, exp(0.5 * fa))", "a: 0.5 * (XA * u); 1+", "m, exp($1)"},
		{"y ~ normal(m, sqrt(exp(fa)))", "a: XA * u; 1+", "m, sqrt(exp($1))"},
		{"y ~ normal(m, 1 / sqrt(exp(fa)))", "a: XA * u; 1+", "m, 1 / sqrt(exp($1))"},
		{"y ~ normal(m, d + exp(fa))", "a: XA * u; 1+", "m, d + exp($1)"},
		{"y ~ normal(m, log1p(exp(fa)))", "a: XA * u; 1+", "m, log1p(exp($1))"},
		{"y ~ normal(m, exp(mean(fa)))", "a: mean(XA * u); 1+", "m, exp($1)"},
		{"y ~ normal(m, mean(exp(fa)))", "a: XA * u; 1+", "m, mean(exp($1))"},
		{"y ~ normal(m, inv(exp(fa)))", "a: XA * u; 1+", "m, inv(exp($1))"},
		{"y ~ normal(m, square(exp(fa)) + pow(exp(m), 2))", "a: XA * u; 1+",
			"m, pow(exp(m), 2) + square(exp($1))"},
		{"y ~ normal(m, max(exp(fa), d))", "a: exp(XA * u); 1+", "m, max($1, d)"},
		{"n ~ poisson(softmax(m + XA * M + XB * V)[:, 1])", "a: XA * M; b: XB * V; 1+2+",
			"softmax(m + $1)[:, 1]"},
		{"h ~ bernoulli(Phi(m + fa))", "a: XA * u; 1+", "Phi(m + $1)"},
		{"h ~ bernoulli(inv_cloglog(m + fa))", "a: XA * u; 1+", "inv_cloglog(m + $1)"},
		{"y ~ normal(m + fb, exp(fa))", "b: XB * v; a: XA * u; 1+; 2+", "m + $1, exp($2)"},
		{"y ~ normal(exp(fa) + m, exp(fa))", "a: exp(XA * u); a: XA * u; 1+; 2+", "m + $1, exp($2)"},
		{"exp(y) ~ gamma(2, 2 ./ exp(m + fa))", "a: XA * u; 1+", "2, 2 ./ exp(m + $1)"},
		{"y ~ normal(m .* square(fa), 1)", "a: square(XA * u); 1+", "m .* $1, 1"},
		{"y ~ normal((m + fa)^3, 1)", "a: XA * u; 1+", "(m + $1)^3, 1"},
		{"n ~ poisson(sum(exp(Z[j] * g[j]) for j in lab))", "lab: Z * g; 1,", "sum(exp($1[j]) for j in lab)"},
		{"n ~ poisson(exp(sum(k * (Z[j] * g[j] + m) for j in lab)))", "lab: k * (Z * g); 1+",
			"exp(sum(k * m for j in lab) + $1)"},
		{"XK ~ normal(m + XA * M + XB * V, 1)", "a: XA * M; b: XB * V; 1+2+", "m + $1, 1"},
		{"n ~ neg_binomial_2_log(fa + fb, exp(m))", "a: XA * u; b: XB * v; 1+2+", "$1, exp(m)"},
	} {
		statement := c.statement
		left := c.left
		p := compiletest.Compile(t, head+more+statement+"\n",
			check.Options{Transform: stdlib.Augmented}).Cuts
		if got := cuts(p); got != c.cuts {
			t.Errorf("%s\ngives %s\nwant  %s", statement, got, c.cuts)
		}
		if got := after(p); got != left {
			t.Errorf("%s\nleaves %s\nwant   %s", statement, got, left)
		}
	}
}

// Noise makes each of these leave its support, or passes through an operation that is not monotone. Without
// noise each has the cut that it had before.
func TestWithoutNoiseNothingIsRefused(t *testing.T) {
	for _, c := range []struct{ statement, cuts string }{
		{"y ~ normal(m, t)", "a: t; 1+"},
		{"n ~ poisson(exp(m) + t * exp(fa))", "a: t * exp(XA * u); 1+"},
		{"y ~ normal(square(m + fa), 1)", "a: XA * u; 1+"},
		{"y ~ normal(m, exp(fa) + t)", "a: exp(XA * u) + t; 1+"},
		{"h ~ bernoulli(m + fa)", "a: XA * u; 1+"},
		{"n ~ poisson(exp(m + fa))", "a: XA * u; 1+"}, // the same cut as with noise
		{"n ~ poisson(exp(m) + exp(fa))", "a: XA * u; 1+"},
		{"y ~ normal(solve(diag(fa + fb), y), 1)", "a: XA * u; b: XB * v; 1+2+"},
	} {
		_, diags := compiletest.Try(t, source.New("m.vfl", head+more+c.statement+"\n"),
			check.Options{Transform: stdlib.Augmented})
		if wants := !strings.Contains(c.statement, "exp(m + fa)") && !strings.Contains(c.statement,
			"exp(m) + exp(fa)"); diags.HasErrors() != wants {
			t.Errorf("with noise %s is refused: %v, want %v", c.statement, diags.HasErrors(), wants)
		}
		for _, kind := range []def.Transform{without, stdlib.NoTransform} {
			if got := cuts(find(t, head+more+c.statement+"\n", kind)); got != c.cuts {
				t.Errorf("%s: %s\ngives %s\nwant  %s", kind, c.statement, got, c.cuts)
			}
		}
	}
}

// Factors that are shared or constant are multiplied out over sums of several owners, and stay inside factors
// of the server.
func TestFactorsAreMultipliedOut(t *testing.T) {
	for _, c := range []struct{ location, cuts, server string }{
		{"k * (fa + fb)", "a: k * (XA * u); b: k * (XB * v); 1+2+", "$1"},
		{"m + (fa - fb) / k", "a: XA * u / k; b: -(XB * v / k); 1+2+", "m + $1"},
		{"-(2 * (m - fa)) + w", "a: 2 * (XA * u); 1+", "-(2 * m) + w + $1"},
		{"k * (w .* (fa + fb) - m)", "a: k * (w .* (XA * u)); b: k * (w .* (XB * v)); 1+2+", "-(k * m) + $1"},
		{"(k + w) .* (fa + fb)", "a: (k + w) .* (XA * u); b: (k + w) .* (XB * v); 1+2+", "$1"},
		{"m * (fa + fb)", "a: XA * u; b: XB * v; 1+2+", "m * $1"},
		{"m * k * (fa + fb)", "a: k * (XA * u); b: k * (XB * v); 1+2+", "m * $1"},
		{"k * (m * (fa + fb))", "a: k * (XA * u); b: k * (XB * v); 1+2+", "m * $1"},
		{"k * (m * fa)", "a: k * (XA * u); 1+", "m * $1"},
		{"m * fa / 2", "a: XA * u / 2; 1+", "m * $1"},
		{"fa / (k * m)", "a: XA * u / k; 1+", "$1 / m"},
		{"k * sum(Z[j] * g[j] for j in lab)", "lab: k * (Z * g); 1+", "$1"},
		{"tanh(k * (m + fa))", "a: k * (XA * u); 1+", "tanh(k * m + $1)"},
		// not over products of matrices, indices, sums and means
		{"W * (fa + fb)", "a: XA * u; b: XB * v; 1+2+", "W * $1"},
		{"sum(fa + fb) + m", "a: XA * u; b: XB * v; 1+2+", "sum($1) + m"},
		{"k * mean(fa + fb)", "a: XA * u; b: XB * v; 1+2+", "k * mean($1)"},
		{"w .* (fa + fb)[1:N]", "a: XA * u; b: XB * v; 1+2+", "w .* $1[1:N]"},
		// equal up to a number: one cut, the one with the least number; by a shared factor: two
		{"m .* (x + 2 * fa) + tanh(m - fa)", "a: -(XA * u); 1+", "m .* (x - 2 * $1) + tanh(m + $1)"},
		{"m .* (x + 2 * fa) + tanh(m + fa)", "a: XA * u; 1+", "m .* (x + 2 * $1) + tanh(m + $1)"},
		// the terms with one factor of the server are one sum
		{"m * fa + x + m * fb", "a: XA * u; b: XB * v; 1+2+", "m * $1 + x"},
		{"m * (x .* (fa + m)) + x .* fb * m", "a: XA * u; b: XB * v; 1+2+", "m * (x .* (m + $1))"},
		{"m * fa + x .* fb", "a: XA * u; b: XB * v; 1,; 2,", "m * $1 + x .* $2"},
		{"m .* (x + 2 * fa + 2 * fb) + tanh(m + fb + fa)", "a: XA * u; b: XB * v; 1+2+",
			"m .* (x + 2 * $1) + tanh(m + $1)"},
		{"m .* (x + fa) + tanh(m - w .* fa)", "a: XA * u; a: -(w .* (XA * u)); 1,; 2,",
			"m .* (x + $1) + tanh(m + $2)"},
		{"(m + fa .* w) .* (x + w .* fa)", "a: XA * u .* w; 1+", "(m + $1) .* (x + $1)"},
	} {
		m := compiletest.Compile(t, head+more+"y ~ normal("+c.location+", 1)\n",
			check.Options{Transform: stdlib.Augmented})
		if got := cuts(m.Cuts); got != c.cuts {
			t.Errorf("%s\ngives %s\nwant  %s", c.location, got, c.cuts)
		}
		if got := format.Expr(m.Cuts.Likelihoods[0].Args[0]); got != c.server {
			t.Errorf("%s\nleaves %s\nwant   %s", c.location, got, c.server)
		}
	}
}

// Without noise nothing is multiplied out, and a shared parameter that multiplies every cut of a sum stays
// with the server, which so need not send it first.
func TestWithoutNoiseSharedFactorsStayOutside(t *testing.T) {
	for _, c := range []struct{ location, cuts, server string }{
		{"k * (fa + fb)", "a: XA * u; b: XB * v; 1+2+", "k * $1"},
		{"m + k * fa", "a: XA * u; 1+", "m + k * $1"},
		{"m - k * fa - k * fb", "a: -(XA * u); b: -(XB * v); 1+2+", "m + k * $1"},
		{"m + w .* (k * fa)", "a: w .* (XA * u); 1+", "m + k * $1"},
		{"m + k * fa / k", "a: XA * u; 1+", "m + k * $1 / k"},
		{"m + k * (k * fa) + k * fb", "a: k * (XA * u); b: XB * v; 1+2+", "m + k * $1"},
		// the sum can be masked, which is worth an exchange
		{"m + k * fa + fb", "a: k * (XA * u); b: XB * v; 1+2+", "m + $1"},
		{"m + 2 * fa + w .* fa", "a: 2 * (XA * u) + w .* (XA * u); 1+", "m + $1"},
	} {
		p := find(t, head+more+"y ~ normal("+c.location+", 1)\n", without)
		if got := cuts(p); got != c.cuts {
			t.Errorf("%s\ngives %s\nwant  %s", c.location, got, c.cuts)
		}
		if got := format.Expr(p.Likelihoods[0].Args[0]); got != c.server {
			t.Errorf("%s\nleaves %s\nwant   %s", c.location, got, c.server)
		}
	}
}

// A factor around a sum makes the programs of the sum written out, under every transform with noise.
func TestProgramsOfAFactorAreThoseWrittenOut(t *testing.T) {
	for _, kind := range stdlib.NoisyTransforms() {
		for factor, out := range map[string]string{
			"m + k * (fa + fb)":         "m + k * fa + k * fb",
			"m + w .* (fa - (s2 + fb))": "m + w .* fa - w .* s2 - w .* fb",
			"m + (fa + fb) / 4":         "m + fa / 4 + fb / 4",
			"-k * (m - fa) + w .* fb":   "-k * m - -k * fa + w .* fb",
			"k * (w .* (fa + fb)) + m":  "k * (w .* fa) + k * (w .* fb) + m",
			"exp(k * (fa + m + fb))":    "exp(k * fa + k * m + k * fb)",
		} {
			text := strings.Replace(head, "data w", "param s2 ~ normal(0, 1) @ b\ndata w", 1)
			var programs [2]string
			for i, location := range []string{factor, out} {
				m := compiletest.Compile(t, text+"y ~ normal("+location+", 1)\n",
					check.Options{Transform: kind})
				for _, p := range m.Programs {
					_, body, _ := strings.Cut(p.Text, "\n") // the first line holds the digest of the model
					programs[i] += body
				}
			}
			if programs[0] != programs[1] {
				t.Errorf("%s: %s gives\n%s\nand %s gives\n%s", kind, factor, programs[0], out, programs[1])
			}
		}
	}
}

// A tree is a predictor that is linear in what clients add: a leaf, or a sum with a factor.
type tree struct {
	leaf   string // a text of one owner
	factor string // "" for 1
	divide bool
	sum    []tree
	minus  bool
}

func predictor(t *rapid.T, depth int) tree {
	out := tree{minus: rapid.Bool().Draw(t, "minus")}
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		out.leaf = rapid.SampledFrom([]string{"m", "n", "k", "a1 * a2", "tanh(a1)", "a2", "b1", "exp(b1 - k)",
			"2"}).Draw(t, "name")
		return out
	}
	out.factor = rapid.SampledFrom([]string{"", "k", "2", "(k + 2)", "m", "exp(n)"}).Draw(t, "factor")
	out.divide = out.factor != "" && rapid.IntRange(0, 4).Draw(t, "divide") == 0
	for range rapid.IntRange(1, 3).Draw(t, "terms") {
		out.sum = append(out.sum, predictor(t, depth-1))
	}
	return out
}

// write writes a predictor in one of many ways: terms in any order, factors on either side, multiplied out or
// not, with parentheses and signs that change nothing.
func (x tree) write(t *rapid.T) string {
	pattern := "(%s)"
	if x.minus {
		pattern = rapid.SampledFrom([]string{"-(%s)", "(-1) * (%s)", "-(+(%s))", "(%s) * (-1)",
			"-((%s))"}).Draw(t, "sign")
	}
	return fmt.Sprintf(pattern, x.unsigned(t))
}

func (x tree) unsigned(t *rapid.T) string {
	if x.leaf != "" {
		return x.leaf
	}
	out := ""
	whole := rapid.Bool().Draw(t, "whole")
	for _, i := range rapid.Permutation(indices(len(x.sum))).Draw(t, "order") {
		term := x.sum[i].write(t)
		if !whole {
			term = x.times(t, term)
		}
		if out != "" {
			out += " + "
		}
		out += term
	}
	if whole {
		return x.times(t, out)
	}
	return out
}

func indices(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func (x tree) times(t *rapid.T, of string) string {
	switch {
	case x.factor == "":
		return of
	case x.divide:
		return "(" + of + ") / " + x.factor
	case rapid.Bool().Draw(t, "left"):
		return x.factor + " * (" + of + ")"
	}
	return "(" + of + ") * " + x.factor
}

// The posterior does not depend on how a linear predictor is written: the cuts are the same functions up to
// their sign, and with z = cut + rho·eps for the same eps the server evaluates the same argument.
func TestThePosteriorDoesNotDependOnTheSpelling(t *testing.T) {
	values := map[string]float64{"m": 0.3, "n": -1.1, "k": 0.7, "a1": 1.3, "a2": -0.4, "b1": 0.9}
	rapid.Check(t, func(r *rapid.T) {
		x := predictor(r, 3)
		var texts [2]string
		var sent [2][]string
		var argument [2]float64
		pattern := rapid.SampledFrom([]string{"y ~ normal(%s, 1)", "y ~ normal(0, exp(%s))"}).Draw(r,
			"argument")
		for i := range texts {
			texts[i] = x.write(r)
			m, diags := compiletest.Try(t, source.New("m.vfl", scalars+fmt.Sprintf(pattern, texts[i])+"\n"),
				check.Options{Transform: stdlib.Augmented})
			if diags.HasErrors() && diags.Shown()[0].Code == diag.DataCut {
				r.Skip("terms cancel: the cut is 0")
			}
			if diags.HasErrors() {
				r.Fatalf("%s: %s", texts[i], diags.Shown()[0].Message)
			}
			for _, k := range m.Cuts.Cuts {
				if math.Abs(evaluate(k.Expr, values)) < 1e-9 {
					r.Skip("terms cancel: the cut is 0, and has no sign")
				}
			}
			sent[i], argument[i] = noisy(m.Cuts, values)
		}
		if !slices.Equal(sent[0], sent[1]) ||
			math.Abs(argument[0]-argument[1]) > 1e-6*(1+math.Abs(argument[0])) {
			r.Errorf("%s sends %v and gives %v\n%s sends %v and gives %v", texts[0], sent[0], argument[0],
				texts[1], sent[1], argument[1])
		}
	})
}

// noisy evaluates the first argument that cuts enter with noise on each cut. The noise is a function of the
// size of the cut, and has its sign.
func noisy(p *cut.Program, values map[string]float64) (sent []string, argument float64) {
	with := map[string]float64{}
	for k, v := range values {
		with[k] = v
	}
	l := p.Likelihoods[0]
	for _, g := range l.Groups {
		for _, c := range g.Cuts {
			v := evaluate(c.Expr, values)
			with[g.Reference()] += v + math.Copysign(1+math.Abs(math.Sin(7*v)), v)
			if text := fmt.Sprintf("%s %.6g", c.Client, math.Abs(v)); !slices.Contains(sent, text) {
				sent = append(sent, text)
			}
		}
	}
	slices.Sort(sent)
	for _, a := range l.Args {
		if _, number := a.(*ast.Number); !number {
			argument = evaluate(a, with)
		}
	}
	return sent, argument
}

// What may be outside the domain of a function beside a cut is no reason to refuse the cut: noise does not
// touch it.
func TestNoiseIsNotRefusedForWhatStandsBesideIt(t *testing.T) {
	for _, statement := range []string{
		"y ~ normal(a1 + b1 * sqrt(b1 - 3), 1)",
		"y ~ normal(a1 + sqrt(m - 3), 1)",
		"y ~ normal(m, exp(a1 + log(n)))",
	} {
		if m, diags := compiletest.Try(t, source.New("m.vfl", scalars+statement+"\n"),
			check.Options{Transform: stdlib.Augmented}); diags.HasErrors() || len(m.Cuts.Cuts) == 0 {
			t.Errorf("%s: %s", statement, diags.Shown()[0].Message)
		}
	}
}
