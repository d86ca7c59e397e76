package fit

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/internal/project"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
)

// verdictOf is the verdict of a model with these settings, with the tables read and without.
func verdictOf(t *testing.T, b *compile.BoundModel, name string, given map[string]string,
	tables *compile.Tables) []compile.Verdict {
	t.Helper()
	bundle, diags := b.Bundle()
	good(t, diags, nil)
	lines, err := Verdict(bundle, backend(t, name), given, tables)
	good(t, nil, err)
	return lines
}

// hospitals is a model of some clients, each with a continuous column, one of two values and a factor, of
// which the program of the last tells nothing.
func hospitals(t *testing.T, clients int) string {
	t.Helper()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	names := []string{"a", "b", "c", "d"}[:clients]
	var text, sum strings.Builder
	fmt.Fprintf(&text, "client %s\ndata y : binary[N] @ shared\nparam m ~ normal(0, 2)\n",
		strings.Join(names, ", "))
	tables := map[string]*strings.Builder{"server": {}}
	tables["server"].WriteString("id,y\n")
	for k, p := range names {
		from := " from zscore(age_" + p + "), onehot(sex_" + p + ", drop=first)"
		if k == clients-1 {
			from = " from age_" + p + ", sex_" + p
		}
		fmt.Fprintf(&text, "data X%s : real[N, P%s] @ %s%s\ndata w%s : level(W%s)[N] @ %s\n", p, p, p, from,
			p, p, p)
		fmt.Fprintf(&text,
			"param b%s : real[P%s] ~ normal(0, 1) @ %s\nparam u%s : real[W%s] ~ normal(0, 1) @ %s\n", p, p, p,
			p, p, p)
		fmt.Fprintf(&sum, " + X%s * b%s + u%s[w%s]", p, p, p, p)
		tables[p] = &strings.Builder{}
		fmt.Fprintf(tables[p], "id,age_%s,sex_%s,w%s\n", p, p, p)
	}
	fmt.Fprintf(&text, "y ~ bernoulli_logit(m%s)\n", sum.String())
	for i := range 120 {
		fmt.Fprintf(tables["server"], "%d,%d\n", i, random.IntN(2))
		for _, p := range names {
			fmt.Fprintf(tables[p], "%d,%.6f,%d,%s\n", i, random.NormFloat64(), random.IntN(2),
				[]string{"p", "q", "r"}[random.IntN(3)])
		}
	}
	write(t, filepath.Join(dir, "m.vfl"), text.String())
	for name, table := range tables {
		write(t, filepath.Join(dir, "m", name+".csv"), table.String())
	}
	return filepath.Join(dir, "m.vfl")
}

// unnamed lists what an attack found that a verdict does not name: columns, of whom it knows them, and
// contributions.
func unnamed(lines []compile.Verdict, found *attack.Assessment) (out []string) {
	for _, c := range found.Cuts {
		for _, receiver := range c.Receivers {
			at := slices.IndexFunc(lines, func(v compile.Verdict) bool {
				return slices.Contains(v.Receivers, receiver)
			})
			if at < 0 {
				out = append(out, "no line for "+receiver)
				continue
			}
			for _, p := range c.Parties {
				known := slices.Contains(lines[at].Each, p) || c.Sum && slices.Contains(lines[at].Sum, p)
				if c.Correlation > 0.99 && !known && (!c.Sum || p != receiver) {
					out = append(out, fmt.Sprintf("%s: what %s contributes", receiver, p))
				}
			}
			if c.Columns == nil {
				continue
			}
			for _, name := range c.Columns.Found {
				party := c.Parties[0]
				if of, rest, sum := strings.Cut(name, ": "); sum {
					party, name = of, rest
				}
				if party == receiver {
					continue
				}
				base, _, _ := strings.Cut(name, "=")
				if !slices.ContainsFunc(lines[at].Columns, func(k compile.Columns) bool {
					return k.Party == party && (slices.Contains(k.Names, base) ||
						len(k.Within)+len(k.All) > 0)
				}) {
					out = append(out, fmt.Sprintf("%s: %s of %s", receiver, name, party))
				}
			}
		}
	}
	for _, s := range found.Separated { // by the server
		for _, g := range s.Groups {
			if !slices.Contains(lines[0].Each, g.Party) {
				out = append(out, fmt.Sprintf("%s: what %s contributes, from the steps",
					lines[0].Receivers[0], g.Party))
			}
			for _, column := range g.Single {
				base, _, _ := strings.Cut(column.Name, "=")
				declared, _, _ := strings.Cut(base, "[")
				if !slices.Contains(lines[0].Narrow, g.Party) && !slices.ContainsFunc(lines[0].Columns,
					func(k compile.Columns) bool {
						return k.Party == g.Party && (slices.Contains(k.Names, base) ||
							slices.Contains(k.All, declared) || len(k.All) > 0 &&
							!strings.Contains(base, "["))
					}) {
					out = append(out, fmt.Sprintf("%s: %s of %s, from the steps", lines[0].Receivers[0],
						column.Name, g.Party))
				}
			}
		}
	}
	return out
}

// The verdict names all columns and contributions that the attack finds in a run: with two clients and with
// three, masked and not, under every transform that sends something, with the tables at hand and without. The
// attack finds something in each run, or the test would hold of anything.
func TestVerdictNamesWhatTheAttackFinds(t *testing.T) {
	t.Parallel()
	for _, clients := range []int{2, 3} {
		path := hospitals(t, clients)
		for k, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
			b := bindPath(t, path, transform, 0.05)
			m, sources := compiled(t, path, check.Options{Transform: transform, Rho: 0.05})
			two := m.Tables(sources, data.Joining{})
			if two == nil {
				t.Fatal("the tables cannot be read")
			}
			for i, masks := range []string{"off", "on"} {
				for j, name := range []string{"nuts", "sfvi"} {
					if !brief.Halved(clients, k, i, j) {
						continue
					}
					t.Run(fmt.Sprintf("%d clients, %s, masks %s, %s", clients, transform.Name, masks, name),
						func(t *testing.T) {
							given := map[string]string{"secure-sum": masks}
							if name == "nuts" {
								maps.Copy(given, map[string]string{"chains": "2", "warmup": "120",
									"draws": "120"})
							} else {
								given["draws"] = "200"
							}
							_, report := attacked(t, b, name, given)
							columns := 0
							for _, c := range report.Cuts {
								if c.Columns != nil {
									columns += len(c.Columns.Found)
								}
							}
							if columns == 0 {
								t.Error("the attack found no columns: nothing was compared")
							}
							for _, tables := range []*compile.Tables{nil, two} {
								if missing := unnamed(verdictOf(t, b, name, given, tables),
									report); len(missing) > 0 {
									t.Errorf("with tables %v the verdict does not name\n%s", tables != nil,
										strings.Join(missing, "\n"))
								}
							}
						})
				}
			}
		}
	}
}

// The same of the project that vflc new writes, whose verdict is that of README and privacy.md.
func TestVerdictOfANewProject(t *testing.T) {
	dir, example := t.TempDir(), project.Examples()[0]
	files, err := example.Files("trial")
	good(t, nil, err)
	for name, text := range files {
		write(t, filepath.Join(dir, name), string(text))
	}
	path := filepath.Join(dir, "trial.vfl")
	m, sources := compiled(t, path, check.Options{})
	joining := data.Joining{Key: "patient"}
	b, diags, err := compile.Bind(m, sources, joining)
	good(t, diags, err)
	given := map[string]string{}
	_, report := attacked(t, b, "nuts", given)
	lines := verdictOf(t, b, "nuts", given, m.Tables(sources, joining))
	want := `registry can compute: clinic's sex and ward of every row; each client's contribution to every row
clinic can compute: laboratory's contribution to every row
laboratory can compute: clinic's sex and ward of every row; clinic's contribution to every row
`
	if diff := cmp.Diff(want, compile.VerdictText(lines)); diff != "" {
		t.Error(diff)
	}
	if missing := unnamed(lines, report); len(missing) > 0 {
		t.Errorf("the verdict does not name\n%s", strings.Join(missing, "\n"))
	}
}

// The metric of a client with more than 128 parameters may be diagonal by default, so that the steps of
// trajectories give single columns: the verdict names them where the tables tell how many parameters there
// are.
func TestVerdictOfAWideClient(t *testing.T) {
	dir, random := t.TempDir(), rand.New(rand.NewPCG(7, 8))
	const text = "client a, b\ndata y : binary[N] @ shared\nparam m ~ normal(0, 2)\n"
	model, sum := text, ""
	for client, columns := range map[string]int{"a": 140, "b": 3} {
		model += fmt.Sprintf("data X%[1]s : real[N, P%[1]s] @ %[1]s\nparam u%[1]s : real[P%[1]s] "+
			"~ normal(0, 1) @ %[1]s\n", client)
		sum += fmt.Sprintf(" + X%[1]s * u%[1]s", client)
		table := strings.Builder{}
		table.WriteString("id")
		for k := range columns {
			fmt.Fprintf(&table, ",%s%d", client, k)
		}
		for i := range 200 {
			fmt.Fprintf(&table, "\n%d", i)
			for range columns {
				fmt.Fprintf(&table, ",%v", random.NormFloat64())
			}
		}
		write(t, filepath.Join(dir, "m", client+".csv"), table.String()+"\n")
	}
	var response strings.Builder
	response.WriteString("id,y\n")
	for i := range 200 {
		fmt.Fprintf(&response, "%d,%d\n", i, i%2)
	}
	write(t, filepath.Join(dir, "m", "server.csv"), response.String())
	path := filepath.Join(dir, "m.vfl")
	write(t, path, model+"y ~ bernoulli_logit(m"+sum+")\n")
	m, sources := compiled(t, path, check.Options{Transform: stdlib.Exact})
	b := bindPath(t, path, stdlib.Exact, 0)
	tables := m.Tables(sources, data.Joining{})
	for metric, wide := range map[string]bool{"auto": true, "dense": false} {
		line := verdictOf(t, b, "nuts", map[string]string{"secure-sum": "on", "metric": metric},
			tables)[0].String()
		if strings.Contains(line, "a's Xa") != wide || strings.Contains(line, "b's Xb") {
			t.Errorf("--metric %s: %s", metric, line)
		}
	}
}

// What the verdict says for every way in which a model can run: goldens in testdata/verdicts.txt, one model a
// section.
func TestVerdicts(t *testing.T) {
	var out strings.Builder
	for _, clients := range []int{1, 2, 3, 4} {
		path := hospitals(t, clients)
		for _, on := range stdlib.Transforms() {
			if clients == 1 && on.AtClients() {
				continue // it needs two
			}
			b := bindPath(t, path, on, 0.05)
			if b.Pooled() {
				fmt.Fprintf(&out, "== %d clients, %s\n%s", clients, on.Name,
					compile.VerdictText(b.AllPooled()))
				continue
			}
			for _, a := range Backends() {
				for setting, given := range waysOf(a.Name) {
					for _, wire := range []string{"plain", "fixed", "masked"} {
						settings := maps.Clone(given)
						switch wire {
						case "fixed":
							settings["wire"] = "fixed"
						case "masked":
							settings["secure-sum"] = "on"
						}
						bundle, diags := b.Bundle()
						good(t, diags, nil)
						lines, err := Verdict(bundle, a, settings, nil)
						if err != nil {
							continue // not for this transform
						}
						if len(lines) != 1+clients && (clients < 3 || len(lines) != 2) {
							t.Errorf("%d clients, %s, %s %s: %d lines", clients, on.Name, a.Name, setting,
								len(lines))
						}
						fmt.Fprintf(&out, "== %d clients, %s, %s%s, %s\n%s", clients, on.Name, a.Name,
							setting, wire, compile.VerdictText(lines))
					}
				}
			}
		}
	}
	golden(t, filepath.Join("testdata", "verdicts.txt"), sortedSections(out.String()))
}

// waysOf are the settings of an algorithm under which other things cross.
func waysOf(algorithm string) map[string]map[string]string {
	switch algorithm {
	case "nuts":
		return map[string]map[string]string{"": {}, " diag": {"metric": "diag"}}
	case "sfvi":
		out := map[string]map[string]string{}
		for _, e := range []string{"quadrature", "sampled", "fixed"} {
			out[" "+e] = map[string]string{"estimator": e}
		}
		return out
	}
	return map[string]map[string]string{"": {}}
}

// sortedSections joins sections with one text, and sorts them by their heads.
func sortedSections(text string) string {
	by := map[string][]string{}
	for _, s := range strings.Split(text, "== ")[1:] {
		head, body, _ := strings.Cut(s, "\n")
		by[body] = append(by[body], head)
	}
	var out []string
	for body, heads := range by {
		slices.Sort(heads)
		out = append(out, "== "+strings.Join(heads, "\n== ")+"\n"+body)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

var update = flag.Bool("update", false, "rewrite the golden file")

// golden compares text with a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		write(t, path, got)
	}
	want, err := os.ReadFile(path)
	good(t, nil, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// The verdict says that nothing of a row can be computed only of a receiver that no array with an element for
// each row reaches; and of every receiver that one reaches it says something, unless that array is 0.
func TestNothingOfARow(t *testing.T) {
	nothing, all := 0, maps.Clone(audited)
	all["priors alone"] = compiletest.Fixture{
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : binary[M] @ c
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
w ~ bernoulli_logit(v)
y ~ normal(x * u, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": "w\n0\n1\n1\n"},
	}
	for name, fixture := range all {
		for _, on := range stdlib.Transforms() {
			if on.Pooled() || on.AtClients() && (slices.Contains(seenSingly, name) ||
				name == "priors alone") {
				continue
			}
			b := fixture.Bind(t, check.Options{Transform: on, Rho: 0.5, Accept: diag.AcceptanceNames()})
			bundle, diags := b.Bundle()
			good(t, diags, nil)
			for _, a := range Backends() {
				for setting, given := range variants(a, on) {
					rows, err := Audit(bundle, a, given)
					if err != nil {
						continue
					}
					lines := verdictOf(t, b, a.Name, given, nil)
					for _, v := range lines {
						for _, r := range v.Receivers {
							reached := slices.ContainsFunc(rows, func(d compile.Disclosure) bool {
								return d.To == r && d.Often != "once" && slices.Contains(d.Shape, "N") &&
									!strings.HasPrefix(d.Learns, "nothing")
							})
							if v.Nothing() {
								nothing++
							}
							if v.Nothing() == reached && !inapplicable(t, b, a, given) {
								t.Errorf("%s, %s, %s %s: an array of rows reaches %s: "+
									"%v, and the verdict is %q", name, on.Name, a.Name, setting, r, reached,
									v)
							}
						}
					}
				}
			}
		}
	}
	if nothing == 0 {
		t.Error("nothing was compared")
	}
}

// A client whose coefficients the gradient of their prior's location tells gives its columns away by its log
// density: the verdict names them, though the location stands in no likelihood.
func TestVerdictOfAToldParameter(t *testing.T) {
	fixture := compiletest.Fixture{
		Text: `client c
data y : real[N] @ shared
data w : binary[M] @ c
data z : real[M] @ c
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param b ~ normal(k, 1) @ c
w ~ bernoulli_logit(z * b)
y ~ normal(m, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "c": "w,z\n0,1\n1,2\n1,4\n0,3\n1,5\n0,7\n"},
	}
	b := fixture.Bind(t, check.Options{Transform: stdlib.Exact, Accept: diag.AcceptanceNames()})
	lines := verdictOf(t, b, "nuts", nil, nil)
	if got := lines[0].String(); !strings.Contains(got, "c's") ||
		!strings.Contains(got, "z column by column") {
		t.Errorf("the verdict is %q", got)
	}
}

// A client whose own likelihood has a parameter of its cut gives the rows of that likelihood away by its log
// density, in the basis of the cut: the verdict names them for the server, which has the log density, and not
// for the other clients.
func TestVerdictOfRowsThatACutTells(t *testing.T) {
	const text = `client c, d, e
data y : binary[N] @ shared
data X : real[N, P] @ c
data Z : real[M, P] @ c
data w : binary[M] @ c
data v : real[N] @ d
data u : real[N] @ e
param m ~ normal(0, 1)
param B : real[P] ~ normal(0, 1) @ c
param k ~ normal(0, 1) @ d
param l ~ normal(0, 1) @ e
w ~ bernoulli_logit(Z * B)
y ~ bernoulli_logit(m + X * B + v * k + u * l)
`
	bundle, diags := compiletest.Compile(t, text, check.Options{Transform: stdlib.Exact,
		Accept: diag.AcceptanceNames()}).Bundle()
	good(t, diags, nil)
	for _, masks := range []string{"off", "on"} {
		lines, err := Verdict(bundle, backend(t, "nuts"), map[string]string{"secure-sum": masks}, nil)
		good(t, nil, err)
		if got := lines[0].String(); !strings.Contains(got, "Z up to a change of basis") {
			t.Errorf("masks %s: the verdict is %q", masks, got)
		}
		for _, other := range lines[1:] {
			// c has Z itself
			same := strings.Contains(other.String(), "the same") && other.Receivers[0] != "c"
			if strings.Contains(other.String(), "Z up to") || same {
				t.Errorf("masks %s: the verdict is %q", masks, other)
			}
		}
	}
}

// Of levels that group rows of which the receiver knows nothing it can compute which have no rows; where it
// knows the rows' data, or the levels stand elsewhere too, which rows have them.
func TestVerdictsOfGroups(t *testing.T) {
	for _, c := range []struct{ owner, cut, want string }{
		{"a", "sum(x * b by g)", "a's empty categories of g"},
		{"shared", "sum(x * b by g)", "a's g"},
		{"a", "sum(x * b by g) + sum(u[g] by g)", "a's g"},
		{"a", "sum(rep(b, N) by g)", "a's g"},
	} {
		of := "x,g\n1.5,1\n0.5,2\n2.5,1\n"
		f := compiletest.Fixture{
			Text: "client a\ndata y : real[G]\ndata x : real[N] @ " + c.owner + "\ndata g : level(G)[N] @ a\n" +
				"param m ~ normal(0, 1)\nparam b ~ normal(0, 1) @ a\nparam u : real[G] ~ normal(0, 1) @ a\n" +
				"y ~ normal(m + " + c.cut + ", 1)\ntransform exact\n",
			Tables: map[string]string{"server": "y\n1\n2\n3\n", "a": of},
		}
		if c.owner == "shared" {
			f.Tables["a"], f.Tables["shared"] = "g\n1\n2\n1\n", "x\n1.5\n0.5\n2.5\n"
		}
		line := verdictOf(t, f.Bind(t, check.Options{}), "nuts", nil, nil)[0].Text
		if !strings.HasPrefix(line, c.want+" ") {
			t.Errorf("%s with x @ %s: %s, want %s", c.cut, c.owner, line, c.want)
		}
	}
}
