// Package identity is who the parties of a project are: a certificate authority of the project, one certificate for each party, whose private key is made at the party and
// stays there, and a list of those that were revoked. The certified key is Ed25519; it is for TLS and for signing what the party sends.
package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// fail is an error with a code.
func fail(code diag.Code, format string, args ...any) data.Errors {
	var l diag.List
	l.Errorf(code, nil, source.Span{}, format, args...)
	return data.Errors(l)
}

// incomplete is the error where a file of a party's folder cannot be read.
func incomplete(err error) error {
	var coded data.Errors
	if errors.As(err, &coded) {
		return err
	}
	return fail(diag.BadIdentity, "%v; the folder of a party has its keys (vflc provision request) and the bundle that was sent for them", err)
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

// A Project is what all parties know of one another before a run.
type Project struct {
	Name    string   `toml:"name" comment:"letters, digits and _"`
	Server  string   `toml:"server" comment:"the party that coordinates runs: the server of the models"`
	Address string   `toml:"address" comment:"where it listens, as clients reach it: HOST:PORT"`
	Parties []string `toml:"parties" comment:"all parties, the server included; members of a family as lab[1], lab[2], …"`
}

var (
	projectName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)
	partyName   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,62}(\[[1-9][0-9]{0,5}\])?$`)
)

// Check returns an error that says what is wrong with a project.
func (p *Project) Check() error {
	switch {
	case !projectName.MatchString(p.Name):
		return fail(diag.BadProject, "the project's name %q: use letters, digits and _", p.Name)
	case !slices.Contains(p.Parties, p.Server):
		return fail(diag.BadProject, "the server %q is not among the parties", p.Server)
	}
	if _, _, err := net.SplitHostPort(p.Address); err != nil {
		return fail(diag.BadProject, "the address %q: write HOST:PORT", p.Address)
	}
	seen := map[string]bool{}
	for _, name := range p.Parties {
		if !partyName.MatchString(name) || seen[name] {
			return fail(diag.BadProject, "the party %q has no valid name, or there are two of it", name)
		}
		seen[name] = true
	}
	return nil
}

// ReadProject reads a project file.
func ReadProject(path string) (*Project, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Project{}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			err = errors.New(strict.String())
		}
		return nil, fail(diag.BadProject, "%s: %v", path, err)
	}
	if err := p.Check(); err != nil {
		return nil, fail(diag.BadProject, "%s: %v", path, err)
	}
	return p, nil
}

func (p *Project) write(dir string) error {
	text, err := toml.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, ProjectFile), public, text)
}

// validFor is how long certificates are valid.
const validFor = 5 * 365 * 24 * time.Hour

// Init makes a project in a folder: its file, and a certificate authority.
func Init(dir string, p Project) error {
	if err := p.Check(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, authorityKey)); err == nil {
		return fail(diag.BadProject, "%s has a certificate authority already; a new one would make every certificate of the project worthless", dir)
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
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "vflc project " + p.Name, Organization: []string{p.Name}}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(2 * validFor),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
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
	if err := errors.Join(writePEM(filepath.Join(dir, AuthorityFile), certBlock, der, public), p.write(dir)); err != nil {
		return err
	}
	return a.revoke(nil)
}

const (
	certBlock    = "CERTIFICATE"
	requestBlock = "CERTIFICATE REQUEST"
	keyBlock     = "PRIVATE KEY"
	revokedBlock = "X509 CRL"
)

func serial() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic("identity: " + err.Error()) // the system's random numbers never fail
	}
	return n
}

func writePEM(path, kind string, der []byte, mode fs.FileMode) error {
	return atomicfile.WriteBytes(path, mode, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func readPEM(path, kind string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return nil, fail(diag.BadIdentity, "%s: not a PEM file of a %s", path, strings.ToLower(kind))
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
		return nil, fail(diag.BadIdentity, "%s can be read by others; make it your own alone: chmod 600 %s", path, path)
	}
	der, err := readPEM(path, keyBlock)
	if err != nil {
		return nil, err
	}
	any, err := x509.ParsePKCS8PrivateKey(der)
	key, ok := any.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, fail(diag.BadIdentity, "%s: not an Ed25519 key", path)
	}
	return key, nil
}

// Request makes the keys of a party in its folder, and the request for a certificate, which alone is sent to whoever keeps the project.
func Request(dir, project, party string) error {
	if !projectName.MatchString(project) || !partyName.MatchString(party) {
		return fail(diag.RequestRefused, "%q and %q are no names of a project and a party", project, party)
	}
	if _, err := os.Stat(filepath.Join(dir, KeyFile)); err == nil {
		return fail(diag.RequestRefused, "%s has a key already; the request for it is %s", dir, filepath.Join(dir, RequestFile))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: party, Organization: []string{project}}}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return err
	}
	var stream [32]byte
	rand.Read(stream[:]) // never fails
	return errors.Join(writeKey(filepath.Join(dir, KeyFile), key), WriteStream(dir, stream), writePEM(filepath.Join(dir, RequestFile), requestBlock, der, public))
}

// Simulate sets the seed of the party's random numbers to one that a run in one process has too: for demonstrations and tests.
func Simulate(dir string, seed uint64) error {
	return atomicfile.WriteBytes(filepath.Join(dir, StreamFile), private, fmt.Appendf(nil, "%s%d\n", simulated, seed))
}

const simulated = "simulated "

// WriteStream sets the seed of the party's own random numbers.
func WriteStream(dir string, seed [32]byte) error {
	return atomicfile.WriteBytes(filepath.Join(dir, StreamFile), private, []byte(hex.EncodeToString(seed[:])+"\n"))
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

// fileName is the name of a party in names of files.
func fileName(party string) string { return strings.NewReplacer("[", "_", "]", "").Replace(party) }

// Add certifies the key of a request, adds its party to the project if it is new, and writes the party's bundle, which has no secrets. It returns the party and the folder.
func Add(dir, request string) (party, bundle string, err error) {
	a, err := openAuthority(dir)
	if err != nil {
		return "", "", err
	}
	der, err := readPEM(request, requestBlock)
	if err != nil {
		return "", "", err
	}
	r, err := x509.ParseCertificateRequest(der)
	if err == nil {
		err = r.CheckSignature()
	}
	if err != nil {
		return "", "", fail(diag.RequestRefused, "%s: %v", request, err)
	}
	party = r.Subject.CommonName
	pub, ok := r.PublicKey.(ed25519.PublicKey)
	switch {
	case !ok:
		return "", "", fail(diag.RequestRefused, "%s: the key is not Ed25519", request)
	case !partyName.MatchString(party):
		return "", "", fail(diag.RequestRefused, "%s: %q is no name of a party", request, party)
	case !slices.Equal(r.Subject.Organization, []string{a.project.Name}):
		return "", "", fail(diag.RequestRefused, "%s: the request is for the project %q, and this is %s", request, strings.Join(r.Subject.Organization, " "), a.project.Name)
	}
	issued := filepath.Join(dir, IssuedDir, fileName(party)+".crt")
	if _, err := os.Stat(issued); err == nil {
		return "", "", fail(diag.RequestRefused, "%s has a certificate (%s); revoke it first: vflc provision revoke %s %s", party, issued, dir, party)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: party, Organization: []string{a.project.Name}}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, a.cert, pub, a.key)
	if err != nil {
		return "", "", err
	}
	if !slices.Contains(a.project.Parties, party) {
		a.project.Parties = append(a.project.Parties, party)
		if err := a.project.write(dir); err != nil {
			return "", "", err
		}
	}
	bundle = filepath.Join(dir, BundlesDir, fileName(party))
	if err := errors.Join(os.MkdirAll(filepath.Dir(issued), 0o755), os.MkdirAll(bundle, 0o755)); err != nil {
		return "", "", err
	}
	if err := errors.Join(writePEM(issued, certBlock, cert, public), writePEM(filepath.Join(bundle, CertFile), certBlock, cert, public)); err != nil {
		return "", "", err
	}
	return party, bundle, Copy(dir, bundle)
}

// Copy copies what every party has of a project from one folder to another: the project file, the authority's certificate, and the list of revoked certificates.
func Copy(from, to string) error {
	for _, name := range []string{ProjectFile, AuthorityFile, RevokedFile} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(filepath.Join(to, name), public, text); err != nil {
			return err
		}
	}
	return nil
}

// Revoke adds the certificate of a party to the list of revoked ones. A new request of the party can then be added.
func Revoke(dir, party string) error {
	a, err := openAuthority(dir)
	if err != nil {
		return err
	}
	issued := filepath.Join(dir, IssuedDir, fileName(party)+".crt")
	cert, err := readCert(issued)
	if errors.Is(err, fs.ErrNotExist) {
		return fail(diag.RequestRefused, "%s has no certificate of %s", dir, party)
	}
	if err != nil {
		return err
	}
	if err := a.revoke(cert); err != nil {
		return err
	}
	return os.Rename(issued, issued+".revoked-"+cert.SerialNumber.Text(16))
}

// revoke writes the list of revoked certificates with one more.
func (a *authority) revoke(cert *x509.Certificate) error {
	path, now := filepath.Join(a.dir, RevokedFile), time.Now()
	list := &x509.RevocationList{Number: big.NewInt(now.UnixNano()), ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(validFor)}
	if old, err := readRevoked(path, a.cert); err == nil {
		list.RevokedCertificateEntries = old.RevokedCertificateEntries
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if cert != nil {
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: cert.SerialNumber, RevocationTime: now})
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

// An Identity is a party with its keys.
type Identity struct {
	Project *Project
	Party   string
	Cert    *x509.Certificate
	Key     ed25519.PrivateKey
	Stream  [32]byte // seed of the party's own random numbers
	// Simulated is a seed from which the random numbers follow as in a run in one process, with the same draws: whoever knows it knows the noise on what the party sends. nil
	// where Stream is the seed.
	Simulated *uint64
	dir       string
	root      *x509.Certificate
}

// Load reads the folder of a party and checks that its certificate is of its project, for its key, valid and not revoked.
func Load(dir string) (*Identity, error) {
	id := &Identity{dir: dir}
	var err error
	if id.Project, err = ReadProject(filepath.Join(dir, ProjectFile)); err != nil {
		return nil, fail(diag.BadIdentity, "%v; the folder of a party has its keys (vflc provision request) and the bundle that was sent for them", err)
	}
	if id.root, err = readCert(filepath.Join(dir, AuthorityFile)); err != nil {
		return nil, incomplete(err)
	}
	if id.Cert, err = readCert(filepath.Join(dir, CertFile)); err != nil {
		return nil, incomplete(err)
	}
	if id.Key, err = readKey(filepath.Join(dir, KeyFile)); err != nil {
		return nil, incomplete(err)
	}
	if id.Party, err = id.Verify(id.Cert.Raw); err != nil {
		return nil, err
	}
	if !id.Key.Public().(ed25519.PublicKey).Equal(id.Cert.PublicKey) {
		return nil, fail(diag.BadIdentity, "%s is not for the key in %s", filepath.Join(dir, CertFile), KeyFile)
	}
	text, err := os.ReadFile(filepath.Join(dir, StreamFile))
	if err != nil {
		return nil, incomplete(err)
	}
	if rest, ok := strings.CutPrefix(string(text), simulated); ok {
		seed, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
		if err != nil {
			return nil, fail(diag.BadIdentity, "%s: %v", filepath.Join(dir, StreamFile), err)
		}
		id.Simulated = &seed
		return id, nil
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != len(id.Stream) {
		return nil, fail(diag.BadIdentity, "%s holds no seed of 32 bytes", filepath.Join(dir, StreamFile))
	}
	copy(id.Stream[:], seed)
	return id, nil
}

// Secret is a number that the party alone knows, for digests that nobody else can compute.
func (id *Identity) Secret() []byte {
	b, err := hkdf.Key(sha256.New, id.Key.Seed(), nil, "vflc rows v1", 32)
	if err != nil {
		panic("identity: " + err.Error()) // the length is one that HKDF has
	}
	return b
}

// A Reason is why a certificate is refused.
type Reason string

// The reasons.
const (
	NoCertificate  Reason = "it shows no certificate"
	WrongAuthority Reason = "its certificate is not from the authority of this project"
	Expired        Reason = "its certificate has expired or is not valid yet"
	WrongProject   Reason = "its certificate is for another project"
	Unlisted       Reason = "the project does not list it"
	Revoked        Reason = "its certificate was revoked"
	Unreadable     Reason = "its certificate cannot be read"
	NotServer      Reason = "its certificate is not that of the project's server"
)

// A RefusedError is the error where a certificate is refused.
type RefusedError struct {
	Party string // as the certificate says; "" where it says nothing
	Why   Reason
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
		*list = fail(diag.CertificateRefused, "%s", e.Error())
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
	if !partyName.MatchString(party) {
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
	if slices.ContainsFunc(list.RevokedCertificateEntries, func(e x509.RevocationListEntry) bool { return e.SerialNumber.Cmp(cert.SerialNumber) == 0 }) {
		return party, &RefusedError{party, Revoked}
	}
	if project, err := ReadProject(filepath.Join(id.dir, ProjectFile)); err == nil { // parties are added while a server runs
		id = &Identity{Project: project}
	}
	if !slices.Contains(id.Project.Parties, party) {
		return party, &RefusedError{party, Unlisted}
	}
	return party, nil
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

// Accept configures TLS for the server: version 1.3, and a certificate from every client. refused is told of those that are turned away.
func (id *Identity) Accept(refused func(error)) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{id.pair()}, ClientAuth: tls.RequestClientCert, SessionTicketsDisabled: true,
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

// Dial configures TLS for a client: the other end must have the certificate of the project's server, whatever its address.
func (id *Identity) Dial() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{id.pair()}, InsecureSkipVerify: true, // VerifyConnection checks the certificate, by name and not by address
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
