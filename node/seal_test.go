package node

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vflc/vflc/node/identity"
)

// meet lets the processes of parties exchange hellos, the first of which is from one of them, until none has
// an answer.
func meet(t testing.TB, from, to *secrets) {
	t.Helper()
	packet, at, other := from.packet(to.id.Party, []byte("lost")), to, from
	for range 10 {
		got, err := at.take(other.id.Party, packet)
		if err != nil {
			t.Fatal(err)
		}
		if packet = got.answer; packet == nil {
			break
		}
		at, other = other, at
		time.Sleep(answerEvery)
	}
	if !from.knows(to.id.Party) || !to.knows(from.id.Party) {
		t.Fatal("two processes do not know each other")
	}
}

// Two processes that have met read one another's texts, and nobody else does; what is altered, repeated,
// reflected or for another process changes nothing.
func TestControlMessagesAreSealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := parties(t, "registry", "a", "b")
		registry, a, b := newSecrets(all[0]), newSecrets(all[1]), newSecrets(all[2])
		meet(t, a, registry)
		meet(t, b, registry)
		packet := a.packet("registry", []byte("a text"))
		if bytes.Contains(packet, []byte("a text")) {
			t.Error("the text can be read")
		}
		for k := range packet {
			altered := slices.Clone(packet)
			altered[k] ^= 1
			if got, err := registry.take("a", altered); err == nil {
				t.Fatalf("a packet whose byte %d was altered is taken: %+v", k, got)
			}
		}
		for name, at := range map[string]*secrets{"another party": b, "its sender": a} {
			if _, err := at.take("a", packet); err == nil {
				t.Errorf("the packet is taken by %s", name)
			}
		}
		// whatever subject it came on
		if got, err := registry.take("b", packet); err != nil || got.from != "a" ||
			string(got.text) != "a text" {
			t.Error(got, err)
		}
		if _, err := registry.take("a", packet); !errors.Is(err, errRepeated) {
			t.Error("a packet that is repeated:", err)
		}
		first, second := a.packet("registry", []byte("1")), a.packet("registry", []byte("2"))
		if _, err := registry.take("a", second); err != nil {
			t.Error(err)
		}
		if _, err := registry.take("a", first); !errors.Is(err, errRepeated) {
			t.Error("a packet that was held back:", err)
		}
	})
}

// A process that is started again is known after an exchange of hellos; hellos that somebody repeats, of an
// earlier process too, change nothing.
func TestHellosThatAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := parties(t, "registry", "a")
		registry, a := newSecrets(all[0]), newSecrets(all[1])
		first := a.hello(kindHello, "registry", registry.public)
		time.Sleep(time.Second)
		meet(t, a, registry)
		time.Sleep(time.Second)
		again := newSecrets(all[1])
		got, err := registry.take("a", again.hello(kindHello, "registry", nil))
		if err != nil || got.met || got.answer == nil || !bytes.Equal(registry.peers["a"].public, a.public) {
			t.Error("a hello that nobody shows to be new is taken:", err)
		}
		time.Sleep(time.Second)
		meet(t, again, registry)
		for name, old := range map[string][]byte{"of the earlier process": first,
			"before it knew": a.hello(kindHello, "registry", nil)} {
			if name == "before it knew" {
				old = slices.Clone(old)
			}
			_, _ = registry.take("a", old)
			if !bytes.Equal(registry.peers["a"].public, again.public) {
				t.Errorf("a hello %s displaces the key of the process that is there", name)
			}
		}
		if _, err := registry.take("a", a.packet("registry", []byte("old"))); !errors.Is(err, errOtherKey) {
			t.Error("a message of the earlier process:", err)
		}
		got, err = again.take("registry", registry.packet("a", []byte("new")))
		if err != nil || string(got.text) != "new" {
			t.Error(got, err)
		}
	})
}

// A certificate that is revoked ends what its party could say, and a hello with it is refused by name.
func TestRevokedPartyIsForgotten(t *testing.T) {
	dir := t.TempDir()
	all := provisioned(t, dir, "127.0.0.1:1", "registry", "a")
	registry, a := newSecrets(all[0]), newSecrets(all[1])
	meet(t, a, registry)
	if gone := registry.revoked(); gone != nil {
		t.Error(gone)
	}
	ca := filepath.Join(dir, "ca")
	if err := errors.Join(identity.Revoke(ca, "a"), identity.Copy(ca, filepath.Join(dir, "registry"))); err !=
		nil {
		t.Fatal(err)
	}
	registry.looked = time.Time{} // it looks once a second
	var refused *identity.RefusedError
	if gone := registry.revoked(); !errors.As(gone["a"], &refused) || refused.Why != identity.Revoked {
		t.Error(gone)
	}
	if _, err := registry.take("a", a.packet("registry", nil)); err == nil {
		t.Error("a revoked party is heard")
	}
	if _, err := registry.take("a", a.hello(kindHello, "registry", registry.public)); !errors.As(err,
		&refused) || refused.Why != identity.Revoked {
		t.Error(err)
	}
}

// A certificate that has expired is refused where it is shown, and where it was accepted before.
func TestExpiredCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := parties(t, "registry", "a")
		registry, a := newSecrets(all[0]), newSecrets(all[1])
		meet(t, a, registry)
		time.Sleep(time.Until(all[1].Cert.NotAfter) + time.Second)
		var refused *identity.RefusedError
		if gone := registry.revoked(); !errors.As(gone["a"], &refused) || refused.Why != identity.Expired {
			t.Error(gone)
		}
		if _, err := registry.take("a", a.hello(kindHello, "registry", registry.public)); !errors.As(err,
			&refused) || refused.Why != identity.Expired {
			t.Error(err)
		}
	})
}

// A process that asks gets an answer that it alone can read, and the one that takes part stays known.
func TestAskingTakesNoPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := parties(t, "registry", "a")
		registry, a, asking := newSecrets(all[0]), newSecrets(all[1]), newSecrets(all[1])
		meet(t, a, registry)
		time.Sleep(time.Second)
		got, err := registry.take("a", asking.hello(kindAsk, "registry", nil))
		if err != nil || got.asking == nil || got.answer == nil {
			t.Fatal(got, err)
		}
		if _, err := asking.take("registry", got.answer); err != nil {
			t.Fatal(err)
		}
		reply := registry.reply(got.asking, []byte("the run"))
		if heard, err := asking.take("registry", reply); err != nil || string(heard.text) != "the run" {
			t.Error(heard, err)
		}
		if _, err := a.take("registry", reply); !errors.Is(err, errOtherKey) {
			t.Error(err)
		}
		if !bytes.Equal(registry.peers["a"].public, a.public) {
			t.Error("who asks displaces who takes part")
		}
	})
}

var frames = flag.Int("frames", 20_000, "how many frames of garbage TestGarbage sends")

// Garbage, most of it nearly a packet, is refused and changes nothing.
func TestGarbage(t *testing.T) {
	all := parties(t, "registry", "a")
	registry, a := newSecrets(all[0]), newSecrets(all[1])
	meet(t, a, registry)
	known := *registry.peers["a"]
	seeds := [][]byte{a.packet("registry", []byte(`{"stage":1}`)),
		a.hello(kindHello, "registry", registry.public), a.hello(kindAsk, "registry", nil)}
	random := rand.New(rand.NewPCG(1, 2))
	for range *frames {
		seed := seeds[random.IntN(8)%len(seeds)]
		b := garbled(random, seed)
		if slices.ContainsFunc(seeds, func(s []byte) bool { return bytes.Equal(s, b) }) {
			continue
		}
		if got, err := registry.take("a", b); err == nil && (got.text != nil || got.met ||
			got.asking != nil) {
			t.Fatalf("%x was taken: %+v", b, got)
		}
	}
	if now := registry.peers["a"]; now.last != known.last || !bytes.Equal(now.public, known.public) {
		t.Error("garbage has changed what is known of a party")
	}
	if got, err := registry.take("a", seeds[0]); err != nil || got.text == nil {
		t.Error("after it a packet is not taken:", err)
	}
}

// garbled is a packet that was altered: cut, with other bytes, longer, or bytes of no packet.
func garbled(random *rand.Rand, packet []byte) []byte {
	b := slices.Clone(packet)
	switch random.IntN(5) {
	case 0:
		b = b[:random.IntN(len(b))]
	case 1:
		for range 1 + random.IntN(4) {
			b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
		}
	case 2:
		b = append(b, byte(random.IntN(256)))
	case 3:
		at := random.IntN(len(b))
		copy(b[at:], packet[random.IntN(len(packet)):])
	default:
		b = make([]byte, random.IntN(300))
		for k := range b {
			b[k] = byte(random.IntN(256))
		}
	}
	return b
}

// No bytes are a control packet but those that a party has made.
func FuzzControl(f *testing.F) {
	all := parties(f, "registry", "a")
	registry, a := newSecrets(all[0]), newSecrets(all[1])
	meet(f, a, registry)
	packet, hello := a.packet("registry", []byte("text")), a.hello(kindHello, "registry", registry.public)
	f.Add(packet)
	f.Add(hello)
	f.Add(packet[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := registry.take("a", b); err == nil && got.text != nil && !bytes.Equal(b, packet) ||
			got.met {
			t.Errorf("%x was taken", b)
		}
	})
}
