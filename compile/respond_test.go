package compile_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
)

// Models in which bank holds the responses of likelihoods of several parties, with what each party has.
const heldByBank = `client bank, shop, lab[2]
data y : binary[N] @ bank
data t : real<lower=0>[N] @ bank
data dead : binary[N] @ bank
data ys : count[N] @ shop
data both : binary[N] @ shared
data E : real<lower=0>[N] @ bank
data g : level(R)[N] @ bank
data XA : real[N, PA] @ bank
data XB : real[N, PB] @ shop
data XL : real[N, PL] @ lab
param a : real[PA] ~ normal(0, 1) @ bank
param b : real[PB] ~ normal(0, 1) @ shop
param l : real[PL] ~ normal(0, 1) @ lab
param k ~ normal(0, 1) @ shop
param m ~ normal(0, 1)
param w ~ normal(0, 1) @ server
param s ~ half_normal(1)
param u : real[R] ~ normal(0, s)
param q ~ normal(0, 1) @ shared
let eta = m + XA * a + XB * b
`

// What follows the names.
var respondingModels = map[string]string{
	"one":       "y ~ bernoulli_logit(eta)\n",
	"family":    "y ~ bernoulli_logit(eta + sum(XL[j] * l[j] for j in lab))\n",
	"groups":    "y ~ bernoulli_logit(eta + u[g])\n",
	"several":   "y ~ bernoulli_logit(eta)\nt ~ weibull(2, exp(w + XB * b))\nlog(1 + t) ~ normal(eta, s)\n",
	"survival":  "t ~ weibull(2, exp(w + XB * b)) censor(right = dead)\n",
	"weights":   "y ~ bernoulli_logit(eta) weights E\n",
	"let":       "let rate = t ./ E\nrate ~ normal(eta, s)\n",
	"its own":   "y ~ bernoulli_logit(eta)\nys ~ poisson_log(k)\n",
	"shared":    "y ~ bernoulli_logit(eta)\nboth ~ bernoulli_logit(m + XB * b)\n",
	"parameter": "y ~ bernoulli_logit(eta + q)\nys ~ poisson_log(q)\n",
	"generated": "y ~ bernoulli_logit(eta)\ngenerate p = inv_logit(eta)\ngenerate r ~ bernoulli_logit(eta)\n",
	"factor":    "y ~ bernoulli_logit(eta)\nfactor -square(m)\nfactor normal_lpdf(w | k, 1)\n",
}

var digests = regexp.MustCompile(`[0-9a-f]{64}`)

// sharesOf are the programs and the manifest of a model, without digests of its text.
func sharesOf(t *testing.T, text string, kind def.Transform) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, file := range compiletest.Compile(t, text, check.Options{Transform: kind}).Files() {
		out[name] = digests.ReplaceAllString(string(file), "…")
	}
	return out
}

// The party that holds the response is the server of the model: the programs, and the manifest of what
// crosses, are those of the text that says so. A server of the text that has something is then a client.
func TestTheServerIsTheHolderOfTheResponse(t *testing.T) {
	for name, likelihoods := range respondingModels {
		held := heldByBank + likelihoods
		said := strings.Replace(held, "client bank, shop", "server bank\nclient shop", 1)
		for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
			want := sharesOf(t, said, kind)
			if diff := cmp.Diff(want, sharesOf(t, held, kind)); diff != "" {
				t.Errorf("%s, %s: server bank (-), response @ bank (+):\n%s", name, kind, diff)
			}
			if diff := cmp.Diff(want, sharesOf(t, "server nobody\n"+held, kind)); diff != "" {
				t.Errorf("%s, %s: beside a server that has nothing:\n%s", name, kind, diff)
			}
		}
	}
	const registry = "data Z : real[N, K]\nparam z : real[K] ~ normal(0, 1) @ registry\n" +
		"y ~ bernoulli_logit(eta + Z * z)\n"
	said := strings.Replace(heldByBank, "client bank, shop", "server bank\nclient registry\nclient shop", 1) +
		strings.Replace(registry, "K]\n", "K] @ registry\n", 1)
	want := sharesOf(t, said, stdlib.Exact)
	if diff := cmp.Diff(want, sharesOf(t, "server registry\n"+heldByBank+registry, stdlib.Exact)); diff != "" {
		t.Errorf("registry as a client (-), as the server that the text names (+):\n%s", diff)
	}
}

// A model that is right as it is written keeps its server, whatever the names in its statements.
func TestARightModelKeepsItsServer(t *testing.T) {
	for _, text := range []string{
		"client a, b\ndata y : real[N] @ a\ndata X : real[N, P] @ b\nparam m ~ normal(0, 1) @ a\n" +
			"y ~ normal(m / N, 1)\n", // a size of b's data, and of a's
		"client a\ndata y : real[N] @ a\nparam m ~ normal(0, 1) @ shared\ny ~ normal(m, 1)\n",
		"client lab[3]\ndata y : real[N] @ lab\nparam m ~ normal(0, 1) @ lab\ny ~ normal(m, 1)\n",
		"client a\ndata y : real[N]\ndata X : real[N, P] @ a\nparam b : real[P] ~ normal(0, 1) @ a\n" +
			"y ~ normal(X * b, 1)\n",
	} {
		if m := compiletest.Compile(t, text, check.Options{}); m.Checked.Server != check.DefaultServer {
			t.Errorf("%s evaluates\n%s", m.Checked.Server, text)
		}
	}
}

// What is refused or warned of where the server holds the response is refused or warned of, in the same
// words, where a client does: above all, gradients and cuts that are rows of another party.
func TestTheHolderLearnsNoMoreThanAServer(t *testing.T) {
	paths, err := filepath.Glob("split/testdata/owners/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	response := regexp.MustCompile(`(?m)^(\w+) ~ `)
	compared := map[string]int{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		held := string(archive.Files[0].Data)
		if strings.Contains(held, "server ") || strings.Contains(held, "power") || !strings.Contains(held, "client") {
			continue
		}
		for _, y := range response.FindAllStringSubmatch(held, -1) {
			free := regexp.MustCompile(`(?m)^(data ` + y[1] + ` : [^@\n]*\S)( +@ shared)?$`)
			held = free.ReplaceAllString(held, "$1 @ keeper")
		}
		if !strings.Contains(held, "@ keeper") {
			continue
		}
		said := "server keeper\n" + held
		held = "client keeper\n" + held
		a, b := compiled(said), compiled(held)
		if m, _ := compiletest.Try(t, source.New("model.vfl", held), check.Options{}); m.Checked.Server != "keeper" {
			continue // it holds no response of several parties
		}
		if diff := cmp.Diff(messages(a), messages(b)); diff != "" {
			t.Errorf("%s: server keeper (-), data @ keeper (+):\n%s\n%s", filepath.Base(path), diff, held)
		}
		for _, d := range a {
			compared[string(d.Code)]++
		}
	}
	for _, code := range []string{"V0301", "V0320", "V0331", "V0332", "V0390", "V0391"} {
		if compared[code] == 0 {
			t.Errorf("no golden with %s was compared: %v", code, compared)
		}
	}
}

// messages are the codes and texts of diagnostics.
func messages(l diag.List) (out []string) {
	for _, d := range l {
		out = append(out, string(d.Code)+" "+d.Message)
	}
	return out
}
