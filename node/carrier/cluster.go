package carrier

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

// A Cluster is an organisation's own NATS: a server, a cluster or a leaf node, to which every party connects,
// the coordinator too.
type Cluster struct {
	URL string // nats:// or tls://, several with commas; may hold a user and a password, or a token
	// a file with the certificates that the servers' are checked by; "": those of the system
	CA          string
	Credentials string // a file with a NATS user's token and key; "": none
	// files with this party's certificate for the servers, and its key; "": none. They are not those of the
	// project.
	Cert, Key string
}

// hosts are the servers of the URLs, without users and passwords.
func (cl Cluster) hosts() (out []string, secure bool, err error) {
	secure = true
	for one := range strings.SplitSeq(cl.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return nil, false,
				data.Coded(diag.BadAddress,
					"--nats: write nats://HOST:PORT, or tls://HOST:PORT for a connection by TLS "+
						"only; several with commas")
		}
		out, secure = append(out, u.Scheme+"://"+u.Host), secure && u.Scheme == "tls"
	}
	return out, secure, nil
}

// Attach connects a party, the coordinator or another, to a cluster. It returns at once: Events.Back tells
// when the connection is there.
func Attach(id *identity.Identity, cl Cluster, e Handlers) (*Carrier, error) {
	hosts, secure, err := cl.hosts()
	if err != nil {
		return nil, err
	}
	c := newCarrier(id, e)
	c.where = strings.Join(hosts, ", ")
	c.peer = c.where
	options := c.options()
	if secure {
		options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	} else {
		e.Notice("connections to " + c.where +
			" may be without TLS: packets are encrypted, but the names of the parties, sizes and " +
			"times can be seen on the way")
	}
	if cl.CA != "" {
		options = append(options, nats.RootCAs(cl.CA))
	}
	if cl.Credentials != "" {
		options = append(options, nats.UserCredentials(cl.Credentials))
	}
	if cl.Cert != "" {
		options = append(options, nats.ClientCert(cl.Cert, cl.Key))
	}
	k := &cluster{carrier: c, prefix: "vflc." + id.Project.Name}
	if k.conn, err = nats.Connect(cl.URL, options...); err != nil {
		return nil, data.Coded(diag.BadAddress, "%s: %s", c.where, reason(err))
	}
	if err := k.listen(e); err != nil {
		k.conn.Close()
		return nil, data.Coded(diag.BadAddress, "%s: %s", c.where, reason(err))
	}
	c.way = k
	return c, nil
}

// A cluster is a party's connection to NATS servers. A party publishes on one subject of its own, the server
// on one for each party, and each listens on another; there are no requests and no replies. Servers may allow
// more, and nothing here relies on it: who has sent a packet is known from its encryption.
type cluster struct {
	carrier *Carrier
	conn    *nats.Conn
	prefix  string
}

func (k *cluster) hub() bool { return k.carrier.id.Party == k.carrier.id.Project.Server }

// listen subscribes to what is for this party.
func (k *cluster) listen(e Handlers) (err error) {
	if k.hub() {
		_, err = k.conn.Subscribe(k.prefix+".up.*", func(m *nats.Msg) {
			e.Packet(strings.TrimPrefix(m.Subject, k.prefix+".up."), m.Data)
		})
		return err
	}
	_, err = k.conn.Subscribe(k.prefix+".down."+k.carrier.id.Party, func(m *nats.Msg) {
		e.Packet(k.carrier.id.Project.Server, m.Data)
	})
	return err
}

// publish implements way.
func (k *cluster) publish(to string, packet []byte) error {
	if k.hub() {
		return k.conn.Publish(k.prefix+".down."+to, packet)
	}
	return k.conn.Publish(k.prefix+".up."+k.carrier.id.Party, packet)
}

func (k *cluster) maxPayload() int {
	if most := int(k.conn.MaxPayload()); most > 0 {
		return most
	}
	return maxPayload // it is not connected yet
}

func (k *cluster) connected() bool { return k.conn.IsConnected() }

func (k *cluster) roundTrip() (time.Duration, error) { return k.conn.RTT() }

func (k *cluster) probe(context.Context) error {
	if err := k.conn.LastError(); !k.connected() && err != nil {
		return fmt.Errorf("%s: %s", k.carrier.where, reason(err))
	} else if !k.connected() {
		return fmt.Errorf("%s does not answer", k.carrier.where)
	}
	return nil
}

func (k *cluster) close() {
	if k.connected() {
		_ = k.conn.FlushTimeout(closeMost) // what is lost now is lost
	}
	k.conn.Close()
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
