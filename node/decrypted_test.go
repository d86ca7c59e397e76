package node

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
)

// Numbers that are about to be decrypted stand in the ledger and count over runs of the party. What the policy does
// not allow ends the run, and neither counts nor stands anywhere.
func TestDecryptionIsGuarded(t *testing.T) {
	id := parties(t, "registry", "a")[1]
	p, diags := policy.Parse("policy.toml", []byte("max_decrypted = 100\n"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	h, rows := policy.OpenHistory(t.TempDir()), policy.NewRowSet(id.Secret(), []string{"1", "2", "3"})
	for run, c := range []struct{ asked, spent, logged int }{{60, 60, 60}, {50, 60, 0}, {40, 100, 40}} {
		dir := t.TempDir()
		book, err := ledger.Open(dir, id.Party, id.Key, id.Cert.Raw)
		if err == nil {
			err = book.Begin(ledger.Opening{Run: "r", Epoch: 1, Names: []string{"registry", "a"}})
		}
		if err != nil {
			t.Fatal(err)
		}
		g := &guard{policy: p, book: book, meter: policy.NewMeter(p, h, rows)}
		err = g.Decrypt(c.asked)
		var found data.Errors
		if refused := errors.As(err, &found); refused != (c.logged == 0) || refused && found[0].Code != diag.PolicyRounds {
			t.Errorf("run %d: %v", run, err)
		}
		if c.logged == 0 && g.Decrypt(1) == nil {
			t.Errorf("run %d goes on after %v", run, err)
		}
		book.Close()
		read, diags, err := ledger.Read(filepath.Join(dir, "ledger", "a.ledger"))
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		logged := 0
		for _, e := range read.Entries {
			if e.Decrypted != nil {
				logged += e.Decrypted.Numbers
			}
		}
		if spent, err := h.Decrypted(rows); err != nil || int(spent) != c.spent || logged != c.logged {
			t.Errorf("run %d: %d numbers are spent and %d logged, want %d and %d (%v)", run, spent, logged, c.spent, c.logged, err)
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
