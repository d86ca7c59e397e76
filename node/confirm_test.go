package node

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/diagtest"
)

// A client without a policy takes part in the run that its owner has confirmed, and in no other, whatever it
// is that differs; its server, whose owner has chosen the run, is asked nothing.
func TestOnlyWhatWasConfirmedRuns(t *testing.T) {
	all := parties(t, "server", "a", "b")
	own := all[1].Dir()
	if err := os.Remove(filepath.Join(own, policy.FileName)); err != nil {
		t.Fatal(err)
	}
	manifest := &split.Manifest{Model: "m", Server: "server", Run: &split.ManifestRun{Backend: "nuts",
		Settings: map[string]string{}, Verdict: []string{"a line"}},
		Parties: []split.ManifestParty{{Name: "server"}, {Name: "a"}, {Name: "b"}}}
	party := func(k int) *participant {
		n := &node{id: all[k], PartyOptions: PartyOptions{Identity: all[k].Dir()}, journal: quietJournal()}
		n.part = &participant{node: n, manifest: manifest, digest: strings.Repeat("ab", 32),
			program: source.New("a.vfl", "program m")}
		return n.part
	}
	fine := announcement{Model: "m", Manifest: strings.Repeat("ab", 32), Key: "id", Backend: "nuts",
		Settings: map[string]string{"secure-sum": "on", "draws": "100"}}
	refuses := func(p *participant, a announcement) *diag.Diagnostic {
		t.Helper()
		err := p.allows(a)
		var list data.Errors
		if err != nil && (!errors.As(err, &list) || len(list) != 1 || codeOf(err) != CodePolicy) {
			t.Fatal(err)
		}
		if err == nil {
			return nil
		}
		return list[0]
	}
	if d := refuses(party(1), fine); d == nil || d.Code != diag.NotConfirmed ||
		!strings.Contains(d.Message, "has not confirmed a fit of m") {
		t.Error(d)
	}
	pending := &Pending{own, fine, []terms{party(1).terms(fine)}}
	if _, err := pending.Known(); err == nil {
		t.Error("it was confirmed before anybody has")
	}
	if _, err := pending.Confirm(); err != nil {
		t.Fatal(err)
	}
	if at, err := pending.Known(); err != nil || at.IsZero() {
		t.Error(at, err)
	}
	if d := refuses(party(1), fine); d != nil {
		t.Error(d)
	}
	again := fine // another number, salt and seed are no other run
	again.Salt, again.Seed = "00", 9
	if d := refuses(party(1), again); d != nil {
		t.Error(d)
	}
	for want, change := range map[string]func(a *announcement, p *participant){
		"--secure-sum is not set, and on was confirmed": func(a *announcement, _ *participant) {
			delete(a.Settings, "secure-sum")
		},
		"--draws is 100000, and 100 was confirmed": func(a *announcement, _ *participant) {
			a.Settings["draws"] = "100000"
		},
		"--metric is diag, and not set was confirmed": func(a *announcement, _ *participant) {
			a.Settings["metric"] = "diag"
		},
		"the backend is sfvi, and nuts was confirmed": func(a *announcement, _ *participant) {
			a.Backend = "sfvi"
		},
		"rows are joined on name, and id was confirmed": func(a *announcement, _ *participant) {
			a.Key = "name"
		},
		"the task is a prediction, and a fit was confirmed": func(a *announcement, p *participant) {
			a.Task.Kind, p.Task.Kind = Predicting, Predicting
		},
		"the task differs in --use-draws": func(a *announcement, _ *participant) {
			a.Task.Draws = 3
		},
		"the manifest is cdcdcdcdcdcd, and abababababab was": func(a *announcement, p *participant) {
			p.digest = strings.Repeat("cd", 32)
			a.Manifest = p.digest
		},
		"the manifest is abababababab, and abababababab, which goes on otherwise, was": func(a *announcement,
			p *participant) {
			p.digest = strings.Repeat("ab", 31) + "00"
			a.Manifest = p.digest
		},
		"the party's program is": func(_ *announcement, p *participant) {
			p.program = source.New("a.vfl", "program n")
		},
		"the parties are server, a, and server, a, b was": func(_ *announcement, p *participant) {
			p.manifest.Parties = p.manifest.Parties[:2]
		},
		"the policy lets no server keep what it receives, and this": func(a *announcement, _ *participant) {
			a.Record = true
		},
	} {
		a, p := fine, party(1)
		a.Settings = maps.Clone(a.Settings)
		other := *p.manifest
		p.manifest = &other
		change(&a, p)
		if d := refuses(p, a); d == nil || !strings.Contains(d.Message, want) {
			t.Errorf("%s: %v", want, d)
		} else if strings.HasPrefix(want, "--secure-sum") {
			diagtest.Want(t, filepath.Join("testdata", string(diag.NotConfirmed)+".txtar"), diag.List{d},
				func(s string) string {
					return strings.ReplaceAll(s, own, "DIR")
				})
		}
	}
	if err := os.Remove(filepath.Join(all[0].Dir(), policy.FileName)); err != nil {
		t.Fatal(err)
	}
	if d := refuses(party(0), fine); d != nil {
		t.Error("the server is asked:", d)
	}
	if d := refuses(party(2), fine); d == nil {
		t.Error("what a has confirmed lets b take part")
	}
}

// A process whose party has another one since is refused by name while that one speaks, and is heard again
// when it has gone.
func TestProcessesOfOnePartyDoNotTakeTurns(t *testing.T) {
	all := parties(t, "server", "a")
	server, first, second := newSecrets(all[0]), newSecrets(all[1]), newSecrets(all[1])
	meet(t, first, server)
	meet(t, second, server)
	if _, err := server.take("a", first.hello(kindHello, "server", server.public)); !errors.Is(err,
		errTwice) {
		t.Fatal(err)
	}
	if _, err := server.take("a", second.packet("server", []byte("text"))); err != nil {
		t.Error("the other one is not heard:", err)
	}
	server.peers["a"].heard = server.peers["a"].heard.Add(-missedAfter)
	if _, err := server.take("a", first.hello(kindHello, "server", server.public)); err != nil {
		t.Error("it is not heard when the other has gone:", err)
	}
}

// A manifest that says something else than the programs is refused where a party reads it: its verdict and
// its rows are what an owner confirms.
func TestManifestThatSaysOtherwise(t *testing.T) {
	for name, change := range map[string]func(m *split.Manifest){
		"a verdict":     func(m *split.Manifest) { m.Run.Verdict = []string{"nobody can compute anything"} },
		"what crosses":  func(m *split.Manifest) { m.Run.Crossings = m.Run.Crossings[1:] },
		"a text of it":  func(m *split.Manifest) { m.Run.Crossings[0].Learns = "nothing" },
		"settings":      func(m *split.Manifest) { m.Run.Settings = map[string]string{} },
		"a group":       func(m *split.Manifest) { m.Groups[0].Additive = false },
		"who sees":      func(m *split.Manifest) { m.Cuts[0].SeenBy = []string{} },
		"the transform": func(m *split.Manifest) { m.Transform = "power" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newTrio(t)
			path := filepath.Join(d.dir, "programs", split.ManifestFile)
			m, diags, err := split.ReadManifest(path, stdlib.New())
			if err != nil || diags.HasErrors() {
				t.Fatal(err, diags)
			}
			change(m)
			if err := safefile.WriteBytes(path, 0o644, m.JSON()); err != nil {
				t.Fatal(err)
			}
			for _, party := range []string{"server", "a"} {
				var list data.Errors
				if n, err := open(d.options(party)); err == nil {
					n.close()
					t.Errorf("%s takes part", party)
				} else if !errors.As(err, &list) || list[0].Code != diag.BadManifest {
					t.Error(party, err)
				}
			}
		})
	}
}
