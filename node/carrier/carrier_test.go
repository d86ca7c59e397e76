package carrier

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/tests/await"
)

// project makes a project with its parties, each in a folder of its own.
func project(t *testing.T, address string, parties ...string) (ca string, folder func(party string) string) {
	t.Helper()
	dir := t.TempDir()
	ca = filepath.Join(dir, "ca")
	if err := identity.Init(ca, identity.Project{Name: "heart", Server: parties[0], Address: address,
		Parties: parties}); err != nil {
		t.Fatal(err)
	}
	folder = func(party string) string { return filepath.Join(dir, party) }
	for _, party := range parties {
		admit(t, ca, folder(party), "heart", party)
	}
	return ca, folder
}

func admit(t *testing.T, ca, dir, project, party string) {
	t.Helper()
	if err := identity.Request(dir, project, party); err != nil {
		t.Fatal(err)
	}
	issued, err := identity.Add(ca, filepath.Join(dir, identity.RequestFile),
		identity.Admission{New: true, Server: true})
	if err != nil {
		t.Fatal(err)
	}
	cert, err := os.ReadFile(filepath.Join(issued.Bundle, identity.CertFile))
	if err == nil {
		err = safefile.WriteBytes(filepath.Join(dir, identity.CertFile), 0o644, cert)
	}
	if err == nil {
		err = identity.Copy(issued.Bundle, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir string) *identity.Identity {
	t.Helper()
	id, err := identity.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A log keeps what a carrier says.
type log struct {
	mutex sync.Mutex
	text  string
	got   chan string

	published []string // see publish
}

func (l *log) events() Handlers {
	l.got = make(chan string, 1000)
	return Handlers{
		Packet: func(from string, p []byte) { l.got <- from + ":" + string(p) }, Back: func() {},
		Notice: l.add,
		Refuse: func(err error) { // as a journal writes it, with the code
			var coded data.Errors
			if !errors.As(err, &coded) {
				l.add("without a code: " + err.Error())
				return
			}
			for _, d := range coded {
				l.add(d.Message + " (" + string(d.Code) + ")")
			}
		},
	}
}

func (l *log) add(s string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.text += s + "\n"
}

// wants waits until the log has a text.
func (l *log) wants(t *testing.T, text string) {
	t.Helper()
	if !await.Until(func() bool {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		return strings.Contains(l.text, text)
	}) {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		t.Errorf("the log does not say %q:\n%s", text, l.text)
	}
}

// freeAddress is an address where nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// publish sends a packet until it has arrived: a client may not be connected yet. Nothing may arrive but that
// and what was published before, which may come again.
func publish(t *testing.T, from *Carrier, to string, at *log, want string) {
	t.Helper()
	at.published = append(at.published, want)
	if !await.Until(func() bool {
		_ = from.Publish(to, []byte(want[strings.Index(want, ":")+1:]))
		for {
			select {
			case got := <-at.got:
				if !slices.Contains(at.published, got) {
					t.Fatalf("got %q, want %q", got, want)
				}
				if got == want {
					return true
				}
			default:
				return false
			}
		}
	}) {
		t.Fatalf("%q has not arrived", want)
	}
}

// greeted waits for what the server says first, which it says to nobody that it does not accept.
func greeted[C net.Conn](conn C, err error) (C, error) {
	if err != nil {
		return conn, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(await.Patience))
	var head [frameHead]byte
	if _, err = conn.Write(head[:]); err == nil {
		_, err = io.ReadFull(conn, head[:])
	}
	if err == nil && head != [frameHead]byte{} {
		err = fmt.Errorf("the server says %x", head)
	}
	return conn, err
}

func TestPacketsBothWays(t *testing.T) {
	address := freeAddress(t)
	_, dir := project(t, address, "registry", "a", "b")
	var atServer, atA log
	s, err := Serve(load(t, dir("registry")), address, atServer.events())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := Join(load(t, dir("a")), atA.events())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	publish(t, a, "registry", &atServer, "a:up")
	publish(t, s, "a", &atA, "registry:down")
}

// Everyone who must not connect is refused, and the log of the server names the reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	ca, dir := project(t, address, "registry", "a", "b")
	var l log
	s, err := Serve(load(t, dir("registry")), address, l.events())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	connect := func(c *tls.Config) error {
		conn, err := greeted(tls.Dial("tcp", address, c))
		if err == nil {
			conn.Close()
		}
		return err
	}
	refused := func(name, why string, c *tls.Config) {
		t.Helper()
		if connect(c) == nil {
			t.Errorf("%s: connected", name)
		}
		l.wants(t, why+" (V0827)")
	}
	bare := load(t, dir("a")).Dial()
	bare.Certificates = nil
	refused("no certificate", string(identity.NoCertificate), bare)

	_, foreign := project(t, address, "registry", "a", "b")
	other := load(t, foreign("a")).Dial()
	other.VerifyConnection = nil // else it refuses the server first
	refused("wrong authority", "a is refused: "+string(identity.WrongAuthority), other)

	old := load(t, dir("b"))
	if err := connect(old.Dial()); err != nil {
		t.Fatal(err)
	}
	if err := identity.Revoke(ca, "b"); err != nil {
		t.Fatal(err)
	}
	if err := identity.Copy(ca, dir("registry")); err != nil {
		t.Fatal(err)
	}
	refused("revoked", "b is refused: "+string(identity.Revoked), old.Dial())

	lung := filepath.Join(t.TempDir(), "ca") // the same authority certifies for another project
	if err := errors.Join(os.CopyFS(lung, os.DirFS(ca)),
		os.Chmod(filepath.Join(lung, "ca.key"), 0o600)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(lung, identity.ProjectFile))
	if err == nil {
		err = safefile.WriteBytes(filepath.Join(lung, identity.ProjectFile), 0o644,
			[]byte(strings.Replace(string(text), "heart", "lung", 1)))
	}
	if err = errors.Join(err, identity.Revoke(lung, "a")); err != nil { // it has one certificate at a time
		t.Fatal(err)
	}
	admit(t, lung, dir("a_of_lung"), "lung", "a")
	project := load(t, dir("a_of_lung")).Dial()
	project.VerifyConnection = nil
	refused("another project", "a is refused: "+string(identity.WrongProject), project)

	admit(t, ca, dir("c"), "heart", "c") // the server's folder does not list it
	refused("unlisted", "c is refused: "+string(identity.Unlisted), load(t, dir("c")).Dial())

	plain, err := greeted(net.Dial("tcp", address))
	if err == nil {
		plain.Close()
		t.Error("connected without TLS")
	}
}

// A client finds that the certificate of the other end is another party's.
func TestClientRefusesAnotherServer(t *testing.T) {
	address := freeAddress(t)
	_, dir := project(t, address, "registry", "a", "b")
	listener, err := tls.Listen("tcp", address, load(t, dir("b")).Accept(func(error) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = conn.(*tls.Conn).HandshakeContext(context.Background()) }()
		}
	}()
	var l log
	c, err := Join(load(t, dir("a")), l.events())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	l.wants(t, "b is refused: "+string(identity.NotServer))
}

// What a client sends is the server's, under the name in the client's certificate; another client hears
// nothing of it, nor of what is for others. Where two processes of a party are connected, both hear.
func TestClientsApart(t *testing.T) {
	address := freeAddress(t)
	_, dir := project(t, address, "registry", "a", "b")
	var atServer, atA, atSecond, atB log
	s, err := Serve(load(t, dir("registry")), address, atServer.events())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	join := func(party string, at *log) *Carrier {
		c, err := Join(load(t, dir(party)), at.events())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	a, _, b := join("a", &atA), join("a", &atSecond), join("b", &atB)
	publish(t, a, "b", &atServer, "a:for b")
	publish(t, b, "registry", &atServer, "b:up")
	publish(t, s, "a", &atA, "registry:down")
	publish(t, s, "a", &atSecond, "registry:down")
	for {
		select {
		case got := <-atB.got:
			t.Errorf("b got %q", got)
		default:
			return
		}
	}
}

// A packet beyond the payload ends the connection that it came on, and no other; nothing of it is brought to
// anybody.
func TestOversizedPackets(t *testing.T) {
	address := freeAddress(t)
	_, dir := project(t, address, "registry", "a", "b")
	var atServer, atB log
	s, err := Serve(load(t, dir("registry")), address, atServer.events())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := Join(load(t, dir("b")), atB.events())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	publish(t, b, "registry", &atServer, "b:before")
	a, err := Join(load(t, dir("a")), (&log{}).events())
	if err != nil {
		t.Fatal(err)
	}
	publish(t, a, "registry", &atServer, "a:up")
	if err := a.Publish("registry", make([]byte, maxPayload+1)); err == nil {
		t.Error("the party's own carrier sends it")
	}
	a.Close()
	conn, err := greeted(tls.Dial("tcp", address, load(t, dir("a")).Dial()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(binary.LittleEndian.AppendUint32(nil, maxPayload+1)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(await.Patience))
	if said, err := io.ReadAll(conn); len(said) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the server says %x (%v)", said, err)
	}
	publish(t, b, "registry", &atServer, "b:after")
}

// A client that is connected when its certificate is revoked is disconnected.
func TestRevocationDisconnects(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	ca, dir := project(t, address, "registry", "a")
	var atServer, atA log
	s, err := Serve(load(t, dir("registry")), address, atServer.events())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := Join(load(t, dir("a")), atA.events())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	publish(t, a, "registry", &atServer, "a:up")
	if err := Probe(t.Context(), load(t, dir("a"))); err != nil {
		t.Error("before:", err)
	}
	if err := identity.Revoke(ca, "a"); err != nil {
		t.Fatal(err)
	}
	if err := identity.Copy(ca, dir("registry")); err != nil {
		t.Fatal(err)
	}
	atServer.wants(t, "a is refused: "+string(identity.Revoked))
	atA.wants(t, "the connection to registry failed")
	if err := Probe(t.Context(), load(t, dir("a"))); err == nil ||
		!strings.Contains(err.Error(), "the server refuses this party's certificate") {
		t.Error("after:", err)
	}
	if a.Connected() {
		t.Error("still connected")
	}
}

// A probe of an address where nothing listens names the address once, and the reason without the words of the
// system.
func TestProbeOfNothing(t *testing.T) {
	address := freeAddress(t)
	_, dir := project(t, address, "registry", "a")
	err := Probe(t.Context(), load(t, dir("a")))
	if want := address + " cannot be reached: nothing answers there"; err == nil ||
		runtime.GOOS != "windows" && err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
