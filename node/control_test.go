package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/transport"
)

// parties makes a project and loads the identities of its parties.
func parties(t testing.TB, names ...string) []*identity.Identity {
	t.Helper()
	return provisioned(t, t.TempDir(), "127.0.0.1:1", names...)
}

// provisioned makes a project in a folder, in which its authority has the folder ca, and each party one of
// its name.
func provisioned(t testing.TB, dir, address string, names ...string) []*identity.Identity {
	t.Helper()
	ca := filepath.Join(dir, "ca")
	if err := identity.Init(ca, identity.Project{Name: "heart", Server: names[0], Address: address,
		Parties: names}); err != nil {
		t.Fatal(err)
	}
	var out []*identity.Identity
	for _, name := range names {
		own := filepath.Join(dir, name)
		if err := identity.Request(own, "heart", name); err != nil {
			t.Fatal(err)
		}
		issued, err := identity.Add(ca, filepath.Join(own, identity.RequestFile),
			identity.Admission{New: true, Server: true})
		if err != nil {
			t.Fatal(err)
		}
		cert, err := os.ReadFile(filepath.Join(issued.Bundle, identity.CertFile))
		if err == nil {
			err = safefile.WriteBytes(filepath.Join(own, identity.CertFile), 0o644, cert)
		}
		if err == nil {
			err = identity.Copy(issued.Bundle, own)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := safefile.WriteBytes(filepath.Join(own, "policy.toml"), 0o600,
			[]byte("policy = \"open\"\n")); err != nil {
			t.Fatal(err)
		}
		id, err := identity.Load(own)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

// A key of an epoch is of one party, run and epoch, and both ends of a link make the same secrets of it.
func TestKeysOfAnEpoch(t *testing.T) {
	all := parties(t, "registry", "a")
	mine, x := newKey(all[0], "run", 3)
	_, y := newKey(all[1], "run", 3)
	public, err := y.check(all[0], "run", 3, "a")
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func() error{
		"epoch": func() error { _, err := y.check(all[0], "run", 4, "a"); return err },
		"run":   func() error { _, err := y.check(all[0], "other", 3, "a"); return err },
		"party": func() error { _, err := y.check(all[0], "run", 3, "registry"); return err },
		"key": func() error {
			z := y
			z.Public = x.Public
			_, err := z.check(all[0], "run", 3, "a")
			return err
		},
	} {
		if wrong() == nil {
			t.Errorf("a key of another %s is taken", name)
		}
	}
	secret, err := mine.ECDH(public)
	if err != nil {
		t.Fatal(err)
	}
	up, _ := linkKey(secret, "run", 3, "a", "registry")
	down, _ := linkKey(secret, "run", 3, "registry", "a")
	next, _ := linkKey(secret, "run", 4, "a", "registry")
	if up == down || up == next {
		t.Error("two directions or two epochs have one key")
	}
}

// The key of an epoch serves one session: a server that tells a client to begin again in the same epoch would
// have the same keys for other packets and masks, counted from the beginning.
func TestKeyOfAnEpochServesOnce(t *testing.T) {
	all := parties(t, "registry", "a")
	p := &participant{node: &node{id: all[1], carrier: &end{}}, index: 1, epoch: 3}
	keys := map[string]signedKey{}
	_, keys["registry"] = newKey(all[0], "run", 3)
	begin := func() error {
		link, masks, err := p.connect(transport.RunID{}, "run")
		if err != nil {
			return err
		}
		link.Close()
		if masks.Private["a"] == nil || masks.Public["a"] == nil {
			t.Error("there are no keys of masks")
		}
		return nil
	}
	for range 2 { // a new key has a session again
		p.secret, keys["a"] = newKey(all[1], "run", 3)
		p.agreed = agreement{Names: []string{"registry", "a"}, Keys: keys}
		if err := begin(); err != nil {
			t.Fatal(err)
		}
		if begin() == nil {
			t.Error("a key has two sessions")
		}
	}
}
