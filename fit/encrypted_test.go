package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib/transforms"
)

// encryptedModel is a binary response of two clients with a column each.
const encryptedModel = "client left, right\ndata y : binary[N] @ shared\ndata x : real[N] @ left\ndata z : real[N] @ right\n" +
	"param b ~ normal(0, 5)\nparam u ~ normal(0, 2.5) @ left\nparam v ~ normal(0, 2.5) @ right\ny ~ bernoulli_logit(b + x * u + z * v)\n"

// overWire is the summary of a run of the model on a wire, and the line below it.
func overWire(t *testing.T, b *compile.Bound, settings map[string]string) ([]posterior.Row, string) {
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
func partiesOf(t *testing.T, b *compile.Bound, files map[string]string) []*compile.OneParty {
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
func closeTo(t *testing.T, what string, got, want []posterior.Row) {
	t.Helper()
	for _, g := range got {
		k := slices.IndexFunc(want, func(w posterior.Row) bool { return w.Name == g.Name })
		shift, wider := float64(g.Mean-want[k].Mean)/float64(want[k].SD), float64(g.SD/want[k].SD)-1
		if !(math.Abs(shift) <= .05) || !(math.Abs(wider) <= .1) {
			t.Errorf("%s: %s is %.3f standard deviations off, its standard deviation by %.3f", what, g.Name, shift, wider)
		}
	}
}

// A run over encrypted rows, in a ring that is small, gives the joint Gaussian of the plain wire: means within
// a 20th of its standard deviations, these within a tenth, in few evaluations, and says below what is known.
// So do three parties that are apart, each of which derives for itself, and what crosses between them is what
// the audit lists.
func TestARunOfEncryptedRows(t *testing.T) {
	const n = 4000
	files := logisticTables(n)
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, files)
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature", "tolerance": "1e-7", "correct": "false"})
	given := map[string]string{"wire": "encrypted", "correct": "false"}
	got, line := overWire(t, b, given)
	closeTo(t, "one process", got, want)
	if !strings.Contains(line, "Encrypted rows, n = 4000: the party that learned most knows D = ") {
		t.Error(line)
	}
	parties := partiesOf(t, b, files)
	seen, lock := map[string][]int{}, sync.Mutex{}
	results := runApart(t, parties, Options{Algorithm: backend(t, "sfvi"), Settings: given, Seed: 5, ring: 11}, func(name string, end transport.Transport) transport.Transport {
		return recorder{end, name, &lock, seen}
	})
	for k, r := range results {
		closeTo(t, parties[k].Party, r.Summary(), want)
		if text := r.Footer(); !strings.HasSuffix(text, line[strings.Index(line, "Encrypted rows"):]) {
			t.Errorf("%s says %q, and one process %q", parties[k].Party, text, line)
		}
	}
	bundle, diags := b.Model.Bundle()
	good(t, diags, nil)
	list, err := Audit(bundle, backend(t, "sfvi"), given)
	good(t, nil, err)
	listed := map[string]bool{}
	for _, d := range list {
		for _, m := range d.Messages {
			listed[d.From+" → "+d.To+": "+m] = true
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

// A killer ends a run after some steps.
type killer struct {
	Quiet
	left int
	kill func()
}

func (k *killer) Step(int, backends.Info) {
	if k.left--; k.left < 0 {
		k.kill()
	}
}

// A run of encrypted rows that is killed, and killed again where it went on, goes on with what it wrote down, and is then, bit for
// bit, the run of its journal: draws, D and work. The journal goes when all is written, and its digest stays.
func TestAKilledRunOfEncryptedRows(t *testing.T) {
	b, dir := bindFiles(t, encryptedModel, transforms.Exact, 0, logisticTables(4000)), filepath.Join(t.TempDir(), "run")
	journal := filepath.Join(dir, "encrypted.journal")
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, Seed: 3, ring: 11, Dir: dir}
	sample := func(steps int) (*Result, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o.Progress = &killer{left: steps, kill: cancel}
		p, diags, err := OpenBound(b, o)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		return p.Sample(ctx, nil)
	}
	written, ended := []byte(nil), (*Result)(nil)
	for steps := 1; ended == nil; steps += 3 {
		r, err := sample(steps)
		if err != nil && !errors.Is(err, context.Canceled) || steps > 10 {
			t.Fatal(steps, err)
		}
		now, err := os.ReadFile(journal)
		if err != nil || !bytes.HasPrefix(now, written) {
			t.Fatal("what was written down has changed", err)
		}
		written, ended, o.Resume = now, r, true
	}
	again, err := sample(math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	sameDraws(t, "the run of its journal", ended.Draws, again.Draws)
	if ended.Document.Work != again.Document.Work || ended.Document.Deployment != again.Document.Deployment || ended.Record.Journal != again.Record.Journal {
		t.Errorf("work %v and %v; %s; %s", ended.Document.Work, again.Document.Work, ended.Document.Deployment, again.Document.Deployment)
	}
	if err := again.Save(dir); err != nil {
		t.Fatal(err)
	}
	var complete *CompleteError
	record, err := runs.ReadRecord(dir)
	if err != nil || record.Journal != ended.Record.Journal || len(record.Journal) != 64 || !errors.As(Resumable(dir, record), &complete) || exists(journal) {
		t.Errorf("%v, journal %q", err, record.Journal)
	}
}

// A journal that was altered ends the run, and no key of it is made anew.
func TestAnAlteredJournal(t *testing.T) {
	b, dir := bindFiles(t, encryptedModel, transforms.Exact, 0, logisticTables(4000)), filepath.Join(t.TempDir(), "run")
	journal := filepath.Join(dir, "encrypted.journal")
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, ring: 11, Dir: dir}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o.Progress = &killer{kill: cancel}
		p, diags, err := OpenBound(b, o)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		_, err = p.Sample(ctx, nil)
		if !o.Resume {
			text, err := os.ReadFile(journal)
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2]++
			if err := os.WriteFile(journal, text, 0o600); err != nil {
				t.Fatal(err)
			}
			o.Resume = true
			continue
		}
		if want := regexp.QuoteMeta(journal) + `: entry \d+ is damaged\. What was sent with these keys is not made anew: run the model again with --overwrite, which makes others$`; err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Error(err)
		}
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
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, files)
	for _, kind := range []string{"first rounds", "columns", "gradient shares"} {
		o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, Seed: 5, ring: 9}
		_, errs := tryApart(t, partiesOf(t, b, files), o, t.TempDir(), func(name string, end transport.Transport) transport.Transport {
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

// A run across processes that a client was cut off from goes on, with what each party wrote down before it.
func TestACutRunOfEncryptedRowsGoesOn(t *testing.T) {
	files, dir := logisticTables(4000), t.TempDir()
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, files)
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, Seed: 5, ring: 10}
	parties, before := partiesOf(t, b, files), map[string][]byte{}
	journal := func(party string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, party, "encrypted.journal"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	tryApart(t, parties, o, dir, func(name string, end transport.Transport) transport.Transport {
		if name == "right" {
			return plug{end, "gradient shares"}
		}
		return end
	})
	for _, p := range parties {
		before[p.Party] = journal(p.Party)
	}
	o.Resume = true
	results, errs := tryApart(t, partiesOf(t, b, files), o, dir, func(_ string, end transport.Transport) transport.Transport { return end })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for k, p := range parties {
		now := journal(p.Party)
		if !bytes.HasPrefix(now, before[p.Party]) || len(before[p.Party]) < len(now)/4 || results[k].Record.Journal == "" {
			t.Errorf("%s: %d bytes were written down, and now other ones, %d", p.Party, len(before[p.Party]), len(now))
		}
	}
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature", "tolerance": "1e-7", "correct": "false"})
	for k, r := range results {
		closeTo(t, parties[k].Party, r.Summary(), want)
	}
}

// One client and the server are enough.
func TestEncryptedRowsOfOneClient(t *testing.T) {
	files := logisticTables(4000)
	delete(files, "right.csv")
	const model = "client left\ndata y : binary[N] @ shared\ndata x : real[N] @ left\nparam b ~ normal(0, 5)\nparam u ~ normal(0, 2.5) @ left\ny ~ bernoulli_logit(b + x * u)\n"
	b := bindFiles(t, model, transforms.Exact, 0, files)
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature", "tolerance": "1e-7", "correct": "false"})
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, Seed: 5, ring: 10}
	for _, r := range runApart(t, partiesOf(t, b, files), o, func(_ string, end transport.Transport) transport.Transport { return end }) {
		closeTo(t, "one client", r.Summary(), want)
	}
}
