package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
)

// apartParties opens the parties of a compiled example one by one, each with its own program and table, and
// wires them from what they tell each other.
func apartParties(t *testing.T, m *compile.Model, table func(party string) []string) []*compile.OneParty {
	t.Helper()
	var all []*compile.OneParty
	facts, names := map[string]compile.Facts{}, []string{}
	for _, p := range m.Programs {
		b, diags, err := compile.OpenParty(m.Manifest, p.Party, source.New(p.File, p.Text), nil)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		if diags := b.Bind(table(p.Party), 0, data.Joining{Key: "id"}, nil); diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		f, diags := b.Facts([]byte("salt"))
		if diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		all, facts[p.Party], names = append(all, b), f, append(names, p.Party)
	}
	sizes, err := compile.Agree(names, facts)
	if err != nil {
		t.Fatal(err)
	}
	var outlines []lower.Outline
	for _, b := range all {
		if diags := b.Lower(sizes, nil); diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		outlines = append(outlines, b.Outline())
	}
	wiring, err := all[0].Link(outlines)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range all {
		if index, err := b.Take(wiring); err != nil || index != i {
			t.Fatal(index, err)
		}
	}
	return all
}

// Parties that were opened one by one, each in the folder of its own, have the draws of a run in one process,
// bit for bit.
func TestPartiesApartEqualOneProcess(t *testing.T) {
	t.Parallel()
	for _, transform := range []string{"exact", "augmented", "power"} {
		for name, given := range map[string]map[string]string{
			"nuts":  {"chains": "2", "warmup": "40", "draws": "20", "max-depth": "5"},
			"joint": {"chains": "2", "warmup": "60", "draws": "20", "max-depth": "5", "metric": "joint"},
			"near":  {"chains": "4", "warmup": "10", "draws": "10", "init": "sfvi"},
			"sfvi":  {"iterations": "60", "draws": "50", "estimator": "sampled", "elbo-draws": "100"},
			"quad":  {"draws": "50", "estimator": "quadrature"},
			"soul":  {"iterations": "30", "draws": "20", "inner-chains": "2"},
		} {
			if name == "near" && transform != "exact" && !*brief.Every {
				// its fit is that of quad, and its chains are those of nuts: see
				// TestTogetherInAProcessPerParty
				continue
			}
			t.Run(transform+" "+name, func(t *testing.T) {
				algorithm := map[string]string{"nuts": "nuts", "near": "nuts", "joint": "nuts",
					"sfvi": "sfvi", "quad": "sfvi", "soul": "soul"}[name]
				a, _ := Backend(algorithm)
				kind, _ := stdlib.TransformNamed(transform)
				if !slices.Contains(a.Transforms, kind) {
					return
				}
				whole, err := os.ReadFile("../examples/logistic.vfl")
				if err != nil {
					t.Fatal(err)
				}
				m, diags := compile.Compile(source.New("logistic.vfl", string(whole)),
					check.Options{Transform: kind})
				if diags.HasErrors() {
					t.Fatal(data.Errors(diags))
				}
				tables := func(party string) []string {
					own := []string{party + "=../examples/logistic/" + party + ".csv"}
					// these read the outcome, which is shared
					if transform == "power" && party != "registry" {
						own = append(own, "shared=../examples/logistic/registry.csv")
					}
					return own
				}
				equalApart(t, m, tables, a, given)
			})
		}
	}
}

// Where several parties evaluate likelihoods of their own responses, the draws of parties apart are those of
// one process too, whether the server evaluates one or not.
func TestHoldersOfResponsesApart(t *testing.T) {
	t.Parallel()
	const model = `client a, c
data y : real[N] @ a
data z : real[N] @ c
data x : real[N] @ a
data w : real[N] @ c
param m ~ normal(0, 1) @ shared
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(m + x * u + w * v, 1)
z ~ normal(m + w * v + exp(x * u), 1)
`
	dir := t.TempDir()
	for party, columns := range map[string]string{"server": "s", "a": "y,x", "c": "z,w"} {
		text := "id," + rowsOf(columns)
		for i := range 6 {
			text = strings.Replace(text, "\n", fmt.Sprintf("\r%d,", i), 1)
		}
		text = strings.TrimSuffix(strings.ReplaceAll(text, "\r", "\n"), "\n")
		if err := os.WriteFile(filepath.Join(dir, party+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range stdlib.Transforms()[1:] {
		text := model
		if !kind.Powers() {
			text += "data s : real[N]\nparam k ~ normal(0, 1)\ns ~ normal(k + x * u, 1)\n"
		}
		m, diags := compile.Compile(source.New("model.vfl", text), check.Options{Transform: kind})
		if diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		own := func(party string) []string {
			return []string{party + "=" + filepath.Join(dir, party+".csv")}
		}
		inits := filepath.Join(dir, "a.json") // of one party alone: the other has none
		if err := os.WriteFile(inits, []byte(`{"u": 0.3}`), 0o600); err != nil {
			t.Fatal(err)
		}
		nuts, _ := Backend("nuts")
		short := map[string]string{"chains": "1", "warmup": "4", "draws": "4", "max-depth": "4"}
		begun, free := equalApart(t, m, own, nuts, short, inits), equalApart(t, m, own, nuts, short)
		climbs := func(r *Result) bool { return r.Document.Work.Gradients > 200 }
		if climbs(begun) || climbs(free) == kind.Noise() { // a way up would have the same noise at all points
			t.Errorf("%s: %d evaluations, %d with starting values", kind, free.Document.Work.Gradients,
				begun.Document.Work.Gradients)
		}
		for algorithm, given := range map[string]map[string]string{
			"nuts": {"chains": "1", "warmup": "20", "draws": "10", "max-depth": "4", "wire": "fixed",
				"secure-sum": "on"},
			"sfvi": {"iterations": "40", "draws": "20", "estimator": "sampled", "elbo-draws": "50"},
		} {
			a, _ := Backend(algorithm)
			equalApart(t, m, own, a, given)
		}
	}
}

// Parties of a network that hold out the same rows of their own tables end at the weights of a run in one
// process, bit for bit.
func TestRowsHeldOutApart(t *testing.T) {
	for file, given := range map[string]map[string]string{
		"split_nn": {"iterations": "900", "lr": "0.02", "elbo-draws": "20", "draws": "5"},
		"hier_bayes_split_nn": {"iterations": "120", "lr": "0.02", "guide": "amortized", "elbo-draws": "20",
			"draws": "5"},
	} {
		path := filepath.Join("..", "examples", "paper", file+".vfl")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, diags := compile.Compile(source.New(path, string(text)), check.Options{})
		if diags.HasErrors() {
			t.Fatal(data.Errors(diags))
		}
		a, _ := Backend("sfvi")
		equalApart(t, m, func(party string) []string {
			return []string{party + "=../examples/split_nn/" + party + ".csv"}
		}, a, given)
	}
}

// Large matrices of standardised columns, which are stored as whole numbers, at a server beside the sum that
// it receives and at a client, give the same draws apart and in one process.
func TestStandardisedDecimalsApart(t *testing.T) {
	const rows, columns = 4100, 32 // a little more than 1 MiB
	dir, r := t.TempDir(), rand.New(rand.NewPCG(5, 17))
	var names, from []string
	for j := range columns {
		names, from = append(names, fmt.Sprint("x", j)),
			append(from, fmt.Sprintf([]string{"zscore(x%d)", "center(x%d)", "x%d"}[j%3], j))
	}
	write := func(party string, outcome bool, columns int) {
		header := append([]string{"id"}, names[:columns]...)
		if outcome {
			header = append(header, "y")
		}
		lines := []string{strings.Join(header, ",") + "\n"}
		for i := range rows {
			line := fmt.Sprint(i)
			for j := range columns {
				line += fmt.Sprintf(",%.*f", j%4, r.NormFloat64()+10*float64(j%2))
			}
			if outcome {
				line += fmt.Sprint(",", r.IntN(2))
			}
			lines = append(lines, line+"\n")
		}
		if err := os.WriteFile(filepath.Join(dir, party+".csv"), []byte(strings.Join(lines, "")),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("registry", true, columns)
	write("hospital", false, columns)
	all := strings.Join(from, ", ")
	for transform, own := range map[string]string{
		"exact": "data y : binary[N] @ registry from y\ndata X : real[N, P] @ registry from " + all +
			"\nparam beta : real[P] ~ normal(0, 0.1) @ registry\ndata Z : real[N, 2] @ " +
			"hospital from zscore(x0), x1\n" +
			"param g : real[2] ~ normal(0, 0.1) @ hospital\ny ~ bernoulli_logit(X * beta + Z " +
			"* g)\ntransform exact\n",
		"power": "param b ~ normal(0, 1) @ registry\ndata y : binary[N] @ shared\ndata Z : " +
			"real[N, Q] @ hospital from " + all +
			"\nparam g : real[Q] ~ normal(0, 0.1) @ hospital\ny ~ bernoulli_logit(b + Z * " +
			"g)\ntransform power(rho = 0.5)\n",
	} {
		t.Run(transform, func(t *testing.T) {
			m, diags := compile.Compile(source.New("m.vfl", "server registry\nclient hospital\n"+own),
				check.Options{})
			if diags.HasErrors() {
				t.Fatal(data.Errors(diags))
			}
			tables := func(party string) []string {
				own := []string{party + "=" + filepath.Join(dir, party+".csv")}
				if transform == "power" && party == "hospital" { // it reads the outcome, which is shared
					own = append(own, "shared="+filepath.Join(dir, "registry.csv"))
				}
				return own
			}
			a, _ := Backend("nuts")
			equalApart(t, m, tables, a, map[string]string{"chains": "2", "warmup": "10", "draws": "10"})
		})
	}
}

// equalApart runs parties apart and in one process. Starting values are those of the party after which their
// file is named.
func equalApart(t *testing.T, m *compile.Model, tables func(string) []string, a backends.Algorithm,
	given map[string]string, inits ...string) *Result {
	t.Helper()
	var flags []string
	for _, p := range m.Programs {
		flags = append(flags, tables(p.Party)[0])
	}
	sources, err := data.Named(m.Parties(), flags)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Algorithm: a, Settings: given, Seed: 5, Inits: inits}
	whole := o
	whole.Joining.Key = "id"
	p, diags, err := Open(m, sources, whole)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	want, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	parties := apartParties(t, m, tables)
	for k, got := range runApart(t, parties, o, itself) {
		party := parties[k].Party
		if len(got.Draws.Columns()) == 0 {
			t.Errorf("%s has no parameters", party)
		}
		wantColumns(t, party, got.Draws, want.Draws)
	}
	return want
}

// wantColumns compares the draws of a party with those of the whole, bit for bit.
func wantColumns(t *testing.T, party string, got, want *posterior.Draws) {
	t.Helper()
	at := map[string]int{}
	for k, c := range want.Columns() {
		at[c.Name] = k
	}
	for k, c := range got.Columns() {
		w, ok := at[c.Name]
		if !ok {
			t.Fatalf("%s: %s is no parameter of the model", party, c.Name)
		}
		x, y := got.Column(k), want.Column(w)
		if len(x) != len(y) {
			t.Fatalf("%s: %d chains, want %d", party, len(x), len(y))
		}
		for chain := range x {
			if len(x[chain]) != len(y[chain]) || len(x[chain]) == 0 {
				t.Fatalf("%s %s: %d draws, want %d", party, c.Name, len(x[chain]), len(y[chain]))
			}
			for i := range x[chain] {
				if math.Float64bits(x[chain][i]) != math.Float64bits(y[chain][i]) {
					t.Fatalf("%s %s, chain %d, draw %d: %v, want %v", party, c.Name, chain, i, x[chain][i],
						y[chain][i])
				}
			}
		}
	}
}

func itself(_ string, end transport.Transport) transport.Transport { return end }

// runApart runs all parties side by side, each in a goroutine and in a folder of its own, over wrapped ends.
func runApart(t *testing.T, parties []*compile.OneParty, o Options,
	wrap func(string, transport.Transport) transport.Transport) []*Result {
	t.Helper()
	dir := t.TempDir()
	results, errs := tryApart(t, parties, o, dir, wrap)
	for i, err := range errs {
		name := parties[i].Plan.Names[i]
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if kept := Checkpoints(filepath.Join(dir, name)); len(kept) == 0 || strings.Contains(name, "/") {
			t.Errorf("%s has saved nothing", name)
		}
	}
	return results
}

// tryApart runs all parties side by side in folders of one, and returns how each ends.
func tryApart(t *testing.T, parties []*compile.OneParty, o Options, dir string,
	wrap func(string, transport.Transport) transport.Transport) ([]*Result, []error) {
	t.Helper()
	names := parties[0].Plan.Names
	keys, err := session.SimulatedKeys(5, names).WithMasks(parties[0].Plan)
	if err != nil {
		t.Fatal(err)
	}
	var hindered, near []string
	for i, b := range parties {
		h, n, err := Hinders(b, i, o)
		if err != nil {
			t.Fatal(err)
		}
		hindered, near = append(hindered, h...), append(near, n...)
	}
	results, errs := make([]*Result, len(parties)), make([]error, len(parties))
	var wait sync.WaitGroup
	for i, end := range transport.NewMem(names) {
		wait.Go(func() {
			defer end.Close()
			own, o := keys.Only(names[i]), o
			o.Dir = filepath.Join(dir, names[i])
			o.Inits = slices.DeleteFunc(slices.Clone(o.Inits), func(path string) bool {
				return filepath.Base(path) != names[i]+".json"
			})
			p, diags, err := OpenApart(parties[i], &Apart{Index: i, Transport: wrap(names[i], end), Keys: own,
				Hindered: hindered, Near: near, Marks: &Marks{}}, o)
			if err == nil && diags.HasErrors() {
				err = data.Errors(diags)
			}
			if err == nil {
				results[i], err = p.Sample(context.Background(), nil)
			}
			if err == nil {
				err = results[i].Save(filepath.Join(dir, names[i]))
			}
			errs[i] = err
		})
	}
	wait.Wait()
	return results, errs
}
