package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
)

// A killer ends a run after some steps.
type killer struct {
	Quiet
	left int
	kill func()
}

func (k *killer) Step(int, backends.StepInfo) {
	if k.left--; k.left < 0 {
		k.kill()
	}
}

// A run of encrypted rows that is killed, and killed again where it went on, goes on with what it wrote down,
// and is then, bit for bit, the run of its journal: draws, D and work. The journal goes when all is written,
// and its digest stays.
func TestAKilledRunOfEncryptedRows(t *testing.T) {
	t.Parallel()
	few := check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"few-rows"}}
	effects := bound(t, besideModel(t, fmt.Sprintf(groupedModel, scaleAtServer), groupedTables(500, 3, 100)),
		few)
	t.Run("sfvi", func(t *testing.T) {
		killed(t, effects,
			Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
				"correct": "false"}, Seed: 3, ring: 9})
	})
	t.Run("nuts", func(t *testing.T) {
		killed(t, fewRows(t, 1000), Options{
			Algorithm: backend(t, "nuts"), Settings: map[string]string{"wire": "encrypted", "chains": "2",
				"warmup": "2", "draws": "2", "max-depth": "2"}, Seed: 3, ring: 9,
		})
	})
}

func killed(t *testing.T, b *compile.BoundModel, o Options) {
	dir := filepath.Join(t.TempDir(), "run")
	journal := filepath.Join(dir, "encrypted.journal")
	o.Dir = dir
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
		if err != nil && !errors.Is(err, context.Canceled) || steps > 40 {
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
	if ended.Document.Work != again.Document.Work || ended.Document.Deployment != again.Document.Deployment ||
		ended.Record.Journal != again.Record.Journal {
		t.Errorf("work %v and %v; %s; %s", ended.Document.Work, again.Document.Work,
			ended.Document.Deployment, again.Document.Deployment)
	}
	if err := again.Save(dir); err != nil {
		t.Fatal(err)
	}
	var complete *CompleteError
	record, err := posterior.ReadRecord(dir)
	if err != nil || record.Journal != ended.Record.Journal || len(record.Journal) != 64 ||
		!errors.As(Resumable(dir, record), &complete) || exists(journal) {
		t.Errorf("%v, journal %q", err, record.Journal)
	}
}

// A journal that was altered ends the run, and no key of it is made anew.
func TestAnAlteredJournal(t *testing.T) {
	b, dir := bindFiles(t, encryptedModel, stdlib.Exact, 0, logisticTables(4000)),
		filepath.Join(t.TempDir(), "run")
	journal := filepath.Join(dir, "encrypted.journal")
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
		"correct": "false"}, ring: 11, Dir: dir}
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
		if want := regexp.QuoteMeta(journal) +
			`: entry \d+ is damaged\. What was sent with these keys is not made anew: run the model again with --overwrite, which makes others$`; err == nil || !regexp.MustCompile(
			want,
		).MatchString(err.Error()) {
			t.Error(err)
		}
	}
}

// A run across processes that a client was cut off from goes on, with what each party wrote down before it.
func TestACutRunOfEncryptedRowsGoesOn(t *testing.T) {
	t.Parallel()
	files, dir := logisticTables(2400), t.TempDir()
	b := bindFiles(t, encryptedModel, stdlib.Exact, 0, files)
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
		"correct": "false"}, Seed: 5, ring: 9}
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
	results, errs := tryApart(t, partiesOf(t, b, files), o, dir,
		func(_ string, end transport.Transport) transport.Transport {
			return end
		})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for k, p := range parties {
		now := journal(p.Party)
		if !bytes.HasPrefix(now, before[p.Party]) || len(before[p.Party]) < len(now)/4 ||
			results[k].Record.Journal == "" {
			t.Errorf("%s: %d bytes were written down, and now other ones, %d", p.Party, len(before[p.Party]),
				len(now))
		}
	}
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature",
		"tolerance": "1e-7", "correct": "false"})
	for k, r := range results {
		closeTo(t, parties[k].Party, r.Summary(), want)
	}
}

// A run that another version has begun is not resumed, and what it wrote down stays: its version can.
func TestARunOfAnotherVersion(t *testing.T) {
	b, dir := fewRows(t, 1000), filepath.Join(t.TempDir(), "run")
	o := Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
		"correct": "false"}, ring: 9, Dir: dir}
	sample := func() error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o.Progress = &killer{kill: cancel}
		p, diags, err := OpenBound(b, o)
		if err != nil {
			return err
		}
		good(t, diags, nil)
		_, err = p.Sample(ctx, nil)
		return err
	}
	if err := sample(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	record, err := posterior.ReadRecord(dir)
	if err != nil {
		t.Fatal(err)
	}
	record.Version, o.Resume = "v0.0.1", true
	if err := writeFile(dir, posterior.RecordFile, func(w io.Writer) error {
		return posterior.WriteJSON(w, record)
	}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, posterior.JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	const want = "was begun with vflc v0.0.1; .*: resume the run with the version that began it, or run " +
		"the model again with --overwrite$"
	if err := sample(); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Error(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, posterior.JournalFile)); err != nil ||
		!bytes.Equal(before, after) {
		t.Error("the journal has changed", err)
	}
}
