//go:build !light

package carrier

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

// Serve starts the embedded server on an address, "" for the project's own, and connects to it.
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
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, data.Coded(diag.BadAddress, "--listen %s: write HOST:PORT", listen)
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, data.Coded(diag.BadAddress, "--listen %s: write HOST:PORT", listen)
	}
	// the embedded server does not say why it cannot listen
	if l, err := net.Listen("tcp", listen); err == nil {
		l.Close()
	} else {
		return nil, data.Coded(diag.BadAddress, "nothing can listen on %s: %v", listen, err)
	}
	c := newCarrier(id, e)
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	own := &door{carrier: c, secret: hex.EncodeToString(secret[:])}
	options := &server.Options{
		ServerName: id.Party, Host: host, Port: port, NoLog: true, NoSigs: true,
		TLSConfig: id.Accept(e.Refuse), TLS: true, TLSHandshakeFirst: true, TLSTimeout: 5,
		MaxPayload: maxPayload, MaxPending: maxPending, WriteDeadline: writeDeadline, MaxSubs: 16,
		PingInterval: pingEvery, MaxPingsOut: 3, NoSystemAccount: true,
		CustomClientAuthentication: own, DisableShortFirstPing: true,
	}
	if port == 0 {
		options.Port = server.RANDOM_PORT
	}
	if own.server, err = server.NewServer(options); err != nil {
		return nil, err
	}
	own.server.Start()
	if !own.server.ReadyForConnections(startMost) {
		own.server.Shutdown()
		return nil, data.Coded(diag.BadAddress, "nothing listens on %s after %v", listen, startMost)
	}
	c.conn, err = nats.Connect("", append(c.options(), nats.InProcessServer(own.server),
		nats.Token(own.secret))...)
	if err == nil {
		err = c.listen(e)
	}
	if err != nil {
		own.server.Shutdown()
		return nil, err
	}
	c.where = own.server.Addr().String()
	c.stop = own.server.Shutdown
	c.wait.Go(own.review)
	return c, nil
}

// review disconnects clients whose certificates have been revoked since they connected.
func (d *door) review() {
	ticker := time.NewTicker(reviewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-d.carrier.done:
			return
		case <-ticker.C:
			d.disconnectRevoked()
		}
	}
}

func (d *door) disconnectRevoked() {
	c := d.carrier
	c.mutex.Lock()
	accepted := maps.Clone(c.accepted)
	c.mutex.Unlock()
	for party, cert := range accepted {
		if _, err := c.id.Verify(cert); err == nil {
			continue
		} else {
			c.refused(err)
		}
		c.mutex.Lock()
		delete(c.accepted, party)
		c.mutex.Unlock()
		conns, err := d.server.Connz(&server.ConnzOptions{Username: true, User: party, Limit: 1 << 10})
		if err != nil {
			continue
		}
		for _, one := range conns.Conns {
			_ = d.server.DisconnectClientByID(one.Cid) // it may have gone already
		}
	}
}

// A door decides who may connect, and what each may do.
type door struct {
	carrier *Carrier
	server  *server.Server
	secret  string // of this process's own connection, which has no certificate
}

// Check implements server.Authentication.
func (d *door) Check(client server.ClientAuthentication) bool {
	c := d.carrier
	tls := client.GetTLSConnectionState()
	if tls == nil {
		if client.GetOpts().Token != d.secret {
			c.refused(&identity.RefusedError{Why: identity.NoCertificate})
			return false
		}
		client.RegisterUser(user(c.id.Party, c.prefix+".down.*", c.prefix+".up.*"))
		return true
	}
	if len(tls.PeerCertificates) == 0 {
		return false // VerifyConnection has said so
	}
	cert := tls.PeerCertificates[0].Raw
	party, err := c.id.Verify(cert)
	if err != nil {
		c.refused(err)
		return false
	}
	c.mutex.Lock()
	c.accepted[party] = cert
	c.mutex.Unlock()
	client.RegisterUser(user(party, c.prefix+".up."+party, c.prefix+".down."+party))
	return true
}

func user(party, publish, subscribe string) *server.User {
	return &server.User{Username: party, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{publish}},
		Subscribe: &server.SubjectPermission{Allow: []string{subscribe}},
	}}
}
