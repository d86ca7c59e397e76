package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// A testProject is a keeper, and parties with their bundles.
type testProject struct {
	t    *testing.T
	root string
}

func newTestProject(t *testing.T, parties ...string) *testProject {
	p := &testProject{t, t.TempDir()}
	p.must(Init(p.at("ca"), Project{Name: "heart", Server: parties[0], Address: "127.0.0.1:1", Parties: parties}))
	for _, party := range parties {
		p.must(Request(p.at(party), "heart", party))
		p.add(party, RequestFile)
	}
	return p
}

func (p *testProject) at(name ...string) string {
	return filepath.Join(append([]string{p.root}, name...)...)
}

func (p *testProject) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// add certifies a request, and copies the bundle.
func (p *testProject) add(party, request string) {
	p.t.Helper()
	_, err := Add(p.at("ca"), p.at(party, request), Admission{Server: true, Overlap: Overlap})
	p.must(err)
	cert, err := os.ReadFile(p.at("ca", BundlesDir, party, CertFile))
	p.must(errors.Join(err, os.WriteFile(p.at(party, CertFile), cert, 0o600), Copy(p.at("ca"), p.at(party))))
}

func (p *testProject) load(party string) *Identity {
	p.t.Helper()
	id, err := Load(p.at(party))
	p.must(err)
	return id
}

func (p *testProject) refuses(request, why string) {
	p.t.Helper()
	var list data.Errors
	if made, err := Add(p.at("ca"), request, Admission{}); !errors.As(err, &list) ||
		list[0].Code != diag.RequestRefused && list[0].Code != diag.CertificateRefused {
		p.t.Errorf("%s is certified: %v, %v", why, made, err)
	}
}

func defect(err error) Defect {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.Why
	}
	return ""
}

// A party renews its key twice. Others take the new certificate without a new project, and the one before
// until its day; what the party knows of its rows stays.
func TestKeysAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestProject(t, "server", "a")
		first := p.load("a")
		for range 2 {
			before := p.load("a")
			_, err := Renew(p.at("a"))
			p.must(err)
			if waiting := p.load("a"); !waiting.Key.Equal(before.Key) {
				t.Error("the next key is used before it has a certificate")
			}
			if _, err := Renew(p.at("a")); err == nil {
				t.Error("a renewal on its way is thrown away")
			}
			p.add("a", RenewalFile)
			p.must(Copy(p.at("ca"), p.at("server")))
			server, now := p.load("server"), p.load("a")
			if now.Key.Equal(before.Key) || !bytes.Equal(now.Secret(), first.Secret()) ||
				now.Stream != first.Stream {
				t.Error("the key stays, or what the party knows of its rows does not")
			}
			for _, id := range []*Identity{before, now} {
				if party, err := server.Verify(id.Cert.Raw); party != "a" || err != nil {
					t.Error(party, err)
				}
			}
			time.Sleep(Overlap + time.Second)
			if _, err := server.Verify(before.Cert.Raw); defect(err) != Superseded {
				t.Errorf("a certificate after its day: %v", err)
			}
			if _, err := server.Verify(now.Cert.Raw); err != nil {
				t.Error(err)
			}
		}
		p.must(Revoke(p.at("ca"), "a"))
		p.must(Copy(p.at("ca"), p.at("server")))
		if _, err := p.load("server").Verify(p.cert("a")); defect(err) != Revoked {
			t.Errorf("a renewed certificate that was revoked: %v", err)
		}
	})
}

func (p *testProject) cert(party string) []byte {
	der, err := readPEM(p.at(party, CertFile), certBlock)
	p.must(err)
	return der
}

// Nobody gets a certificate for another party's name by a renewal: not a stranger, not another party, not who
// repeats an old renewal or has a key of before, and nothing is certified for a certificate that has expired
// or was revoked.
func TestForgedRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestProject(t, "server", "a", "b")
		forged := p.at("forged.csr")
		// forge asks for a certificate of a for the forger's key, signed by another key.
		forge := func(by ed25519.PrivateKey) string {
			os.RemoveAll(p.at("forger"))
			p.must(Request(p.at("forger"), "heart", "a"))
			der, err := readPEM(p.at("forger", RequestFile), requestBlock)
			p.must(err)
			text := append(pem.EncodeToMemory(&pem.Block{Type: requestBlock, Bytes: der}),
				pem.EncodeToMemory(&pem.Block{Type: renewalBlock,
					Bytes: ed25519.Sign(by, renewalText("heart", der))})...)
			p.must(os.WriteFile(forged, text, 0o600))
			return forged
		}
		_, stranger, err := ed25519.GenerateKey(nil)
		p.must(err)
		p.refuses(forge(stranger), "a stranger's renewal")
		p.refuses(forge(p.load("b").Key), "another party's renewal")
		p.refuses(p.at("forger", RequestFile), "a request without a signature of the key before")

		old := p.load("a").Key
		_, err = Renew(p.at("a"))
		p.must(err)
		replay, err := os.ReadFile(p.at("a", RenewalFile))
		p.must(err)
		p.add("a", RenewalFile)
		p.must(os.WriteFile(forged, replay, 0o600))
		p.refuses(forged, "a renewal that was done, again")
		p.refuses(forge(old), "a renewal by the key of before, within its overlap")
		_, err = Renew(p.at("a"))
		p.must(err)
		p.add("a", RenewalFile)
		p.refuses(forged, "a renewal by a key of two before")

		same, err := x509.CreateCertificateRequest(nil, &x509.CertificateRequest{
			Subject: p.load("a").Cert.Subject}, p.load("a").Key)
		p.must(err)
		text := append(pem.EncodeToMemory(&pem.Block{Type: requestBlock, Bytes: same}),
			pem.EncodeToMemory(&pem.Block{Type: renewalBlock,
				Bytes: ed25519.Sign(p.load("a").Key, renewalText("heart", same))})...)
		p.must(os.WriteFile(forged, text, 0o600))
		p.refuses(forged, "a renewal for the same key")

		_, err = Renew(p.at("b"))
		p.must(err)
		time.Sleep(validFor + time.Hour)
		p.refuses(p.at("b", RenewalFile), "a renewal of a certificate that has expired")
		p.must(Revoke(p.at("ca"), "b"))
		p.refuses(p.at("b", RenewalFile), "a renewal of a certificate that was revoked")
	})
}
