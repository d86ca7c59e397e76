package identity

import (
	"crypto/ed25519"
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/internal/safefile"
)

// An Authority is the certificate authority of a project, as a party keeps it beside what other parties have
// signed.
type Authority struct{ root *x509.Certificate }

// KeepAuthority copies the certificate of the project's authority into a folder. It holds no secret.
func (id *Identity) KeepAuthority(dir string) error {
	text, err := os.ReadFile(filepath.Join(id.dir, AuthorityFile))
	if err != nil {
		return err
	}
	return safefile.WriteBytes(filepath.Join(dir, AuthorityFile), fs.FileMode(public), text)
}

// ReadAuthority reads what KeepAuthority has written.
func ReadAuthority(dir string) (*Authority, error) {
	root, err := readCert(filepath.Join(dir, AuthorityFile))
	if err != nil {
		return nil, err
	}
	return &Authority{root}, nil
}

// Signed returns the party of the project that has signed a text; "" where nobody has. That a certificate has
// expired or was revoked since changes nothing of what was signed.
func (a *Authority) Signed(cert, text, signature []byte) (party string) {
	c, err := x509.ParseCertificate(cert)
	if err != nil || c.IsCA || c.CheckSignatureFrom(a.root) != nil ||
		!partyName().MatchString(c.Subject.CommonName) {
		return ""
	}
	if key, ok := c.PublicKey.(ed25519.PublicKey); !ok || !ed25519.Verify(key, text, signature) {
		return ""
	}
	return c.Subject.CommonName
}
