package compile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/diagtest"
)

// columns are values of the data of these tests, by name, in ten rows: g has cells of 4 and 6 rows, h of 5
// and 5, o of 10 and 0 of three.
var columns = map[string]string{
	"y": "0.3 -1.1 0.7 2 -0.4 1.2 0.1 0.9 -0.2 0.5",
	"x": "0.5 1.5 -0.7 0.2 -1.4 2.2 0.3 -0.9 1.2 0.8",
	"w": "1.5 0.5 0.7 1.2 0.4 1.2 1.3 0.9 1.1 0.6",
	"g": "1 2 1 2 2 1 2 2 1 2",
	"h": "1 2 1 2 2 1 2 2 1 1",
}

// fixture gives every party a table of the data that it has in the text, in order of their names.
func fixture(text string) compiletest.Fixture {
	f := compiletest.Fixture{Text: text, Tables: map[string]string{}}
	for _, p := range []string{"server", "a", "c"} {
		var names []string
		for _, name := range []string{"y", "x", "w", "g", "h"} {
			of := p == "server" && (strings.Contains(text, "data "+name+" : real[N]\n") ||
				strings.Contains(text, "[N] @ shared") && name == "y")
			if of || slices.ContainsFunc(strings.Split(text, "\n"), func(l string) bool {
				return strings.HasPrefix(l, "data "+name+" :") && strings.HasSuffix(l, "@ "+p)
			}) {
				names = append(names, name)
			}
		}
		rows := make([]string, 10)
		for _, name := range names {
			for i, v := range strings.Fields(columns[name]) {
				rows[i] += "," + v
			}
		}
		table := strings.Join(names, ",") + "\n"
		for _, r := range rows {
			table += strings.TrimPrefix(r, ",") + "\n"
		}
		if len(names) > 0 {
			f.Tables[p] = table
		}
	}
	return f
}

func bind(t testing.TB) diagtest.Phase {
	return func(f *source.File) diag.List { return fixture(f.Text).Diagnose(t, check.Options{}) }
}

func TestPagesOfSent(t *testing.T) { diagtest.Pages(t, "V07", bind(t)) }

func TestGoldensOfSent(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/sent/*.txtar", bind(t))
	for _, page := range diag.Pages {
		if strings.HasPrefix(string(page.Code), "V07") && !covered[page.Code] {
			t.Errorf("no golden shows %s, %s", page.Code, page.Title)
		}
	}
}

// codes of the errors of a model.
func codes(t *testing.T, text string, o check.Options) string {
	var out []string
	for _, d := range fixture(text).Diagnose(t, o) {
		if d.Severity == diag.Error {
			out = append(out, string(d.Code))
		}
	}
	return strings.Join(out, " ")
}

const head = `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data g : level(G)[N] @ a
data h : level(H)[N] @ a
data w : real[N] @ c
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param s ~ half_normal(1) @ shared
param u : real[G] ~ normal(0, 1) @ shared
param v : real[H] ~ normal(0, 1) @ shared
param mu : real[N] ~ normal(0, 1) @ shared
param tau ~ half_normal(1) @ a
param wide ~ half_cauchy(5) @ a
param free ~ flat() @ a
param narrow ~ normal(5, 1e-3) @ a
param b ~ normal(0, 1) @ a
param bs ~ normal(0, s) noncentered @ a
param bu : real[G] ~ normal(u, 1) noncentered @ a
param e ~ normal(0, 1) @ c
`

// Cuts that the parameters hardly move, and cuts beside which the noise is nothing; the thresholds are
// relative, whatever the units and the priors.
func TestCuts(t *testing.T) {
	for _, c := range []struct{ cut, rho, want string }{
		{"x * b", "1", ""},
		{"1e9 * (x * b)", "1e6", ""},
		{"1e-9 * (x * b)", "1", ""},
		{"x + 1e-300 * b", "1", "V0701"},
		{"1e9 * x + b", "1", "V0701"},
		{"x + 1e-2 * b", "1", ""},
		{"x + 1e-4 * b", "1", "V0701"},
		{"x + relu(-exp(b))", "1", "V0701"}, // its derivative is 0, which no cancellation shows
		{"x + log(exp(b)) - b", "1", "V0701"},
		{"x * narrow", "1", "V0701"},
		{"x * free", "1", ""},
		{"x * wide", "1", ""},
		{"x * bs", "1", ""},
		{"k * (x * tau)", "1", ""},
		{"x .* tanh(b) .* sqrt(b - 1)", "1", ""}, // no number at 5 of 6 draws: these are taken again
		{"x .* log(-exp(b))", "1", "V0701"},      // never a number
		{"x * b", "5e-324", "V0702"},             // rho² is 0
		{"x * b", "2e-6", ""},                    // the variance of the cut is about 1
		{"x * b", "1e-7", "V0702"},
		{"1e9 * (x * b)", "1", "V0702"},
	} {
		text := head + "y ~ normal(m + " + c.cut + " + w * e, 1)\ntransform augmented(rho = {a: " + c.rho +
			", c: 1})\n"
		if got := codes(t, text, check.Options{}); got != c.want {
			t.Errorf("%s with rho %s: %q, want %q", c.cut, c.rho, got, c.want)
		}
	}
}

// A cut that crosses as it is has no noise to be too weak, and must move with its parameters as any other.
func TestCutsWithoutNoise(t *testing.T) {
	for cut, want := range map[string]string{"x * b": "", "1e9 * (x * b)": "", "x + 1e-300 * b": "V0701"} {
		text := head + "y ~ normal(m + " + cut + " + w * e, 1)\ntransform exact\n"
		if got := codes(t, text, check.Options{}); got != want {
			t.Errorf("%s: %q, want %q", cut, got, want)
		}
	}
}

// Rows that reach an element of a shared parameter in a client's own likelihoods. What is reached in a cut
// alone is not counted, nor are elements that the likelihood does not use, whatever the data; a cell without
// rows is.
func TestCells(t *testing.T) {
	for _, c := range []struct{ own, want string }{
		{"x ~ normal(u[g], 1)", "V0703"},                   // cells of 4 and 6
		{"x ~ normal(v[h], 1)", ""},                        // cells of 5 and 5
		{"x ~ normal(v[h], s)\nx ~ normal(k, s)", "V0332"}, // more sums of one column
		{"x ~ normal(v[1], s)", ""},
		{"x[1:4] ~ normal(k, 1)", "V0703"},
		{"x[1:5] ~ normal(k, 1)", ""},
		// through a noncentered parameter
		{"x ~ normal(bu[g], 1)", "V0703"},
		// flat to the last bit at most draws
		{"x ~ normal(wide, 1e-200 * exp(s))", ""},
		// the gradient in s tells b, which multiplies x in the cut
		{"x ~ normal(b, s)", "V0331"},
		{"param f : real[G] ~ normal(u, 1) @ a\nx ~ normal(f[g], 1)", "V0703"}, // which u tells
		{"param f : real[H] ~ normal(v, 1) @ a\nx ~ normal(f[h], 1)", ""},
		{"param f : real[H] ~ normal(k, s) @ a\nx ~ normal(f[h], 1)", ""},
		// two equations for its two elements
		{"param f : real[H] ~ normal(k, s) @ a\nx ~ logistic(f[h], 1)", "V0332"},
		{"param f : real[H] ~ normal(k, 1) @ a\nx ~ logistic(f[h], 1)", ""},
	} {
		text := head + "y ~ normal(m + x * b + w * e, 1)\n" + c.own + "\n"
		for _, kind := range []string{"augmented(rho = 1)", "power(rho = 1)"} {
			full := text + "transform " + kind + "\n"
			if got := codes(t, full, check.Options{}); got != c.want {
				t.Errorf("%s under %s: %q, want %q", c.own, kind, got, c.want)
			}
			if got := codes(t, full, check.Options{Accept: diag.Accepted{"gradient-leak"}}); got != "" {
				t.Errorf("%s under %s, accepted: %q", c.own, kind, got)
			}
		}
	}
	// a private scale over categories in a cut: the gradients of the shared effects u and of the scale s
	// behind bs give rows
	for _, kind := range []string{"augmented(rho = 1)", "power(rho = 1)"} {
		text := head + "y ~ normal(m + x * b + bs * u[g] + w * e, 1)\ntransform " + kind + "\n"
		if got := codes(t, text, check.Options{}); got != "V0331 V0331" {
			t.Errorf("a scale over categories under %s: %q", kind, got)
		}
	}
}

// A member of a family examines its own rows.
func TestMembers(t *testing.T) {
	const text = "client lab[J]\ndata y : real[N] @ lab\nparam mu ~ normal(0, 1) @ " +
		"shared\ny ~ normal(mu, 1)\n"
	f := compiletest.Fixture{Text: text, Tables: map[string]string{"lab/1": "y\n1\n2\n3\n4\n5\n",
		"lab/2": "y\n1\n2\n3\n4\n"}, Family: map[string]int{"lab": 2}}
	list := f.Diagnose(t, check.Options{})
	if len(list) != 1 || !strings.HasPrefix(list[0].Message, "lab[2]:") {
		t.Errorf("got %v", fmt.Sprint(len(list)))
	}
}

// table writes n rows of normals, of categories for a name that begins with r, of counts for y.
func table(n int, names ...string) string {
	r := rand.New(rand.NewPCG(1, uint64(len(names))))
	text := strings.Join(names, ",") + "\n"
	for range n {
		cells := make([]string, len(names))
		for i, name := range names {
			switch name[0] {
			case 'r':
				cells[i] = fmt.Sprint(1 + r.IntN(4))
			case 'y':
				cells[i] = fmt.Sprint(r.IntN(2))
			case 'p':
				cells[i] = fmt.Sprint(1 + r.IntN(9))
			default:
				cells[i] = fmt.Sprintf("%.3f", r.NormFloat64())
			}
		}
		text += strings.Join(cells, ",") + "\n"
	}
	return text
}

// The models with which the language is introduced pass, under every transform.
func TestModelsOfTheLanguage(t *testing.T) {
	tables := map[string]string{
		"server": table(40, "y"), "health": table(40, "pop", "remoteness", "a1", "a2"),
		"census": table(40, "b1", "b2"),
		"lab/1":  table(40, "x1", "x2"), "lab/2": table(40, "x1", "x2", "x3"),
	}
	for name, text := range map[string]string{
		"multilevel": `client health, census
data y          : count[N] @ server
data pop        : real<lower=0>[N]    @ shared
data remoteness : level(R)[N]         @ shared
data XA : real[N, KA] @ health from a1, a2
data XB : real[N, KB] @ census from b1, b2
param b                  ~ normal(0, 1)
param mu_a  : real[KA]   ~ normal(0, 1)        @ health
param tau_a : real[KA]   ~ half_normal(1)      @ health
param slope_a : real[R, KA] ~ normal(mu_a, tau_a) noncentered @ health
param mu_b  : real[KB]   ~ normal(0, 1)        @ census
param tau_b : real[KB]   ~ half_normal(1)      @ census
param slope_b : real[R, KB] ~ normal(mu_b, tau_b) noncentered @ census
y ~ poisson_log(b + log(pop) + rowdot(XA, slope_a[remoteness]) + rowdot(XB, slope_b[remoteness]))
`,
		"family": `client lab[J]
data y : binary[N] @ server
data X : real[N, P] @ lab from *
param b ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1) @ lab
y ~ bernoulli_logit(b + sum(X[j] * beta[j] for j in lab))
`,
	} {
		for _, shared := range []string{"@ server", "@ shared"} {
			whole := strings.Replace(text, "[N] @ server", "[N] "+shared, 1)
			for _, kind := range stdlib.Transforms() {
				if kind.AtClients() && shared == "@ server" {
					continue // the response must be shared
				}
				f := compiletest.Fixture{Text: whole, Tables: tables, Family: map[string]int{"lab": 2}}
				if list := f.Diagnose(t, check.Options{Transform: kind}); list.HasErrors() {
					t.Errorf("%s, response %s, under %s: %s", name, shared, kind, list.Shown()[0].Message)
				}
			}
		}
	}
}

// Of new rows whose covariates are 0 nothing moves the cut, and they are taken; a fit refuses them. A program
// that sends data of rows that are not 0 is refused of new rows too, whether it takes the parameters away by
// other numbers or not.
func TestNewRowsOfZeros(t *testing.T) {
	for _, c := range []struct {
		cut      string
		x        float64
		fit, new string
	}{
		{"x * b", 0, "V0701", ""},
		{"x * b + 3 * square(x)", 0, "V0701", ""},
		{"(x - 1) * b + 2 * x", 1, "V0701", "V0701"},
		{"(x - 0.5) * b + x", 0.5, "V0701", "V0701"},
		{"x * b", 2, "", ""},
	} {
		bound := fixture(head+"y ~ normal(m + "+c.cut+" + w * e, 1)\ntransform exact\n").Bind(t,
			check.Options{})
		party := bound.Lowered[1].PartyData
		own := party.Data["a"]["x"]
		for i := range own.Values {
			own.Values[i] = c.x
		}
		for k, want := range []string{c.fit, c.new} {
			got := ""
			accepted, err := diag.ParseAccepted(strings.Join(diag.AcceptanceNames(), ","))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range compile.CheckSent(party, compile.ManifestTerms{Accepted: accepted,
				New: k == 1}) {
				got += string(d.Code)
			}
			if got != want {
				t.Errorf("%s with x = %g, new rows %v: %q, want %q", c.cut, c.x, k == 1, got, want)
			}
		}
	}
}
