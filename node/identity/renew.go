package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// A renewal replaces a party's key and certificate. The party makes a key beside the one that it has, and
// signs the request for it with that: so the keeper of the project knows whose it is without a telephone, as
// long as nobody else has that key (else the certificate is revoked, and a request made anew). Other parties
// trust the project's authority, as before. They take the certificate before it until the day that the list
// of revoked certificates gives, so that a run goes on meanwhile.

// Names of files of renewals.
const (
	NextKeyFile = "next.key"    // is used from when the folder holds the certificate for it
	RenewalFile = "renewal.csr" // the request, with the signature of the key before
	RowsKeyFile = "rows.key"    // the Secret, which is that of the party's first key
)

const renewalBlock = "VFLC RENEWAL"

// Overlap is how long a certificate that was renewed is accepted beside the new one, unless the keeper says
// another time.
const Overlap = 7 * 24 * time.Hour

// superseded is the reason of RFC 5280 for a certificate that another one replaces from a day on.
const superseded = 4

func renewalText(project string, request []byte) []byte {
	return append([]byte("vflc renewal v1\n"+project+"\n"), request...)
}

// Renew makes the party's next key in its folder, and the request for its certificate. What was told of rows
// and spent on them is still known by the Secret, which stays. It returns the fingerprint of the new key.
func Renew(dir string) (fingerprint string, err error) {
	id, err := Load(dir)
	if err != nil {
		return "", err
	}
	next := filepath.Join(dir, NextKeyFile)
	key, err := readKey(next)
	switch {
	case err == nil && key.Equal(id.Key): // of the renewal before, which is done
		err = os.Rename(next, filepath.Join(dir, KeyFile))
	case err == nil:
		err = data.Coded(diag.RequestRefused, "a renewal was requested already: send %s, or remove %s to make "+
			"another key", filepath.Join(dir, RenewalFile), NextKeyFile).At(dir)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return "", err
	}
	if _, key, err = ed25519.GenerateKey(nil); err != nil {
		return "", err
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: id.Party,
		Organization: []string{id.Project.Name}}}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return "", err
	}
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return "", err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: requestBlock, Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: renewalBlock,
			Bytes: ed25519.Sign(id.Key, renewalText(id.Project.Name, der))})...)
	return Fingerprint(request.RawSubjectPublicKeyInfo), errors.Join(
		safefile.WriteBytes(filepath.Join(dir, RowsKeyFile), private,
			[]byte(hex.EncodeToString(id.Secret())+"\n")),
		writeKey(next, key), safefile.WriteBytes(filepath.Join(dir, RenewalFile), public, text))
}

// ownKey reads the party's key: after a renewal the next one, where its certificate is there.
func (id *Identity) ownKey() (ed25519.PrivateKey, error) {
	key, err := readKey(filepath.Join(id.dir, KeyFile))
	if err != nil || key.Public().(ed25519.PublicKey).Equal(id.Cert.PublicKey) {
		return key, err
	}
	next, err := readKey(filepath.Join(id.dir, NextKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return key, nil
	}
	return next, err
}

// keptSecret reads the Secret of a party that has renewed its key; nil where it has not.
func keptSecret(dir string) ([]byte, error) {
	path := filepath.Join(dir, RowsKeyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	secret, bad := hex.DecodeString(strings.TrimSpace(string(text)))
	if err == nil && (bad != nil || len(secret) != secretBytes) {
		err = data.Coded(diag.BadIdentity, "%s holds no secret of %d bytes", path, secretBytes)
	}
	return secret, err
}

// renews is the certificate that a request replaces: the one that the party has, which is valid, and whose
// key has signed the request. A renewal that was done before is signed by a key before that.
func (a *authority) renews(path, issued string, r *x509.CertificateRequest, signature []byte) (
	*x509.Certificate, error) {
	party := r.Subject.CommonName
	old, err := readCert(issued)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failAt(path, "%s has no certificate to renew: let it send %s", party, RequestFile)
	}
	if err != nil {
		return nil, err
	}
	if _, err := (&Identity{Project: a.project, dir: a.dir, root: a.cert}).Verify(old.Raw); err != nil {
		return nil, err
	}
	key, ok := old.PublicKey.(ed25519.PublicKey)
	switch {
	case !ok || !ed25519.Verify(key, renewalText(a.project.Name, r.Raw), signature):
		return nil, failAt(path, "the renewal is not signed with the key of the certificate that %s has (%s): "+
			"it is another's, or older than the last one", party, issued)
	case bytes.Equal(old.RawSubjectPublicKeyInfo, r.RawSubjectPublicKeyInfo):
		return nil, failAt(path, "the renewal is for the key that %s has", party)
	}
	return old, nil
}

// supersede lets the certificate before a renewal be accepted for some time more, and keeps it. The new one
// is then written in its place.
func (a *authority) supersede(old *x509.Certificate, issued string, overlap time.Duration) error {
	entry := x509.RevocationListEntry{SerialNumber: old.SerialNumber, RevocationTime: time.Now().Add(overlap),
		ReasonCode: superseded}
	return errors.Join(a.revoke(&entry),
		writePEM(issued+".renewed-"+old.SerialNumber.Text(16), certBlock, old.Raw, public))
}
