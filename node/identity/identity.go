// Package identity is who the parties of a project are: a certificate authority of the project, one
// certificate for each party, whose private key is made at the party and stays there, and a list of those
// that were revoked. The certified key is Ed25519; it is for TLS and for signing what the party sends.
package identity

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// failAt is the error of a request in a file.
func failAt(path, format string, args ...any) error {
	return data.Coded(diag.RequestRefused, format, args...).At(path)
}

// incomplete is the error where a file of a party's folder cannot be read.
func incomplete(err error) error {
	var coded data.Errors
	if errors.As(err, &coded) {
		return err
	}
	return data.Coded(diag.BadIdentity,
		"%v; the folder of a party has its keys (vflc provision request) and the "+
			"bundle that was sent for them", err)
}

// Names of the files in the folder of a project and of a party.
const (
	ProjectFile   = "project.toml"
	AuthorityFile = "ca.crt"
	authorityKey  = "ca.key"
	RevokedFile   = "revoked.crl"
	IssuedDir     = "issued"
	BundlesDir    = "bundles"
	KeyFile       = "party.key"
	StreamFile    = "stream.key" // seeds the party's own random numbers
	RequestFile   = "request.csr"
	CertFile      = "party.crt"
)

const (
	private fs.FileMode = 0o600
	public  fs.FileMode = 0o644
)

// An Identity is a party with its keys.
type Identity struct {
	Project *Project
	Party   string
	Cert    *x509.Certificate
	Key     ed25519.PrivateKey
	Stream  [32]byte // seed of the party's own random numbers
	// Simulated is a seed from which the random numbers follow as in a run in one process, with the same
	// draws: whoever knows it knows the noise on what the party sends. nil where Stream is the seed.
	Simulated *uint64
	dir       string
	root      *x509.Certificate
	secret    []byte // of a party that has renewed its key
}

// Load reads the folder of a party and checks that its certificate is of its project, for its key, valid and
// not revoked.
func Load(dir string) (*Identity, error) {
	id := &Identity{dir: dir}
	var err error
	if id.Project, err = ReadProject(filepath.Join(dir, ProjectFile)); err != nil {
		return nil, data.Coded(diag.BadIdentity,
			"%v; the folder of a party has its keys (vflc provision request) and the "+
				"bundle that was sent for them", err)
	}
	if id.root, err = readCert(filepath.Join(dir, AuthorityFile)); err != nil {
		return nil, incomplete(err)
	}
	if id.Cert, err = readCert(filepath.Join(dir, CertFile)); err != nil {
		return nil, incomplete(err)
	}
	if id.Key, err = id.ownKey(); err != nil {
		return nil, incomplete(err)
	}
	if id.secret, err = keptSecret(dir); err != nil {
		return nil, err
	}
	if id.Party, err = id.Verify(id.Cert.Raw); err != nil {
		return nil, err
	}
	if !id.Key.Public().(ed25519.PublicKey).Equal(id.Cert.PublicKey) {
		return nil, data.Coded(diag.BadIdentity, "%s is not for the key in %s", filepath.Join(dir, CertFile),
			KeyFile)
	}
	text, err := os.ReadFile(filepath.Join(dir, StreamFile))
	if err != nil {
		return nil, incomplete(err)
	}
	if rest, ok := strings.CutPrefix(string(text), simulated); ok {
		seed, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
		if err != nil {
			return nil, data.Coded(diag.BadIdentity, "%s: %v", filepath.Join(dir, StreamFile), err)
		}
		id.Simulated = &seed
		return id, nil
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != len(id.Stream) {
		return nil, data.Coded(diag.BadIdentity, "%s holds no seed of 32 bytes", filepath.Join(dir, StreamFile))
	}
	copy(id.Stream[:], seed)
	return id, nil
}

// Dir is the folder of the party.
func (id *Identity) Dir() string { return id.dir }

// secretBytes is the length of a Secret.
const secretBytes = 32

// Secret is a number that the party alone knows, for digests that nobody else can compute. It stays when the
// key is renewed.
func (id *Identity) Secret() []byte {
	if id.secret != nil {
		return id.secret
	}
	b, err := hkdf.Key(sha256.New, id.Key.Seed(), nil, "vflc rows v1", secretBytes)
	if err != nil {
		panic("identity: " + err.Error()) // the length is one that HKDF has
	}
	return b
}

// Version differs when the files have changed by which Verify judges.
func (id *Identity) Version() (text string) {
	for _, name := range []string{RevokedFile, ProjectFile} {
		if info, err := os.Stat(filepath.Join(id.dir, name)); err == nil {
			text += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
		}
	}
	return text
}

// PublicKey is the key of a certificate that Verify has accepted.
func PublicKey(der []byte) ed25519.PublicKey {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil
	}
	key, _ := cert.PublicKey.(ed25519.PublicKey)
	return key
}
