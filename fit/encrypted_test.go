package fit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
)

// encryptedModel is a binary response of two clients with a column each.
const encryptedModel = "client left, right\ndata y : binary[N] @ shared\ndata x : real[N] @ " +
	"left\ndata z : real[N] @ right\n" +
	"param b ~ normal(0, 5)\nparam u ~ normal(0, 2.5) @ left\nparam v ~ normal(0, 2.5) @ right\ny ~ " +
	"bernoulli_logit(b + x * u + z * v)\n"

// separate are files of a model of clients with columns of their own and a binary response of n rows, and its
// text.
func separate(n, clients, columns int) (text string, files map[string]string) {
	r, of := rand.New(rand.NewPCG(uint64(clients), uint64(columns))),
		map[string]*strings.Builder{"server.csv": {}}
	names, predictor := []string{}, "b"
	declared := "data y : binary[N]\nparam b ~ normal(0, 5)\n"
	fmt.Fprint(of["server.csv"], "id,y\n")
	for k := range clients {
		name, table := fmt.Sprintf("c%d", k), &strings.Builder{}
		names, of[name+".csv"] = append(names, name), table
		fmt.Fprint(table, "id")
		for j := range columns {
			fmt.Fprintf(table, ",x%d_%d", k, j)
			declared += fmt.Sprintf("data x%d_%d : real[N] @ %s\nparam u%d_%d ~ normal(0, 2.5) @ %s\n", k, j,
				name, k, j, name)
			predictor += fmt.Sprintf(" + x%d_%d * u%d_%d", k, j, k, j)
		}
		fmt.Fprintln(table)
	}
	for i := range n {
		eta := -1.0
		for _, name := range names {
			fmt.Fprint(of[name+".csv"], i)
			for range columns {
				x := r.NormFloat64()
				eta += .3 * x
				fmt.Fprintf(of[name+".csv"], ",%.4f", x)
			}
			fmt.Fprintln(of[name+".csv"])
		}
		fmt.Fprintf(of["server.csv"], "%d,%v\n", i, indicator(r.Float64() < 1/(1+math.Exp(-eta))))
	}
	files = map[string]string{}
	for name, table := range of {
		files[name] = table.String()
	}
	return "client " + strings.Join(names, ", ") + "\n" + declared + "y ~ bernoulli_logit(" + predictor +
		")\n", files
}

func told(n int) density.Decryption { return density.Decryption{Sums: density.Told, Number: n} }

// A row that a party's columns single out, alone or together, is refused before there are keys, by the
// parameter of the column and without a number of it.
func TestARowAloneIsRefused(t *testing.T) {
	text, files := separate(3000, 2, 2)
	lines := strings.Split(files["c1.csv"], "\n")
	const says = "c1: with the column of u1_1, %s of its columns %s a leverage above 1/5"
	for want, second := range map[string]func(i int, x, z string) string{
		fmt.Sprintf(says, "1 row", "has"): func(i int, _, z string) string { // far beyond all others
			if i == 7 {
				return "800"
			}
			return z
		},
		fmt.Sprintf(says, "2 rows", "have"): func(i int, x, _ string) string { // another in two rows alone
			if i == 7 || i == 9 {
				return "3"
			}
			return x
		},
	} {
		changed := lines[0] + "\n"
		for i, line := range lines[1 : len(lines)-1] {
			cells := strings.Split(line, ",")
			changed += cells[0] + "," + cells[1] + "," + second(i, cells[1], cells[2]) + "\n"
		}
		other := maps.Clone(files)
		other["c1.csv"] = changed
		p, diags, err := OpenBound(bindFiles(t, text, stdlib.Exact, 0, other), Options{
			Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
				"correct": "false"}, ring: 8,
		})
		good(t, diags, err)
		_, err = p.Sample(t.Context(), nil)
		var refused data.Errors
		if !errors.As(err, &refused) || refused[0].Code != diag.AloneRows ||
			!strings.HasPrefix(refused[0].Message, want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A party holds its columns to the min_cell of its policy, where that is more than what the others rely on.
func TestLeverageByTheMinCellOfAPolicy(t *testing.T) {
	for cell, want := range map[int]int{0: 5, 3: 5, 12: 12} {
		if got := (&Prepared{apart: &Apart{MinCell: cell}}).least(); got != want {
			t.Errorf("min_cell %d: %d rows, want %d", cell, got, want)
		}
	}
}

// What is foreseen of a run as often as it used each exchange is what it counts, for every party and for all
// but each, over numbers of parties and columns.
func TestWhatIsForeseenIsCounted(t *testing.T) {
	t.Parallel()
	few := check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"few-rows"}}
	for _, c := range []struct{ clients, columns int }{{1, 3}, {2, 1}, {2, 4}, {4, 2}} {
		text, files := separate(1500, c.clients, c.columns)
		r := foreseenAsCounted(t, bound(t, besideModel(t, text, files), few), 8)
		for _, f := range r.Diagnose() { // nuts takes more rows on this wire
			if strings.Contains(f.Try, "--backend") && !strings.Contains(f.Try, "on another wire") ||
				strings.Contains(f.Try, "guide") {
				t.Errorf("%+v: %s; try: %s", c, f.Text, f.Try)
			}
		}
	}
}

// foreseenAsCounted is a run in a ring of which what is foreseen is what it counts.
func foreseenAsCounted(t *testing.T, b *compile.BoundModel, ring int) *Result {
	t.Helper()
	p, diags, err := OpenBound(b, Options{
		Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"},
		ring: ring,
	})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	env, err := session.NewLocal(p.Plan, session.SimulatedKeys(p.options.Seed, p.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	_, _, of := sizes(env.Blocks())
	bundle, diags := b.Model.Bundle()
	if good(t, diags, nil); !bounds(BoundLikelihood(bundle), of) {
		t.Errorf("%+v is foreseen of programs, and of the data bound to them %+v", BoundLikelihood(bundle),
			of)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	uses := usedBy(p, of)
	for _, u := range uses {
		if u.Times > u.MostTimes {
			t.Errorf("%q: %d uses, which is more than at most", u.Often, u.Times)
		}
	}
	countsAsForeseen(t, p, uses)
	return r
}

// bounds reports whether a likelihood makes as much known as another, or more.
func bounds(most, of protocol.LikelihoodNumbers) bool {
	return (most.Response || !of.Response) && (most.Binary || !of.Binary) && most.Scale == of.Scale
}

// usedBy are the exchanges of a run as often as it used each.
func usedBy(p *Prepared, of protocol.LikelihoodNumbers) []density.Use {
	did, parts, own := map[density.Sums]int{}, 0, 0
	for o, times := range p.rows.Opened() {
		if did[o.Sums] += times; o.Sums == density.Parts {
			parts, own = parts+o.Number*times, own+times
		}
	}
	together := p.rows.Opened()[told(2)] - 1 // two numbers are told after a step, and at the start
	if of.Binary {
		together--
	}
	if of.Scale { // with the centre
		together--
	}
	uses := of.Opens(p.Algorithm.Exchanges(p.Settings))
	for i := range uses {
		u := &uses[i]
		switch u.Openings[0].Sums {
		case density.OwnGradients, density.CrossProducts:
			u.Times = did[u.Openings[0].Sums]
		case density.Gradients: // after pairs one number is told
			if u.Times = together; u.Openings[2] == told(1) {
				u.Times = did[density.Gradients] - together
			}
		case density.Steps: // where there are pairs
			u.Times = did[density.Steps] - did[density.Gradients]
		case density.Parts:
			u.Times, u.Openings[0].Usual = own, parts
		}
	}
	return uses
}

// overWire is the summary of a run of the model on a wire, and the line below it.
func overWire(t *testing.T, b *compile.BoundModel, settings map[string]string) ([]posterior.SummaryRow,
	string) {
	t.Helper()
	a := backend(t, "sfvi")
	p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: settings, ring: 11})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary(), r.Footer()
}

// regress draws a response of two clients with some columns each, and binds a model of it: the likelihood has
// the predictor for %s, and the exposure e.
func regress(t *testing.T, rows, columns int, kind, likelihood string,
	response func(r *rand.Rand, eta, exposure float64) float64) *compile.BoundModel {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 2))
	y, a, b := []string{"id,y,e"}, []string{"id"}, []string{"id"}
	for j := range columns {
		for _, table := range [][]string{a, b} {
			table[0] += fmt.Sprintf(",x%d", j+1)
		}
	}
	for i := range rows {
		common, eta := r.NormFloat64(), 0.3
		for _, table := range []*[]string{&a, &b} {
			line := fmt.Sprint(i)
			for j := range columns {
				v := 0.5*common + r.NormFloat64()
				eta += float64(j-1) * 0.3 * v
				line += fmt.Sprintf(",%.4f", v)
			}
			*table = append(*table, line)
		}
		e := 0.5 + r.Float64()
		y = append(y, fmt.Sprintf("%d,%v,%.4f", i, response(r, eta, e), e))
	}
	text := fmt.Sprintf("client left, right\ndata y : %s[N]\ndata e : real<lower=0>[N]\ndata X : real[N, "+
		"P] @ left\ndata Z : real[N, Q] @ right\nparam b ~ normal(0, 5)\n"+
		"param u : real[P] ~ normal(0, 2.5) @ left\nparam v : real[Q] ~ normal(0, 2.5) @ right\n"+likelihood+
		"\n", kind, "b + X * u + Z * v")
	if strings.Contains(likelihood, "5000") {
		text = strings.NewReplacer("normal(0, 5)", "normal(0, 5000)", "normal(0, 2.5)",
			"normal(0, 2500)").Replace(text)
	}
	if !strings.Contains(likelihood, "(e)") {
		text = strings.Replace(text, "data e : real<lower=0>[N]\n", "", 1)
	}
	files := map[string]string{"server.csv": strings.Join(y, "\n") + "\n",
		"left.csv": strings.Join(a, "\n") + "\n", "right.csv": strings.Join(b, "\n") + "\n"}
	return bound(t, besideModel(t, text, files), check.Options{Transform: stdlib.Exact,
		Accept: diag.Accepted{"few-rows"}})
}

// counts is a Poisson number.
func counts(r *rand.Rand, mean float64) (y float64) {
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		y++
	}
	return y
}

// A likelihood of what regress draws.
type likelihood struct {
	kind, likelihood string
	response         func(r *rand.Rand, eta, exposure float64) float64
}

// likelihoods are those of encrypted rows.
func likelihoods() map[string]likelihood {
	binary := func(at float64, p func(float64) float64) func(r *rand.Rand, eta, _ float64) float64 {
		return func(r *rand.Rand, eta, _ float64) float64 { return indicator(r.Float64() < p(eta+at)) }
	}
	logit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	probit := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	gamma := func(r *rand.Rand, mean float64) float64 {
		return mean / 3 * (r.ExpFloat64() + r.ExpFloat64() + r.ExpFloat64())
	}
	return map[string]likelihood{
		"logistic":      {"binary", "y ~ bernoulli_logit(%s)", binary(-.3, logit)},
		"one in twenty": {"binary", "y ~ bernoulli_logit(%s)", binary(-4, logit)},
		"large effects": {"binary", "y ~ bernoulli_logit(%s)", func(r *rand.Rand, eta, _ float64) float64 {
			return indicator(r.Float64() < logit(6*eta-1))
		}},
		"probit": {"binary", "y ~ bernoulli_probit(%s)", binary(-1, probit)},
		"five trials": {"count", "y ~ binomial_logit(5, %s)", func(r *rand.Rand, eta, _ float64) (y float64) {
			for range 5 {
				y += indicator(r.Float64() < logit(eta-1))
			}
			return y
		}},
		"counts": {"count", "y ~ poisson_log(log(e) + %s)", func(r *rand.Rand, eta, e float64) float64 {
			return counts(r, e*math.Exp(eta))
		}},
		"overdispersed": {"count", "y ~ neg_binomial_2_log(%s, 2)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return counts(r, math.Exp(eta)*(r.ExpFloat64()+r.ExpFloat64())/2)
			}},
		"normal": {"real", "y ~ normal(%s, 1.5)", func(r *rand.Rand, eta, _ float64) float64 {
			return eta + 1.5*r.NormFloat64()
		}},
		"normal, unknown scale": {"real", "param s ~ half_normal(5)\ny ~ normal(%s, s)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return eta + 1.5*r.NormFloat64()
			}},
		"large units": {"real", "param s ~ half_normal(5000)\ny ~ normal(%s, s)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return 1000 * (eta + 1.5*r.NormFloat64())
			}},
		"lognormal": {"real<lower=0>", "param s ~ half_normal(5)\ny ~ lognormal(%s, s)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return math.Exp(eta + 1.5*r.NormFloat64())
			}},
		"gamma": {"real<lower=0>", "y ~ gamma(3, 3 ./ exp(%s))", func(r *rand.Rand, eta, _ float64) float64 {
			return gamma(r, math.Exp(eta))
		}},
		"exponential": {"real<lower=0>", "y ~ exponential(1 ./ exp(%s))",
			func(r *rand.Rand, eta, _ float64) float64 {
				return math.Exp(eta) * r.ExpFloat64()
			}},
	}
}

// A run over encrypted rows, in a ring that is small, gives the joint Gaussian of the plain wire: means
// within a 20th of its standard deviations, these within a tenth; it says below what is known, and how much
// noise there is, of which what was foreseen is what is counted.
func TestRunsOfEncryptedRows(t *testing.T) {
	t.Parallel()
	const n = 2048
	for name, c := range likelihoods() {
		t.Run(name, func(t *testing.T) {
			b := regress(t, n, 2, c.kind, c.likelihood, c.response)
			want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature",
				"tolerance": "1e-7", "correct": "false"})
			r := foreseenAsCounted(t, b, 11)
			got, line := r.Summary(), r.Footer()
			off, most := 0.0, 0.0
			for i, w := range want {
				shift, wider := float64(got[i].Mean-w.Mean)/float64(w.SD), float64(got[i].SD/w.SD)-1
				if off, most = max(off, math.Abs(shift)),
					max(most, math.Abs(wider)); !(math.Abs(shift) <= .05) || !(math.Abs(wider) <= .1) {
					t.Errorf("%s is %.3f standard deviations off, its standard deviation by %.3f", w.Name,
						shift, wider)
				}
			}
			t.Logf("%.4f standard deviations, these by %.4f; %s", off, most, line)
			if !strings.Contains(line, "Encrypted rows, n = 2048: the party that learned most knows D = ") ||
				!strings.Contains(line, "Decryption adds noise to a gradient, of ") {
				t.Error(line)
			}
		})
	}
}

// logisticTables are the tables of encryptedModel.
func logisticTables(n int) map[string]string {
	r := rand.New(rand.NewPCG(4, 2))
	tables := map[string]*strings.Builder{"server": {}, "left": {}, "right": {}}
	for name, column := range map[string]string{"server": "y", "left": "x", "right": "z"} {
		fmt.Fprintf(tables[name], "id,%s\n", column)
	}
	for i := range n {
		x, z := r.NormFloat64(), r.NormFloat64()
		y := indicator(r.Float64() < 1/(1+math.Exp(1.5-.5*x+.4*z)))
		fmt.Fprintf(tables["server"], "%d,%v\n", i, y)
		fmt.Fprintf(tables["left"], "%d,%.4f\n", i, x)
		fmt.Fprintf(tables["right"], "%d,%.4f\n", i, z)
	}
	files := map[string]string{}
	for name, text := range tables {
		files[name+".csv"] = text.String()
	}
	return files
}

// partiesOf opens the parties of a model one by one.
func partiesOf(t *testing.T, b *compile.BoundModel, files map[string]string) []*compile.OneParty {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return apartParties(t, b.Model, func(party string) []string {
		return []string{party + "=" + filepath.Join(dir, party+".csv")}
	})
}

// closeTo holds means and standard deviations to those of another run.
func closeTo(t *testing.T, what string, got, want []posterior.SummaryRow) {
	t.Helper()
	for _, g := range got {
		k := slices.IndexFunc(want, func(w posterior.SummaryRow) bool { return w.Name == g.Name })
		shift, wider := float64(g.Mean-want[k].Mean)/float64(want[k].SD), float64(g.SD/want[k].SD)-1
		if !(math.Abs(shift) <= .05) || !(math.Abs(wider) <= .1) {
			t.Errorf("%s: %s is %.3f standard deviations off, its standard deviation by %.3f", what, g.Name,
				shift, wider)
		}
	}
}

// Three parties that are apart, each of which derives for itself, give what one process does, in a ring that
// is small: the joint Gaussian of the plain wire. What crosses between them is what the audit lists.
func TestPartiesOfEncryptedRows(t *testing.T) {
	t.Parallel()
	const n = 2400
	files := logisticTables(n)
	b := bindFiles(t, encryptedModel, stdlib.Exact, 0, files)
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature",
		"tolerance": "1e-7", "correct": "false"})
	given := map[string]string{"wire": "encrypted", "correct": "false"}
	got, line := overWire(t, b, given)
	closeTo(t, "one process", got, want)
	if !strings.Contains(line, "Encrypted rows, n = 2400: the party that learned most knows D = ") {
		t.Error(line)
	}
	parties := partiesOf(t, b, files)
	seen, times, lock := map[string][]int{}, map[string]int{}, sync.Mutex{}
	results := runApart(t, parties, Options{Algorithm: backend(t, "sfvi"), Settings: given, Seed: 5, ring: 9},
		func(name string, end transport.Transport) transport.Transport {
			return recorder{end, name, &lock, seen, times}
		})
	for k, r := range results {
		closeTo(t, parties[k].Party, r.Summary(), want)
		// of which the server knows more
		known, _, _ := strings.Cut(line[strings.Index(line, "Encrypted rows"):], "Decryption adds noise")
		if text := r.Footer(); !strings.Contains(text, known) {
			t.Errorf("%s says %q, and one process %q", parties[k].Party, text, line)
		}
	}
	crossedAsListed(t, b, "sfvi", given, seen, times)
}

// crossedAsListed holds the messages that crossed in a run of encrypted rows to those that the audit lists,
// and how often they did, where that is given, to what it says of those that are sent in pieces.
func crossedAsListed(t *testing.T, b *compile.BoundModel, algorithm string, given map[string]string,
	seen map[string][]int, times map[string]int) {
	t.Helper()
	bundle, diags := b.Model.Bundle()
	good(t, diags, nil)
	list, err := Audit(bundle, backend(t, algorithm), given)
	good(t, nil, err)
	listed := map[string]bool{}
	for _, d := range list {
		for _, m := range d.Messages {
			key := d.From + " → " + d.To + ": " + m
			listed[key] = true
			if _, pieces, in := strings.Cut(strings.Join(d.Shape, " "), ", in "); in && times != nil &&
				fmt.Sprintf("%d messages", times[key]) != pieces {
				t.Errorf("%s crossed %d times, and the audit says in %s", key, times[key], pieces)
			}
		}
	}
	crossed := map[string]bool{}
	for key := range seen {
		crossed[strings.TrimSuffix(key, " (mark)")] = true
	}
	if diff := cmp.Diff(listed, crossed); diff != "" {
		t.Errorf("-audit +messages\n%s", diff)
	}
}

// What does not go is refused with a code, and a way out: by name before keys are made, or where predictors
// take an interval that is too wide, before anything but bounds is known.
func TestRefusedEncryptedRows(t *testing.T) {
	t.Parallel()
	one := func(r *rand.Rand, _, _ float64) float64 { return float64(1 + r.IntN(2)) }
	tailed := func(r *rand.Rand, eta, _ float64) float64 {
		return eta + r.NormFloat64()/math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2)
	}
	for name, c := range map[string]struct{ kind, likelihood, want string }{
		"long tails":    {"real", "y ~ student_t(2, %s, 0.2)", "has no polynomial of degree"},
		"trials by row": {"count", "y ~ binomial_logit(y + 1, %s)", "differs by row"},
		"a moving phi": {"count", "param s ~ half_normal(5)\ny ~ neg_binomial_2_log(%s, s)",
			"phi, of which the polynomials are made"},
		"a moving shape": {"real<lower=0>", "param s ~ half_normal(5)\ny ~ gamma(s, exp(%s))",
			"alpha, of which the polynomials are made"},
		"two functions": {"real<lower=0>", "y ~ weibull(1.5, exp(1 + exp(%s)))",
			"through more than one function"},
		"wide exposure": {"count", "y ~ poisson_log(30 * log(e) + 0 * (e) + %s)",
			"the noise that covers decrypted sums"},
	} {
		t.Run(name, func(t *testing.T) {
			response := one
			if c.kind == "real" {
				response = tailed
			}
			b := regress(t, 4400, 2, c.kind, c.likelihood, response)
			p, diags, err := OpenBound(b,
				Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
					"correct": "false"}, ring: 11})
			if err != nil || diags.HasErrors() {
				t.Fatal(err, diags)
			}
			_, err = p.Sample(t.Context(), nil)
			var list data.Errors
			if !errors.As(err, &list) || list[0].Code != diag.NotEncrypted ||
				!strings.Contains(list[0].Message, c.want) || len(list[0].Notes) == 0 {
				t.Errorf("%T %v", err, err)
			}
		})
	}
}

// A plug is an end that is pulled out before a message of a kind leaves.
type plug struct {
	transport.Transport
	kind string
}

func (p plug) Send(ctx context.Context, to string, m transport.Message) error {
	for _, one := range unbundled(m) {
		if one.Kind == p.kind {
			p.Close()
		}
	}
	return p.Transport.Send(ctx, to, m)
}

// A client that is cut off, in the middle of keys, columns or a decryption, ends the run at every party, with
// the code of a lost connection.
func TestAClientThatIsCutOff(t *testing.T) {
	files := logisticTables(4000)
	b := bindFiles(t, encryptedModel, stdlib.Exact, 0, files)
	for _, kind := range []string{"first rounds", "columns", "gradient shares"} {
		o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
			"correct": "false"}, Seed: 5, ring: 9}
		_, errs := tryApart(t, partiesOf(t, b, files), o, t.TempDir(),
			func(name string, end transport.Transport) transport.Transport {
				if name == "right" {
					return plug{end, kind}
				}
				return end
			})
		for i, err := range errs {
			var closed *transport.ClosedError
			var peer *session.PeerError
			if !errors.As(err, &closed) && !(errors.As(err, &peer) && peer.Code == session.EndLost) {
				t.Errorf("%s: party %d ends with %v", kind, i, err)
			}
		}
	}
}

// One client and the server are enough.
func TestEncryptedRowsOfOneClient(t *testing.T) {
	t.Parallel()
	files := logisticTables(4000)
	delete(files, "right.csv")
	const model = "client left\ndata y : binary[N] @ shared\ndata x : real[N] @ left\nparam b ~ normal(0, " +
		"5)\nparam u ~ normal(0, 2.5) @ left\ny ~ bernoulli_logit(b + x * u)\n"
	b := bindFiles(t, model, stdlib.Exact, 0, files)
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature",
		"tolerance": "1e-7", "correct": "false"})
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
		"correct": "false"}, Seed: 5, ring: 10}
	for _, r := range runApart(t, partiesOf(t, b, files), o,
		func(_ string, end transport.Transport) transport.Transport {
			return end
		}) {
		closeTo(t, "one client", r.Summary(), want)
	}
}

// countsAsForeseen wants of one party and of all others together as many numbers as are foreseen.
func countsAsForeseen(t *testing.T, p *Prepared, uses []density.Use) {
	t.Helper()
	columns, got := p.rows.Columns(), p.rows.Reckoning()
	for k := range columns {
		for alone, n := range map[bool]int{true: got.Alone[k], false: got.Rest[k]} {
			in := make([]bool, len(columns))
			for b := range in {
				in[b] = (b == k) == alone
			}
			if want, most := density.Opened(uses, columns, in); n != want || n > most {
				t.Errorf("coalition %v knows %d numbers, foreseen are %d, at most %d", in, n, want, most)
			}
		}
	}
}
