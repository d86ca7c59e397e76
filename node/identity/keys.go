package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

const (
	certBlock    = "CERTIFICATE"
	requestBlock = "CERTIFICATE REQUEST"
	keyBlock     = "PRIVATE KEY"
	revokedBlock = "X509 CRL"
)

func writePEM(path, kind string, der []byte, mode fs.FileMode) error {
	return safefile.WriteBytes(path, mode, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func readPEM(path, kind string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return nil, data.Coded(diag.BadIdentity, "%s: not a PEM file of a %s", path, strings.ToLower(kind))
	}
	return block.Bytes, nil
}

func writeKey(path string, key ed25519.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, keyBlock, der, private)
}

func readKey(path string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, data.Coded(diag.BadIdentity, "%s can be read by others; make it your own alone: chmod 600 %s",
			path, path)
	}
	der, err := readPEM(path, keyBlock)
	if err != nil {
		return nil, err
	}
	any, err := x509.ParsePKCS8PrivateKey(der)
	key, ok := any.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, data.Coded(diag.BadIdentity, "%s: not an Ed25519 key", path)
	}
	return key, nil
}

// Request makes the keys of a party in its folder, and the request for a certificate, which alone is sent to
// whoever keeps the project.
func Request(dir, project, party string) error {
	if !projectName().MatchString(project) {
		return data.Coded(diag.RequestRefused,
			"%q is no name of a project, which begins with a letter and has letters, digits and _: give "+
				"the name that its project.toml has, not its folder", project)
	}
	if !partyName().MatchString(party) {
		return data.Coded(diag.RequestRefused,
			"%q is no name of a party: give the one that the model has, of a member of a family as lab[2]",
			party)
	}
	if _, err := os.Stat(filepath.Join(dir, KeyFile)); err == nil {
		return data.Coded(diag.RequestRefused, "%s has a key already; the request for it is %s", dir,
			filepath.Join(dir, RequestFile))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: party,
		Organization: []string{project}}}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return err
	}
	var stream [32]byte
	rand.Read(stream[:]) // never fails
	return errors.Join(writeKey(filepath.Join(dir, KeyFile), key), WriteStream(dir, stream),
		writePEM(filepath.Join(dir, RequestFile), requestBlock, der, public))
}

// Simulate sets the seed of the party's random numbers to one that a run in one process has too: for
// demonstrations and tests.
func Simulate(dir string, seed uint64) error {
	return safefile.WriteBytes(filepath.Join(dir, StreamFile), private,
		fmt.Appendf(nil, "%s%d\n", simulated, seed))
}

const simulated = "simulated "

// WriteStream sets the seed of the party's own random numbers.
func WriteStream(dir string, seed [32]byte) error {
	return safefile.WriteBytes(filepath.Join(dir, StreamFile), private,
		[]byte(hex.EncodeToString(seed[:])+"\n"))
}

func readCert(path string) (*x509.Certificate, error) {
	der, err := readPEM(path, certBlock)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cert, nil
}
