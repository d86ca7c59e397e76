package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/diagtest"
)

// What a party refuses has a code; its text is that of the golden file of the code.
func TestRefusalsHaveCodes(t *testing.T) {
	id := parties(t, "server", "a")[1]
	fine := announcement{Manifest: strings.Repeat("ab", 32), Key: "id"}
	party := func() *participant {
		return &participant{node: &node{id: id, PartyOptions: PartyOptions{Key: "id"}},
			manifest: &split.Manifest{Model: "m"}, digest: fine.Manifest,
			agreed: agreement{Names: []string{"server", "a"}}}
	}
	if err := party().fits(fine); err != nil {
		t.Fatal(err)
	}
	accepts := func(change func(*announcement)) func() error {
		a := fine
		change(&a)
		return func() error { return party().fits(a) }
	}
	for code, c := range map[diag.Code]struct {
		meet func() error
		told EndReason
	}{
		diag.OtherManifest: {accepts(func(a *announcement) {
			a.Manifest = strings.Repeat("cd", 32)
		}), CodeManifest},
		diag.OtherVersion: {func() error {
			return newSecrets(id).refuses(otherEvent{"server", program{"0.0.1", "1"}})
		}, CodeVersion},
		diag.OtherSettings: {accepts(func(a *announcement) { a.Key = "patient" }), CodePolicy},
		diag.OtherTask:     {accepts(func(a *announcement) { a.Task.Kind = Predicting }), CodeSettings},
		diag.OtherOrigin: {accepts(func(a *announcement) {
			a.From = &origin{Run: "0123456789abcdef0123456789abcdef", Manifest: a.Manifest}
		}), CodeSettings},
		diag.PolicyFolds: {func() error {
			return refused(CodePolicy, party().policy.Divides(policy.FileName, "ward"), nil)
		}, CodePolicy},
		diag.FoldsUnknown: {func() error {
			c := &coordinator{node: &node{id: id, journal: quietJournal()}}
			if err := c.disagree(&compile.Disagreement{Kind: compile.SeveralFolds, Party: "a",
				Other: "b"}); err != nil || c.ended.Code != CodeDiffer {
				return err
			}
			return c.failure
		}, CodeFailed},
		diag.PolicyRecord: {func() error {
			p, a := party(), fine
			p.policy, _ = policy.Parse(policy.FileName, nil)
			p.journal, p.node.part, a.Record = quietJournal(), p, true
			dir := t.TempDir() // without signatures
			p.Programs = dir
			if err := os.WriteFile(filepath.Join(dir, split.ManifestFile), []byte("{}"), 0o600); err != nil {
				return err
			}
			return p.accepts(a)
		}, CodePolicy},
		diag.FittedByOthers: {func() error {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, posterior.PartiesDir), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, posterior.PartiesDir, "b.json"), []byte(`{"party":"b"}`),
				0o600); err != nil {
				return err
			}
			_, err := fit.FittedOf(&posterior.Run{Path: dir}, &compile.OneParty{Party: "a"})
			var list data.Errors
			if errors.As(err, &list) {
				list[0].Message = strings.ReplaceAll(list[0].Message, dir, "RUN")
			}
			return refused(CodeData, nil, err)
		}, CodeData},
		diag.OtherRun: {func() error {
			f := &follower{node: &node{id: id, journal: quietJournal(),
				memory: memory{Run: "0123456789abcdef"}}}
			f.hears(t.Context(), &beat{Run: "fedcba9876543210"})
			return f.failure
		}, CodeRun},
		diag.BadWiring: {func() error {
			_, err := party().wire(compile.Wiring{Names: []string{"server", "b"}})
			return err
		}, CodeWiring},
		diag.BadControl: {func() error {
			return decode(json.RawMessage(`{"names": 3}`), &agreement{})
		}, CodeProtocol},
	} {
		t.Run(string(code), func(t *testing.T) {
			err := c.meet()
			var list data.Errors
			if !errors.As(err, &list) || len(list) != 1 || list[0].Code != code || codeOf(err) != c.told {
				t.Fatal(err)
			}
			diagtest.Want(t, filepath.Join("testdata", string(code)+".txtar"), diag.List(list),
				func(s string) string {
					return strings.ReplaceAll(s, fit.Version(), "VERSION")
				})
		})
	}
}

// A policy with a line that cannot be is an error, and none is not.
func TestPolicyFileIsRead(t *testing.T) {
	dir := t.TempDir()
	n := &node{PartyOptions: PartyOptions{Identity: dir}}
	if err := n.readPolicy(); err != nil || n.policy != nil {
		t.Error(err, n.policy)
	}
	for text, fine := range map[string]bool{"min_contributors = 1\n": false, "min_row = 3\n": false,
		"min_rows = 3\n": true} {
		if err := os.WriteFile(filepath.Join(dir, "policy.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := n.readPolicy(); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever is wrong with a project, a party's folder, a certificate, an address or a packet has a code and a
// text that says the way out.
func TestPartiesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	address := "127.0.0.1:1"
	all := provisioned(t, dir, address, "registry", "a", "b")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := safefile.WriteBytes(filepath.Join(dir, path), 0o600, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "open"), os.DirFS(filepath.Join(dir, "a"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "open", identity.KeyFile), 0o644); err != nil {
		t.Fatal(err)
	}
	write("wrong.toml", "name = 'heart'\nserver = 'nobody'\naddress = '127.0.0.1:1'\nparties = ['a']\n")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	busy := listener.Addr().String()
	registry, a := newSecrets(all[0]), newSecrets(all[1])
	meet(t, a, registry)
	for code, meetIt := range map[diag.Code]func() error{
		diag.BadProject: func() error {
			_, err := identity.ReadProject(filepath.Join(dir, "wrong.toml"))
			return err
		},
		diag.BadIdentity: func() error {
			_, err := identity.Load(filepath.Join(dir, "open"))
			return err
		},
		diag.CertificateRefused: func() error {
			_, err := registry.take("x", foreignHello(t, a))
			return packetError("x", err)
		},
		diag.RequestRefused: func() error {
			_, err := identity.Add(filepath.Join(dir, "ca"), filepath.Join(dir, "a", identity.RequestFile),
				identity.Admission{New: true, Server: true})
			return err
		},
		diag.BadAddress: func() error {
			_, err := carrier.Serve(all[0], busy, carrier.Handlers{Back: func() {}, Notice: func(string) {},
				Refuse: func(error) {}})
			return err
		},
		diag.ExposedMetrics: func() error {
			_, err := listenFor("0.0.0.0:9422", false)
			return err
		},
		diag.OtherParty: func() error {
			_, err := carrier.Serve(all[1], busy, carrier.Handlers{})
			return err
		},
		diag.BadPrograms: func() error {
			_, _, err := (&node{id: all[0],
				PartyOptions: PartyOptions{Programs: filepath.Join(dir, "none")}}).readPrograms()
			return err
		},
		diag.NotRecorded: func() error {
			_, err := fit.AttackRecorded(&posterior.Run{Path: filepath.Join(dir, "a"),
				Record: &posterior.Record{}})
			return err
		},
		diag.NeedsParties: func() error {
			m, diags := compile.Compile(source.New("m.vfl", trioModel), check.Options{})
			if diags.HasErrors() {
				return data.Errors(diags)
			}
			text := m.Files()["a.vfl"]
			write(filepath.Join("part", posterior.ModelFile), string(text))
			_, _, err := fit.Recompile(&posterior.Run{Path: filepath.Join(dir, "part"),
				Record: &posterior.Record{Model: posterior.InputRecord{Path: "a.vfl", SHA256: digest(text)}}})
			return err
		},
		diag.PacketRefused: func() error {
			packet := a.packet("registry", []byte("text"))
			packet[len(packet)-1] ^= 1
			_, err := registry.take("a", packet)
			return packetError("a", err)
		},
		diag.AlreadyJoined: func() error {
			one, err := join("a", filepath.Join(dir, "a"))
			if err != nil {
				return err
			}
			defer one.Release()
			_, err = join("a", filepath.Join(dir, "a"))
			return err
		},
		diag.PayloadTooSmall: func() error { return fitsControl(make([]byte, 40_000), 32_768) },
	} {
		t.Run(string(code), func(t *testing.T) {
			err := meetIt()
			var list data.Errors
			if !errors.As(err, &list) || len(list) != 1 || list[0].Code != code {
				t.Fatal(err)
			}
			if page, ok := diag.Explain(code); !ok || page.Text == "" {
				t.Error("the code has no page")
			}
			diagtest.Want(t, filepath.Join("testdata", string(code)+".txtar"), diag.List(list),
				func(s string) string {
					return strings.NewReplacer(dir, "DIR", busy, "ADDRESS",
						fmt.Sprint("process ", os.Getpid()),
						"process 7").Replace(s)
				})
		})
	}
}

// foreignHello is one of a party of another project with the same names.
func foreignHello(t *testing.T, like *secrets) []byte {
	t.Helper()
	other := newSecrets(parties(t, "registry", "a")[1])
	return other.hello(kindHello, "registry", like.public)
}
