package fit

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/accept"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib/transforms"
)

// fewRows is encryptedModel over so many rows, of which any number of sums may be decrypted.
func fewRows(t *testing.T, n int) *compile.Bound {
	return bound(t, besideModel(t, encryptedModel, logisticTables(n)), check.Options{Transform: transforms.Exact, Accept: accept.Set{"few-rows"}})
}

// sampleNUTS is a run of NUTS in a small ring.
func sampleNUTS(t *testing.T, b *compile.Bound, o Options) (*Prepared, *Result) {
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

// Chains over encrypted rows find what long ones of the plain wire find, and from the same point make the same
// transitions, but for the error of polynomials and the noise of decrypted sums.
func TestNUTSOverEncryptedRows(t *testing.T) {
	b := fewRows(t, 400)
	_, got := sampleNUTS(t, b, Options{Seed: 3, Settings: map[string]string{"wire": "encrypted", "chains": "2", "warmup": "30", "draws": "30"}})
	_, want := sampleNUTS(t, b, Options{Seed: 4, Settings: map[string]string{"warmup": "500"}})
	for i, w := range want.Summary() {
		g := got.Summary()[i]
		if off := float64(g.Mean-w.Mean) / math.Hypot(float64(g.MCSE), float64(w.MCSE)); !(math.Abs(off) < 4) {
			t.Errorf("the mean of %s is %g, and on the plain wire %g: %.1f standard errors", g.Name, g.Mean, w.Mean, off)
		}
	}
	for _, line := range []string{"2 chains of 30 draws after 30 of warm-up; 0 divergent", "Encrypted rows, n = 400: the party that learned most knows D = "} {
		if !strings.Contains(got.Footer(), line) {
			t.Error(got.Footer())
		}
	}
	settings := map[string]string{"chains": "1", "warmup": "4", "draws": "4", "coordinates": "declared"}
	at := []string{initsAt(t, `{"b": -1, "u": 0.3, "v": 0.2}`)}
	_, plain := sampleNUTS(t, b, Options{Seed: 3, Settings: settings, Inits: at})
	settings["wire"] = "encrypted"
	_, sealed := sampleNUTS(t, b, Options{Seed: 3, Settings: settings, Inits: at})
	for k, c := range plain.Draws.Columns() {
		for i, v := range plain.Draws.Column(k)[0] {
			if w := sealed.Draws.Column(k)[0][i]; !(math.Abs(v-w) < .05*float64(want.Summary()[k].SD)) {
				t.Errorf("draw %d of %s is %g, and on the plain wire %g", i+1, c.Name, w, v)
			}
		}
	}
}

// What NUTS would decrypt is foreseen, and of too few rows refused with how many it takes; where it decrypts more
// than was foreseen the run ends before that.
func TestNUTSOverTooFewEncryptedRows(t *testing.T) {
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, logisticTables(4000))
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
	// a usual transition has 7 evaluations, of which the server learns 28 numbers: bounds (4 of each client), its own
	// derivative, the total, and 9 scalars of each client
	_, diags := open(map[string]string{"chains": "2", "warmup": "40", "draws": "60"})
	if d := refused(data.Errors(diags)); d.Message != "one party would learn about D = 39200 numbers that depend on the others' rows, and of n = 4000 rows it may learn n/20 = 200" ||
		d.Notes[0].Message != "so many transitions of so many columns need n = 784000 rows, fewer fewer, and --backend sfvi fewest; a simulation goes on with --accept few-rows" {
		t.Error(d.Message, d.Notes)
	}
	p, diags := open(map[string]string{"chains": "1", "warmup": "0", "draws": "2", "max-depth": "2"})
	good(t, diags, nil)
	_, err := p.Sample(t.Context(), nil)
	if d := refused(err); !strings.Contains(d.Message, "what comes next would make them") || p.rows.Reckoning().One() > 200 {
		t.Error(d.Message, p.rows.Reckoning())
	}
}

// Parties that are apart make the transitions that one process makes, but for noise, and what crosses between them
// is what the audit lists.
func TestPartiesOfNUTSOverEncryptedRows(t *testing.T) {
	files := logisticTables(4000)
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, files)
	o := Options{Algorithm: backend(t, "nuts"), Seed: 5, ring: 11, Settings: map[string]string{"wire": "encrypted", "chains": "1", "warmup": "0", "draws": "1", "max-depth": "1"}}
	p, diags, err := OpenBound(b, o)
	good(t, diags, err)
	want, err := p.Sample(t.Context(), nil)
	good(t, nil, err)
	seen, lock := map[string][]int{}, sync.Mutex{}
	parties := partiesOf(t, b, files)
	results := runApart(t, parties, o, func(name string, end transport.Transport) transport.Transport {
		return recorder{end, name, &lock, seen}
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
	crossedAsListed(t, b, "nuts", o.Settings, seen)
}
