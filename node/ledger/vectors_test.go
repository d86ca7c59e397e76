package ledger

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/vectors"
)

type entryVector struct {
	Entry  vectors.Hex   `json:"entry"`
	Hash   vectors.Hex   `json:"hash"`            // with all before it
	Framed vectors.Hex   `json:"framed"`          // as it stands in the file
	Frame  vectors.Hex   `json:"frame,omitempty"` // without what is alike, and the SHA-256 of that
	SHA256 vectors.Hex   `json:"frame_sha256,omitempty"`
	Alike  []vectors.Hex `json:"alike_frames,omitempty"` // of the channels that all clients receive alike
}

// vectorBook is a ledger with a fixed key and a clock that goes by 1.5 s an entry.
func vectorBook(t *testing.T) (*Book, ed25519.PrivateKey) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(vectors.Count(0x20, 32))
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a"},
		NotBefore: from, NotAfter: from.AddDate(900, 0, 0)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(t.TempDir(), "a", key, cert)
	if err != nil {
		t.Fatal(err)
	}
	b.clock = func() time.Time {
		from = from.Add(1500 * time.Millisecond)
		return from
	}
	return b, key
}

// entriesOf are the entries of a file, each with the hash that chains it.
func entriesOf(t *testing.T, text []byte) (out []entryVector) {
	t.Helper()
	var link [digestBytes]byte
	for left := text[len(magic):]; len(left) > 0; {
		entry, begin, rest := unframed(left)
		if link = linked(link, entry); string(link[:linkBytes]) != string(begin) {
			t.Fatal("an entry does not follow from those before it")
		}
		out = append(out, entryVector{Entry: entry, Hash: append([]byte(nil), link[:]...),
			Framed: left[:len(left)-len(rest)]})
		left = rest
	}
	return out
}

// A ledger is that of docs/protocol, and its text what it says.
func TestVectorsOfLedgers(t *testing.T) {
	b, key := vectorBook(t)
	file := struct {
		Seed      vectors.Hex   `json:"ed25519_seed"`
		Magic     string        `json:"magic"`
		Entries   []entryVector `json:"entries"`
		Text      []string      `json:"text"` // the entries, a document each
		Signed    string        `json:"signed_text"`
		Signature vectors.Hex   `json:"signature"`
		Head      string        `json:"head"` // the file with the signature
	}{Seed: key.Seed(), Magic: magic}
	defer b.Close()
	up := transport.Message{Round: 1, Kind: "aux",
		Arrays: []transport.Channel{{Name: "z s", Data: []float64{1, 2, 3}}}}
	down := transport.Message{Round: 1, Kind: "reply",
		Arrays: []transport.Channel{{Name: "adjoint s", Data: []float64{0, 1, 2}},
			{Name: "größe", Data: []float64{1}}}}
	later, again := up, down
	later.Round, later.Chain, again.Round, again.Chain = 300, 2, 299, 2
	fine := func(errs ...error) {
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	fine(b.Tell(Told{To: "server", What: Incomplete, Size: "N", Rows: 3, Left: 1, Digest: "ab"}),
		b.Begin(Opening{Run: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", Epoch: 3, Names: []string{"server", "a"},
			Script: script, Manifest: strings.Repeat("ab", 32), Agreed: strings.Repeat("cd", 32)}),
		b.Record(true, "server", up), b.Record(false, "server", down), b.Record(true, "server", later),
		b.Record(false, "server", again),
		b.End(Complete),
		b.Publish(Published{What: "draws", Parameters: []string{"beta"}, Bytes: 100,
			SHA256: strings.Repeat("ef", 32)}))
	b.Close()
	path := Path(b.dir, "a")
	text, err := os.ReadFile(path)
	fine(err)
	file.Entries = entriesOf(t, text)
	for k, m := range []transport.Message{up, down, later, again} {
		e := &file.Entries[2+k]
		rest := m
		rest.Arrays = nil
		var sums []byte
		for i, a := range m.Arrays {
			if b.alike[[2]string{m.Kind, a.Name}] == nil {
				rest.Arrays = append(rest.Arrays, a)
				continue
			}
			e.Alike = append(e.Alike, transport.Append(nil, transport.Message{Arrays: m.Arrays[i : i+1]}))
			sum := sha256.Sum256(e.Alike[len(e.Alike)-1])
			sums = append(sums, sum[:]...)
		}
		e.Frame = append(transport.Append(nil, rest), sums...)
		sum := sha256.Sum256(e.Frame)
		e.SHA256 = sum[:]
	}
	read, diags, err := Read(path)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	var dump strings.Builder
	fine(read.Dump(&dump))
	file.Text = strings.Split(strings.TrimSuffix(dump.String(), "\n"), "\n")
	h := head{Party: "a", Lines: len(read.Entries), Link: read.Entries[len(read.Entries)-1].Link}
	file.Signed, file.Signature = string(h.text()), ed25519.Sign(key, h.text())
	head, err := os.ReadFile(strings.TrimSuffix(path, fileEnd) + headEnd)
	fine(err)
	file.Head = string(head)
	vectors.Check(t, "../../docs/protocol/ledger.json", file)
}
