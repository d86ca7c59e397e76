package identity

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// fingerprintBytes is how much of the SHA-256 of a key two people compare: nobody makes another key with the
// same 128 bits.
const fingerprintBytes = 16

// Fingerprint is what two people read to each other to compare a public key (SubjectPublicKeyInfo, as
// certificates and requests hold it): 8 groups of 4 hexadecimal digits.
func Fingerprint(key []byte) string {
	sum := sha256.Sum256(key)
	digits := hex.EncodeToString(sum[:fingerprintBytes])
	var groups []string
	for ; digits != ""; digits = digits[4:] {
		groups = append(groups, digits[:4])
	}
	return strings.Join(groups, " ")
}

// FingerprintOf is that of a key that is not in a certificate; "" for none.
func FingerprintOf(key ed25519.PublicKey) string {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return ""
	}
	return Fingerprint(der)
}

// Fingerprints are those of a party's key and of its project's authority.
type Fingerprints struct {
	Key       string `json:"key,omitempty"`
	Authority string `json:"authority,omitempty"`
}

// Fingerprints returns those of a party.
func (id *Identity) Fingerprints() Fingerprints {
	return Fingerprints{Fingerprint(id.Cert.RawSubjectPublicKeyInfo),
		Fingerprint(id.root.RawSubjectPublicKeyInfo)}
}

// AuthorityFingerprint is that of the authority of the project in a folder.
func AuthorityFingerprint(dir string) (string, error) {
	cert, err := readCert(filepath.Join(dir, AuthorityFile))
	if err != nil {
		return "", err
	}
	return Fingerprint(cert.RawSubjectPublicKeyInfo), nil
}

// RequestFingerprint is that of the key in a request, which its party has signed.
func RequestFingerprint(path string) (string, error) {
	r, _, err := readRequest(path)
	if err != nil {
		return "", err
	}
	return Fingerprint(r.RawSubjectPublicKeyInfo), nil
}

// readRequest reads a request for a certificate, and checks that it is signed with its key. One that renews
// has also a signature with the key before.
func readRequest(path string) (r *x509.CertificateRequest, renewal []byte, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != requestBlock {
		return nil, nil, data.Coded(diag.BadIdentity, "%s: not a PEM file of a %s", path,
			strings.ToLower(requestBlock))
	}
	if r, err = x509.ParseCertificateRequest(block.Bytes); err == nil {
		err = r.CheckSignature()
	}
	if err != nil {
		return nil, nil, failAt(path, "%v", err)
	}
	if block, _ = pem.Decode(rest); block != nil && block.Type == renewalBlock {
		renewal = block.Bytes
	}
	return r, renewal, nil
}
