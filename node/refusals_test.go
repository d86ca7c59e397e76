package node

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/tests/diagtest"
)

// What a party refuses has a code; its text is that of the golden file of the code.
func TestRefusalsHaveCodes(t *testing.T) {
	id := parties(t, "server", "a")[1]
	fine := announcement{Version: fit.Version(), Protocol: split.ProtocolVersion, Manifest: strings.Repeat("ab", 32), Key: "id"}
	party := func() *participant {
		return &participant{node: &node{id: id, Options: Options{Key: "id"}}, manifest: &split.Manifest{Model: "m"}, digest: fine.Manifest, agreed: agreement{Names: []string{"server", "a"}}}
	}
	if err := party().accepts(fine); err != nil {
		t.Fatal(err)
	}
	accepts := func(change func(*announcement)) func() error {
		a := fine
		change(&a)
		return func() error { return party().accepts(a) }
	}
	for code, c := range map[diag.Code]struct {
		meet func() error
		told Code
	}{
		diag.OtherManifest: {accepts(func(a *announcement) { a.Manifest = strings.Repeat("cd", 32) }), CodeManifest},
		diag.OtherVersion:  {accepts(func(a *announcement) { a.Version, a.Protocol = "0.0.1", "0" }), CodeVersion},
		diag.OtherSettings: {accepts(func(a *announcement) { a.Key = "patient" }), CodePolicy},
		diag.OtherRun: {func() error {
			f := &follower{node: &node{id: id, journal: quietJournal(), memory: memory{Run: "0123456789abcdef"}}}
			f.hears(t.Context(), &beat{Run: "fedcba9876543210"})
			return f.failure
		}, CodeRun},
		diag.BadWiring: {func() error {
			_, err := party().wire(compile.Wiring{Names: []string{"server", "b"}})
			return err
		}, CodeWiring},
		diag.BadControl: {func() error { return decode(json.RawMessage(`{"names": 3}`), &agreement{}) }, CodeProtocol},
	} {
		t.Run(string(code), func(t *testing.T) {
			err := c.meet()
			var list data.Errors
			if !errors.As(err, &list) || len(list) != 1 || list[0].Code != code || codeOf(err) != c.told {
				t.Fatal(err)
			}
			diagtest.Want(t, filepath.Join("testdata", string(code)+".txtar"), diag.List(list), func(s string) string { return strings.ReplaceAll(s, fit.Version(), "VERSION") })
		})
	}
}

// A policy with a line that cannot be is an error, and none is not.
func TestPolicyFileIsRead(t *testing.T) {
	dir := t.TempDir()
	n := &node{Options: Options{Identity: dir}}
	if err := n.readPolicy(); err != nil || n.policy != nil {
		t.Error(err, n.policy)
	}
	for text, fine := range map[string]bool{"min_contributors = 1\n": false, "min_row = 3\n": false, "min_rows = 3\n": true} {
		if err := os.WriteFile(filepath.Join(dir, "policy.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := n.readPolicy(); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}
