package node

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/runtime/model"
)

// bookOf opens the ledger of a party in a folder, in an epoch.
func bookOf(t *testing.T, dir string, id *identity.Identity) *ledger.Book {
	t.Helper()
	book, err := ledger.Open(dir, id.Party, id.Key, id.Cert.Raw)
	if err == nil {
		err = book.Begin(ledger.Opening{Run: "r", Epoch: 1, Names: []string{"registry", "a"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// logged closes a ledger, and adds the numbers up that stand in it.
func logged(t *testing.T, dir string, book *ledger.Book) (numbers int) {
	t.Helper()
	book.Close()
	read, diags, err := ledger.Read(filepath.Join(dir, "ledger", "a.ledger"))
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	for _, e := range read.Entries {
		if e.Decrypted != nil {
			numbers += e.Decrypted.Numbers
		}
	}
	return numbers
}

// Numbers that are about to be decrypted stand in the ledger and count over runs of the party. What the
// policy does not allow ends the run, and neither counts nor stands anywhere.
func TestDecryptionIsGuarded(t *testing.T) {
	id := parties(t, "registry", "a")[1]
	p, diags := policy.Parse("policy.toml", []byte("max_decrypted = 100\n"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	h, rows := policy.OpenHistory(t.TempDir()), policy.NewRowSet(id.Secret(), []string{"1", "2", "3"})
	for run, c := range []struct{ asked, spent, logged int }{{60, 60, 60}, {50, 60, 0}, {40, 100, 40}} {
		dir, keys := t.TempDir(), string(rune('a'+run))
		book := bookOf(t, dir, id)
		g := &guard{policy: p, book: book, meter: policy.NewMeter(p, h, rows)}
		err := g.Decrypt(keys, c.asked)
		var found data.Errors
		if refused := errors.As(err, &found); refused != (c.logged == 0) ||
			refused && found[0].Code != diag.PolicyRounds {
			t.Errorf("run %d: %v", run, err)
		}
		if c.logged == 0 && g.Decrypt(keys, 1) == nil {
			t.Errorf("run %d goes on after %v", run, err)
		}
		logged := logged(t, dir, book)
		if spent, err := h.Decrypted(rows, ""); err != nil || int(spent) != c.spent || logged != c.logged {
			t.Errorf("run %d: %d numbers are spent and %d logged, want %d and %d (%v)", run, spent, logged,
				c.spent, c.logged, err)
		}
	}
}

// A run that is killed before or after each count, or between the ledger and the history, and then made again
// from its beginning, counts what it tells once, and never less than it has told; also where it is as much as
// the policy allows. With other keys it counts again.
func TestAKillCountsOnce(t *testing.T) {
	id := parties(t, "registry", "a")[1]
	rows := policy.NewRowSet(id.Secret(), []string{"1", "2", "3"})
	totals, nothing := []int{10, 25, 26, 40}, func() error { return nil }
	for kill := range 2 * len(totals) {
		p, _ := policy.Parse("policy.toml", []byte("max_decrypted = 90\n"))
		h, dir := policy.OpenHistory(t.TempDir()), t.TempDir()
		if _, err := policy.NewMeter(p, h, rows).Decrypt("before", 50, nothing); err != nil {
			t.Fatal(err)
		}
		for _, killed := range []bool{true, true, false} {
			book := bookOf(t, dir, id)
			if spent, err := h.Decrypted(rows, book.Keys()); err != nil || spent != 50 {
				t.Fatalf("%d numbers are of earlier runs, and not 50 (%v)", spent, err)
			}
			g := &guard{policy: p, book: book, meter: policy.NewMeter(p, h, rows)}
			for k, total := range totals {
				if killed && kill/2 == k {
					if kill%2 == 1 { // after the ledger, before the history
						if err := book.Decrypt(ledger.LoggedDecryption{Numbers: total, Keys: "keys"}); err !=
							nil {
							t.Fatal(err)
						}
					}
					break
				}
				if err := g.Decrypt("keys", total); err != nil {
					t.Fatal(err)
				}
				if spent, err := h.Decrypted(rows, "before"); err != nil || int(spent) < total {
					t.Fatalf("%d numbers are spent, and %d known (%v)", spent, total, err)
				}
			}
			stands := logged(t, dir, book)
			if spent, err := h.Decrypted(rows, ""); err != nil || !killed && (spent != 90 || stands != 40) {
				t.Errorf("kill %d: %d numbers are spent, and %d logged (%v)", kill, spent, stands, err)
			}
		}
		if diags, err := policy.NewMeter(p, h, rows).Decrypt("others", 1, nothing); err != nil ||
			!diags.HasErrors() {
			t.Error("a run with other keys is not counted", err)
		}
	}
}

// A policy with wire = "encrypted" takes programs whose rows stay encrypted alone, and no prediction.
func TestOnlyEncryptedRowsRun(t *testing.T) {
	id := parties(t, "registry", "a")[1]
	p, _ := policy.Parse("policy.toml", []byte("wire = \"encrypted\"\n"))
	programs := t.TempDir()
	if err := os.WriteFile(filepath.Join(programs, split.ManifestFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for wire, want := range map[string]bool{"encrypted": true, "fixed": false, "": false} {
		m := &split.Manifest{Run: &split.ManifestRun{Settings: map[string]string{"wire": wire}}}
		for _, predicts := range []bool{false, true} {
			if predicts {
				m.Predicted = []split.Predicted{{}}
			}
			n := &node{id: id, policy: p, PartyOptions: PartyOptions{Programs: programs}}
			n.part = &participant{node: n, manifest: m}
			lines, err := n.part.programLines(announcement{})
			if err != nil || len(policy.Refused(lines)) == 0 != (want && !predicts) {
				t.Errorf("wire %q, prediction %v: %v %v", wire, predicts, lines, err)
			}
		}
	}
}

// A party without a policy, the server too, counts over all runs, and no other party learns more than a 20th
// of its rows.
func TestDecryptionIsGuardedWithoutAPolicy(t *testing.T) {
	for _, id := range parties(t, "registry", "a") {
		var names []string
		for k := range 400 {
			names = append(names, strconv.Itoa(k))
		}
		n := &node{id: id, PartyOptions: PartyOptions{Identity: t.TempDir()}}
		for run, c := range []struct{ may, asked int }{{20, 15}, {5, 6}, {5, 5}, {0, 1}} {
			n.book = bookOf(t, t.TempDir(), id)
			p := &participant{node: n, rows: policy.NewRowSet(id.Secret(), names)}
			if may, err := p.decrypts(len(names)); err != nil || may != c.may {
				t.Errorf("%s, run %d: %d numbers may be decrypted, want %d (%v)", id.Party, run, may, c.may,
					err)
			}
			g, err := p.guard(nil, &model.Plan{Names: []string{"registry", "a"},
				Wire: model.Wire{Encrypted: true}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Decrypt(strconv.Itoa(run), c.asked); (err == nil) != (c.asked <= c.may) {
				t.Errorf("%s, run %d: %v", id.Party, run, err)
			}
			n.book.Close()
		}
	}
}
