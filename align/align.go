// Package align finds the rows that all parties hold without showing any party the identifiers of another:
// private set intersection by Diffie and Hellman over the group ristretto255.
//
// Every party that has rows draws a secret number k, turns each of its identifiers x into the group element
// H(x)^k, in an order that it draws at random, and passes the list round; each other party raises it to its
// own secret. When a list has been with all of them its elements are H(x)^(k₁k₂…), the same for the same
// identifier at whichever party it began, and without meaning to anybody who lacks one of the secrets. The
// server compares the lists and tells each party which places of its list all parties have, in the order of
// the elements: this is the order of the rows, which says nothing of the identifiers. In the end the parties
// compare a digest of the identifiers in that order, with a salt of this alignment.
//
// The parties are taken to be semi-honest: they follow the protocol, and may compute what they like from what
// they see. Under the decisional Diffie-Hellman assumption in the random oracle model they see
//   - all of them: how many rows each party brings, how many are common, and, of their own rows, which;
//   - the server also the overlaps of any set of parties, without identifiers; if it brings rows itself, of
//     each of its rows which other parties have it.
//
// A party that brings identifiers which it has made up learns which of them all others have. No protocol of
// this kind prevents it; the sizes are shown.
package align

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"

	"github.com/vflc/vflc/runtime/transport"
)

// A Messenger brings messages between the server and its clients, each once and in order.
type Messenger interface {
	Send(ctx context.Context, to string, m transport.Message) error
	Recv(ctx context.Context, from string) (transport.Message, error)
}

// A Participant is one party's part of an alignment.
type Participant struct {
	Names     []string // of all parties, the server first
	Own       string
	ID        transport.ChainID // of this alignment; no two have the same
	Messenger Messenger
	Rules     Rules
	Keys      []string // normalised identifiers, each once; none at a server that brings no rows
}

// A Result is what a party knows after an alignment.
type Result struct {
	Rows   []int // Keys[Rows[i]] is the identifier of the i-th common row; the same order at all parties
	Sizes  []int // identifiers of each party, in the order of Names
	Salt   [32]byte
	Digest [32]byte // see Digest
}

// A Reason is why a party ends an alignment: all that its peers are told.
type Reason string

// The reasons.
const (
	OtherAlignment Reason = "a message of another alignment, of another step, or one that was sent before"
	OtherCount     Reason = "a list of another length than was told"
	BadPoint       Reason = "a list with something that is no element of the group, or with an element twice"
	OtherRules     Reason = "other rules for identifiers (--case)"
	NoRows         Reason = "no identifiers"
	OtherDigest    Reason = "another digest of the common rows"
)

// An Error is the error where a party has sent what it may not.
type Error struct {
	Party string
	Why   Reason
}

func (e *Error) Error() string {
	return fmt.Sprintf("the alignment cannot go on: %s sent %s", e.Party, e.Why)
}

// Steps: the kinds of the messages.
const (
	stepSize   = "align-size"   // client → server: its rules, and how many identifiers it has
	stepSizes  = "align-sizes"  // server → clients: those of all parties, and the salt
	stepOwn    = "align-own"    // client → server: its list under its own secret
	stepPass   = "align-pass"   // server → client: a list to raise
	stepPassed = "align-passed" // client → server: the same list under its secret too
	stepCommon = "align-common" // server → client: the places of its list that all parties have
	stepDigest = "align-digest" // client → server: the digest of its rows
	stepDone   = "align-done"   // server → client: all digests are the same
	stepEnd    = "align-end"    // either: the sender has ended the alignment
)

// mostKeys bounds what a peer can make this party hold.
const mostKeys = 1 << 24

type run struct {
	*Participant
	ctx    context.Context
	secret secret
	order  []int // place in the party's list → key
	sizes  []int
	salt   [32]byte
}

// Run does the party's part. The Messenger must be that of this alignment alone. The error is an *Error, the
// Messenger's or the context's; peers are told of the first.
func Run(ctx context.Context, p *Participant) (*Result, error) {
	r := &run{Participant: p, ctx: ctx, secret: newSecret(), order: shuffled(len(p.Keys)),
		sizes: make([]int, len(p.Names))}
	at := slices.Index(p.Names, p.Own)
	if at < 0 || len(p.Names) < 2 {
		return nil, errors.New("align: the party is not one of several")
	}
	rand.Read(r.salt[:]) // never fails; a client has the server's instead
	var result *Result
	var err error
	if at == 0 {
		result, err = r.lead()
	} else {
		result, err = r.follow(at)
	}
	var bad *Error
	if errors.As(err, &bad) && bad.Party != p.Own {
		r.end(at, bad)
	}
	return result, err
}

// end tells the peers why this party goes no further.
func (r *run) end(at int, why *Error) {
	for i, name := range r.Names {
		if (i == 0) != (at == 0) {
			// a peer that has gone needs no reason
			_ = r.Messenger.Send(r.ctx, name, transport.Message{ChainID: r.ID, Sender: r.Own, Kind: stepEnd,
				Reason: string(why.Why), Party: why.Party})
		}
	}
}

// lead is the server's part.
func (r *run) lead() (*Result, error) {
	if r.sizes[0] = len(r.Keys); !counted(uint64(len(r.Keys)), true) {
		return nil, &Error{r.Own, OtherCount}
	}
	for i, name := range r.Names[1:] {
		words, err := r.recv(name, stepSize, 0, 2)
		switch {
		case err != nil:
			return nil, err
		case words[0] != r.Rules.word():
			return nil, &Error{name, OtherRules}
		case !counted(words[1], false):
			return nil, &Error{name, NoRows}
		}
		r.sizes[i+1] = int(words[1])
	}
	told := make([]uint64, 0, len(r.sizes)+4)
	for _, n := range r.sizes {
		told = append(told, uint64(n))
	}
	told = append(told, words(r.salt[:])...)
	for _, name := range r.Names[1:] {
		if err := r.send(name, stepSizes, 0, told); err != nil {
			return nil, err
		}
	}
	lists, err := r.circulate()
	if err != nil {
		return nil, err
	}
	places := common(lists)
	for i, name := range r.Names[1:] {
		if !placed(places[i+1], r.sizes[i+1]) {
			return nil, &Error{r.Own, OtherCount}
		}
		if err := r.send(name, stepCommon, 0, places[i+1]); err != nil {
			return nil, err
		}
	}
	var own [32]byte
	rows := r.rows(places[0])
	for i, name := range r.Names[1:] {
		got, err := r.recv(name, stepDigest, 0, 4)
		if err != nil {
			return nil, err
		}
		var theirs [32]byte
		copy(theirs[:], octets(got))
		if len(r.Keys) > 0 {
			own = r.digest(rows)
		} else if i == 0 {
			own = theirs
		}
		if theirs != own {
			return nil, &Error{name, OtherDigest}
		}
	}
	for _, name := range r.Names[1:] {
		if err := r.send(name, stepDone, 0, nil); err != nil {
			return nil, err
		}
	}
	return &Result{rows, r.sizes, r.salt, own}, nil
}

// circulate returns the lists of all parties under all secrets; nil for a server without rows. In step h of a
// ring each party works on the list of the one h places before.
func (r *run) circulate() ([][]byte, error) {
	ring := ringOf(r.sizes)
	lists := make([][]byte, len(r.Names))
	for hop := range ring {
		at := map[int]int{} // party → the list it works on
		for k, p := range ring {
			at[p] = ring[(k-hop+len(ring))%len(ring)]
		}
		for _, p := range ring {
			if p > 0 && hop > 0 {
				if err := r.sendList(r.Names[p], stepPass, hop, lists[at[p]]); err != nil {
					return nil, err
				}
			}
		}
		next := map[int][]byte{}
		if ring[0] == 0 {
			list, err := r.work(hop, lists[at[0]])
			var bad *pointError
			if errors.As(err, &bad) { // the party before it in the ring has sent it
				err = &Error{r.Names[ring[len(ring)-1]], BadPoint}
			}
			if err != nil {
				return nil, err
			}
			next[at[0]] = list
		}
		for _, p := range ring {
			if p == 0 {
				continue
			}
			step := stepPassed
			if hop == 0 {
				step = stepOwn
			}
			list, err := r.list(r.Names[p], step, hop, r.sizes[at[p]])
			if err != nil {
				return nil, err
			}
			next[at[p]] = list
		}
		for o, list := range next {
			lists[o] = list
		}
	}
	return lists, nil
}

// ringOf lists the parties that bring rows.
func ringOf(sizes []int) (ring []int) {
	for i, n := range sizes {
		if n > 0 {
			ring = append(ring, i)
		}
	}
	return ring
}

// work makes the party's own list in the first hop, and raises another's in those that follow.
func (r *run) work(hop int, list []byte) ([]byte, error) {
	if hop > 0 {
		return r.secret.raise(r.ctx, list)
	}
	return r.secret.hash(r.ctx, r.ID, r.Keys, r.order)
}

// follow is a client's part.
func (r *run) follow(at int) (*Result, error) {
	server := r.Names[0]
	if !counted(uint64(len(r.Keys)), false) {
		return nil, &Error{r.Own, NoRows}
	}
	if err := r.send(server, stepSize, 0, []uint64{r.Rules.word(), uint64(len(r.Keys))}); err != nil {
		return nil, err
	}
	told, err := r.recv(server, stepSizes, 0, len(r.Names)+4)
	if err != nil {
		return nil, err
	}
	for i := range r.sizes {
		if !counted(told[i], i == 0) {
			return nil, &Error{server, OtherCount}
		}
		r.sizes[i] = int(told[i])
	}
	copy(r.salt[:], octets(told[len(r.Names):]))
	if r.sizes[at] != len(r.Keys) {
		return nil, &Error{server, OtherCount}
	}
	own, err := r.work(0, nil)
	if err != nil {
		return nil, err
	}
	if err := r.sendList(server, stepOwn, 0, own); err != nil {
		return nil, err
	}
	ring := ringOf(r.sizes)
	k := slices.Index(ring, at)
	seen := map[[32]byte]bool{sha256.Sum256(own): true}
	for hop := 1; hop < len(ring); hop++ {
		list, err := r.list(server, stepPass, hop, r.sizes[ring[(k-hop+len(ring))%len(ring)]])
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(list)
		if seen[sum] {
			return nil, &Error{server, OtherAlignment}
		}
		seen[sum] = true
		raised, err := r.work(hop, list)
		if err != nil {
			var bad *pointError
			if errors.As(err, &bad) {
				err = &Error{server, BadPoint}
			}
			return nil, err
		}
		if err := r.sendList(server, stepPassed, hop, raised); err != nil {
			return nil, err
		}
	}
	places, err := r.recv(server, stepCommon, 0, -1)
	if err != nil {
		return nil, err
	}
	if !placed(places, len(r.Keys)) {
		return nil, &Error{server, OtherCount}
	}
	rows := r.rows(places)
	digest := r.digest(rows)
	if err := r.send(server, stepDigest, 0, words(digest[:])); err != nil {
		return nil, err
	}
	if _, err := r.recv(server, stepDone, 0, 0); err != nil {
		return nil, err
	}
	return &Result{rows, r.sizes, r.salt, digest}, nil
}

func (r *run) rows(places []uint64) []int {
	out := make([]int, len(places))
	if len(r.Keys) == 0 {
		return nil
	}
	for i, at := range places {
		out[i] = r.order[at]
	}
	return out
}

func (r *run) digest(rows []int) [32]byte {
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = r.Keys[row]
	}
	return Digest(r.salt, keys)
}

// Digest is HMAC-SHA256 of identifiers in their order, with a salt as key: each preceded by its length in 8
// bytes, little endian.
func Digest(salt [32]byte, keys []string) (out [32]byte) {
	h := hmac.New(sha256.New, salt[:])
	var n [8]byte
	for _, k := range keys {
		binary.LittleEndian.PutUint64(n[:], uint64(len(k)))
		h.Write(n[:])
		h.Write([]byte(k))
	}
	copy(out[:], h.Sum(nil))
	return out
}

// common finds the elements that all lists have, in the order of their bytes, and returns the place of each
// in every list.
func common(lists [][]byte) [][]uint64 {
	type entry struct {
		places []uint64
		lists  int
	}
	in := map[[pointSize]byte]*entry{}
	holders := 0
	for i, list := range lists {
		if list == nil {
			continue
		}
		holders++
		for at := range len(list) / pointSize {
			point := [pointSize]byte(list[at*pointSize:])
			e := in[point]
			if e == nil && holders == 1 {
				e = &entry{places: make([]uint64, len(lists))}
				in[point] = e
			}
			if e != nil {
				e.places[i] = uint64(at)
				e.lists++
			}
		}
	}
	var points [][pointSize]byte
	for point, e := range in {
		if e.lists == holders {
			points = append(points, point)
		}
	}
	slices.SortFunc(points, func(a, b [pointSize]byte) int { return bytes.Compare(a[:], b[:]) })
	out := make([][]uint64, len(lists))
	for i := range lists {
		for _, point := range points {
			out[i] = append(out[i], in[point].places[i])
		}
	}
	return out
}

// send sends whole numbers; hop is the step of the ring.
func (r *run) send(to, step string, hop int, content []uint64) error {
	m := transport.Message{ChainID: r.ID, Sender: r.Own, Round: uint64(hop), Kind: step}
	if len(content) > 0 {
		m.Arrays = []transport.Channel{{Name: step, Words: content, Encoding: transport.Fixed}}
	}
	return r.Messenger.Send(r.ctx, to, m)
}

// sendList sends a list of elements.
func (r *run) sendList(to, step string, hop int, list []byte) error {
	if !distinct(list) {
		return &Error{r.Own, BadPoint}
	}
	return r.send(to, step, hop, words(list))
}

// counted reports whether a party can have so many identifiers; the server may have none.
func counted(n uint64, server bool) bool { return n <= mostKeys && (n > 0 || server) }

// placed reports whether places are of a list of n elements, each once.
func placed(places []uint64, n int) bool {
	once := make([]bool, n)
	for _, at := range places {
		if at >= uint64(n) || once[at] {
			return false
		}
		once[at] = true
	}
	return true
}

// recv takes the message of a step, of n numbers; any number of them where n < 0.
func (r *run) recv(from, step string, hop, n int) ([]uint64, error) {
	m, err := r.Messenger.Recv(r.ctx, from)
	if err != nil {
		return nil, err
	}
	if m.Kind == stepEnd && m.ChainID == r.ID && m.Reason != "" {
		why := &Error{m.Party, Reason(m.Reason)}
		if !slices.Contains(reasons(), why.Why) || !slices.Contains(r.Names, m.Party) {
			why = &Error{from, OtherAlignment}
		}
		return nil, why
	}
	if m.ChainID != r.ID || m.Kind != step || m.Round != uint64(hop) || m.Sender != from ||
		len(m.Arrays) > 1 {
		return nil, &Error{from, OtherAlignment}
	}
	var got []uint64
	if len(m.Arrays) == 1 {
		a := m.Arrays[0]
		if a.Name != step || a.Encoding != transport.Fixed || len(a.Data) > 0 || a.Invalid {
			return nil, &Error{from, OtherAlignment}
		}
		got = slices.Clone(a.Words)
	}
	if n >= 0 && len(got) != n {
		return nil, &Error{from, OtherCount}
	}
	return got, nil
}

func reasons() []Reason {
	return []Reason{OtherAlignment, OtherCount, BadPoint, OtherRules, NoRows, OtherDigest}
}

// list takes a list of n elements.
func (r *run) list(from, step string, hop, n int) ([]byte, error) {
	got, err := r.recv(from, step, hop, n*pointSize/8)
	if err != nil {
		return nil, err
	}
	list := octets(got)
	if !distinct(list) {
		return nil, &Error{from, BadPoint}
	}
	return list, nil
}

func distinct(list []byte) bool {
	in := make(map[[pointSize]byte]bool, len(list)/pointSize)
	for at := 0; at < len(list); at += pointSize {
		point := [pointSize]byte(list[at:])
		if in[point] {
			return false
		}
		in[point] = true
	}
	return true
}

func words(b []byte) []uint64 {
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return out
}

func octets(w []uint64) []byte {
	out := make([]byte, 0, 8*len(w))
	for _, v := range w {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// shuffled is an order that nobody else can compute.
func shuffled(n int) []int {
	var seed [32]byte
	rand.Read(seed[:]) // never fails
	return mathrand.New(mathrand.NewChaCha8(seed)).Perm(n)
}
