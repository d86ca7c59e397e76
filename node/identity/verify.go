package identity

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// A Defect is why a certificate is refused.
type Defect string

// The reasons.
const (
	NoCertificate  Defect = "it shows no certificate"
	WrongAuthority Defect = "its certificate is not from the authority of this project"
	Expired        Defect = "its certificate has expired or is not valid yet"
	WrongProject   Defect = "its certificate is for another project"
	Unlisted       Defect = "the project does not list it"
	Revoked        Defect = "its certificate was revoked"
	Superseded     Defect = "its certificate was renewed, and is not accepted any more"
	Unreadable     Defect = "its certificate cannot be read"
	NotServer      Defect = "its certificate is not that of the project's server"
)

// A RefusedError is the error where a certificate is refused.
type RefusedError struct {
	Party string // as the certificate says; "" where it says nothing
	Why   Defect
}

func (e *RefusedError) Error() string {
	if e.Party == "" {
		return "refused: " + string(e.Why)
	}
	return fmt.Sprintf("%s is refused: %s", e.Party, e.Why)
}

// As makes a diagnostic of it.
func (e *RefusedError) As(target any) bool {
	list, ok := target.(*data.Errors)
	if ok {
		*list = data.Coded(diag.CertificateRefused, "%s", e.Error())
	}
	return ok
}

// Verify checks a certificate and returns the party whose it is. The error is a *RefusedError.
func (id *Identity) Verify(der []byte) (party string, err error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return "", &RefusedError{"", Unreadable}
	}
	party = cert.Subject.CommonName
	if !partyName().MatchString(party) {
		party = ""
	}
	if cert.CheckSignatureFrom(id.root) != nil {
		return party, &RefusedError{party, WrongAuthority}
	}
	now := time.Now()
	if now.Before(cert.NotBefore) || now.After(cert.NotAfter) {
		return party, &RefusedError{party, Expired}
	}
	if !slices.Equal(cert.Subject.Organization, []string{id.Project.Name}) {
		return party, &RefusedError{party, WrongProject}
	}
	if _, ok := cert.PublicKey.(ed25519.PublicKey); !ok || cert.IsCA || party == "" {
		return party, &RefusedError{party, Unreadable}
	}
	list, err := readRevoked(filepath.Join(id.dir, RevokedFile), id.root)
	if err != nil {
		return party, err
	}
	for _, e := range list.RevokedCertificateEntries {
		switch {
		case e.SerialNumber.Cmp(cert.SerialNumber) != 0:
		case e.ReasonCode != superseded: // whatever its day: clocks differ
			return party, &RefusedError{party, Revoked}
		case !now.Before(e.RevocationTime):
			return party, &RefusedError{party, Superseded}
		}
	}
	// parties are added while a server runs
	if project, err := ReadProject(filepath.Join(id.dir, ProjectFile)); err == nil {
		id = &Identity{Project: project}
	}
	if !slices.Contains(id.Project.Parties, party) {
		return party, &RefusedError{party, Unlisted}
	}
	return party, nil
}

// Accept configures TLS for the server: version 1.3, and a certificate from every client. refused is called
// with the reason for each that is turned away.
func (id *Identity) Accept(refused func(error)) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{id.pair()},
		ClientAuth: tls.RequestClientCert, SessionTicketsDisabled: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			err := error(&RefusedError{"", NoCertificate})
			if len(s.PeerCertificates) > 0 {
				_, err = id.Verify(s.PeerCertificates[0].Raw)
			}
			if err != nil {
				refused(err)
			}
			return err
		},
	}
}

// Dial configures TLS for a client: the other end must have the certificate of the project's server, whatever
// its address.
func (id *Identity) Dial() *tls.Config {
	return &tls.Config{
		// VerifyConnection checks the certificate, by name and not by address
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{id.pair()}, InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return &RefusedError{"", NoCertificate}
			}
			party, err := id.Verify(s.PeerCertificates[0].Raw)
			if err == nil && party != id.Project.Server {
				err = &RefusedError{party, NotServer}
			}
			return err
		},
	}
}

func (id *Identity) pair() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{id.Cert.Raw}, PrivateKey: id.Key, Leaf: id.Cert}
}
