package identity

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"path/filepath"
	"strings"
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
	r, err := readRequest(path)
	if err != nil {
		return "", err
	}
	return Fingerprint(r.RawSubjectPublicKeyInfo), nil
}

// readRequest reads a request for a certificate, and checks that it is signed with its key.
func readRequest(path string) (*x509.CertificateRequest, error) {
	der, err := readPEM(path, requestBlock)
	if err != nil {
		return nil, err
	}
	r, err := x509.ParseCertificateRequest(der)
	if err == nil {
		err = r.CheckSignature()
	}
	if err != nil {
		return nil, failAt(path, "%v", err)
	}
	return r, nil
}
