package node

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/await"
	"github.com/vflc/vflc/tests/diagtest"
)

// ownNATS starts a NATS server as an organisation has one: with TLS and a password, and no idea of parties.
// It returns how parties, and others, connect to it.
func ownNATS(t *testing.T, payload int32) carrier.Cluster {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "nats-ca.pem")
	if err := safefile.WriteBytes(ca, 0o644,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})); err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, Username: "everybody",
		Password: "secret", MaxPayload: payload,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der},
			PrivateKey: key}}}, TLSTimeout: await.Patience.Seconds(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(await.Patience) {
		t.Fatal("the NATS server does not start")
	}
	return carrier.Cluster{URL: "tls://everybody:secret@" + s.Addr().String(), CA: ca}
}

// An observer sees everything on a NATS server, and sends it again, altered, late and to others.
type observer struct {
	mutex    sync.Mutex
	subjects map[string]int
	seen     bytes.Buffer
	packets  int
	kept     []*nats.Msg
}

func (o *observer) watch(t *testing.T, cl carrier.Cluster) {
	t.Helper()
	conn, err := nats.Connect(cl.URL, nats.RootCAs(cl.CA), nats.NoEcho(), nats.Timeout(await.Patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	o.subjects = map[string]int{}
	_, err = conn.Subscribe(">", func(m *nats.Msg) {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		o.subjects[m.Subject]++
		o.packets++
		o.seen.Write(m.Data)
		o.kept = append(o.kept, m)
		altered := slices.Clone(m.Data)
		altered[o.packets*7919%len(altered)] ^= 0x41
		old := o.kept[o.packets*104729%len(o.kept)]
		for subject, data := range map[string][]byte{
			m.Subject:                 m.Data, // again
			m.Subject + " ":           nil,
			old.Subject:               old.Data, // late
			"vflc.heart.up.a":         altered,
			"vflc.heart.down.b":       old.Data,
			"vflc.heart.up.nobody":    m.Data,
			"vflc.heart.down.a":       []byte("VF2CS"),
			"vflc.heart.up.b":         append(slices.Clone(m.Data), 1),
			"vflc.heart.down.nobody":  altered,
			"vflc.heart.up.somewhere": old.Data,
		} {
			if data != nil {
				_ = conn.Publish(subject, data) // it loses some, as attackers do
			}
		}
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// heard is how many packets the observer has seen.
func (o *observer) heard() int {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.packets
}

// refused reports whether every party has told of packets that it has refused.
func (d *trio) refused() bool {
	return !slices.ContainsFunc([]string{"server", "a", "b"}, func(party string) bool {
		return d.when(party, "(V0832)", time.Time{}).IsZero()
	})
}

// Over an organisation's own NATS servers, which let anybody listen and publish, a run has the same draws;
// who listens learns sizes and times, and changes nothing.
func TestOwnNATS(t *testing.T) {
	t.Parallel()
	var whole map[string]string
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		d.run()
		whole = d.draws()
	})
	for name, payload := range map[string]int32{"usual payload": 1 << 20,
		"small payload": int32(transport.MinPacket)} {
		t.Run(name, func(t *testing.T) {
			cl := ownNATS(t, payload)
			o := &observer{}
			o.watch(t, cl)
			d := newTrio(t)
			d.over = cl
			d.step = func(_ int, info backends.StepInfo) {
				// the observer may be slower than the run
				if info.Iteration == 40 && !await.Until(func() bool {
					return o.heard() >= 100 && d.refused()
				}) {
					t.Error("nothing of what the observer sends has come")
				}
			}
			d.run()
			if !maps.Equal(d.draws(), whole) {
				t.Error("the draws are others than without the observer")
			}
			o.mutex.Lock()
			defer o.mutex.Unlock()
			for subject := range o.subjects {
				if !regexp.MustCompile(`^vflc\.heart\.(up\.(a|b)|down\.(a|b))$`).MatchString(subject) {
					t.Errorf("the parties speak on %s", subject)
				}
			}
			t.Log(o.packets)
			if len(o.subjects) != 4 {
				t.Errorf("%d packets on %v", o.packets, o.subjects)
			}
			seen := o.seen.Bytes()
			for _, text := range []string{"stage", "manifest", "incarnation", "normal", "scalars", "salt",
				"adjoint", "reply", "partial", "settings", "nuts"} {
				if bytes.Contains(seen, []byte(text)) {
					t.Errorf("the observer has read %q", text)
				}
			}
			for _, x := range []float64{-2.2, -1.1, 1.1, 2.2, 0.3*1.1 + 1, 0.3*2.2 + 2} { // of the tables
				if bytes.Contains(seen, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))) {
					t.Errorf("the observer has read the number %v", x)
				}
			}
		})
	}
}

// Over such servers an alignment finds the same rows; who listens reads no identifier, and what it repeats,
// alters and makes up changes nothing.
func TestAlignmentOverOwnNATS(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]int32{"usual payload": 1 << 20,
		"small payload": int32(transport.MinPacket)} {
		t.Run(name, func(t *testing.T) {
			cl := ownNATS(t, payload)
			o := &observer{}
			o.watch(t, cl)
			all := parties(t, "server", "a", "b")
			dir := t.TempDir()
			var wait sync.WaitGroup
			got := make([]*Aligned, len(all))
			for k, id := range all {
				var table strings.Builder
				table.WriteString("id,x\n")
				for n := range 700 {
					if n%(k+2) != 1 {
						fmt.Fprintf(&table, " Patient-%d ,%d\n", n, k)
					}
				}
				path := filepath.Join(dir, id.Party+".csv")
				if err := safefile.WriteBytes(path, 0o600, []byte(table.String())); err != nil {
					t.Fatal(err)
				}
				identified, err := Identify(path, "id", align.Rules{})
				if err != nil {
					t.Fatal(err)
				}
				wait.Go(func() {
					var err error
					o := AlignOptions{Identity: id, Table: identified, Key: "id",
						Out: filepath.Join(dir, "aligned_"+id.Party+".csv"), NATS: cl, Say: func(string) {}}
					if got[k], err = Align(t.Context(), o); err != nil {
						t.Errorf("%s: %v", id.Party, err)
					}
				})
			}
			wait.Wait()
			if t.Failed() {
				return
			}
			want := 0
			for n := range 700 {
				if n%2 != 1 && n%3 != 1 && n%4 != 1 {
					want++
				}
			}
			for k := range all {
				if got[k].Rows != want || got[k].Digest != got[0].Digest {
					t.Errorf("%s has %d rows and the digest %s; %d are common", all[k].Party, got[k].Rows,
						got[k].Digest, want)
				}
			}
			o.mutex.Lock()
			defer o.mutex.Unlock()
			if o.packets < 20 || bytes.Contains(bytes.ToLower(o.seen.Bytes()), []byte("patient")) {
				t.Errorf("the observer has read an identifier in %d packets", o.packets)
			}
		})
	}
}

// A party whose packets are lost while the parties meet, each of them once, is met later.
func TestAlignmentMeetsOverLosses(t *testing.T) {
	for first := range 8 { // of the packets that a gets, how many arrive before two are lost
		synctest.Test(t, func(t *testing.T) {
			errs, _ := alignCut(t, func(got int) bool { return got >= first && got < first+2 })
			for party, err := range errs {
				t.Errorf("%d: %s: %v", first, party, err)
			}
		})
	}
}

// A server that has its rows, and cannot know that a party has them, ends and names the party.
func TestLastMessageOfAnAlignmentIsLost(t *testing.T) {
	alone := 0
	for first := range 16 { // of the packets that a gets, how many arrive before all are lost
		synctest.Test(t, func(t *testing.T) {
			errs, said := alignCut(t, func(got int) bool { return got >= first })
			if errs["server"] != nil || errs["a"] == nil {
				return
			}
			if alone++; !strings.Contains(said, "a did not say that the last message has come") {
				t.Errorf("%d: the server says %s", first, said)
			}
		})
	}
	if alone == 0 {
		t.Error("in no case does the server alone have its rows")
	}
}

// alignCut aligns the rows of a server and of a, which is cut off as the number of packets that it has been
// sent says. It returns the errors of those who fail within a minute, and what the server has said.
func alignCut(t *testing.T, off func(got int) bool) (errs map[string]error, said string) {
	t.Helper()
	h, got := newHub(), 0
	h.each = func(_, to string, _ []byte) {
		if to == "a" {
			h.cut["a"] = off(got)
			got++
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	errs = map[string]error{}
	var wait sync.WaitGroup
	var mutex sync.Mutex
	for _, id := range parties(t, "server", "a") {
		path := filepath.Join(t.TempDir(), id.Party+".csv")
		if err := safefile.WriteBytes(path, 0o600, []byte("id\n1\n2\n")); err != nil {
			t.Fatal(err)
		}
		table, err := Identify(path, "id", align.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		o := AlignOptions{Identity: id, Table: table, Key: "id", Out: path + ".out", Say: func(string) {},
			connect: h.connect}
		if id.Party == "server" {
			o.Say = func(text string) {
				mutex.Lock()
				defer mutex.Unlock()
				said += text + "\n"
			}
		}
		wait.Go(func() {
			if _, err := Align(ctx, o); err != nil {
				mutex.Lock()
				defer mutex.Unlock()
				errs[id.Party] = err
			}
		})
	}
	wait.Wait()
	time.Sleep(time.Minute)
	return errs, said
}

// What is wrong with servers of one's own is said with a code.
func TestOwnNATSThatCannotBe(t *testing.T) {
	cl := ownNATS(t, 1<<20)
	narrow := ownNATS(t, 4<<10)
	for name, c := range map[string]struct {
		cl   carrier.Cluster
		want string
	}{
		"no authority": {carrier.Cluster{URL: cl.URL}, "(V0827)"},
		"password": {carrier.Cluster{URL: strings.Replace(cl.URL, "secret", "guess", 1), CA: cl.CA},
			"(V0827)"},
		"nobody there": {carrier.Cluster{URL: "tls://127.0.0.1:1", CA: cl.CA}, "(V0829)"},
		"payload":      {narrow, "(V0834)"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTrio(t)
			d.over = c.cl
			stop, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				_, err := Join(t.Context(), d.options("a"), stop)
				ended <- err
			}()
			said := await.Until(func() bool { return !d.when("a", c.want, time.Time{}).IsZero() })
			close(stop)
			<-ended
			if !said {
				t.Errorf("no %s in %v", c.want, d.said["a"])
			}
			if text := d.said["a"]; !d.when("a", "secret", time.Time{}).IsZero() ||
				!d.when("a", "guess", time.Time{}).IsZero() {
				t.Error("a password is in the log:", text)
			}
		})
	}
	for _, url := range []string{"127.0.0.1:4222", "http://x:1", "tls://", "tls://a:1,nats"} {
		d := newTrio(t)
		d.over = carrier.Cluster{URL: url}
		if _, err := Join(t.Context(), d.options("a"), nil); err == nil ||
			!strings.Contains(err.Error(), "--nats: write") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Servers that do not allow a party its subjects are named, with the subject.
func TestSubjectsThatAreNotAllowed(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true,
		NoSigs: true, Users: []*server.User{{
			Username: "other", Password: "secret",
			Permissions: &server.Permissions{Subscribe: &server.SubjectPermission{Allow: []string{"other.>"}}},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(await.Patience) {
		t.Fatal("the NATS server does not start")
	}
	errs := make(chan error, 100)
	events := carrier.Handlers{Packet: func(string, []byte) {}, Back: func() {}, Notice: func(string) {},
		Refuse: func(err error) { errs <- err }}
	c, err := carrier.Attach(parties(t, "registry", "a")[1],
		carrier.Cluster{URL: "nats://other:secret@" + s.Addr().String()}, events)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var list data.Errors
	if err := <-errs; !errors.As(err, &list) {
		t.Fatal(err)
	}
	diagtest.Want(t, filepath.Join("testdata", string(diag.SubjectRefused)+".txtar"), diag.List(list),
		func(text string) string {
			return strings.ReplaceAll(text, s.Addr().String(), "ADDRESS")
		})
}
