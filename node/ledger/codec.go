package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
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
// not whole.
func unframed(text []byte) (entry, link, left []byte) {
	n, at := binary.Uvarint(text)
	if at <= 0 || n == 0 || n > uint64(len(text)) || uint64(len(text)-at) < n+linkBytes {
		return nil, nil, nil
	}
	text = text[at:]
	return text[:n], text[n:][:linkBytes], text[n+linkBytes:]
}

// complete is a text without what a crash has left unfinished at its end.
func complete(text []byte) []byte {
	if len(text) < len(magic) {
		return nil
	}
	for left := text[len(magic):]; ; {
		entry, _, rest := unframed(left)
		if entry == nil {
			return text[:len(text)-len(left)]
		}
		left = rest
	}
}

// A codec is what writer and reader know of the entries before.
type codec struct {
	at     int64 // the time of the last entry in milliseconds
	known  map[string]int
	named  []LoggedMessage // by number, without what differs from one message to the next
	rounds []uint64        // of the last message of each
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

// message appends a message; named is the JSON of what does not differ from one to the next. It reports
// whether that can be read.
func (c *codec) message(dst []byte, at time.Time, named []byte, chain uint32, round uint64,
	digest []byte) (out []byte, readable bool) {
	k, ok := c.known[string(named)]
	readable = true
	if !ok {
		_, readable = namedOf(named)
		if k = len(c.rounds); c.known == nil {
			c.known = map[string]int{}
		}
		c.known[string(named)] = k
		c.rounds = append(c.rounds, 0)
	}
	dst = binary.AppendUvarint(append(dst, messages), uint64(k))
	if !ok {
		dst = append(binary.AppendUvarint(dst, uint64(len(named))), named...)
	}
	now := at.UnixMilli()
	dst = binary.AppendVarint(dst, now-c.at)
	dst = binary.AppendUvarint(dst, uint64(chain))
	dst = binary.AppendVarint(dst, int64(round-c.rounds[k]))
	c.at, c.rounds[k] = now, round
	return append(dst, digest...), readable
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
