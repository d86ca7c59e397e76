// Package carrier brings packets between the parties of a project: the server's process listens, and every
// other party connects to it by TLS with certificates on both sides (Serve, Join); or all parties connect to
// an organisation's own NATS servers (Attach). Packets may be lost: package transport sees to it that
// messages are not.
package carrier

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
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
	maxPayload      = 1 << 20
	maxPending      = 64 << 20 // bytes on their way to a peer
	writeDeadline   = 10 * time.Second
	pingEvery       = 2 * time.Second
	reconnectWait   = 250 * time.Millisecond
	reconnectJitter = 50 * time.Millisecond
	dialMost        = 5 * time.Second
	closeMost       = time.Second
	reviewEvery     = time.Second
)

// A Carrier is one party's end.
type Carrier struct {
	id      *identity.Identity
	way     way
	peer    string // what it connects to, for texts
	where   string // the address of that
	back    func()
	refused func(error)

	mutex  sync.Mutex
	failed string          // why there is no connection, as it was last told; "": there is one
	open   context.Context // until Close
	shut   func()
	wait   sync.WaitGroup
}

// A way is how packets are brought: over links of the parties' own, or by a cluster.
type way interface {
	publish(to string, packet []byte) error
	maxPayload() int
	connected() bool
	roundTrip() (time.Duration, error)
	probe(ctx context.Context) error
	close()
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

func newCarrier(id *identity.Identity, e Handlers) *Carrier {
	c := &Carrier{id: id, peer: id.Project.Server, where: id.Project.Address, back: e.Back,
		refused: e.Refuse}
	c.open, c.shut = context.WithCancel(context.Background())
	return c
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
	if len(packet) > c.MaxPayload() {
		return fmt.Errorf("a packet of %d bytes is too long", len(packet))
	}
	return c.way.publish(to, packet)
}

// Where is the address at which the server listens, or to which this party connects.
func (c *Carrier) Where() string { return c.where }

// MaxPayload is the largest packet.
func (c *Carrier) MaxPayload() int { return c.way.maxPayload() }

// Connected reports whether the connection to the server is there.
func (c *Carrier) Connected() bool { return c.way.connected() }

// RTT is the time of a round trip to the server.
func (c *Carrier) RTT() (time.Duration, error) { return c.way.roundTrip() }

// Probe says why there is no connection now; nil where there is one, or could be.
func (c *Carrier) Probe(ctx context.Context) error { return c.way.probe(ctx) }

// Close ends the connections.
func (c *Carrier) Close() {
	c.way.close()
	c.shut()
	c.wait.Wait()
}
