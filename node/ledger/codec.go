package ledger

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/vflc/vflc/runtime/transport"
)

// A ledger begins with magic; its entries follow: the length, the entry, and the first linkBytes of its hash,
// which place a change. The whole of the last hash is signed.
//
// An entry is a document, D and JSON; or a message, M with the number of its kind, peer and channels among
// those of the epoch (with their JSON where they are new), milliseconds since the entry before, chain, rounds
// since the last such message, digest, and a digest of each channel that all clients receive alike. Numbers
// are varints. A message of a fit takes about 27 bytes, and an answer 16 more for each such channel.
const (
	magic     = "vflc ledger 2\n"
	linkBytes = 4
	document  = 'D'
	messages  = 'M'
)

// framed appends an entry with its length and the beginning of its hash.
func framed(dst, entry []byte, link [digestBytes]byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(entry)))
	return append(append(dst, entry...), link[:linkBytes]...)
}

// unframed returns the first entry of a text, the beginning of its hash, and what follows; nil where it is
// not whole, or not there.
func unframed(text []byte) (entry, link, left []byte) {
	n, at := binary.Uvarint(text)
	if at <= 0 || n == 0 || n > uint64(len(text)) || uint64(len(text)-at) < n+linkBytes {
		return nil, nil, nil
	}
	text = text[at:]
	return text[:n], text[n:][:linkBytes], text[n+linkBytes:]
}

// unused is the byte that stands where the next entry will, in room that its writer has reserved: no entry
// has the length 0. What follows it may be the rest of one that was being written when the writer was killed.
const unused = 0

// complete is a text without what a crash has left unfinished at its end. A text with room after it was not
// closed: where the machine has stopped, pages may be missing among those that were written last, and what
// follows no longer from the entries before is no part of it. What was signed is held to the signature.
func complete(text []byte) []byte {
	if len(text) < len(magic) || text[0] == unused {
		return nil
	}
	closed := text[len(text)-1] != unused
	var link [digestBytes]byte
	for left := text[len(magic):]; ; {
		entry, beginning, rest := unframed(left)
		if entry == nil {
			return text[:len(text)-len(left)]
		}
		if link = linked(link, entry); !closed && !bytes.HasPrefix(link[:], beginning) {
			return text[:len(text)-len(left)]
		}
		left = rest
	}
}

// A codec is what writer and reader know of the entries before.
type codec struct {
	at     int64           // the time of the last entry in milliseconds
	known  map[string]int  // of a ledger that was read
	named  []LoggedMessage // by number, without what differs from one message to the next
	rounds []uint64        // of the last message of each
	shapes []*shapes
}

// document appends an entry that is no message. An opening forgets the names of the epoch before.
func (c *codec) document(dst []byte, at time.Time, member string, text []byte) []byte {
	if member == "open" {
		*c = codec{}
	}
	c.at = at.UnixMilli()
	dst = append(dst, document)
	dst = at.UTC().AppendFormat(append(dst, `{"at":"`...), "2006-01-02T15:04:05.000Z07:00")
	dst = append(append(append(dst, `","`...), member...), `":`...)
	return append(append(dst, text...), '}')
}

// documentOf reads an entry that is no message, and namedOf what of a message does not differ from one to the
// next: when they are written too.
func documentOf(text []byte) (e LedgerEntry, ok bool) {
	ok = json.Unmarshal(text, &e) == nil && e.Kind == ""
	return e, ok
}

func namedOf(text []byte) (m LoggedMessage, ok bool) {
	ok = json.Unmarshal(text, &m) == nil
	return m, ok
}

// A shape is what does not differ from one message to the next: how an entry names it, by a number after the
// first time.
type shape struct {
	kind     string
	named    []byte // JSON
	number   int
	written  bool
	readable bool
	channels []LoggedChannel
	alike    []*alike // by channel; nil: it is none
}

// shapes are those of messages to a peer, or from it.
type shapes struct {
	sent bool
	peer string
	all  []*shape
}

// with are the shapes of messages to a peer, or from it.
func (c *codec) with(sent bool, peer string) *shapes {
	for _, s := range c.shapes {
		if s.sent == sent && s.peer == peer {
			return s
		}
	}
	s := &shapes{sent: sent, peer: peer}
	c.shapes = append(c.shapes, s)
	return s
}

// shape is that of a message; nil: there was no such message. Those of the last messages are looked at first.
func (s *shapes) shape(m transport.Message) *shape {
	for k, one := range s.all {
		if len(one.channels) == len(m.Arrays) && one.kind == m.Kind && one.fits(m.Arrays) {
			s.all[k/2], s.all[k] = one, s.all[k/2]
			return one
		}
	}
	return nil
}

func (s *shape) fits(arrays []transport.Channel) bool {
	for k := range arrays {
		a := &arrays[k]
		if c := &s.channels[k]; c.Numbers != a.Len() || c.Size != int(a.Size) || c.Name != a.Name {
			return false
		}
	}
	return true
}

// find looks up by its JSON whether a shape has a number, and can be read.
func (c *codec) find(s *shape) {
	if s.number, s.written = c.known[string(s.named)]; !s.written {
		_, s.readable = namedOf(s.named)
	} else {
		s.readable = true
	}
}

// message appends a message. It reports whether it can be read.
func (c *codec) message(dst []byte, at time.Time, s *shape, chain uint32, round uint64,
	digest []byte) (out []byte, readable bool) {
	named := !s.written
	if named {
		if c.known == nil {
			c.known = map[string]int{}
		}
		s.number, s.written = len(c.rounds), true
		c.known[string(s.named)] = s.number
		c.rounds = append(c.rounds, 0)
	}
	dst = binary.AppendUvarint(append(dst, messages), uint64(s.number))
	if named {
		dst = append(binary.AppendUvarint(dst, uint64(len(s.named))), s.named...)
	}
	now := at.UnixMilli()
	dst = binary.AppendVarint(dst, now-c.at)
	dst = binary.AppendUvarint(dst, uint64(chain))
	dst = binary.AppendVarint(dst, int64(round-c.rounds[s.number]))
	c.at, c.rounds[s.number] = now, round
	return append(dst, digest...), s.readable
}

// entry reads an entry. It reports whether it is one.
func (c *codec) entry(b []byte) (e LedgerEntry, ok bool) {
	if b[0] == document {
		if e, ok = documentOf(b[1:]); !ok {
			return e, false
		}
		if e.Open != nil {
			*c = codec{}
		}
		c.at = e.At.UnixMilli()
		return e, true
	}
	if b[0] != messages {
		return e, false
	}
	r := reader{b[1:], true}
	k := r.unsigned()
	switch {
	case k == uint64(len(c.named)):
		text := r.take(r.unsigned())
		m, readable := namedOf(text)
		if !r.ok || !readable {
			return e, false
		}
		if c.known == nil {
			c.known = map[string]int{}
		}
		c.known[string(text)] = len(c.named)
		c.named, c.rounds = append(c.named, m), append(c.rounds, 0)
	case k > uint64(len(c.named)):
		return e, false
	}
	e.LoggedMessage = c.named[k]
	c.at += r.signed()
	e.At = time.UnixMilli(c.at).UTC()
	chain := r.unsigned()
	e.Chain = uint32(chain)
	c.rounds[k] += uint64(r.signed())
	e.Round = c.rounds[k]
	e.Digest = hex.EncodeToString(r.take(digestBytes))
	e.Channels = slices.Clone(e.Channels)
	for k := range e.Channels {
		if e.Channels[k].Alike {
			e.Channels[k].Digest = hex.EncodeToString(r.take(digestBytes))
		}
	}
	return e, r.ok && len(r.b) == 0 && uint64(e.Chain) == chain
}

// A reader takes numbers from bytes; ok is false once they are not there.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.b)
	r.after(n)
	return v
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.b)
	r.after(n)
	return v
}

func (r *reader) after(n int) {
	if r.ok = r.ok && n > 0; r.ok {
		r.b = r.b[n:]
	}
}

func (r *reader) take(n uint64) (out []byte) {
	if r.ok = r.ok && n <= uint64(len(r.b)); r.ok {
		out, r.b = r.b[:n], r.b[n:]
	}
	return out
}
