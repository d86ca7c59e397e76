package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
)

// A side is what a ledger says of one direction in one epoch.
type side struct {
	file  *Ledger
	lines []int // of f.Entries
}

type direction struct {
	epoch    uint32
	from, to string
}

// compare compares the two ends of every direction.
func (r *reconciling) compare() {
	all := map[direction]bool{}
	for d := range r.sent {
		all[d] = true
	}
	for d := range r.got {
		all[d] = true
	}
	for d := range all {
		sent, got := r.sent[d], r.got[d]
		for _, s := range []*side{sent, got} {
			if s == nil {
				continue
			}
			if s == got && sent != nil {
				break // counted at the sender
			}
			r.report.Messages += len(s.lines)
			r.count(d, s)
		}
	}
	slices.SortFunc(r.report.Crossed, func(a, b Traffic) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), strings.Compare(a.From, b.From),
			strings.Compare(a.To, b.To), strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Channel, b.Channel))
	})
	order := func(a, b direction) int {
		return strings.Compare(fmt.Sprintf("%9d %s %s", a.epoch, a.from, a.to),
			fmt.Sprintf("%9d %s %s", b.epoch, b.from, b.to))
	}
	var directions []direction
	for d := range all {
		directions = append(directions, d)
	}
	slices.SortFunc(directions, order)
	if !r.alike(directions) {
		return
	}
	for _, d := range directions {
		if slices.Contains(r.report.Parties, d.from) && slices.Contains(r.report.Parties, d.to) &&
			!r.same(d) {
			return
		}
	}
}

// alike compares what the server has sent to its clients through the channels that all of them should have
// received alike, and what a client has sent for all others.
func (r *reconciling) alike(directions []direction) bool {
	type place struct {
		epoch, chain  uint32
		round         uint64
		kind, channel string
	}
	type seen struct {
		digest  string
		by      direction
		several bool // clients
	}
	first, unlike := map[place]*seen{}, 0
	var d *diag.Diagnostic
	client := func(d direction) string {
		if d.from == r.server {
			return d.to
		}
		return d.from
	}
	compare := func(way direction, s *side) {
		for _, k := range s.lines {
			e := s.file.Entries[k]
			for _, c := range e.Channels {
				if c.Digest == "" {
					continue
				}
				at := place{way.epoch, e.Chain, e.Round, e.Kind, c.Name}
				other, ok := first[at]
				switch {
				case !ok:
					first[at] = &seen{digest: c.Digest, by: way}
				case other.by == way:
				case other.digest == c.Digest:
					other.several = true
				default:
					if unlike++; d == nil {
						d = r.differ(diag.UnlikeAnswers, s.file, k+1,
							"epoch %d: %s has sent %s and %s unlike numbers in channel %q of message %q, "+
								"round %d, chain %d, which all clients should receive alike", way.epoch,
							r.server, client(other.by), client(way), c.Name, e.Kind, e.Round, e.Chain)
					}
				}
			}
		}
	}
	for _, way := range directions {
		own, other := r.got[way], r.sent[way]
		if way.from != r.server {
			own, other = other, own
		}
		switch { // what a client says counts, where it is there
		case own != nil:
			compare(way, own)
		case other != nil:
			compare(way, other)
			if way.from == r.server && !slices.Contains(r.report.ByServer, way.to) {
				r.report.ByServer = append(r.report.ByServer, way.to)
			}
		}
	}
	for _, at := range first {
		if at.several {
			r.report.Alike++
		}
	}
	if d == nil {
		return true
	}
	d.Note("%s of this run are unlike", counted(unlike, "array"))
	return false
}

// count adds the messages of one direction to what crossed.
func (r *reconciling) count(d direction, s *side) {
	at := map[[2]string]*Traffic{}
	for _, k := range s.lines {
		e := s.file.Entries[k]
		r.report.Bytes += int64(e.Bytes)
		for _, c := range e.Channels {
			key := [2]string{e.Kind, c.Name}
			if at[key] == nil {
				at[key] = &Traffic{Epoch: d.epoch, From: d.from, To: d.to, Kind: e.Kind, Channel: c.Name,
					Masked: r.masked(d, key)}
			}
			at[key].Messages++
			at[key].Numbers += int64(c.Numbers)
			size := int64(c.Size)
			if size == 0 {
				size = 8
			}
			at[key].Bytes += size * int64(c.Numbers)
		}
	}
	for _, c := range at {
		r.report.Crossed = append(r.report.Crossed, *c)
	}
}

// masked reports whether the script masks a channel.
func (r *reconciling) masked(d direction, key [2]string) bool {
	s := r.scripts[fmt.Sprint(d.epoch, " ", d.from)]
	return s != nil && slices.ContainsFunc(s.forms, func(f session.ChannelForm) bool {
		return f.Masked && f.Kind == key[0] && f.Channel == key[1]
	})
}

// same compares what one party says it has sent with what another says it got from it.
func (r *reconciling) same(d direction) bool {
	var none side
	sent, got := r.sent[d], r.got[d]
	if sent == nil {
		sent = &none
	}
	if got == nil {
		got = &none
	}
	for i, k := range got.lines {
		a := got.file.Entries[k]
		if i >= len(sent.lines) {
			r.differ(diag.LedgersDiffer, got.file, k+1, "epoch %d: %s is not in the ledger of %s", d.epoch,
				got.file.what(k), d.from)
			return false
		}
		b := sent.file.Entries[sent.lines[i]]
		x, y := a.LoggedMessage, b.LoggedMessage
		x.From, y.To = "", ""
		if what := different(x, y); what != "" {
			r.differ(diag.LedgersDiffer, got.file, k+1, "epoch %d: %s: the ledger of %s has another %s",
				d.epoch, got.file.what(k), d.from, what).
				Note("there it is %s", sent.file.at(sent.lines[i]+1))
			return false
		}
	}
	r.report.Both += len(got.lines)
	if left := len(sent.lines) - len(got.lines); left > 0 {
		if r.closed[d.epoch][d.from] && r.closed[d.epoch][d.to] {
			k := sent.lines[len(got.lines)]
			r.differ(diag.LedgersDiffer, sent.file, k+1,
				"epoch %d: %s is not in the ledger of %s, which has completed this epoch", d.epoch,
				sent.file.what(k), d.to)
			return false
		}
		r.report.Lost += left
	}
	return true
}

// different names the first difference of two messages, "" where there is none.
func different(a, b LoggedMessage) string {
	switch {
	case a.Chain != b.Chain:
		return "chain"
	case a.Round != b.Round:
		return "round"
	case a.Kind != b.Kind:
		return "kind of message"
	case !slices.Equal(a.Channels, b.Channels):
		return "list of channels"
	case a.Bytes != b.Bytes:
		return "number of bytes"
	case a.Digest != b.Digest:
		return "digest"
	}
	return ""
}
