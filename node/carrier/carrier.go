// Package carrier brings packets between the parties of a project over NATS: an embedded server at the
// coordinator, to which every other party connects with its certificate, or an organisation's own servers, to
// which all parties connect (Attach). A party publishes on one subject of its own and listens on another;
// there are no requests and no replies. The embedded server allows a party no other subject; other servers
// may, and nothing here relies on it: who has sent a packet is known from its encryption. Packets may be
// lost: package transport sees to it that messages are not.
package carrier

import (
	"crypto/tls"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

const (
	maxPayload    = 1 << 20
	maxPending    = 64 << 20
	writeDeadline = 10 * time.Second
	pingEvery     = 2 * time.Second
	reconnectWait = 250 * time.Millisecond
	startMost     = 10 * time.Second
	reviewEvery   = time.Second
)

// A Carrier is one party's end.
type Carrier struct {
	id      *identity.Identity
	conn    *nats.Conn
	stop    func() // ends the embedded server, nil where none is
	peer    string // what it connects to, for texts
	where   string // the address of that
	foreign bool   // the servers are an organisation's own
	hub     bool   // this is the server's party, which sends to all others
	prefix  string
	back    func()
	notice  func(string)
	refused func(error)

	mutex    sync.Mutex
	accepted map[string][]byte // certificates of connected clients, by party
	failed   string            // why there is no connection, as it was last told; "": there is one
	done     chan struct{}
	wait     sync.WaitGroup
}

// Handlers are what a carrier tells its party. Functions may be called by any goroutine.
type Handlers struct {
	// from is the subject's party at the server, the server at a client; packet is valid during the call
	Packet func(from string, packet []byte)
	Back   func()            // the connection is there, for the first time or again
	Notice func(text string) // a line for the log
	Refuse func(err error)   // one that says what was refused, or has failed, with a code
}

// failureOf is the code of an error of a connection.
func failureOf(err error) diag.Code {
	var alert tls.AlertError
	var refused *identity.RefusedError
	switch text := strings.ToLower(err.Error()); {
	case errors.As(err, &alert), errors.As(err, &refused), strings.Contains(text, "tls"),
		strings.Contains(text, "authorization"):
		return diag.CertificateRefused
	case strings.Contains(text, "permissions violation"):
		return diag.SubjectRefused
	}
	return diag.BadAddress
}

// Join connects a client to the server of its project. It returns at once: Events.Back tells when the
// connection is there.
func Join(id *identity.Identity, e Handlers) (*Carrier, error) {
	if id.Party == id.Project.Server {
		return nil, data.Coded(diag.OtherParty,
			"%s is the server of the project %s: it serves, and the others join", id.Party, id.Project.Name)
	}
	c := newCarrier(id, e)
	var err error
	if c.conn, err = nats.Connect("tls://"+id.Project.Address, append(c.options(), nats.Secure(id.Dial()),
		nats.TLSHandshakeFirst())...); err != nil {
		return nil, err
	}
	if err = c.listen(e); err != nil {
		c.conn.Close()
		return nil, err
	}
	return c, nil
}

// listen subscribes to what is for this party.
func (c *Carrier) listen(e Handlers) (err error) {
	if c.hub {
		_, err = c.conn.Subscribe(c.prefix+".up.*", func(m *nats.Msg) {
			e.Packet(strings.TrimPrefix(m.Subject, c.prefix+".up."), m.Data)
		})
		return err
	}
	_, err = c.conn.Subscribe(c.prefix+".down."+c.id.Party, func(m *nats.Msg) {
		e.Packet(c.id.Project.Server, m.Data)
	})
	return err
}

func newCarrier(id *identity.Identity, e Handlers) *Carrier {
	return &Carrier{
		id: id, peer: id.Project.Server, where: id.Project.Address, hub: id.Party == id.Project.Server,
		prefix: "vflc." + id.Project.Name, back: e.Back, notice: e.Notice, refused: e.Refuse,
		accepted: map[string][]byte{}, done: make(chan struct{}),
	}
}

func (c *Carrier) options() []nats.Option {
	return []nats.Option{
		nats.Name("vflc " + c.id.Party), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.CustomInboxPrefix("_INBOX_" + c.id.Project.Name + "_none"), nats.NoEcho(),
		nats.ConnectHandler(func(*nats.Conn) {
			c.connected()
		}), nats.ReconnectHandler(func(*nats.Conn) { c.connected() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.lost(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.lost(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.refused(data.Coded(failureOf(err), "connection to %s: %v", c.peer, err))
		}),
		nats.IgnoreAuthErrorAbort(),
	}
}

// lost tells why there is no connection, once for a reason: an outage may last for days.
func (c *Carrier) lost(err error) {
	if err == nil {
		return
	}
	why := reason(err)
	c.mutex.Lock()
	told := c.failed == why
	c.failed = why
	c.mutex.Unlock()
	if !told {
		c.refused(data.Coded(failureOf(err), "the connection to %s failed: %s", c.peer, why))
	}
}

func (c *Carrier) connected() {
	c.mutex.Lock()
	c.failed = ""
	c.mutex.Unlock()
	c.back()
}

// reason puts why there is no connection in words: also what TLS tells a client that was turned away.
func reason(err error) string {
	var alert tls.AlertError
	var refused *identity.RefusedError
	switch {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls"):
		return "the server refuses this party's certificate; its log says why (" + err.Error() + ")"
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, syscall.ECONNREFUSED):
		return "nothing answers there"
	case errors.Is(err, nats.ErrStaleConnection):
		return "nothing came through it for too long"
	case errors.Is(err, io.EOF):
		return "the other end has hung up"
	case errors.Is(err, nats.ErrAuthorization), strings.Contains(strings.ToLower(err.Error()),
		"authorization violation"):
		return "the server refuses this party; its log says why"
	}
	return err.Error()
}

// Publish sends a packet to a party. A client sends to the server alone.
func (c *Carrier) Publish(to string, packet []byte) error {
	if c.hub {
		return c.conn.Publish(c.prefix+".down."+to, packet)
	}
	return c.conn.Publish(c.prefix+".up."+c.id.Party, packet)
}

// Where is the address at which the embedded server listens, or to which this party connects.
func (c *Carrier) Where() string { return c.where }

// MaxPayload is the largest packet.
func (c *Carrier) MaxPayload() int {
	if most := int(c.conn.MaxPayload()); most > 0 {
		return most
	}
	return maxPayload // it is not connected yet
}

// Connected reports whether the connection to the server is there.
func (c *Carrier) Connected() bool { return c.conn.IsConnected() }

// Close ends the connection, and the embedded server.
func (c *Carrier) Close() {
	close(c.done)
	c.wait.Wait()
	if c.Connected() {
		_ = c.conn.FlushTimeout(time.Second) // what is lost now is lost
	}
	c.conn.Close()
	if c.stop != nil {
		c.stop()
	}
}

// RTT is the time of a round trip to the server.
func (c *Carrier) RTT() (time.Duration, error) { return c.conn.RTT() }
