package node

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

// A carrier may read, alter, repeat and forge what it brings: an organisation's own NATS cluster knows
// nothing of the parties. So every process of a party makes an X25519 key and tells it to its peers in a
// hello, which it signs with the key of its certificate; everything else that two parties tell one another is
// encrypted with AES-256-GCM under a secret that follows from the keys of their two processes. A hello
// repeats the key of the receiver's process: it then is no older than that process, and only such a one is
// taken. Every packet has a number, greater in every packet of a party; what is not newer than the last is
// refused. What anybody can see is who speaks, how much and when, and the versions of the programs.
//
// A hello names the version and the protocol of its sender, and has this form in every protocol from 2 on:
// two parties with different programs find so, whatever else they would say in different forms.

const controlMagic = "VF2C"

// Kinds of control packets.
const (
	kindHello  = 'H'
	kindAsk    = 'A' // a hello of a process that asks what the server announces, and takes no part
	kindSealed = 'S'
)

const forHello = "vflc hello v3"

const (
	publicSize = 32
	preface    = len(controlMagic) + 1
	// and the program, of which the last byte is the length, and the certificate
	helloSize     = preface + ed25519.SignatureSize + 2*publicSize + 8 + 1
	encryptedSize = preface + 2*publicSize + 8 // and the encrypted text
	mostHello     = 8 << 10
	// certificates are looked at again, and at once where the files have changed that say who is accepted
	reviewEvery = time.Hour
	lookMost    = time.Second           // between two looks at those files
	answerEvery = 50 * time.Millisecond // a process is answered by hellos no more often
)

// mostControl bounds a control packet.
const mostControl = 900 << 10

// A program is what a process runs. Two that differ may differ in what they say, and in the draws.
type program struct{ version, protocol string }

func (p program) String() string { return fmt.Sprintf("vflc %s (protocol %s)", p.version, p.protocol) }

// ownProgram is that of this process.
func ownProgram() program { return program{fit.Version(), split.ProtocolVersion} }

// text is the program in a hello: its length in a byte, and protocol and version.
func (p program) text() []byte {
	text := p.protocol + " " + p.version
	text = text[:min(len(text), math.MaxUint8)]
	return append([]byte{byte(len(text))}, text...)
}

// readProgram reads a program, and returns what follows it. It reports whether there is one, in characters
// that can be shown.
func readProgram(b []byte) (p program, rest []byte, ok bool) {
	if len(b) == 0 || len(b) <= int(b[0]) {
		return p, nil, false
	}
	text, rest := string(b[1:][:b[0]]), b[1+int(b[0]):]
	p.protocol, p.version, ok = strings.Cut(text, " ")
	return p, rest, ok && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// secrets are the key of this process, and what it knows of its peers'.
type secrets struct {
	id      *identity.Identity
	program program
	key     *ecdh.PrivateKey
	public  []byte

	mutex    sync.Mutex
	count    uint64
	peers    map[string]*peerKey
	answered map[string]time.Time // see answer
	version  string               // of the files that say who is accepted, at the last review
	reviewed time.Time
	looked   time.Time // at the files, the last time
}

// A peerKey is that of a process of another party.
type peerKey struct {
	party      string
	public     []byte
	cert       []byte
	last       uint64   // the number of the newest packet
	earlier    [][]byte // keys of the party's processes before this one, which are refused while it speaks
	heard      time.Time
	seal, open cipher.AEAD
}

func newSecrets(id *identity.Identity) *secrets {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		panic("node: " + err.Error()) // the system's random numbers never fail
	}
	return &secrets{id: id, program: ownProgram(), key: key, public: key.PublicKey().Bytes(),
		peers: map[string]*peerKey{}, answered: map[string]time.Time{}}
}

// number is greater than those of all earlier packets of this party, also of earlier processes.
func (s *secrets) number() uint64 {
	s.count = max(s.count+1, uint64(time.Now().UnixNano()))
	return s.count
}

// helloText is what the signature of a hello covers.
func helloText(kind byte, project, to string, rest []byte) []byte {
	return signed(forHello, string(kind), project, to, string(rest))
}

// hello tells a party the key of this process. echo is that of the party's process; nil: it is not known.
func (s *secrets) hello(kind byte, to string, echo []byte) []byte {
	rest := append([]byte(nil), s.public...)
	rest = append(rest, echo...)
	rest = append(rest, make([]byte, 2*publicSize-len(rest))...)
	rest = binary.LittleEndian.AppendUint64(rest, s.number())
	rest = append(rest, s.program.text()...)
	rest = append(rest, s.id.Cert.Raw...)
	out := append([]byte(controlMagic), kind)
	out = append(out, ed25519.Sign(s.id.Key, helloText(kind, s.id.Project.Name, to, rest))...)
	return append(out, rest...)
}

// packet makes of a text what is sent to a party: encrypted, or a hello where the key of its process is not
// known yet.
func (s *secrets) packet(to string, text []byte) []byte {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if p := s.peers[to]; p != nil {
		return s.encrypted(p, text)
	}
	return s.hello(kindHello, to, nil)
}

// reply encrypts a text for a process that asks.
func (s *secrets) reply(p *peerKey, text []byte) []byte {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.encrypted(p, text)
}

func (s *secrets) encrypted(p *peerKey, text []byte) []byte {
	out := append([]byte(controlMagic), kindSealed)
	out = append(append(out, s.public...), p.public...)
	out = binary.LittleEndian.AppendUint64(out, s.number())
	return p.seal.Seal(out, nonceOf(out), text, out)
}

// nonceOf is the nonce of an encrypted packet: its number, which a process uses once.
func nonceOf(head []byte) []byte {
	return append(make([]byte, 4), head[encryptedSize-8:encryptedSize]...)
}

// A told is what a control packet tells.
type told struct {
	from   string
	number uint64
	text   []byte // nil: nothing but keys
	answer []byte // what is sent back at once; nil: nothing
	met    bool   // the key of the peer's process is a new one
	// that of the peer's process, where it is not this one's: the two have nothing to say to one another
	other  *program
	asking *peerKey // of a process that asks what the server announces
}

var (
	errNoControl = errors.New("it is no control message of this project")
	errEarlier   = fmt.Errorf("it is of an earlier version of vflc, protocol 1, and this party runs %s: "+
		"install the same version at all parties", ownProgram())
	errRepeated = errors.New("it is older than the last one")
	errOtherKey = errors.New("it is encrypted for another process, or by one that is not known")
	errTag      = errors.New("its authentication tag is wrong")
	errTwice    = errors.New("another process of the party has joined since this one")
)

// take opens a control packet that came as from a party. An error is one that changes nothing; there may be
// an answer with it.
func (s *secrets) take(claimed string, packet []byte) (told, error) {
	rest, ok := bytes.CutPrefix(packet, []byte(controlMagic))
	if !ok || len(rest) == 0 || len(packet) > mostControl {
		return told{}, errNoControl
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch rest[0] {
	case kindHello, kindAsk:
		return s.meet(packet)
	case kindSealed:
		return s.decrypt(claimed, packet)
	}
	return told{}, errNoControl
}

// meet takes a hello.
func (s *secrets) meet(packet []byte) (told, error) {
	if len(packet) <= helloSize || len(packet) > mostHello {
		return told{}, errNoControl
	}
	kind, signature, rest := packet[preface-1], packet[preface:][:ed25519.SignatureSize],
		packet[preface+ed25519.SignatureSize:]
	public, echo, number, cert := rest[:publicSize], rest[publicSize:][:publicSize],
		binary.LittleEndian.Uint64(rest[2*publicSize:]), rest[2*publicSize+8:]
	theirs, cert, ok := readProgram(cert)
	if !ok {
		return s.earlier(kind, rest, signature)
	}
	from, err := s.id.Verify(cert)
	if err != nil {
		return told{from: from}, err
	}
	if !ed25519.Verify(identity.PublicKey(cert), helloText(kind, s.id.Project.Name, s.id.Party, rest),
		signature) || from == s.id.Party {
		return told{from: from}, errTag
	}
	t := told{from: from, number: number}
	p := &peerKey{party: from, public: bytes.Clone(public), cert: bytes.Clone(cert), last: number}
	if err := s.agree(p); err != nil {
		return t, errNoControl
	}
	if kind == kindAsk {
		// otherwise it asks again, or finds the other program in the answer
		if t.answer = s.answer(from, p.public, true); t.answer != nil && theirs == s.program {
			t.asking = p
		}
		return t, nil
	}
	// it may be an old one that somebody repeats: the party has to show that it knows this process
	if !bytes.Equal(echo, s.public) {
		t.answer = s.answer(from, p.public, true)
		return t, nil
	}
	if theirs != s.program {
		t.other, t.answer = &theirs, s.answer(from, p.public, true)
		return t, nil
	}
	old := s.peers[from]
	if old != nil && number <= old.last {
		return t, errRepeated
	}
	if t.met = old == nil || !bytes.Equal(old.public, p.public); t.met {
		if old != nil {
			if time.Since(old.heard) < missedAfter && slices.ContainsFunc(old.earlier, func(key []byte) bool {
				return bytes.Equal(key, p.public)
			}) {
				return told{from: from}, errTwice
			}
			p.earlier = append(old.earlier, old.public)
		}
		p.heard = time.Now()
		s.peers[from] = p
		t.answer = s.answer(from, p.public, true)
	} else {
		old.last, old.heard = number, time.Now()
	}
	return t, nil
}

// forEarlierHello begins what the signature of a hello of protocol 1 covers, which did not name the program.
const forEarlierHello = "vflc hello v2"

// earlier is the error of a hello that cannot be read: that of a process of protocol 1 is named as one. It
// changes nothing, since anybody may repeat it.
func (s *secrets) earlier(kind byte, rest, signature []byte) (told, error) {
	cert := rest[2*publicSize+8:]
	from, err := s.id.Verify(cert)
	if err == nil && ed25519.Verify(identity.PublicKey(cert),
		signed(forEarlierHello, string(kind), s.id.Project.Name, s.id.Party, string(rest)), signature) {
		return told{from: from}, errEarlier
	}
	return told{}, errNoControl
}

// knows reports whether the key of a party's process is known.
func (s *secrets) knows(party string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.peers[party] != nil
}

// answer is a hello, or nil where there is no such party, or where it was answered just before. Each process
// whose key its party has signed is answered by itself, and all others of a party together: what anybody can
// make up, and what an earlier process has said, takes no answer from the process that waits for one.
func (s *secrets) answer(to string, echo []byte, signed bool) []byte {
	turn, now := to, time.Now()
	if signed {
		turn += string(echo)
	}
	maps.DeleteFunc(s.answered, func(_ string, at time.Time) bool { return now.Sub(at) >= answerEvery })
	if _, just := s.answered[turn]; just || !slices.Contains(s.id.Project.Parties, to) && s.peers[to] == nil {
		return nil
	}
	s.answered[turn] = now
	return s.hello(kindHello, to, echo)
}

// agree makes the secrets of both directions.
func (s *secrets) agree(p *peerKey) error {
	public, err := ecdh.X25519().NewPublicKey(p.public)
	if err != nil {
		return err
	}
	secret, err := s.key.ECDH(public)
	if err != nil {
		return err
	}
	if p.seal, err = s.direction(secret, s.id.Party, p.party, s.public, p.public); err != nil {
		return err
	}
	p.open, err = s.direction(secret, p.party, s.id.Party, p.public, s.public)
	return err
}

func (s *secrets) direction(secret []byte, from, to string, ours, theirs []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, []byte(s.id.Project.Name),
		string(signed("vflc control v2", from, to, string(ours), string(theirs))), 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// decrypt decrypts a packet. Where it is for an earlier process of this party, or from a process that is not
// known, the party that it came from is told the key of this one.
func (s *secrets) decrypt(claimed string, packet []byte) (told, error) {
	if len(packet) < encryptedSize {
		return told{}, errNoControl
	}
	head := packet[:encryptedSize]
	theirs, ours, number := head[preface:][:publicSize], head[preface+publicSize:][:publicSize],
		binary.LittleEndian.Uint64(head[encryptedSize-8:])
	var p *peerKey
	for _, one := range s.peers {
		if bytes.Equal(one.public, theirs) {
			p = one
		}
	}
	if p == nil || !bytes.Equal(ours, s.public) {
		if p != nil {
			claimed = p.party
		}
		return told{from: claimed, answer: s.answer(claimed, theirs, false)}, errOtherKey
	}
	t := told{from: p.party, number: number}
	if number <= p.last {
		return t, errRepeated
	}
	text, err := p.open.Open(nil, nonceOf(head), packet[encryptedSize:], head)
	if err != nil {
		return t, errTag
	}
	p.heard = time.Now()
	p.last, t.text = number, append([]byte{}, text...)
	return t, nil
}

// refuses is the error where a party runs another version.
func (s *secrets) refuses(e otherEvent) error {
	return refuse(CodeVersion,
		"%s runs %s, this party %s: draws may differ between versions, and messages; install the same "+
			"version at all parties, and compile the model again with it", e.party, e.program, s.program)
}

// revoked lists the parties whose certificates are no longer accepted, and forgets their keys.
func (s *secrets) revoked() map[string]error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	if now.Sub(s.looked) < lookMost {
		return nil
	}
	s.looked = now
	version := s.id.Version()
	if version == s.version && now.Sub(s.reviewed) < reviewEvery {
		return nil
	}
	s.version, s.reviewed = version, now
	var out map[string]error
	for party, p := range s.peers {
		if _, err := s.id.Verify(p.cert); err != nil {
			if out == nil {
				out = map[string]error{}
			}
			out[party] = err
			delete(s.peers, party)
		}
	}
	return out
}

// fitsControl is an error where a text is too long for one packet of a carrier.
func fitsControl(text []byte, most int) error {
	if n := len(text) + encryptedSize + 16; n > min(most, mostControl) {
		return coded(diag.PayloadTooSmall,
			"a message of %d bytes is too long to agree on a run: the NATS server takes packets of %d bytes",
			n, min(most, mostControl))
	}
	return nil
}
