package carrier

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/direct"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

// A spoke is a client's end: its link to the server, which is made anew when it has ended.
type spoke struct {
	carrier *Carrier
	packet  func([]byte)
	link    atomic.Pointer[link] // nil: there is none
}

// Join connects a client to the server of its project. It returns at once: Events.Back tells when the
// connection is there.
func Join(id *identity.Identity, e Handlers) (*Carrier, error) {
	if id.Party == id.Project.Server {
		return nil, data.Coded(diag.OtherParty,
			"%s is the server of the project %s: it serves, and the others join", id.Party, id.Project.Name)
	}
	c := newCarrier(id, e)
	s := &spoke{carrier: c, packet: func(packet []byte) { e.Packet(id.Project.Server, packet) }}
	c.way = s
	c.wait.Go(s.run)
	return c, nil
}

// run connects, again and again.
func (s *spoke) run() {
	for {
		err := s.connect()
		if s.carrier.open.Err() != nil {
			return
		}
		s.carrier.lost(err)
		select {
		case <-s.carrier.open.Done():
			return
		case <-time.After(reconnectWait + rand.N(reconnectJitter)):
		}
	}
}

// connect makes a link and returns why it has ended, or could not be made.
func (s *spoke) connect() error {
	c := s.carrier
	ctx, cancel := context.WithTimeout(c.open, dialMost)
	defer cancel()
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.id.Project.Address)
	if err != nil {
		return err
	}
	conn := tls.Client(direct.Conn(raw), c.id.Dial())
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return err
	}
	l := newLink(conn, s.packet)
	defer context.AfterFunc(c.open, func() { l.end(net.ErrClosed) })()
	defer s.link.Store(nil)
	return l.run(false, func() {
		s.link.Store(l)
		c.connected()
	})
}

// publish implements way. A client sends to the server alone.
func (s *spoke) publish(_ string, packet []byte) error {
	if l := s.link.Load(); l != nil {
		return l.send(uint32(len(packet)), packet)
	}
	return errNoLink
}

func (s *spoke) maxPayload() int { return maxPayload }

func (s *spoke) connected() bool { return s.link.Load() != nil }

func (s *spoke) roundTrip() (time.Duration, error) {
	if l := s.link.Load(); l != nil {
		return l.roundTrip(dialMost)
	}
	return 0, errNoLink
}

func (s *spoke) probe(ctx context.Context) error { return Probe(ctx, s.carrier.id) }

// close waits until what was sent has arrived, or for a while.
func (s *spoke) close() {
	if l := s.link.Load(); l != nil {
		_, _ = l.roundTrip(closeMost) // what is lost now is lost
	}
}
