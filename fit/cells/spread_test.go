package cells

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/tests/await"
)

// serve starts a NATS server with JetStream in a folder; port -1 is any.
func serve(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir,
		NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(await.Patience) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { stop(s) })
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// A log keeps what is said.
type log struct {
	lock  sync.Mutex
	lines []string
}

func (l *log) say(text string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.lines = append(l.lines, text)
}

// with are the lines that have a text.
func (l *log) with(text string) []string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return slices.DeleteFunc(slices.Clone(l.lines), func(line string) bool {
		return !strings.Contains(line, text)
	})
}

func link(t *testing.T, url string, l *log) *WorkServer {
	t.Helper()
	out, err := Connect(t.Context(), WorkCluster{URL: url}, l.say)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	return out
}

// hire starts a worker that answers with the text of the model, the table and the number of the cell. It ends
// with the context.
func hire(ctx context.Context, t *testing.T, url string, l *log,
	make func(ctx context.Context, c *Cell) error) {
	w := &Worker{
		Link: link(t, url, l), Scratch: t.TempDir(), Kept: t.TempDir(), Say: l.say,
		Refuses: func(c *Cell) error {
			if c.Command != "cv" {
				return errors.New("no command of a cell")
			}
			return nil
		},
		Make: func(ctx context.Context, c *Cell, root string) ([]byte, error) {
			if err := make(ctx, c); err != nil {
				return nil, err
			}
			text, err := os.ReadFile(c.Model)
			if err != nil {
				return nil, err
			}
			table, err := os.ReadFile(strings.TrimPrefix(c.Flags[0].Value, "a="))
			return fmt.Appendf(nil, "%s %s %d", text, table, c.Part.First), err
		},
	}
	go func() { _ = w.Run(ctx) }()
}

func fine(context.Context, *Cell) error { return nil }

// some are n cells with their files.
func some(n int) ([]*Cell, func(*Cell) []CellInput) {
	model, _ := NewFile("/far/away/m.vfl", []byte("model"))
	table, _ := NewFile("/far/away/t/a.csv", []byte("table"))
	model.Shown, table.Shown = "m.vfl", "t/a.csv"
	var all []*Cell
	for _, part := range Parts(n, 1) {
		all = append(all, &Cell{
			Command: "cv", Model: model.Path,
			Flags: []Flag{{Name: DataFlag, Value: "a=" + table.Path}}, Part: &part,
			Inputs: []Input{Digest("model", model.Text),
				Digest("table 1 of a", table.Text)},
		})
	}
	return all, func(*Cell) []CellInput { return []CellInput{model, table} }
}

// gather asks for all cells, and checks their results.
func gather(ctx context.Context, t *testing.T, p SpreadPool, all []*Cell) error {
	t.Helper()
	times := map[int]int{}
	err := Gather(ctx, p, all, func(part Steps, result []byte) error {
		times[part.First]++
		if want := fmt.Sprintf("model table %d", part.First); string(result) != want {
			return fmt.Errorf("%q is no %q", result, want)
		}
		return nil
	}, nil)
	for k, n := range times {
		if n != 1 {
			t.Errorf("cell %d has %d results", k, n)
		}
	}
	if err == nil && len(times) != len(all) {
		t.Errorf("%d results of %d", len(times), len(all))
	}
	return err
}

// Several workers make all cells, also where one gives its cell back; kept results are there without a
// worker, others are gone.
func TestCellsAreMadeElsewhere(t *testing.T) {
	url := serve(t, t.TempDir(), -1).ClientURL()
	var said log
	leaving, leave := context.WithCancel(t.Context())
	held := make(chan struct{})
	hire(leaving, t, url, &said, func(ctx context.Context, _ *Cell) error {
		close(held)
		<-ctx.Done()
		return ctx.Err()
	})
	all, files := some(9)
	go func() {
		<-held
		leave()
		for range 2 {
			hire(t.Context(), t, url, &said, fine)
		}
	}()
	p := SpreadPool{Link: link(t, url, &said), Files: files, Keep: true, Say: said.say}
	if err := gather(t.Context(), t, p, all); err != nil {
		t.Fatal(err)
	}
	if n := len(said.with("cell ")); n != 9 {
		t.Errorf("%d cells were made: %q", n, said.lines)
	}
	if err := gather(t.Context(), t, p, all); err != nil || len(said.with("cell ")) != 9 {
		t.Errorf("asked again: %v, %q", err, said.lines)
	}
	p.Keep = false
	if err := gather(t.Context(), t, p, all); err != nil {
		t.Error(err)
	}
	for _, c := range all {
		if _, err := p.Link.at().results.GetInfo(t.Context(), c.ID()); !errors.Is(err,
			jetstream.ErrObjectNotFound) {
			t.Errorf("the result of %s: %v", c.ID(), err)
		}
	}
}

// A failure comes with the names that the files have where it was asked, is made anew by the next call, and
// takes back what nobody has begun.
func TestFailureOfACell(t *testing.T) {
	url := serve(t, t.TempDir(), -1).ClientURL()
	var said log
	// with the first call of gather; cells behind the one that fails take as long
	ended := make(chan struct{})
	hire(t.Context(), t, url, &said, func(ctx context.Context, c *Cell) error {
		select {
		case <-ended:
			return nil
		default:
		}
		if c.Part.First == 1 {
			return fmt.Errorf("%s has no rows", strings.TrimPrefix(c.Flags[0].Value, "a="))
		}
		if c.Part.First > 1 {
			select {
			case <-ended:
			case <-ctx.Done():
			}
		}
		return nil
	})
	all, files := some(40)
	p := SpreadPool{Link: link(t, url, &said), Files: files, Keep: true, Say: said.say}
	if err := gather(t.Context(), t, p, all); err == nil || err.Error() != "t/a.csv has no rows" {
		t.Fatal(err)
	}
	until(t, "the worker has said what it made, after it has stored it", func() bool {
		return len(said.with("cell ")) == 2
	})
	info, err := p.Link.at().stream.Info(t.Context())
	if err != nil || info.State.Msgs > 1 {
		t.Errorf("%d cells wait or are being made (%v), where the worker has one", info.State.Msgs, err)
	}
	close(ended)
	if err := gather(t.Context(), t, p, all); err != nil {
		t.Error(err)
	}
	other := *all[0]
	other.Command = "rm"
	if err := gather(t.Context(), t, p, []*Cell{&other}); err == nil ||
		err.Error() != "no command of a cell" {
		t.Error(err)
	}
}

// golden compares what a user sees of a code with a file.
func golden(t *testing.T, code, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, fit.Build(), "VERSION")
	got = regexp.MustCompile(`cell [0-9a-f]{16}`).ReplaceAllString(got, "cell NAME")
	archive, err := txtar.ParseFile(filepath.Join("testdata", code+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if want := string(archive.Files[0].Data); strings.TrimSpace(want) != strings.TrimSpace(got) {
		t.Errorf("%s is\n%s\nwant\n%s", code, got, want)
	}
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if !await.Until(holds) {
		t.Fatalf("waited in vain until %s", what)
	}
}

// Cells of another version stay in the queue, and both sides say why.
func TestOtherVersions(t *testing.T) {
	url := serve(t, t.TempDir(), -1).ClientURL()
	var here, there log
	l := link(t, url, &here)
	all, files := some(1)
	id := all[0].ID()
	text, err := json.Marshal(offer{id, "v9.9.9", *all[0], files(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.js.Publish(t.Context(), subject+id, text); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	asked := make(chan error)
	// which waits behind the offer of the other
	go func() { asked <- gather(ctx, t, SpreadPool{Link: l, Files: files, Say: here.say}, all) }()
	hire(t.Context(), t, url, &there, fine)
	until(t, "the worker leaves the cell", func() bool { return len(there.with("V0602")) > 0 })
	info, err := l.at().stream.Info(t.Context())
	if err != nil || info.State.Msgs != 1 {
		t.Errorf("%d cells wait: %v", info.State.Msgs, err)
	}
	far, err := json.Marshal(note{"v9.9.9", "far"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the asker hears of a worker of another version", func() bool {
		for _, garbage := range [][]byte{nil, []byte("3"), []byte("{"), far} {
			if err := l.conn.Publish(notes+id, garbage); err != nil {
				t.Fatal(err)
			}
		}
		return len(here.with("V0602")) > 0
	})
	end()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := len(here.with("V0602")); n != 1 {
		t.Errorf("it is said %d times", n)
	}
	golden(t, "V0602", there.with("V0602")[0]+"\n"+here.with("V0602")[0])
}

// What is no cell is dropped: no message of any form stops a worker, and none is made.
func TestGarbage(t *testing.T) {
	url := serve(t, t.TempDir(), -1).ClientURL()
	var said log
	l := link(t, url, &said)
	all, files := some(1)
	id := all[0].ID()
	with := func(change func(o *offer)) []byte {
		o := offer{id, fit.Build(), *all[0], files(nil)}
		change(&o)
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	renamed := func(o *offer) { o.ID = o.Cell.ID() }
	bad := [][]byte{
		nil, []byte("garbage"), []byte("null"), []byte("[]"), []byte(`{"id":3}`),
		// not what the name follows from
		with(func(o *offer) { o.Cell.Part = &Steps{First: -3, End: 900} }),
		with(func(o *offer) {
			o.Cell.Flags = append(o.Cell.Flags, Flag{Name: "output", Value: "/etc"})
		}),
		with(func(o *offer) { o.ID = "other" }),
		with(func(o *offer) { o.Files = nil }),
		with(func(o *offer) { o.Files = o.Files[:1] }),
		with(func(o *offer) { o.Files[0].Path = "../../m.vfl"; o.Cell.Model = "../../m.vfl" }),
		with(func(o *offer) { o.Cell.Inputs = append(o.Cell.Inputs, Digest("x", nil)); renamed(o) }),
	}
	for k, text := range bad {
		var o offer
		name := id
		if json.Unmarshal(text, &o) == nil && o.ID != "" && k != 7 {
			name = o.ID
		}
		until(t, "the last one is gone", func() bool {
			_, err := l.js.Publish(t.Context(), subject+name, text)
			return err == nil
		})
		if k == 0 {
			hire(t.Context(), t, url, &said, func(context.Context, *Cell) error {
				t.Error("garbage is made")
				return nil
			})
		}
	}
	until(t, "all are dropped", func() bool { return len(said.with("V0603")) == len(bad) })
	until(t, "the queue is empty", func() bool {
		info, err := l.at().stream.Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
	golden(t, "V0603", strings.Join(said.with("V0603"), "\n"))
}

// What lies at the server as a result and is none ends the command with a code, and is removed.
func TestBadResult(t *testing.T) {
	url := serve(t, t.TempDir(), -1).ClientURL()
	var said log
	all, files := some(2)
	p := SpreadPool{Link: link(t, url, &said), Files: files, Keep: true, Say: said.say}
	id := all[1].ID()
	shown := ""
	for _, header := range []string{"", "yes"} {
		put := func(text string) {
			meta := jetstream.ObjectMeta{Name: id}
			if header != "" {
				meta.Headers = nats.Header{failedHeader: []string{header}}
			}
			if _, err := p.Link.at().results.Put(t.Context(), meta,
				bytes.NewReader([]byte(text))); err != nil {
				t.Fatal(err)
			}
		}
		asked := make(chan error)
		if header == "" {
			put("garbage")
		}
		go func() { asked <- gather(t.Context(), t, p, all) }()
		if header != "" { // one that was there before is of an earlier call, and forgotten
			until(t, "the cell is offered", func() bool {
				_, err := p.Link.at().stream.GetLastMsgForSubject(t.Context(), subject+id)
				return err == nil
			})
			put("garbage")
		}
		err := <-asked
		var diags data.Errors
		if !errors.As(err, &diags) || diags[0].Code != diag.BadResult {
			t.Fatal(err)
		}
		var b strings.Builder
		_ = diag.Text(&b, diag.List(diags), false)
		shown += b.String()
		if _, err := p.Link.at().results.GetInfo(t.Context(), id); !errors.Is(err,
			jetstream.ErrObjectNotFound) {
			t.Error(err)
		}
	}
	golden(t, "V0605", shown)
	hire(t.Context(), t, url, &said, fine)
	if err := gather(t.Context(), t, p, all); err != nil {
		t.Error(err)
	}
}

// A server that goes away while cells are made, and comes back without what it had, costs time alone; both
// sides say so.
func TestServerGoesAway(t *testing.T) {
	s := serve(t, t.TempDir(), -1)
	url := s.ClientURL()
	var here, there log
	all, files := some(6)
	begun := make(chan struct{}, 100)
	goOn := make(chan struct{})
	hire(t.Context(), t, url, &there, func(context.Context, *Cell) error {
		begun <- struct{}{}
		<-goOn
		return nil
	})
	p := SpreadPool{Link: link(t, url, &here), Files: files, Say: here.say}
	asked := make(chan error)
	go func() { asked <- gather(t.Context(), t, p, all) }()
	<-begun
	port := s.Addr().(interface{ AddrPort() netip.AddrPort }).AddrPort().Port()
	stop(s)
	close(goOn)
	until(t, "both know", func() bool { return len(here.with("V0604")) > 0 && len(there.with("V0604")) > 0 })
	serve(t, t.TempDir(), int(port))
	select {
	case err := <-asked:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(await.Patience):
		t.Fatalf("the cells are not made: %q %q", here.lines, there.lines)
	}
	until(t, "both say that it is back", func() bool {
		return len(here.with("again")) > 0 && len(there.with("again")) > 0
	})
	golden(t, "V0604", here.with("V0604")[0]+"\n"+here.with("again")[0])
}

// A refusal of the server ends the work.
func TestServerRefuses(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true,
		StoreDir: t.TempDir(), MaxPayload: 1000, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { stop(s) })
	if !s.ReadyForConnections(await.Patience) {
		t.Fatal("the server does not start")
	}
	var said log
	all, files := some(1)
	all[0].Flags = append(all[0].Flags, Flag{Name: "set", Value: strings.Repeat("x", 2000)})
	p := SpreadPool{Link: link(t, s.ClientURL(), &said), Files: files, Say: said.say}
	err = gather(t.Context(), t, p, all)
	var diags data.Errors
	if !errors.As(err, &diags) || diags[0].Code != diag.NoQueue {
		t.Error(err)
	}
	plain, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	plain.Start()
	t.Cleanup(func() { stop(plain) })
	if !plain.ReadyForConnections(await.Patience) {
		t.Fatal("the server does not start")
	}
	_, err = Connect(t.Context(), WorkCluster{URL: plain.ClientURL()}, said.say)
	if !errors.As(err, &diags) || !strings.Contains(diags[0].Message, "no JetStream") {
		t.Error(err)
	}
}

// A server is taken for that of --nats by the certificates of --nats-ca alone: not one with a certificate of
// somebody else, nor by what the system trusts, nor in the clear.
func TestServerIsKnownByItsCertificate(t *testing.T) {
	web := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate, of 127.0.0.1
	defer web.Close()
	known, foreign := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "ca.pem")
	stranger := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotAfter: time.Now().Add(time.Hour)}
	other, err := x509.CreateCertificate(nil, template, template, stranger.Public(), stranger)
	if err != nil {
		t.Fatal(err)
	}
	for path, der := range map[string][]byte{known: web.Certificate().Raw, foreign: other} {
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func(with *tls.Config) string {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true,
			StoreDir: t.TempDir(), NoLog: true, NoSigs: true, TLSConfig: with})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { stop(s) })
		if !s.ReadyForConnections(await.Patience) {
			t.Fatal("the server does not start")
		}
		return s.Addr().String()
	}
	secure, plain := start(&tls.Config{Certificates: web.TLS.Certificates}), start(nil)
	var said log
	for _, q := range []WorkCluster{{URL: "tls://" + secure}, {URL: "nats://" + secure},
		{URL: "tls://" + secure, CA: foreign}, {URL: "nats://" + plain, CA: known},
		{URL: "tls://" + secure, CA: filepath.Join(t.TempDir(), "none")}} {
		var diags data.Errors
		l, err := Connect(t.Context(), q, said.say)
		if !errors.As(err, &diags) || diags[0].Code != diag.NoQueue {
			t.Errorf("%v: %v, %v", q, l, err)
		}
	}
	for _, scheme := range []string{"tls://", "nats://"} {
		l, err := Connect(t.Context(), WorkCluster{URL: scheme + secure, CA: known}, said.say)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
}
