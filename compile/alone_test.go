package compile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// A client that has its program and its table alone names what its own columns do not determine: a constant,
// which may be another party's intercept, a combination, and columns that are combinations with those of its
// other matrix.
func TestColumnsOfAPartyAlone(t *testing.T) {
	tables := map[string]string{
		"server": "id,y\n1,0\n2,1\n3,1\n4,0\n5,1\n6,0\n",
		"a":      "id,age,one,months,double\n1,3,1,36,5\n2,2,1,24,3\n3,4,1,48,7\n4,1,1,12,1\n5,6,1,72,11\n6,2,1,24,3\n",
	}
	constant := map[bool]string{ // where the likelihood is at the clients they know of the intercept
		false: "one at a is the same in every row: where another party has an intercept, the data " +
			"determine the sum of both only, and priors the rest",
		true: "one at a is the same in every row: the data determine the sum of its coefficient and the " +
			"intercept only, and priors the rest",
	}
	combined := []string{
		"double at a is a linear combination of the columns before it: the data determine their " +
			"coefficients in sum only, and priors the rest",
		"months at a is a linear combination of the columns before it: the data determine their " +
			"coefficients in sum only, and priors the rest",
	}
	for _, transform := range []string{"exact", "augmented", "power"} {
		kind, _ := stdlib.TransformNamed(transform)
		m := compiletest.Compile(t, `client a
data y : binary[N] @ shared
data X : real[N, P] @ a from age, one, months
data double : real[N] @ a
param m ~ normal(0, 1)
param b : real[P] ~ normal(0, 1) @ a
param c ~ normal(0, 1) @ a
y ~ bernoulli_logit(m + X * b + double * c)
`, check.Options{Transform: kind})
		var got []string
		_, told := loweredAlone(t, m, tables, kind.AtClients())
		for _, d := range told["a"] {
			if d.Code == diag.NoVariation {
				got = append(got, d.Message)
			}
		}
		if slices.Sort(got); !slices.Equal(got, append(slices.Clone(combined), constant[kind.AtClients()])) {
			t.Errorf("%s: %q", transform, got)
		}
	}
}

// loweredAlone opens the parties of a model one by one, each with its own table and the shared response of
// the server, and returns them with what each is told.
func loweredAlone(t *testing.T, m *compile.Model, tables map[string]string,
	power bool) (parties map[string]*compile.OneParty, told map[string]diag.List) {
	t.Helper()
	dir := t.TempDir()
	parties, facts, names := map[string]*compile.OneParty{}, map[string]compile.Facts{}, []string{}
	for name, text := range tables {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range m.Programs {
		b, diags, err := compile.OpenParty(m.Manifest, p.Party, source.New(p.File, p.Text), nil)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		own := []string{p.Party + "=" + filepath.Join(dir, p.Party+".csv")}
		if power && p.Party != m.Manifest.Server {
			own = append(own, "shared="+filepath.Join(dir, m.Manifest.Server+".csv"))
		}
		if diags := b.Bind(own, 0, data.Joining{Key: "id"}, nil); diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		f, diags := b.Facts([]byte("salt"))
		if diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		parties[p.Party], facts[p.Party], names = b, f, append(names, p.Party)
	}
	sizes, err := compile.Agree(names, facts)
	if err != nil {
		t.Fatal(err)
	}
	told = map[string]diag.List{}
	for name, b := range parties {
		told[name] = b.Lower(sizes, nil)
	}
	return parties, told
}

// Which rows a server looks up in a sum its own data tell: the wiring that the others receive does not, and a
// number for each level crosses.
func TestRowsLookedUpByTheServerAlone(t *testing.T) {
	m := compiletest.Compile(t, `client a
data y : real[N] @ shared
data county : level(C)[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param u : real[C] ~ normal(0, 1) @ a
y ~ normal(m + u[county], 1)
`, check.Options{Transform: stdlib.Exact})
	parties, _ := loweredAlone(t, m, map[string]string{
		"server": "id,y,county\n1,0,2\n2,1,1\n3,1,2\n4,0,3\n", "a": "id,x\n1,0\n2,0\n3,0\n4,0\n",
	}, false)
	wiring, err := parties["server"].Link([]lower.Outline{parties["server"].Outline(), parties["a"].Outline()})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(wiring)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int{"server": {1, 0, 1, 2}, "a": nil} {
		var received compile.Wiring
		if err := json.Unmarshal(text, &received); err != nil {
			t.Fatal(err)
		}
		if _, err := parties[name].Take(received); err != nil {
			t.Fatal(err)
		}
		if g := parties[name].Plan.Groups[0]; g.Len != 3 || !slices.Equal(g.At, want) {
			t.Errorf("%s: a sum of %d numbers, of which %v are looked up", name, g.Len, g.At)
		}
	}
}

// What names the rows of a party is the same where it reads its own table alone and in a process with the
// tables of all, so that one history of the party serves both: with a key, and with --key none, where its own
// values name them.
func TestRowNamesAreThoseOfAPartyAlone(t *testing.T) {
	tables := map[string]string{
		"server": "id,y\n1,0\n2,1\n3,1\n4,0\n",
		"a":      "id,x,age,bmi\n4,.5,30,20\n2,.25,50,70\n1,.125,120,30\n3,1,40,25\n",
		"b[1]":   "id,g\n3,1\n1,2\n2,5\n4,3\n", "b[2]": "id,g\n3,4\n1,1\n2,4\n4,2\n",
	}
	const text = `client a
client b[J]
data y : binary[N] OWNER
data x : real<lower=0, upper=1>[N] @ a
data W : real[N, 2] @ a from clip(age, 18, 98), clip(bmi, 10, 60)
data h : real[N, 1] @ b from g
param w : real[2] ~ normal(0, 1) @ a
param u : real[1] ~ normal(0, 1) @ b
y ~ bernoulli_logit(x * w[1] + W * w + sum(h[j] * u[j] for j in b))
`
	dir := t.TempDir()
	var flags []string
	for name, table := range tables {
		file := filepath.Join(dir, name+".csv")
		if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "b[2]" {
			flags = append(flags, strings.TrimSuffix(name, "[1]")+"="+file)
		}
	}
	for k, f := range flags {
		if strings.HasPrefix(f, "b=") {
			flags[k] = f + "," + filepath.Join(dir, "b[2].csv")
		}
	}
	for _, owner := range []string{"", "@ shared"} {
		m := compiletest.Compile(t, strings.Replace(text, "OWNER", owner, 1), check.Options{})
		for _, key := range []string{"", "id", data.RowOrder} {
			sources, err := data.Named(m.Parties(), flags)
			if err != nil {
				t.Fatal(err)
			}
			var together map[string][]string
			b, diags, err := compile.Bind(m, sources, data.Joining{Key: key,
				Rows: func(of map[string][]string) (diag.List, error) { together = of; return nil, nil }})
			if err != nil || diags.HasErrors() {
				t.Fatal(err, data.Errors(diags))
			}
			for party := range tables {
				base, _, _ := compile.Member(party)
				k := slices.IndexFunc(b.Programs, func(p split.PartyProgram) bool {
					name, _, _ := strings.Cut(p.Party, "[")
					return name == base
				})
				p, diags, err := compile.OpenParty(b.Manifest, party,
					source.New(b.Programs[k].File, b.Programs[k].Text), nil)
				if err != nil || diags.HasErrors() {
					t.Fatal(err, data.Errors(diags))
				}
				own := []string{base + "=" + filepath.Join(dir, party+".csv")}
				if owner != "" && base != "server" {
					own = append(own, "shared="+filepath.Join(dir, "server.csv"))
				}
				if diags := p.Bind(own, 0, data.Joining{Key: key}, nil); diags.HasErrors() {
					t.Fatal(data.Errors(diags))
				}
				alone := p.Data.RowNames(p.Values[party])
				slices.Sort(alone)
				got := slices.Sorted(slices.Values(together[party]))
				if len(got) != 4 || !slices.Equal(got, alone) {
					t.Errorf("%s with key %q%s: %q together and %q alone", party, key, owner, got, alone)
				}
			}
		}
	}
}
