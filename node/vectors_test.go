package node

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/tests/vectors"
)

// A vectorProject is a project with fixed keys, whose certificates are always the same bytes and valid.
type vectorProject struct {
	dir     string
	root    *x509.Certificate
	key     ed25519.PrivateKey
	parties []string
}

func newVectorProject(t *testing.T, parties ...string) *vectorProject {
	t.Helper()
	p := &vectorProject{dir: t.TempDir(), key: ed25519.NewKeyFromSeed(vectors.Count(1, 32)), parties: parties}
	template := p.template("vflc project heart", 1)
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero, template.KeyUsage = true, true,
		true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
	template.SubjectKeyId = vectors.Count(0xa0, 20)
	p.root = p.sign(t, template, template, p.key.Public())
	return p
}

func (p *vectorProject) template(name string, serial int64) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name, Organization: []string{"heart"}},
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2999, 1, 1, 0, 0, 0, 0,
			time.UTC),
	}
}

func (p *vectorProject) sign(t *testing.T, of, by *x509.Certificate, public any) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, of, by, public, p.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// load writes the folder of the k-th party, and reads it as the party does.
func (p *vectorProject) load(t *testing.T, k int) *identity.Identity {
	t.Helper()
	key := ed25519.NewKeyFromSeed(vectors.Count(byte(0x20*(k+1)), 32))
	template := p.template(p.parties[k], int64(k+2))
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature,
		[]x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	cert := p.sign(t, template, p.root, key.Public())
	revoked, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1),
		ThisUpdate: cert.NotBefore, NextUpdate: cert.NotAfter}, p.root, p.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.dir, fmt.Sprint(k))
	quoted, _ := json.Marshal(p.parties)
	block := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		identity.ProjectFile: fmt.Appendf(nil,
			"name = 'heart'\nserver = '%s'\naddress = '127.0.0.1:1'\nparties = %s\n", p.parties[0], quoted),
		identity.AuthorityFile: block("CERTIFICATE", p.root.Raw),
		identity.CertFile:      block("CERTIFICATE", cert.Raw),
		identity.KeyFile:       block("PRIVATE KEY", private),
		identity.RevokedFile:   block("X509 CRL", revoked),
		identity.StreamFile:    []byte(hex.EncodeToString(vectors.Count(byte(k), 32))),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id, err := identity.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// agreementKey is an X25519 key from fixed bytes.
func agreementKey(t *testing.T, from byte) *ecdh.PrivateKey {
	t.Helper()
	key, err := ecdh.X25519().NewPrivateKey(vectors.Count(from, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

type certified struct {
	Party     string      `json:"party"`
	Seed      vectors.Hex `json:"ed25519_seed"`
	Cert      vectors.Hex `json:"certificate"`
	Private   vectors.Hex `json:"x25519_private"`
	Public    vectors.Hex `json:"x25519_public"`
	Text      vectors.Hex `json:"signed_text,omitempty"`
	Signature vectors.Hex `json:"signature,omitempty"`
}

type direction struct {
	From string      `json:"from"`
	To   string      `json:"to"`
	Salt vectors.Hex `json:"salt"`
	Info vectors.Hex `json:"info"`
	Key  vectors.Hex `json:"key"`
}

// derived is a key that follows by HKDF.
func derived(t *testing.T, from, to string, secret, salt, info []byte) direction {
	t.Helper()
	key, err := hkdf.Key(sha256.New, secret, salt, string(info), 32)
	if err != nil {
		t.Fatal(err)
	}
	return direction{from, to, salt, info, key}
}

func aead(t *testing.T, key []byte) cipher.AEAD {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return seal
}

// The keys of an epoch and of its links, signatures of programs and what clients have been told alike are
// those of docs/protocol.
func TestVectorsOfKeys(t *testing.T) {
	type stage struct {
		Stage  int         `json:"stage"`
		Body   string      `json:"body"`
		Digest vectors.Hex `json:"digest"`
	}
	file := struct {
		Project   string      `json:"project"`
		Root      vectors.Hex `json:"authority"`
		Run       string      `json:"run"`
		Epoch     uint32      `json:"epoch"`
		Keys      []certified `json:"keys"`
		Secret    vectors.Hex `json:"x25519"`
		Links     []direction `json:"links"`
		Program   string      `json:"program"`
		SHA256    string      `json:"program_sha256"`
		Manifest  string      `json:"manifest"`
		Signed    vectors.Hex `json:"manifest_signed_text"`
		Signature vectors.Hex `json:"manifest_signature"`
		Told      []stage     `json:"told"`
	}{Project: "heart", Run: hex.EncodeToString(vectors.Count(0xf0, 16)), Epoch: 3, Program: "party a\n",
		Manifest: "{}\n"}
	p := newVectorProject(t, "server", "a")
	file.Root = p.root.Raw
	ids, keys := []*identity.Identity{p.load(t, 0), p.load(t, 1)}, []*ecdh.PrivateKey{agreementKey(t, 0x11),
		agreementKey(t, 0x55)}
	for k, id := range ids {
		text := keyText(file.Project, file.Run, file.Epoch, id.Party, keys[k].PublicKey().Bytes())
		key := signedKey{keys[k].PublicKey().Bytes(), id.Cert.Raw, ed25519.Sign(id.Key, text)}
		if public, err := key.check(ids[1-k], file.Run, file.Epoch, id.Party); err != nil ||
			!public.Equal(keys[k].PublicKey()) {
			t.Errorf("%s: %v", id.Party, err)
		}
		file.Keys = append(file.Keys, certified{id.Party, id.Key.Seed(), key.Cert, keys[k].Bytes(),
			key.Public, text, key.Signature})
	}
	var err error
	if file.Secret, err = keys[0].ECDH(keys[1].PublicKey()); err != nil {
		t.Fatal(err)
	}
	for _, ends := range [][2]string{{"server", "a"}, {"a", "server"}} {
		key, err := linkKey(file.Secret, file.Run, file.Epoch, ends[0], ends[1])
		if err != nil {
			t.Fatal(err)
		}
		one := derived(t, ends[0], ends[1], file.Secret, signed(file.Run, fmt.Sprint(file.Epoch)),
			signed("vflc link v1", ends[0], ends[1]))
		if string(one.Key) != string(key[:]) {
			t.Error("the key of a link follows from another text")
		}
		file.Links = append(file.Links, one)
	}
	file.SHA256 = split.Digest(file.Program)
	manifest := filepath.Join(p.dir, split.ManifestFile)
	if err := os.WriteFile(manifest, []byte(file.Manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := ids[1].SignPrograms(manifest)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	var signature struct{ Certificate, Signature []byte }
	if err != nil || json.Unmarshal(text, &signature) != nil {
		t.Fatal(err, string(text))
	}
	if by, err := ids[0].Signers(manifest); err != nil || len(by) != 1 || by[0] != "a" {
		t.Error(by, err)
	}
	file.Signed, file.Signature = []byte("vflc programs v1\nheart\n"+file.Manifest), signature.Signature
	if !ed25519.Verify(identity.PublicKey(signature.Certificate), file.Signed, file.Signature) {
		t.Error("the signature of a manifest is of another text")
	}
	told := &participant{}
	for k, body := range []string{`{"version":"1"}`, `{}`, `{"names":["server","a"]}`} {
		at := []int{stageAnnounce, stageRows, stageSizes}[k]
		told.hear(at, []byte(body))
		file.Told = append(file.Told, stage{at, body, append([]byte(nil), told.told[:]...)})
	}
	vectors.Check(t, "../docs/protocol/keys.json", file)
}

// Hellos and sealed control messages are those of docs/protocol, and are taken.
func TestVectorsOfControl(t *testing.T) {
	type packet struct {
		From   string       `json:"from"`
		To     string       `json:"to"`
		Kind   string       `json:"kind"`
		Number vectors.Word `json:"number"`
		Text   string       `json:"text,omitempty"`
		Signed vectors.Hex  `json:"signed_text,omitempty"`
		Nonce  vectors.Hex  `json:"nonce,omitempty"`
		Packet vectors.Hex  `json:"packet"`
	}
	file := struct {
		Project  string      `json:"project"`
		Program  vectors.Hex `json:"program"`
		Version  string      `json:"version"`
		Protocol string      `json:"protocol"`
		Keys     []certified `json:"keys"`
		Secret   vectors.Hex `json:"x25519"`
		Seals    []direction `json:"seals"`
		Packets  []packet    `json:"packets"`
	}{Project: "heart", Version: "1.2.3", Protocol: split.ProtocolVersion}
	of := program{file.Version, file.Protocol}
	file.Program = of.text()
	p := newVectorProject(t, "server", "a")
	all := map[string]*secrets{}
	for k, party := range p.parties {
		s := newSecrets(p.load(t, k))
		s.program, s.key = of, agreementKey(t, byte(0x22*(k+1)))
		s.public = s.key.PublicKey().Bytes()
		all[party] = s
		file.Keys = append(file.Keys, certified{Party: party, Seed: s.id.Key.Seed(), Cert: s.id.Cert.Raw,
			Private: s.key.Bytes(), Public: s.public})
	}
	server, a := all["server"], all["a"]
	var err error
	if file.Secret, err = a.key.ECDH(server.key.PublicKey()); err != nil {
		t.Fatal(err)
	}
	send := func(from, to *secrets, kind string, text, b []byte) {
		one := packet{From: from.id.Party, To: to.id.Party, Kind: kind, Number: vectors.Word(from.count),
			Text: string(text), Packet: b}
		if text == nil {
			one.Signed = helloText(b[preface-1], "heart", to.id.Party, b[preface+ed25519.SignatureSize:])
		} else {
			one.Nonce = nonceOf(b)
		}
		if got, err := to.take(from.id.Party, b); err != nil || string(got.text) != string(text) ||
			got.from != from.id.Party {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
		file.Packets = append(file.Packets, one)
	}
	numbered := func(s *secrets) *secrets { // whatever it has answered since
		s.count = 1<<62 + uint64(len(file.Packets))
		return s
	}
	send(a, server, "a process that asks", nil, numbered(a).hello(kindAsk, "server", nil))
	send(a, server, "hello", nil, numbered(a).hello(kindHello, "server", server.public))
	send(server, a, "hello", nil, numbered(server).hello(kindHello, "a", a.public))
	for _, one := range []struct {
		from, to *secrets
		message  any
	}{
		{server, a, beat{Incarnation: hex.EncodeToString(vectors.Count(0, 16)),
			Run: hex.EncodeToString(vectors.Count(0xf0, 16)), Epoch: 3, Stage: stageStart,
			Body: json.RawMessage(`{"at":{"1":100}}`), Missing: map[string]absence{"a": absentNew}}},
		{a, server, status{Incarnation: hex.EncodeToString(vectors.Count(0x10, 16)), Epoch: 3, Stage: -1,
			Ended: &ending{Party: "a", Code: CodePolicy}}},
	} {
		if err := wellFormed(one.message); err != nil {
			t.Error(err)
		}
		text := []byte(asText(one.message))
		send(one.from, one.to, "sealed", text, numbered(one.from).packet(one.to.id.Party, text))
	}
	for _, ends := range [][2]*secrets{{server, a}, {a, server}} {
		from, to := ends[0], ends[1]
		one := derived(t, from.id.Party, to.id.Party, file.Secret, []byte("heart"),
			signed("vflc control v2", from.id.Party, to.id.Party, string(from.public), string(to.public)))
		sealed := file.Packets[3+len(file.Seals)].Packet
		if _, err := aead(t, one.Key).Open(nil, nonceOf(sealed), sealed[encryptedSize:],
			sealed[:encryptedSize]); err != nil {
			t.Error("the key of a seal follows from another text")
		}
		file.Seals = append(file.Seals, one)
	}
	vectors.Check(t, "../docs/protocol/control.json", file)
}
