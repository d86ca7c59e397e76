package transport

import (
	"context"
	"sync"
)

// depth is how many messages may wait in one direction. The protocol has at most two in transit (the last of
// one evaluation and the first of the next); one more is being read.
const depth = 4

// NewMem connects parties within one process: names[0] is the server, the others are its clients. It returns
// one end per party, in the order of names, each for one goroutine. Buffers are reused: a message no larger
// than earlier ones allocates nothing.
func NewMem(names []string) []Transport {
	server := newMem(names[0])
	ends := []Transport{server}
	for _, name := range names[1:] {
		client := newMem(name)
		up, down := newPipe(), newPipe()
		server.links[name] = &link{out: down, in: up, peer: client}
		client.links[server.name] = &link{out: up, in: down, peer: server}
		ends = append(ends, client)
	}
	return ends
}

// mem is one party's end.
type mem struct {
	name  string
	links map[string]*link
	done  chan struct{} // closed by Close
	once  sync.Once
}

func newMem(name string) *mem {
	return &mem{name: name, links: map[string]*link{}, done: make(chan struct{})}
}

// A link is one end of the connection to a peer.
type link struct {
	out, in pipe
	peer    *mem
	held    *Message // received last; its buffers are released at the next Recv
}

// A pipe is one direction of a connection. Messages circulate between full and free, so a send on either
// channel never blocks.
type pipe struct{ full, free chan *Message }

func newPipe() pipe {
	p := pipe{make(chan *Message, depth), make(chan *Message, depth)}
	for range depth {
		p.free <- &Message{}
	}
	return p
}

// Send copies m into a free buffer. It waits for one while the peer has not read earlier messages.
func (m *mem) Send(ctx context.Context, to string, msg Message) error {
	l, err := m.link(ctx, to)
	if err != nil {
		return err
	}
	if err := l.gone(); err != nil {
		return err
	}
	select {
	case buffer := <-l.out.free:
		buffer.fill(msg)
		l.out.full <- buffer
		return nil
	case <-l.peer.done:
		return l.gone()
	case <-m.done:
		return &ClosedError{m.name}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// link returns the connection to a peer, or an error if there is none, this end is closed or the context is
// done.
func (m *mem) link(ctx context.Context, peer string) (*link, error) {
	l, ok := m.links[peer]
	if !ok {
		return nil, &UnconnectedError{m.name, peer}
	}
	select {
	case <-m.done:
		return nil, &ClosedError{m.name}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	default:
		return l, nil
	}
}

// gone returns an error if the peer has closed its end.
func (l *link) gone() error {
	select {
	case <-l.peer.done:
		return &ClosedError{l.peer.name}
	default:
		return nil
	}
}

// fill copies msg, and grows the buffers where they are too small.
func (m *Message) fill(msg Message) {
	m.shaped(msg)
	for i, a := range msg.Arrays {
		m.Arrays[i].keep(a)
	}
}

// trade takes msg with its buffers, and gives it those that it had.
func (m *Message) trade(msg Message) {
	m.shaped(msg)
	for i := range msg.Arrays {
		old, taken := &m.Arrays[i], &msg.Arrays[i]
		data, words := old.Data[:0], old.Words[:0]
		*old = *taken
		taken.Data, taken.Words = data, words
	}
}

// shaped takes all of msg but its arrays, of which it has as many: with the buffers of earlier messages.
func (m *Message) shaped(msg Message) {
	arrays := m.Arrays[:cap(m.Arrays)]
	*m = msg
	if n := len(msg.Arrays) - len(arrays); n > 0 {
		arrays = append(arrays, make([]Channel, n)...)
	}
	m.Arrays = arrays[:len(msg.Arrays)]
}

// Recv returns the next message of the peer.
func (m *mem) Recv(ctx context.Context, from string) (Message, error) {
	l, err := m.link(ctx, from)
	if err != nil {
		return Message{}, err
	}
	l.release()
	select {
	case msg := <-l.in.full:
		return l.hold(msg), nil
	case <-l.peer.done:
		return l.last()
	case <-m.done:
		return Message{}, &ClosedError{m.name}
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	}
}

// release returns the buffers of the last received message to the sender.
func (l *link) release() {
	if l.held != nil {
		l.in.free <- l.held
		l.held = nil
	}
}

func (l *link) hold(msg *Message) Message {
	l.held = msg
	return *msg
}

// last returns the next message that a peer sent before it closed.
func (l *link) last() (Message, error) {
	select {
	case msg := <-l.in.full:
		return l.hold(msg), nil
	default:
		return Message{}, &ClosedError{l.peer.name}
	}
}

// Close ends the connections of this party.
func (m *mem) Close() { m.once.Do(func() { close(m.done) }) }
