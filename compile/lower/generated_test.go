package lower_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }

// A generator draws models with their tables. Every model is right under every transform: the responses are
// shared and cuts enter sums. But for power a client may hold the responses.
type generator struct {
	t      *rapid.T
	b      strings.Builder
	tables map[string]string
	family map[string]int
	terms  map[string][]string // by client: what may enter a predictor
	all    map[string][]string // those that have entered one too
	holder string              // of responses
}

func (g *generator) often(label string) bool { return rapid.IntRange(0, 2).Draw(g.t, label) > 0 }

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// drawModel draws consts, clients with parameters and data of their own, and likelihoods; for exact also
// those that it alone allows across parties.
func drawModel(t *rapid.T, kind def.Transform) fixture {
	g := &generator{t: t, tables: map[string]string{}, family: map[string]int{}, terms: map[string][]string{},
		all: map[string][]string{}, holder: check.Shared}
	clients := []string{"a", "b"}[:rapid.IntRange(1, 2).Draw(t, "clients")]
	head := strings.Join(clients, ", ")
	if rapid.Bool().Draw(t, "family") {
		head += ", lab[J]"
		g.family["lab"] = rapid.IntRange(1, 3).Draw(t, "members")
		clients = append(clients, "lab")
	}
	if !kind.AtClients() && rapid.Bool().Draw(t, "a client holds the responses") {
		head, g.holder = head+", keeper", "keeper"
	}
	g.line("import nn\nfn twice(x) = 2 * x\nfn smooth(v, k) {\n    let w : real[size(v)] = recur w[1] = " +
		"v[1], w[i] = k * w[i - 1] + v[i] for i in 2..size(v)\n    return w\n}")
	g.line("client %s", head)
	g.line("const H = %d", rapid.IntRange(1, 3).Draw(t, "H"))
	g.line("const S = %d / 4", rapid.IntRange(1, 8).Draw(t, "S"))
	g.line("const L = H + 1")
	g.line("data y1 : binary[N] @ %[1]s\ndata c1 : count[N] @ %[1]s\ndata x9 : real[N] @ shared\ndata "+
		"g1 : level(G)[N] @ shared", g.holder)
	g.tables["server"] = table(1, 12, "y1", "c1", "x9", "g1", "x8")
	g.tables["keeper"] = g.tables["server"]
	g.line("param m ~ normal(0, S)\nparam sigma ~ half_normal(2)\nparam k ~ half_normal(S) @ shared\nparam " +
		"pick : real[H] ~ normal(0, 1)")
	for i, c := range clients {
		g.client(c, i)
	}
	g.likelihoods(clients)
	if kind.CutsCross() {
		g.onlyExact(clients)
	}
	return fixture{Text: g.b.String(), Tables: g.tables, Family: g.family}
}

// client declares the data and parameters of a client, with what they may add to a predictor.
func (g *generator) client(c string, seed int) {
	for member := range max(1, g.family[c]) {
		name, columns := c, []string{"c5", "g5", "x1", "x2", "m6"}
		if g.family[c] > 0 {
			name = fmt.Sprintf("%s/%d", c, member+1)
			columns = append(columns, []string{"x3", "x4"}[:member%2]...)
		}
		g.tables[name] = table(uint64(10*seed+member+2), 12, columns...)
	}
	own := "P_" + c // the number of columns is known to the client alone
	if g.often("all columns") {
		g.line("data X_%[1]s : real[N, %[2]s] @ %[1]s from *", c, own)
	} else {
		g.line("data X_%[1]s : real[N, 2] @ %[1]s from x1, x2", c)
		own = "2"
	}
	g.line("data r_%[1]s : level(R_%[1]s)[N] @ %[1]s from g5", c)
	g.line("data gap_%[1]s : real[N] @ %[1]s from m6 missing impute ~ normal(S * sum(v_%[1]s[i] "+
		"for i in 1..H), tau_%[1]s)", c)
	g.line("data mark_%[1]s : count[N] @ %[1]s from c5", c)
	g.line("param tau_%[1]s : real<upper=S + 3> ~ half_normal(S) @ %[1]s", c)
	g.line("param u_%[1]s : real[%[2]s] ~ normal(0, tau_%[1]s)%[3]s @ %[1]s", c, own, g.noncentered())
	g.line("param W_%[1]s : real[%[2]s, H] ~ normal(0, 1) @ %[1]s", c, own)
	g.line("param v_%[1]s : real[H] ~ normal(0, k)%[2]s @ %[1]s", c, g.noncentered())
	g.line("param e_%[1]s : real[R_%[1]s] ~ normal(0, 1) @ %[1]s", c)
	g.line("param f_%[1]s : real[G, %[2]s] ~ normal(0, S) @ %[1]s", c, own)
	g.line("param l_%[1]s : real[L, 2 * H] ~ laplace(0, 1) @ %[1]s", c)
	g.line("let net_%[1]s = nn.linear(X_%[1]s) @ %[1]s", c)
	g.line("let ar_%[1]s = smooth(X_%[1]s * u_%[1]s, 0.3) @ %[1]s", c)
	for i, term := range []string{
		"X_# * u_#", "tanh(X_# * W_#) * v_#", "e_#[r_#]", "rowdot(X_#, f_#[g1])", "k * (X_# * u_#)",
		"l_#[L, H] * x9", "e_#[r_#] * sum(v_#[i] for i in 1..H)",
		"net_#", "ar_#", "twice(e_#[r_#] .* tanh(X_# * u_#))", "tau_# * gap_#",
	} {
		term = strings.ReplaceAll(term, "#", c)
		if g.family[c] > 0 {
			g.line("let part%d_%s = %s @ %s", i, c, term, c)
			term = fmt.Sprintf("part%d_%s[j]", i, c)
		}
		g.terms[c], g.all[c] = append(g.terms[c], term), append(g.all[c], term)
	}
}

// onlyExact writes likelihoods of a response that one party alone has, in which clients' contributions meet
// by more than a sum and in which their scales stand.
func (g *generator) onlyExact(clients []string) {
	holder := g.holder
	if holder == check.Shared {
		holder = check.DefaultServer
	}
	g.line("data x8 : real[N] @ %s", holder)
	product, spread := "m", "sigma"
	g.terms = g.all // a cut may enter several sums
	for _, c := range clients {
		g.line("param s_%[1]s ~ half_normal(1) @ %[1]s", c)
		own := "s_" + c
		if g.family[c] > 0 {
			own = fmt.Sprintf("sum(s_%[1]s[j] for j in %[1]s)", c)
		}
		if g.often("in the product") {
			product = fmt.Sprintf("(%s + %s) .* (1 + %s)", product, g.predictor(c), g.predictor(c))
		}
		if g.often("in the spread") {
			spread += " + " + own
		}
	}
	g.line("x8 ~ normal(%s, %s)", product, spread)
	g.line("x8 ~ student_t(1 + s_a, k * (%s), 2)", product)
}

func (g *generator) noncentered() string {
	if rapid.Bool().Draw(g.t, "noncentered") {
		return " noncentered"
	}
	return ""
}

// predictor is a sum of some of a client's terms; of a family, over its members. No term is taken twice:
// under power a cut enters one sum.
func (g *generator) predictor(c string) string {
	var terms []string
	for range rapid.IntRange(1, 2).Draw(g.t, "terms") {
		k := rapid.IntRange(0, len(g.terms[c])-1).Draw(g.t, "term")
		terms, g.terms[c] = append(terms, g.terms[c][k]), slices.Delete(g.terms[c], k, k+1)
	}
	text := strings.Join(terms, " + ")
	if g.family[c] == 0 {
		return text
	}
	return "sum(" + text + " for j in " + c + ")"
}

// likelihoods writes one to three likelihoods over the clients' predictors, and those that a client evaluates
// alone.
func (g *generator) likelihoods(clients []string) {
	for _, shape := range []string{"x9 ~ normal(%s, sigma)", "y1 ~ bernoulli_logit(%s)",
		"c1 ~ poisson_log(%s)"} {
		eta := "m + pick[H]"
		for _, c := range clients {
			if g.often("in the predictor") {
				eta += " + " + g.predictor(c)
			}
		}
		if eta != "m + pick[H]" {
			g.line(shape, eta)
		}
	}
	for _, c := range clients {
		if rapid.Bool().Draw(g.t, "own likelihood") {
			g.line("mark_%[1]s ~ poisson_log(X_%[1]s * u_%[1]s + S * e_%[1]s[r_%[1]s])", c)
		}
	}
}

// byName puts every parameter at a value that its name and element decide, so that plans with other parties
// and orders get the same.
func (j *joint) byName(plan *model.Plan) {
	for b, spec := range plan.Parties {
		for _, p := range spec.Params {
			for i := range p.Len {
				if p.Offset+i >= len(j.theta[b]) {
					continue // computed, not drawn
				}
				h := fnv.New32a()
				fmt.Fprint(h, p.Name, i)
				j.theta[b][p.Offset+i] = float64(h.Sum32()%1000)/1000 - 0.5
			}
		}
	}
}

// What Compile writes loads at its party, and with z equal to the cuts it has the density of the pooled
// model, whatever the model and the transform.
func TestGeneratedModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(transforms.All()).Draw(rt, "transform")
		f := drawModel(rt, kind)
		set := map[string]float64{"H": float64(rapid.IntRange(1, 3).Draw(rt, "set H"))}
		got, want := noiseFree(t, f, check.Options{Transform: kind, Set: set, Accept: fewRows}),
			noiseFree(t, f, check.Options{Transform: transforms.None, Set: set})
		if !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
			rt.Fatalf("%s gives %v, the true model %v:\n%s", kind.Name, got, want, f.Text)
		}
	})
}

// noiseFree is the joint density of a model without its auxiliary variables, with z equal to the cuts.
func noiseFree(t *testing.T, f fixture, o check.Options) float64 {
	plan := f.Bind(t, o).Plan
	j := newJoint(t, plan, 0)
	j.byName(plan)
	return j.value(t)
}
