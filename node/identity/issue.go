package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// validFor is how long certificates are valid.
const validFor = 5 * 365 * 24 * time.Hour

// Init makes a project in a folder: its file, and a certificate authority.
func Init(dir string, p Project) error {
	if err := p.Check(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, authorityKey)); err == nil {
		return data.Coded(diag.BadProject,
			"%s has a certificate authority already; a new one would make every certificate "+
				"of the project worthless", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "vflc project " + p.Name,
			Organization: []string{p.Name}}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(2 * validFor),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, pub, key)
	if err != nil {
		return err
	}
	a := &authority{dir: dir, key: key}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	if err := writeKey(filepath.Join(dir, authorityKey), key); err != nil {
		return err
	}
	if err := errors.Join(writePEM(filepath.Join(dir, AuthorityFile), certBlock, der, public),
		p.write(dir)); err != nil {
		return err
	}
	return a.revoke(nil)
}

func serial() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic("identity: " + err.Error()) // the system's random numbers never fail
	}
	return n
}

type authority struct {
	dir     string
	project *Project
	cert    *x509.Certificate
	key     ed25519.PrivateKey
}

func openAuthority(dir string) (*authority, error) {
	a := &authority{dir: dir}
	var err error
	if a.project, err = ReadProject(filepath.Join(dir, ProjectFile)); err != nil {
		return nil, err
	}
	if a.cert, err = readCert(filepath.Join(dir, AuthorityFile)); err != nil {
		return nil, err
	}
	a.key, err = readKey(filepath.Join(dir, authorityKey))
	return a, err
}

// fileName is the name of a party in names of files.
func fileName(party string) string { return strings.NewReplacer("[", "_", "]", "").Replace(party) }

// Admission says whom Add may certify beside the clients that the project lists.
type Admission struct {
	New    bool // a name that the project does not list, which is added to it
	Server bool // the server, which all clients trust to carry their runs
	// how long a certificate that is renewed is accepted beside the new one
	Overlap time.Duration
}

// Issued is what Add has made.
type Issued struct {
	Party, Bundle string
	New           bool // the party was added to the project
	Renewed       bool // the certificate replaces one of the party
	Fingerprints
}

// Add certifies the key of a request, and writes the party's bundle, which has no secrets. A party that the
// project does not list, and its server, are certified where the keeper says so.
func Add(dir, request string, may Admission) (*Issued, error) {
	a, err := openAuthority(dir)
	if err != nil {
		return nil, err
	}
	r, renewal, err := readRequest(request)
	if err != nil {
		return nil, err
	}
	party := r.Subject.CommonName
	issued := filepath.Join(dir, IssuedDir, fileName(party)+".crt")
	out := &Issued{Party: party, New: !slices.Contains(a.project.Parties, party), Renewed: renewal != nil,
		Fingerprints: Fingerprints{Fingerprint(r.RawSubjectPublicKeyInfo),
			Fingerprint(a.cert.RawSubjectPublicKeyInfo)}}
	pub, ok := r.PublicKey.(ed25519.PublicKey)
	switch {
	case !ok:
		return nil, failAt(request, "the key is not Ed25519")
	case !partyName().MatchString(party):
		return nil, failAt(request, "%q is no name of a party", party)
	case !slices.Equal(r.Subject.Organization, []string{a.project.Name}):
		return nil, failAt(request, "the request is for the project %q, and this is %s",
			strings.Join(r.Subject.Organization, " "), a.project.Name)
	case out.New && !may.New:
		return nil, failAt(request,
			"the project %s does not list %s, but %s: anybody can write a request for any name. To let %s "+
				"take part, compare the key %s with the party and give --new", a.project.Name, party,
			strings.Join(a.project.Parties, ", "), party, out.Key)
	case party == a.project.Server && !may.Server && !out.Renewed: // a renewal is signed by its key
		return nil, failAt(request,
			"the request is for %s, the server of the project, whom all clients trust to carry their runs: "+
				"compare the key %s with the server's own and give --server", party, out.Key)
	}
	var old *x509.Certificate
	if out.Renewed {
		if old, err = a.renews(request, issued, r, renewal); err != nil {
			return nil, err
		}
	} else if _, err := os.Stat(issued); err == nil {
		return nil, failAt(request, "%s has a certificate (%s): the party renews it with vflc provision renew; "+
			"one that is lost is revoked first: vflc provision revoke %s %s", party, issued, dir, party)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: party, Organization: []string{a.project.Name}},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth,
			x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, a.cert, pub, a.key)
	if err != nil {
		return nil, err
	}
	if out.New {
		a.project.Parties = append(a.project.Parties, party)
		if err := a.project.write(dir); err != nil {
			return nil, err
		}
	}
	// as every party will
	if _, err := (&Identity{Project: a.project, dir: dir, root: a.cert}).Verify(cert); err != nil {
		return nil, err
	}
	out.Bundle = filepath.Join(dir, BundlesDir, fileName(party))
	if err := errors.Join(os.MkdirAll(filepath.Dir(issued), 0o755),
		os.MkdirAll(out.Bundle, 0o755)); err != nil {
		return nil, err
	}
	if old != nil {
		if err := a.supersede(old, issued, may.Overlap); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(writePEM(issued, certBlock, cert, public),
		writePEM(filepath.Join(out.Bundle, CertFile), certBlock, cert, public)); err != nil {
		return nil, err
	}
	return out, Copy(dir, out.Bundle)
}

// Copy copies what every party has of a project from one folder to another: the project file, the authority's
// certificate, and the list of revoked certificates.
func Copy(from, to string) error {
	for _, name := range []string{ProjectFile, AuthorityFile, RevokedFile} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := safefile.WriteBytes(filepath.Join(to, name), public, text); err != nil {
			return err
		}
	}
	return nil
}

// Revoke adds the certificate of a party to the list of revoked ones. A new request of the party can then be
// added.
func Revoke(dir, party string) error {
	a, err := openAuthority(dir)
	if err != nil {
		return err
	}
	issued := filepath.Join(dir, IssuedDir, fileName(party)+".crt")
	cert, err := readCert(issued)
	if errors.Is(err, fs.ErrNotExist) {
		return data.Coded(diag.RequestRefused, "%s has no certificate of %s", dir, party)
	}
	if err != nil {
		return err
	}
	if err := a.revoke(&x509.RevocationListEntry{SerialNumber: cert.SerialNumber,
		RevocationTime: time.Now()}); err != nil {
		return err
	}
	return os.Rename(issued, issued+".revoked-"+cert.SerialNumber.Text(16))
}

// revoke writes the list of revoked certificates with one more.
func (a *authority) revoke(entry *x509.RevocationListEntry) error {
	path, now := filepath.Join(a.dir, RevokedFile), time.Now()
	list := &x509.RevocationList{Number: big.NewInt(now.UnixNano()), ThisUpdate: now.Add(-time.Minute),
		NextUpdate: now.Add(validFor)}
	if old, err := readRevoked(path, a.cert); err == nil {
		list.RevokedCertificateEntries = old.RevokedCertificateEntries
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if entry != nil {
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, *entry)
	}
	der, err := x509.CreateRevocationList(rand.Reader, list, a.cert, a.key)
	if err != nil {
		return err
	}
	return writePEM(path, revokedBlock, der, public)
}

func readRevoked(path string, by *x509.Certificate) (*x509.RevocationList, error) {
	der, err := readPEM(path, revokedBlock)
	if err != nil {
		return nil, err
	}
	list, err := x509.ParseRevocationList(der)
	if err == nil {
		err = list.CheckSignatureFrom(by)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}
