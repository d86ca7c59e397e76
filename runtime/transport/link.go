package transport

import (
	"context"
	"crypto/cipher"
	"fmt"
	"slices"
	"sync"
	"time"
)

// An EndpointConfig is what an Endpoint needs.
type EndpointConfig struct {
	Run   RunID
	Epoch uint32
	Names []string // of all parties, the server first
	Own   string
	// Send and Receive are the keys of both directions between this party and a peer.
	Send, Receive map[string]PacketKey
	// Publish hands a packet to the carrier. It does not keep the bytes, and does not wait for the peer. An
	// error is a packet that is lost.
	Publish func(to string, packet []byte) error
	// MaxPacket is the largest packet that the carrier takes; 0: MaxPacket.
	MaxPacket int
	// Marked is called, in order with the messages, when a peer has sent a mark.
	Marked func(chain, at int)
}

// Times of the protocol.
const (
	tick       = 100 * time.Millisecond // each time wakes a thread of the scheduler
	ackAfter   = 150 * time.Millisecond // a message that was not answered is acknowledged
	againAfter = time.Second            // a message that was not acknowledged is sent again
	againMost  = 8 * time.Second
	gapEvery   = 50 * time.Millisecond // between two requests for the same missing message
)

const (
	window    = 16 << 20 // bytes on their way to a peer
	mostQueue = 64 << 20 // bytes that wait here for being read
	// bytes of a buffer of each peer together that are kept for the next message: what long ones took is
	// freed
	mostKept = 8 << 20
)

// Endpoint is one party's end of the connections of one epoch. It implements Transport.
type Endpoint struct {
	EndpointConfig
	index uint16
	most  int // bytes of a message
	part  int // bytes of a message in one packet
	keep  int // bytes of a buffer that is kept for the next message
	peers map[string]*peer
	byID  []*peer
	done  chan struct{}
	once  sync.Once
	cause error // set before done is closed
	wait  sync.WaitGroup
}

// A peer is one end of one connection.
type peer struct {
	link          *Endpoint
	name          string
	id            uint16
	sender, opens cipher.AEAD

	mutex sync.Mutex
	// Sending:
	next    uint64 // number of the next message; the first is 1
	flight  []*sent
	free    []*sent
	bytes   int
	again   time.Duration // until the oldest message in flight is sent again
	room    chan struct{} // something was acknowledged
	acks    uint64        // acknowledgements sent
	heard   uint64        // the newest acknowledgement that came
	ackedAt uint64        // the last message that was acknowledged to the peer
	ackDue  time.Time     // when the next acknowledgement is due; zero: none is
	gapAt   time.Time     // the last request for a missing message
	buffer  []byte
	// Receiving:
	got      uint64 // the last message that is complete
	part     uint32 // parts of the next one that are here
	parts    uint32
	assembly []byte
	queue    []*received
	queued   int
	spare    []*received
	held     *received
	ready    chan struct{} // something is in the queue
	plain    []byte
}

type sent struct {
	seq     uint64
	packets [][]byte
	bytes   int
	at      time.Time
}

type received struct {
	Message
	size int
}

// NewEndpoint opens the connections of an epoch. The caller hands every packet to Deliver.
func NewEndpoint(c EndpointConfig) (*Endpoint, error) {
	at := slices.Index(c.Names, c.Own)
	if at < 0 || len(c.Names) > 1<<16 {
		return nil, fmt.Errorf("transport: %s is no party of this run", c.Own)
	}
	part := MaxPart
	if c.MaxPacket > 0 {
		part = min(part, c.MaxPacket-headerSize-tagSize)
	}
	if part < MinPart {
		return nil, fmt.Errorf("transport: packets of %d bytes are too small", c.MaxPacket)
	}
	l := &Endpoint{EndpointConfig: c, index: uint16(at), most: maxMessage, part: part,
		peers: map[string]*peer{}, byID: make([]*peer, len(c.Names)), done: make(chan struct{})}
	for i, name := range c.Names {
		send, ok := c.Send[name]
		receive, also := c.Receive[name]
		if !ok || !also || i == at {
			continue
		}
		p := &peer{link: l, name: name, id: uint16(i), sender: newCipher(send), opens: newCipher(receive),
			again: againAfter, room: make(chan struct{}, 1), ready: make(chan struct{}, 1)}
		l.peers[name], l.byID[i] = p, p
	}
	l.keep = mostKept / max(1, len(l.peers))
	l.wait.Go(l.watch)
	return l, nil
}

// End closes the link: every call returns the error from now on.
func (l *Endpoint) End(err error) {
	l.once.Do(func() {
		l.cause = err
		close(l.done)
	})
	l.wait.Wait()
}

// Close implements Transport.
func (l *Endpoint) Close() { l.End(&ClosedError{Party: l.Own}) }

// Flush waits until all peers have what was sent, the link has ended or the context is done. It returns those
// that did not say that they have it.
func (l *Endpoint) Flush(ctx context.Context) (lacking []string) {
	for _, p := range l.byID {
		for p != nil && p.flying() > 0 {
			select {
			case <-l.done:
			case <-ctx.Done():
			case <-time.After(tick):
				continue
			}
			lacking = append(lacking, p.name)
			break
		}
	}
	return lacking
}

// kept is a buffer for the next message.
func (l *Endpoint) kept(buffer []byte) []byte {
	if cap(buffer) > l.keep {
		return nil
	}
	return buffer[:0]
}

func (p *peer) flying() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return len(p.flight)
}

// Nudge sends everything again that was not acknowledged: the carrier is back.
func (l *Endpoint) Nudge() {
	for _, p := range l.byID {
		if p != nil {
			p.mutex.Lock()
			p.resend(time.Now())
			p.request()
			p.mutex.Unlock()
		}
	}
}

// watch acknowledges, and sends again, when it is time.
func (l *Endpoint) watch() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-ticker.C:
		}
		for _, p := range l.byID {
			if p != nil {
				p.look(time.Now())
			}
		}
	}
}

func (p *peer) look(now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.ackDue.IsZero() && !now.Before(p.ackDue) {
		p.acknowledge()
	}
	if len(p.flight) > 0 && now.Sub(p.flight[0].at) >= p.again {
		p.again = min(2*p.again, againMost)
		p.resend(now)
	}
}

func (p *peer) resend(now time.Time) {
	for _, s := range p.flight {
		s.at = now
		for _, packet := range s.packets {
			_ = p.link.Publish(p.name, packet) // lost packets are sent again
		}
	}
}

// acknowledge tells the peer what is here.
func (p *peer) acknowledge() { p.report(seen) }

// request is acknowledge, and asks for what follows.
func (p *peer) request() { p.report(wanted) }

// The numbers of parts of an acknowledgement.
const (
	seen   = 1
	wanted = 2
)

func (p *peer) report(parts uint32) {
	p.acks++
	p.ackDue, p.ackedAt = time.Time{}, p.got
	h := p.heading(typeAck, p.acks)
	h.parts = parts
	p.buffer = h.put(p.buffer[:0])
	var nonce [12]byte
	// the next one says the same
	_ = p.link.Publish(p.name, p.sender.Seal(p.buffer, h.nonce(&nonce), nil, p.buffer))
}

func (p *peer) heading(kind byte, seq uint64) header {
	return header{kind: kind, run: p.link.Run, epoch: p.link.Epoch, from: p.link.index, to: p.id, seq: seq,
		ack: p.got}
}

func (l *Endpoint) peer(ctx context.Context, name string) (*peer, error) {
	p := l.peers[name]
	if p == nil {
		return nil, &UnconnectedError{From: l.Own, To: name}
	}
	select {
	case <-l.done:
		return nil, l.cause
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	default:
		return p, nil
	}
}

// Send implements Transport. It waits while more than a window of bytes is on its way.
func (l *Endpoint) Send(ctx context.Context, to string, m Message) error {
	p, err := l.peer(ctx, to)
	if err != nil {
		return err
	}
	for {
		p.mutex.Lock()
		if p.bytes < window {
			p.plain = encode(p.plain[:0], m)
			if len(p.plain) > l.most { // the peer would not take it
				p.mutex.Unlock()
				return &LengthError{Kind: m.Kind, To: to, Bytes: len(p.plain), Most: l.most}
			}
			p.encrypt(p.plain)
			p.plain = p.link.kept(p.plain)
			p.mutex.Unlock()
			return nil
		}
		p.mutex.Unlock()
		select {
		case <-p.room:
		case <-l.done:
			return l.cause
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A LengthError is a message that is too long for any party to take.
type LengthError struct {
	Kind, To    string
	Bytes, Most int
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("the message %q to %s has %d bytes, and a party takes at most %d: fewer draws, or "+
		"fewer rows, make it shorter", e.Kind, e.To, e.Bytes, e.Most)
}

// Mark sends a mark to all peers, before everything that is sent later.
func (l *Endpoint) Mark(chain, at int) {
	content := encodeMark(chain, at)
	for _, p := range l.byID {
		if p != nil {
			p.mutex.Lock()
			p.encrypt(content)
			p.mutex.Unlock()
		}
	}
}

// encrypt numbers a content, and sends its packets.
func (p *peer) encrypt(content []byte) {
	p.next++
	var s *sent
	if n := len(p.free); n > 0 {
		s, p.free = p.free[n-1], p.free[:n-1]
	} else {
		s = &sent{}
	}
	s.seq, s.bytes, s.at = p.next, len(content), time.Now()
	most := p.link.part
	parts := max(1, (len(content)+most-1)/most)
	s.packets = s.packets[:cap(s.packets)]
	for len(s.packets) < parts {
		s.packets = append(s.packets, nil)
	}
	s.packets = s.packets[:parts]
	var nonce [12]byte
	for k := range s.packets {
		h := p.heading(typeData, s.seq)
		h.part, h.parts = uint32(k), uint32(parts)
		b := h.put(s.packets[k][:0])
		s.packets[k] = p.sender.Seal(b, h.nonce(&nonce), content[k*most:min(len(content), (k+1)*most)], b)
	}
	p.flight, p.bytes = append(p.flight, s), p.bytes+s.bytes
	p.ackDue, p.ackedAt = time.Time{}, p.got // the heading acknowledges
	for _, packet := range s.packets {
		_ = p.link.Publish(p.name, packet) // it is sent again until it is acknowledged
	}
}

// Recv implements Transport.
func (l *Endpoint) Recv(ctx context.Context, from string) (Message, error) {
	p, err := l.peer(ctx, from)
	if err != nil {
		return Message{}, err
	}
	for {
		if m := p.pop(); m != nil {
			return m.Message, nil
		}
		select {
		case <-p.ready:
		case <-l.done:
			return Message{}, l.cause
		case <-ctx.Done():
			return Message{}, context.Cause(ctx)
		}
	}
}

func (p *peer) pop() *received {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.held != nil {
		p.spare, p.held = append(p.spare, p.held), nil
	}
	if len(p.queue) == 0 {
		return nil
	}
	m := p.queue[0]
	p.queue = slices.Delete(p.queue, 0, 1)
	p.queued -= m.size
	if m.size <= p.link.keep {
		p.held = m
	}
	return m
}

// Deliver takes a packet that the carrier has brought. It reports whether the packet was one of this link,
// from whom it says: everything else changes nothing. from is the sender; "" where the packet may have come
// before, so that it does not show that the sender is there now.
func (l *Endpoint) Deliver(packet []byte) (from string, ok bool) {
	h, err := readHeader(packet)
	if err != nil || h.run != l.Run || h.epoch != l.Epoch || h.to != l.index || int(h.from) >= len(l.byID) ||
		l.byID[h.from] == nil {
		return "", false
	}
	select {
	case <-l.done:
		return "", false
	default:
	}
	p := l.byID[h.from]
	fresh, ok := p.take(h, packet)
	if fresh {
		from = p.name
	}
	return from, ok
}

func (p *peer) take(h header, packet []byte) (fresh, ok bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var nonce [12]byte
	at := len(p.assembly)
	opened, err := p.opens.Open(p.assembly, h.nonce(&nonce), packet[headerSize:], packet[:headerSize])
	if err != nil {
		return false, false
	}
	if h.kind == typeAck {
		if h.seq <= p.heard { // it was repeated, or overtaken by one that says more
			return false, true
		}
		p.heard = h.seq
		p.acknowledged(h.ack)
		if h.parts == wanted && len(p.flight) > 0 && p.flight[0].seq == h.ack+1 {
			p.resend(time.Now())
		}
		return true, true
	}
	p.acknowledged(h.ack)
	now := time.Now()
	switch {
	case h.seq == p.got+1 && h.part == p.part && (h.part == 0 || h.parts == p.parts) && p.queued < mostQueue:
		p.assembly, p.part, p.parts = opened, h.part+1, h.parts
		switch {
		case len(opened) > p.link.most: // no party sends it: whoever reads it names its sender
			p.assembly = []byte{contentMessage}
			p.complete(now)
		case p.part == p.parts:
			p.complete(now)
		}
		return true, true
	case h.seq > p.got+1 || h.seq == p.got+1 && h.part > p.part:
		if now.Sub(p.gapAt) >= gapEvery {
			p.gapAt = now
			p.request()
		}
	default: // it is here already
		p.soon(now)
	}
	p.assembly = p.assembly[:at]
	return false, true // somebody may repeat it, until what is missing before it is here too
}

func (p *peer) soon(now time.Time) {
	if p.ackDue.IsZero() {
		p.ackDue = now.Add(ackAfter)
	}
}

// complete takes the next message, which is whole.
func (p *peer) complete(now time.Time) {
	content := p.assembly
	p.got++
	p.assembly, p.part, p.parts = p.link.kept(content), 0, 0
	if p.soon(now); p.got-p.ackedAt >= 64 {
		p.acknowledge()
	}
	switch {
	case len(content) > 0 && content[0] == contentMark:
		if chain, at, ok := readMark(content); ok && p.link.Marked != nil {
			p.link.Marked(chain, at)
		}
	case len(content) > 0 && content[0] == contentMessage:
		m := &received{}
		if n := len(p.spare); n > 0 {
			m, p.spare = p.spare[n-1], p.spare[:n-1]
		}
		if m.size = len(content); Parse(content[1:], &m.Message) != nil {
			m.Message = Message{Kind: unreadable}
		}
		p.queue, p.queued = append(p.queue, m), p.queued+m.size
		select {
		case p.ready <- struct{}{}:
		default:
		}
	}
}

// unreadable is the kind of a message that a peer has encrypted and that is none: no script has it, so that
// it ends the run by the name of the sender.
const unreadable = "unreadable"

// acknowledged forgets what the peer has.
func (p *peer) acknowledged(upTo uint64) {
	n := 0
	for n < len(p.flight) && p.flight[n].seq <= upTo {
		p.bytes -= p.flight[n].bytes
		if p.flight[n].bytes <= p.link.keep {
			p.free = append(p.free, p.flight[n])
		}
		n++
	}
	if n == 0 {
		return
	}
	p.flight = slices.Delete(p.flight, 0, n)
	p.again = againAfter
	select {
	case p.room <- struct{}{}:
	default:
	}
}
