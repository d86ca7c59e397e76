// Package node is a party of a run across processes: it meets the others, agrees with them on what is run,
// keeps its part of the run going through crashes and cut links, and reports who is missing. What a party
// tells the others beside the messages of the run is in this file.
package node

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/transport"
)

// Control messages are JSON, encrypted between two parties (seal.go). Each says the whole state of its
// sender, and is repeated: one that is lost does no harm.

// The stages in which the parties agree on a run. The server sends what a stage tells, and goes on when every
// party, itself included, has answered.
const (
	stageAnnounce = iota // announcement → rows
	stageRows            // leaving → facts, or of a cross-validation whose folds one party tells, these
	stageFolds           // told → facts; only where folds are told
	stageSizes           // agreement → lower.Outline
	stageWiring          // compile.Wiring → hindrance
	stageStart           // start → nothing; the run goes on until it is saved everywhere
	stages
)

// A beat is what the server tells all clients.
type beat struct {
	Incarnation string             `json:"incarnation"`
	Run         string             `json:"run"`
	Epoch       uint32             `json:"epoch"`
	Stage       int                `json:"stage"`
	Body        json.RawMessage    `json:"body,omitempty"`
	Missing     map[string]absence `json:"missing,omitempty"` // parties that the run waits for, and why
	Paused      bool               `json:"paused,omitempty"`  // the server was told to stop, and will be back
	Complete    bool               `json:"complete,omitempty"`
	// the number of the task before this one, which is complete
	Finished string  `json:"finished,omitempty"`
	Ended    *ending `json:"ended,omitempty"`
}

// A status is what a client tells the server.
type status struct {
	Incarnation string          `json:"incarnation"`
	Server      string          `json:"server"` // the incarnation of the server that it follows
	Epoch       uint32          `json:"epoch"`
	Stage       int             `json:"stage"` // the last that it has answered; -1: none
	Reply       json.RawMessage `json:"reply,omitempty"`
	Broken      bool            `json:"broken,omitempty"` // its part of the epoch has ended without a result
	Saved       bool            `json:"saved,omitempty"`
	Bye         bool            `json:"bye,omitempty"`
	// the number of the task before this one, which it knows to be complete
	Finished string  `json:"finished,omitempty"`
	Left     bool    `json:"left,omitempty"` // it was told to stop, and may come back
	Ended    *ending `json:"ended,omitempty"`
}

// An ending is why a run has ended at a party. Texts of errors stay at their party.
type ending struct {
	Party string                `json:"party"`
	Code  EndReason             `json:"code"`
	About *compile.Disagreement `json:"about,omitempty"`
}

// An EndReason is all that a party tells its peers about why it ended the run.
type EndReason string

// The codes.
const (
	CodeManifest EndReason = "manifest"
	CodeVersion  EndReason = "version"
	CodeRun      EndReason = "run"
	CodeSettings EndReason = "settings"
	CodeData     EndReason = "data"
	CodeDiffer   EndReason = "differ"
	CodePolicy   EndReason = "policy"
	CodeWiring   EndReason = "wiring"
	CodeProtocol EndReason = "protocol"
	CodeUnlike   EndReason = "unlike"
	CodeFewRows  EndReason = "few-rows"
	CodeAlone    EndReason = "lone-rows"
	CodeClear    EndReason = "unencryptable"
	CodeFailed   EndReason = "failed"
)

// meanings say of a party what each code means.
var meanings = map[EndReason]string{
	CodeManifest: "has another manifest or another program than the server runs",
	CodeVersion:  "has another version of vflc",
	CodeRun:      "holds another run in the folder for this one",
	CodeSettings: "does not take the settings of the run",
	CodeData:     "found an error in its own data, which its own log shows",
	CodeDiffer:   "holds other data than another party",
	CodePolicy:   "does not allow this run by its policy",
	CodeWiring:   "found that the parties do not fit together as its manifest lists",
	CodeProtocol: "sent a message that the run does not have",
	CodeUnlike:   "found that the clients have not received the same from the server",
	CodeFewRows: "found that one party would learn more numbers of these encrypted rows than it " +
		"may, as its own log shows",
	CodeAlone: "found rows that stand alone in its own columns, which its own log shows",
	CodeClear: "found that the rows cannot stay encrypted in this run, for a " +
		"reason that its own log shows",
	CodeFailed: "met an error, which its own log shows",
}

// pages are the codes of pages that tell a user of any party more of why another has ended the run.
var pages = map[EndReason]diag.Code{
	CodeUnlike: diag.UnlikeAnswers, CodeFewRows: diag.TooFewRows, CodeAlone: diag.AloneRows,
	CodeClear: diag.NotEncrypted,
}

// Page is the code of the page that tells a user of any party more.
func (c EndReason) Page() diag.Code {
	if page, ok := pages[c]; ok {
		return page
	}
	return diag.EndedElsewhere
}

// explained is the code of the page that tells a user of this party more.
func (c EndReason) explained() diag.Code {
	switch c {
	case CodeManifest:
		return diag.OtherManifest
	case CodeVersion:
		return diag.OtherVersion
	case CodeRun:
		return diag.OtherRun
	case CodeWiring:
		return diag.BadWiring
	case CodeProtocol:
		return diag.BadControl
	case CodeUnlike:
		return diag.UnlikeAnswers
	}
	return diag.OtherSettings
}

// An EndedError is the error where another party has ended the run.
type EndedError struct {
	Party string
	Code  EndReason
	About *compile.Disagreement
}

func (e *EndedError) Error() string {
	if e.About != nil {
		return "the run cannot go on: " + e.About.Error()
	}
	return fmt.Sprintf("the run cannot go on: %s %s (code %s)", e.Party, meanings[e.Code], e.Code)
}

// An announcement is what the server runs.
type announcement struct {
	Version  string            `json:"version"`
	Protocol string            `json:"protocol"`
	Model    string            `json:"model"`
	Manifest string            `json:"manifest"` // SHA-256
	Key      string            `json:"key"`      // the column that joins rows, as --key takes it
	Salt     string            `json:"salt"`
	Backend  string            `json:"backend"`
	Settings map[string]string `json:"settings"`
	Seed     uint64            `json:"seed"`
	Task     Task              `json:"task"`
	Record   bool              `json:"record,omitempty"` // the server keeps what it receives
	// the run in which the chains of a fit begin; nil: in none
	From *origin `json:"from,omitempty"`
}

// An origin is an earlier run where the chains of a fit begin.
type origin struct {
	Run      string `json:"run"`
	Manifest string `json:"manifest"` // SHA-256 of that which it ran
}

// held is what a party tells first: of its rows, by size, before incomplete ones are left out.
type held struct {
	Rows map[string]compile.RowDisclosure `json:"rows"`
}

// A leaving is the rows that all parties leave out, by size.
type leaving struct {
	Rows map[string]compile.RowDisclosure `json:"rows,omitempty"`
	// the server has what the folds of a cross-validation follow from: no client tells them
	Deals bool `json:"deals,omitempty"`
}

// A dealt is the fold of each row in a cross-validation, as the party tells it that has what the folds follow
// from.
type dealt struct {
	Rows  int    `json:"rows"`
	Folds []byte `json:"folds"` // of each row, from 0, in as many bits as the largest needs, the lowest first
}

// facts are what a party has, of the rows that stay.
type facts struct {
	compile.Facts
	Program string        `json:"program"` // SHA-256
	Key     signedKey     `json:"key"`
	Saved   map[int][]int `json:"saved,omitempty"`
	Aligned string        `json:"aligned,omitempty"` // the number of the alignment of its tables
	// the folds, before any row is chosen; then there is nothing else
	Dealt *dealt `json:"dealt,omitempty"`
}

// An agreement is what follows from the facts of all parties.
type agreement struct {
	Names   []string             `json:"names"`
	Sizes   map[string]int       `json:"sizes"`
	Members map[string]int       `json:"members"`
	Keys    map[string]signedKey `json:"keys"`
}

// A hindrance lists what the program of a party excludes of that which the algorithm, and the one near whose
// approximation chains begin, might choose.
type hindrance struct {
	Algorithm []string `json:"algorithm,omitempty"`
	Near      []string `json:"near,omitempty"`
}

// and adds what another party excludes.
func (h *hindrance) and(o hindrance) {
	join := func(a, b []string) []string {
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	}
	h.Algorithm, h.Near = join(h.Algorithm, o.Algorithm), join(h.Near, o.Near)
}

// start is where the run goes on.
type start struct {
	hindrance
	At map[int]int `json:"at,omitempty"`
}

type outline = lower.Outline

// Signatures are for one purpose each: forHello is another.
const forKey = "vflc key v1"

// signed is what a signature covers: texts with their lengths.
func signed(parts ...string) []byte {
	var out []byte
	for _, p := range parts {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(p)))
		out = append(out, p...)
	}
	return out
}

// A signedKey is a party's X25519 key of one epoch, with its certificate and signature: every party checks
// those of all others.
type signedKey struct {
	Public    []byte `json:"public"`
	Cert      []byte `json:"cert"`
	Signature []byte `json:"signature"`
}

// newKey makes a key of an epoch.
func newKey(id *identity.Identity, run string, epoch uint32) (*ecdh.PrivateKey, signedKey) {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		panic("node: " + err.Error()) // the system's random numbers never fail
	}
	public := key.PublicKey().Bytes()
	return key, signedKey{public, id.Cert.Raw,
		ed25519.Sign(id.Key, keyText(id.Project.Name, run, epoch, id.Party, public))}
}

func keyText(project, run string, epoch uint32, party string, public []byte) []byte {
	return signed(forKey, project, run, fmt.Sprint(epoch), party, string(public))
}

// check returns the key of a party.
func (k signedKey) check(id *identity.Identity, run string, epoch uint32, party string) (*ecdh.PublicKey,
	error) {
	from, err := id.Verify(k.Cert)
	if err != nil {
		return nil, err
	}
	if from != party || !ed25519.Verify(identity.PublicKey(k.Cert),
		keyText(id.Project.Name, run, epoch, party, k.Public), k.Signature) {
		return nil, fmt.Errorf("the key of %s has not its signature", party)
	}
	return ecdh.X25519().NewPublicKey(k.Public)
}

// linkKey is the secret of one direction.
func linkKey(secret []byte, run string, epoch uint32, from, to string) (k transport.PacketKey, err error) {
	b, err := hkdf.Key(sha256.New, secret, signed(run, fmt.Sprint(epoch)),
		string(signed("vflc link v1", from, to)), len(k))
	copy(k[:], b)
	return k, err
}

func digest(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ordered lists the parties of a run: the server first, then those of the manifest in its order, members of a
// family by number.
func ordered(server string, manifest, parties []string) []string {
	out := []string{server}
	for _, name := range manifest {
		var members []int
		for _, p := range parties {
			base, k, err := compile.Member(p)
			if err == nil && base == name && p != server {
				members = append(members, k)
			}
		}
		slices.Sort(members)
		for _, k := range members {
			if k == 0 {
				out = append(out, name)
			} else {
				out = append(out, fmt.Sprintf("%s[%d]", name, k))
			}
		}
	}
	return out
}
