package node

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"slices"

	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/release"
)

// signedRelease returns an error unless each of the parties has signed a release by a certificate that is
// valid.
func signedRelease(id *identity.Identity, m *release.Moments, parties []string) error {
	for _, name := range parties {
		at := slices.IndexFunc(m.Signatures, func(s release.Signature) bool { return s.Party == name })
		if at < 0 {
			return fmt.Errorf("%s has not signed the release", name)
		}
		s := m.Signatures[at]
		party, err := id.Verify(s.Cert)
		if err != nil {
			return err
		}
		if party != name || !ed25519.Verify(identity.PublicKey(s.Cert),
			release.Signed(id.Project.Name, m.Digest), s.Text) {
			return fmt.Errorf("the signature of %s is not of this release", name)
		}
	}
	return nil
}

// CheckRelease returns an error unless all signatures of a release are of it, each by a certificate for one
// project that names the party, and unless every owner of a column has signed. Where the file of an authority
// is given, the certificates are its. Whether they are valid today does not matter: the release was made when
// they were.
func CheckRelease(m *release.Moments, authority string) error {
	var root *x509.Certificate
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return err
		}
		block, _ := pem.Decode(text)
		if block == nil {
			return fmt.Errorf("%s is no certificate", authority)
		}
		if root, err = x509.ParseCertificate(block.Bytes); err != nil {
			return err
		}
	}
	signed := map[string]bool{}
	for _, s := range m.Signatures {
		cert, err := x509.ParseCertificate(s.Cert)
		if err != nil || len(cert.Subject.Organization) != 1 || cert.Subject.CommonName != s.Party {
			return fmt.Errorf("the certificate of %s cannot be read", s.Party)
		}
		key, ok := cert.PublicKey.(ed25519.PublicKey)
		if !ok || !ed25519.Verify(key, release.Signed(cert.Subject.Organization[0], m.Digest), s.Text) {
			return fmt.Errorf("the signature of %s is not of this release", s.Party)
		}
		if root != nil && cert.CheckSignatureFrom(root) != nil {
			return fmt.Errorf("the certificate of %s is not from the authority %s", s.Party, authority)
		}
		signed[s.Party] = true
	}
	for _, owner := range release.Parties(m.Columns) {
		if (len(m.Signatures) > 0 || root != nil) && !signed[owner] {
			return fmt.Errorf("%s has not signed the release", owner)
		}
	}
	return nil
}
