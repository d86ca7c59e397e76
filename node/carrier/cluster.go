package carrier

import (
	"crypto/tls"
	"net/url"
	"strings"

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
	c.foreign, c.where = true, strings.Join(hosts, ", ")
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
	if c.conn, err = nats.Connect(cl.URL, options...); err != nil {
		return nil, data.Coded(diag.BadAddress, "%s: %s", c.where, reason(err))
	}
	if err := c.listen(e); err != nil {
		c.conn.Close()
		return nil, data.Coded(diag.BadAddress, "%s: %s", c.where, reason(err))
	}
	return c, nil
}
