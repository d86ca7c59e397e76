package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
)

// fewRows is encryptedModel over so many rows, of which any number of sums may be decrypted.
func fewRows(t *testing.T, n int) *compile.BoundModel {
	return bound(t, besideModel(t, encryptedModel, logisticTables(n)),
		check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"few-rows"}})
}

// sampleNUTS is a run of NUTS in a small ring.
func sampleNUTS(t *testing.T, b *compile.BoundModel, o Options) (*Prepared, *Result) {
	t.Helper()
	o.Algorithm, o.ring = backend(t, "nuts"), 9
	p, diags, err := OpenBound(b, o)
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// Chains over encrypted rows make, from the same points, the transitions of the plain wire, but for the error
// of polynomials and the noise of decrypted sums.
func TestNUTSOverEncryptedRows(t *testing.T) {
	t.Parallel()
	b := fewRows(t, 400)
	settings := map[string]string{"chains": "2", "warmup": "2", "draws": "2", "coordinates": "declared"}
	at := []string{initsAt(t, `{"b": -1, "u": 0.3, "v": 0.2}`)}
	_, want := sampleNUTS(t, b, Options{Seed: 3, Settings: settings, Inits: at})
	settings["wire"] = "encrypted"
	p, got := sampleNUTS(t, b, Options{Seed: 3, Settings: settings, Inits: at})
	for k, c := range want.Draws.Columns() {
		for chain, draws := range want.Draws.Column(k) {
			for i, v := range draws {
				// standard deviations are about .1
				if w := got.Draws.Column(k)[chain][i]; !(math.Abs(v-w) < .01) {
					t.Errorf("draw %d of %s in chain %d is %g, and on the plain wire %g", i+1, c.Name,
						chain+1, w, v)
				}
			}
		}
	}
	for _, line := range []string{"2 chains of 2 draws after 2 of warm-up; 0 divergent",
		"Encrypted rows, n = 400: the party that learned most knows D = "} {
		if !strings.Contains(got.Footer(), line) {
			t.Error(got.Footer())
		}
	}
	countedAsForeseen(t, p)
}

// countedAsForeseen holds what is foreseen of a run as often as it used each exchange to what it counted.
func countedAsForeseen(t *testing.T, p *Prepared) {
	t.Helper()
	did, uses := map[density.Sums]int{}, p.Algorithm.Exchanges(p.Settings)
	for o, times := range p.rows.Opened() {
		if did[o.Sums] += times; o.Sums == density.Parts {
			did[o.Sums] += (o.Number - 1) * times
		}
	}
	for i := range uses {
		switch o := &uses[i].Openings[0]; o.Sums {
		case density.OwnGradients, density.Totals:
			uses[i].Times = did[o.Sums]
		case density.Parts:
			o.Usual = did[o.Sums]
		}
	}
	// which is all that is told of a point out of range
	bound := density.Decryption{Sums: density.Announced, Number: 1}
	beyond := p.rows.Opened()[bound] - did[density.OwnGradients] - did[density.Totals]
	uses = append(uses, density.Use{Openings: [3]density.Decryption{bound}, Times: beyond, MostTimes: beyond})
	countsAsForeseen(t, p, uses)
}

// What NUTS would decrypt is foreseen, and of too few rows refused with how many it takes; where it decrypts
// more than was foreseen the run ends before that.
func TestNUTSOverTooFewEncryptedRows(t *testing.T) {
	t.Parallel()
	b := bindFiles(t, encryptedModel, stdlib.Exact, 0, logisticTables(4000))
	refused := func(err error) *diag.Diagnostic {
		t.Helper()
		var list data.Errors
		if !errors.As(err, &list) || list[0].Code != diag.TooFewRows {
			t.Fatalf("%v", err)
		}
		return list[0]
	}
	open := func(settings map[string]string) (*Prepared, diag.List) {
		settings["wire"] = "encrypted"
		p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "nuts"), Settings: settings, ring: 9})
		good(t, nil, err)
		return p, diags
	}
	// a usual transition has 7 evaluations, of which the server learns 28 numbers: bounds (4 of each client),
	// its own derivative, the total, and 9 scalars of each client; at first it learns bounds of two columns
	// and of their squares
	_, diags := open(map[string]string{"chains": "2", "warmup": "40", "draws": "60"})
	if d := refused(data.Errors(diags)); d.Message !=
		"one party would learn about D = 39204 numbers that depend on the others' rows, and of n = "+
			"4000 rows it may learn 200" ||
		d.Notes[0].Message !=
			"so many transitions of so many columns need n = 784080 rows; fewer --chains, --warmup and "+
				"--draws need less, and --backend sfvi least; a simulation goes on with --accept few-rows" {
		t.Error(d.Message, d.Notes)
	}
	p, diags := open(map[string]string{"chains": "1", "warmup": "0", "draws": "2", "max-depth": "2"})
	good(t, diags, nil)
	_, err := p.Sample(t.Context(), nil)
	if d := refused(err); !strings.Contains(d.Message, "what comes next would make them") ||
		p.rows.Reckoning().One() > 200 {
		t.Error(d.Message, p.rows.Reckoning())
	}
}

// A run whose key is for no more sums is refused by name, with a way out.
func TestARunBeyondItsKey(t *testing.T) {
	b := fewRows(t, 1000)
	p, _, err := OpenBound(b,
		Options{Algorithm: backend(t, "nuts"), Settings: map[string]string{"wire": "encrypted",
			"chains": "1"}, ring: 9})
	good(t, nil, err)
	err = p.closeJournal(fmt.Errorf("a: %w: 60", encrypted.ErrOpenings))
	var refusal *backends.Refusal
	if !errors.As(err, &refusal) || refusal.Code != diag.TooFewRows ||
		!strings.Contains(refusal.Error(), "8 times the evaluations that are usual") ||
		!strings.Contains(refusal.Out, "--max-depth") {
		t.Error(err)
	}
}

// Parties that are apart make the transitions that one process makes, but for noise, and what crosses between
// them is what the audit lists.
func TestPartiesOfNUTSOverEncryptedRows(t *testing.T) {
	t.Parallel()
	files := logisticTables(2400)
	b := bindFiles(t, encryptedModel, stdlib.Exact, 0, files)
	o := Options{Algorithm: backend(t, "nuts"), Seed: 5, ring: 9,
		Settings: map[string]string{"wire": "encrypted", "chains": "1", "warmup": "0", "draws": "1",
			"max-depth": "1"}}
	p, diags, err := OpenBound(b, o)
	good(t, diags, err)
	want, err := p.Sample(t.Context(), nil)
	good(t, nil, err)
	seen, lock := map[string][]int{}, sync.Mutex{}
	parties := partiesOf(t, b, files)
	results := runApart(t, parties, o, func(name string, end transport.Transport) transport.Transport {
		return recorder{end, name, &lock, seen, nil}
	})
	for k, r := range results {
		for i, c := range r.Draws.Columns() {
			j := slices.Index(want.Draws.Names(), c.Name)
			if v, w := r.Draws.Column(i)[0][0], want.Draws.Column(j)[0][0]; !(math.Abs(v-w) < 1e-3) {
				t.Errorf("%s has %g for %s, and one process %g", parties[k].Party, v, c.Name, w)
			}
		}
		t.Log(r.Footer())
	}
	crossedAsListed(t, b, "nuts", o.Settings, seen, nil)
}

// groupedModel has effects of groups, whose prior is given for %s.
const groupedModel = "client left, right\ndata y : binary[N]\ndata g : level(G)[N] @ left\ndata x : " +
	"real[N] @ left\ndata z : real[N] @ right\nparam b ~ normal(0, 5)\n%s" +
	"param u ~ normal(0, 2.5) @ left\nparam v ~ normal(0, 2.5) @ right\ny ~ bernoulli_logit(b + " +
	"a[g] + x * u + z * v)\n"

// groupedTables are tables of that, of n rows in some groups, of which the last has so many rows.
func groupedTables(n, groups, last int) map[string]string {
	r := rand.New(rand.NewPCG(4, 3))
	y, left, right := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
	fmt.Fprint(y, "id,y\n")
	fmt.Fprint(left, "id,g,x\n")
	fmt.Fprint(right, "id,z\n")
	effects := make([]float64, groups)
	for i := range effects {
		effects[i] = .7 * r.NormFloat64()
	}
	for i := range n {
		g, x, z := i%(groups-1), r.NormFloat64(), r.NormFloat64()
		if i < last {
			g = groups - 1
		}
		one := indicator(r.Float64() < 1/(1+math.Exp(.5-effects[g]-.5*x+.3*z)))
		fmt.Fprintf(y, "%d,%v\n", i, one)
		fmt.Fprintf(left, "%d,s%02d,%.4f\n", i, g, x)
		fmt.Fprintf(right, "%d,%.4f\n", i, z)
	}
	return map[string]string{"server.csv": y.String(), "left.csv": left.String(), "right.csv": right.String()}
}

// Effects of groups whose prior is given are columns like others: the Gaussian of the plain wire is found. A
// group of few rows is refused before there are keys, by the parameter, with the way out.
func TestGroupsOfEncryptedRows(t *testing.T) {
	t.Parallel()
	const given = "param a : real[G] ~ normal(0, 2) @ left\n"
	b := bindFiles(t, fmt.Sprintf(groupedModel, given), stdlib.Exact, 0, groupedTables(6000, 8, 500))
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature",
		"tolerance": "1e-7", "correct": "false", "draws": "10000"})
	got, line := overWire(t, b, map[string]string{"wire": "encrypted", "correct": "false"})
	closeTo(t, line, got, want)
	p, diags, err := OpenBound(bindFiles(t, fmt.Sprintf(groupedModel, given), stdlib.Exact, 0,
		groupedTables(6000, 8, 4)), Options{
		Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"},
		ring: 9,
	})
	good(t, diags, err)
	_, err = p.Sample(t.Context(), nil)
	var refused data.Errors
	if !errors.As(err, &refused) || refused[0].Code != diag.AloneRows ||
		!strings.Contains(refused[0].Notes[0].Message, "merge small categories") ||
		!strings.HasPrefix(refused[0].Message,
			"left: with the column of a, 4 rows of its columns have a leverage above 1/5") {
		t.Errorf("%v", err)
	}
}
