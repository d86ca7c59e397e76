package carrier

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/direct"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

// A hub is the server's end: the links of all clients that are connected.
type hub struct {
	carrier  *Carrier
	listener net.Listener
	packet   func(from string, packet []byte)
	mutex    sync.Mutex
	links    map[*link]guest
	closed   bool
}

// A guest is who is at the other end of a link. A party may have several: a second process of it asks what
// the server announces.
type guest struct {
	party string
	cert  []byte
}

// Serve listens on an address, "" for the project's own.
func Serve(id *identity.Identity, listen string, e Handlers) (*Carrier, error) {
	if id.Party != id.Project.Server {
		return nil, data.Coded(diag.OtherParty, "%s is not the server of the project %s, which is %s: it joins",
			id.Party, id.Project.Name, id.Project.Server)
	}
	if listen == "" {
		_, port, err := net.SplitHostPort(id.Project.Address)
		if err != nil {
			return nil, err
		}
		listen = net.JoinHostPort("0.0.0.0", port)
	}
	_, text, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, data.Coded(diag.BadAddress, "--listen %s: write HOST:PORT", listen)
	}
	if port, err := strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return nil, data.Coded(diag.BadAddress, "--listen %s: write HOST:PORT", listen)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, data.Coded(diag.BadAddress, "nothing can listen on %s: %v", listen, err)
	}
	c := newCarrier(id, e)
	c.where = l.Addr().String()
	h := &hub{carrier: c, listener: l, packet: e.Packet, links: map[*link]guest{}}
	c.way = h
	c.wait.Go(func() { h.accept(id.Accept(e.Refuse)) })
	c.wait.Go(h.review)
	c.wait.Go(c.connected)
	return c, nil
}

func (h *hub) accept(config *tls.Config) {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			select {
			case <-h.carrier.open.Done():
				return
			case <-time.After(reconnectWait): // too many files are open
				continue
			}
		}
		h.carrier.wait.Go(func() { h.welcome(tls.Server(direct.Conn(conn), config)) })
	}
}

// welcome lets a client in whose certificate is accepted, and brings its packets.
func (h *hub) welcome(conn *tls.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithTimeout(h.carrier.open, dialMost)
	defer cancel()
	if conn.HandshakeContext(ctx) != nil {
		return
	}
	cert := conn.ConnectionState().PeerCertificates[0].Raw // it was verified
	party, err := h.carrier.id.Verify(cert)
	if err != nil {
		h.carrier.refused(err)
		return
	}
	l := newLink(conn, func(packet []byte) { h.packet(party, packet) })
	if !h.admit(l, guest{party, cert}) {
		return
	}
	_ = l.run(true, nil)
	h.mutex.Lock()
	delete(h.links, l)
	h.mutex.Unlock()
}

// admit notes a link. It reports whether the hub is open.
func (h *hub) admit(l *link, g guest) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.closed {
		h.links[l] = g
	}
	return !h.closed
}

// of are the links of a party; of all where it is "".
func (h *hub) of(party string) (out []*link) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for l, g := range h.links {
		if party == "" || g.party == party {
			out = append(out, l)
		}
	}
	return out
}

// publish implements way.
func (h *hub) publish(to string, packet []byte) error {
	links := h.of(to)
	if len(links) == 0 {
		return errNoLink
	}
	for _, l := range links {
		if err := l.send(uint32(len(packet)), packet); err != nil {
			return err
		}
	}
	return nil
}

// review disconnects clients whose certificates have been revoked since they connected.
func (h *hub) review() {
	ticker := time.NewTicker(reviewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-h.carrier.open.Done():
			return
		case <-ticker.C:
			h.disconnectRevoked()
		}
	}
}

func (h *hub) disconnectRevoked() {
	var told []string
	for _, l := range h.of("") {
		h.mutex.Lock()
		g := h.links[l]
		h.mutex.Unlock()
		if g.party == "" {
			continue // it has gone
		}
		_, err := h.carrier.id.Verify(g.cert)
		if err == nil {
			continue
		}
		if !slices.Contains(told, g.party) {
			told = append(told, g.party)
			h.carrier.refused(err)
		}
		l.end(err)
	}
}

func (h *hub) maxPayload() int                   { return maxPayload }
func (h *hub) connected() bool                   { return true }
func (h *hub) roundTrip() (time.Duration, error) { return 0, nil }
func (h *hub) probe(ctx context.Context) error   { return Probe(ctx, h.carrier.id) }

// close ends all connections when what was sent has arrived, or after a while.
func (h *hub) close() {
	h.mutex.Lock()
	h.closed = true
	h.mutex.Unlock()
	h.listener.Close()
	var wait sync.WaitGroup
	for _, l := range h.of("") {
		wait.Go(func() {
			_, _ = l.roundTrip(closeMost) // what is lost now is lost
			l.end(net.ErrClosed)
		})
	}
	wait.Wait()
}
