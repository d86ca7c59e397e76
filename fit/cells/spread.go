package cells

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// Names on the server.
const (
	stream  = "VFLC_WORK"
	subject = "vflc.work."
	notes   = "vflc.note." // on which workers say why they leave a cell to others
	workers = "workers"
	inputs  = "vflc_inputs"
	results = "vflc_results"
)

// Times.
const (
	beatEvery  = 2 * time.Second // in which a worker says that it is at its cell
	missed     = 3 * beatEvery   // after which another one gets it
	lookEvery  = 300 * time.Millisecond
	againAfter = time.Second      // after which a server that did not answer is asked again
	checkEvery = 10 * time.Second // in which the offers that nobody has answered are looked for
	keep       = 30 * 24 * time.Hour
)

// failedHeader is the header of a result that is the reason why there is none.
const failedHeader = "Vflc-Failed"

// A CellInput is an input of a cell.
type CellInput struct {
	Path   string `json:"path"` // absolute, where the cell is from
	SHA256 string `json:"sha256"`
	Text   []byte `json:"-"`
	Shown  string `json:"-"` // the path as messages have it
}

// NewFile is a file with a content.
func NewFile(path string, text []byte) (CellInput, error) {
	absolute, err := filepath.Abs(path)
	return CellInput{absolute, Digest("", text).SHA256, text, path}, err
}

// An offer is the message of a cell.
type offer struct {
	ID      string      `json:"id"`
	Version string      `json:"version"` // of vflc, which results depend on
	Cell    Cell        `json:"cell"`
	Files   []CellInput `json:"files"`
}

// sound is an error where the offer is none that a pool makes. It is for offers of this version.
func (o *offer) sound() error {
	has := func(digest string) bool {
		return slices.ContainsFunc(o.Files, func(f CellInput) bool { return f.SHA256 == digest })
	}
	switch {
	case o.Cell.ID() != o.ID:
		return errors.New("its name does not follow from its contents")
	case !slices.ContainsFunc(o.Files, func(f CellInput) bool { return f.Path == o.Cell.Model }):
		return errors.New("it has no model")
	}
	for _, f := range o.Files {
		if !filepath.IsAbs(f.Path) {
			return fmt.Errorf("%q is no absolute path", f.Path)
		}
	}
	for _, i := range o.Cell.Inputs {
		if !has(i.SHA256) {
			return fmt.Errorf("it depends on %s, which does not come with it", i.Name)
		}
	}
	return nil
}

// A note says that a worker leaves a cell to others.
type note struct {
	Version string `json:"version"`
	Host    string `json:"host"`
}

// A WorkServer is a connection to the server of the work.
type WorkServer struct {
	conn  *nats.Conn
	js    jetstream.JetStream
	say   func(string)
	named atomic.Pointer[places]
}

// places are what a link uses on the server.
type places struct {
	stream          jetstream.Stream
	queue           jetstream.Consumer
	inputs, results jetstream.ObjectStore
}

// A WorkCluster is where servers with JetStream are, and how user and servers are known there: files with
// credentials and with certificates, "" for none.
type WorkCluster struct{ URL, Credentials, CA string }

// Connect connects to a server with JetStream. It goes on trying to connect again for as long as the process
// lives. say is told of the server: that it is away, and that it is back. Several goroutines may call it.
func Connect(ctx context.Context, q WorkCluster, say func(string)) (*WorkServer, error) {
	l := &WorkServer{say: say}
	options := []nats.Option{
		nats.Name("vflc"), nats.MaxReconnects(-1), nats.ReconnectWait(againAfter),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the calls have their own errors
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // else this process has closed it
				l.away(err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { l.back() }),
	}
	if q.Credentials != "" {
		options = append(options, nats.UserCredentials(q.Credentials))
	}
	if q.CA != "" {
		options = append(options, nats.RootCAs(q.CA))
	}
	conn, err := nats.Connect(q.URL, options...)
	if err != nil {
		return nil, unreachable(q.URL, "no NATS server answers there: %v", err)
	}
	l.conn = conn
	if l.js, err = jetstream.New(conn); err == nil {
		err = l.open(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, unreachable(q.URL, "the server there has no JetStream that this user may use: %v", err)
	}
	return l, nil
}

// unreachable is the error of a server of work that there is not.
func unreachable(url, format string, args ...any) error {
	var diags diag.List
	diags.Errorf(diag.NoQueue, nil, source.Span{}, "--nats %s: "+format,
		slices.Concat([]any{url},
			args)...).Note("nats-server -js is one; its address is nats://HOST:4222 unless its " +
		"configuration says otherwise")
	return data.Errors(diags)
}

// warning is a warning as it is shown.
func warning(code diag.Code, format string, args ...any) string {
	var diags diag.List
	diags.Warnf(code, nil, source.Span{}, format, args...)
	var text strings.Builder
	_ = diag.Text(&text, diags, false) // a Builder takes everything
	return strings.TrimSuffix(text.String(), "\n")
}

// unlike is the warning about two versions.
func unlike(format string, args ...any) string {
	return warning(diag.OtherWorker, format+": it leaves such cells to workers of their own version", args...)
}

// open makes what the server does not have, and finds what it has.
func (l *WorkServer) open(ctx context.Context) (err error) {
	p := &places{}
	if p.stream, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: stream, Subjects: []string{subject + "*"}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.FileStorage,
		// a cell that is offered twice waits once
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	}); err != nil {
		return err
	}
	if p.queue, err = l.js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{Durable: workers,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: missed, MaxDeliver: -1,
		MaxAckPending: 10000}); err != nil {
		return err
	}
	if p.inputs, err = l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: inputs,
		TTL: keep, Storage: jetstream.FileStorage}); err != nil {
		return err
	}
	if p.results, err = l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: results,
		TTL: keep, Storage: jetstream.FileStorage}); err != nil {
		return err
	}
	l.named.Store(p)
	return nil
}

func (l *WorkServer) at() *places { return l.named.Load() }

// Close ends the connection.
func (l *WorkServer) Close() { l.conn.Close() }

func (l *WorkServer) away(why error) {
	l.say(warning(diag.NoQueue, "the server of --nats does not answer (%v); waiting for it", why))
}

func (l *WorkServer) back() { l.say("the server of --nats answers again") }

// persist calls do until the server answers it. An answer that is a refusal is an error; where a server has
// come back without what it had, do finds that made anew.
func (l *WorkServer) persist(ctx context.Context, do func() error) error {
	said := false
	for failed := 0; ; failed++ {
		err := do()
		var refused *jetstream.APIError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			if said {
				l.back()
			}
			return nil
		case errors.As(err, &refused) && refused.Code != notThere && refused.Code != notNow,
			errors.Is(err, nats.ErrMaxPayload), l.conn.IsClosed():
			return refusal(err)
		}
		// else that was said when the connection was lost; a server that has just come back may need a moment
		if failed > 0 && !said && l.conn.IsConnected() {
			said = true
			l.away(err)
		}
		pause(ctx, againAfter)
		if l.conn.IsConnected() {
			_ = l.open(ctx) // where that fails, so does what follows
		}
	}
}

func refusal(why error) error {
	var diags diag.List
	diags.Errorf(diag.NoQueue, nil, source.Span{}, "the server of --nats refuses: %v", why)
	return data.Errors(diags)
}

// Codes of the server's answers: what is asked for is not there, or the server cannot do it at present, as
// while it starts.
const (
	notThere = 404
	notNow   = 503
)

// A SpreadPool has cells made by workers. It implements [Pool].
type SpreadPool struct {
	Link *WorkServer
	// Files are the texts and tables of a cell.
	Files func(c *Cell) []CellInput
	// Keep leaves results at the server for a month, where the caller has no place for them: who asks for the
	// same cells again gets them at once.
	Keep bool
	Say  func(text string) // of the server and the workers
}

// Work implements [Pool]. It ends when all results are there, or with the context, after which the
// workers go on: the results wait for the next call.
func (p SpreadPool) Work(ctx context.Context, all []*Cell, done Done) error {
	a := &asking{SpreadPool: p, work: map[string]*Cell{}, heard: map[note]bool{}}
	for _, c := range all {
		id := c.ID()
		a.work[id] = c
		a.open = append(a.open, id)
	}
	heard := make(chan *nats.Msg, 64)
	if told, err := p.Link.conn.ChanSubscribe(notes+"*", heard); err == nil {
		defer func() { _ = told.Unsubscribe() }()
	}
	for _, id := range a.open {
		if err := p.Link.persist(ctx, func() error { return a.begin(ctx, id) }); err != nil {
			return err
		}
	}
	said, checked := time.Now(), time.Now()
	for {
		var left []string
		for _, id := range a.open {
			there, enough, err := a.collect(ctx, id, done)
			switch {
			case err != nil:
				return err
			case enough:
				return a.withdraw(ctx)
			case there:
				said = time.Now()
			default:
				left = append(left, id)
			}
		}
		if a.open = left; len(left) == 0 {
			return nil
		}
		if time.Since(checked) >= checkEvery {
			checked = time.Now()
			for _, id := range a.open {
				if err := p.Link.persist(ctx, func() error { return a.supply(ctx, id) }); err != nil {
					return err
				}
			}
			if time.Since(said) >= checkEvery {
				a.state(ctx)
			}
		}
		for waiting := time.After(lookEvery); waiting != nil; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case m := <-heard:
				a.hear(m)
			case <-waiting:
				waiting = nil
			}
		}
	}
}

// An asking is one call of Work.
type asking struct {
	SpreadPool
	work  map[string]*Cell
	open  []string // names of the cells without a result, in their order
	heard map[note]bool
	last  string // what state has said
}

// begin offers a cell. A failure that waits from an earlier time is forgotten: the cell is made anew.
func (a *asking) begin(ctx context.Context, id string) error {
	info, err := a.Link.at().results.GetInfo(ctx, id)
	if err == nil && info.Headers.Get(failedHeader) != "" {
		if err := a.Link.at().results.Delete(ctx, id); err != nil {
			return err
		}
	}
	return a.supply(ctx, id)
}

// supply puts the files of a cell into the store of inputs and offers the cell, unless its result is there,
// or they are there.
func (a *asking) supply(ctx context.Context, id string) error {
	if _, err := a.Link.at().results.GetInfo(ctx, id); !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	c := a.work[id]
	files := a.Files(c)
	for _, f := range files {
		if _, err := a.Link.at().inputs.GetInfo(ctx, f.SHA256); err == nil {
			continue
		} else if !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
		if _, err := a.Link.at().inputs.PutBytes(ctx, f.SHA256, f.Text); err != nil {
			return err
		}
	}
	text, err := json.Marshal(offer{id, fit.Build(), *c, files})
	if err != nil {
		return err
	}
	_, err = a.Link.js.Publish(ctx, subject+id, text)
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == errNotStored && strings.Contains(refused.Description,
		"maximum messages per subject") {
		return nil
	}
	return err
}

// errNotStored is the server's code for a message that it does not keep, as where the subject has as many as
// it may: the offer waits already.
const errNotStored = jetstream.ErrorCode(10077)

// The least pace at which an object is read: one that takes longer is read again.
const (
	patience = 10 * time.Second
	pace     = 500e3 // bytes in a second, beyond that
)

// get reads an object and compares its digest.
func get(ctx context.Context, store jetstream.ObjectStore, name string) ([]byte, *jetstream.ObjectInfo,
	error) {
	info, err := store.GetInfo(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	ctx, end := context.WithTimeout(ctx, patience+time.Duration(float64(info.Size)/pace*float64(time.Second)))
	defer end()
	text, err := store.GetBytes(ctx, name)
	return text, info, err
}

// collect takes the result of a cell, where it is there.
func (a *asking) collect(ctx context.Context, id string, done Done) (there, enough bool, err error) {
	var text []byte
	var info *jetstream.ObjectInfo
	if err := a.Link.persist(ctx, func() (err error) {
		text, info, err = get(ctx, a.Link.at().results, id)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		return err
	}); err != nil || info == nil {
		return false, false, err
	}
	c := a.work[id]
	if info.Headers.Get(failedHeader) != "" {
		failure, err := ReadFailure(text)
		if err != nil {
			return false, false, a.wrong(ctx, id, err)
		}
		enough, err := done(c, nil, failure.Renamed(a.names(c)...))
		return true, enough, err
	}
	var path *fs.PathError
	var names *os.LinkError
	switch enough, err = done(c, text, nil); {
	case errors.As(err, &path), errors.As(err, &names): // of this machine
		return false, false, err
	case err != nil:
		return false, false, a.wrong(ctx, id, err)
	}
	if !a.Keep {
		err = a.Link.persist(ctx, func() error {
			if err := a.Link.at().results.Delete(ctx, id); !errors.Is(err, jetstream.ErrObjectNotFound) {
				return err
			}
			return nil
		})
	}
	return true, enough, err
}

// wrong removes a result that is none of the cell, so that the cell is made anew when it is asked for again.
func (a *asking) wrong(ctx context.Context, id string, why error) error {
	_ = a.Link.at().results.Delete(ctx, id) // where it stays, it is refused again
	var diags diag.List
	diags.Errorf(diag.BadResult, nil, source.Span{},
		"what the server of --nats has as the result of cell %s is none: %v; it is removed, and the same "+
			"command has the cell made anew", id, why)
	return data.Errors(diags)
}

// names are the paths of a cell's files and what messages call them here, the longest first.
func (a *asking) names(c *Cell) (pairs []string) {
	files := a.Files(c)
	slices.SortStableFunc(files, func(x, y CellInput) int { return len(y.Path) - len(x.Path) })
	for _, f := range files {
		pairs = append(pairs, f.Path, f.Shown)
	}
	return pairs
}

// withdraw takes back the cells that nobody has begun.
func (a *asking) withdraw(ctx context.Context) error {
	for _, id := range a.open {
		if err := a.Link.persist(ctx, func() error {
			return a.Link.at().stream.Purge(ctx, jetstream.WithPurgeSubject(subject+id))
		}); err != nil {
			return err
		}
	}
	return nil
}

// state says how it stands, where nothing has come for some time: once, until that changes.
func (a *asking) state(ctx context.Context) {
	info, err := a.Link.at().queue.Info(ctx)
	if err != nil {
		return
	}
	text := fmt.Sprintf("%d cells to come; at the server %d are being made, %d wait", len(a.open),
		info.NumAckPending, info.NumPending)
	if info.NumAckPending == 0 && info.NumWaiting == 0 {
		text += ", and no worker asks for one (vflc worker --nats …)"
	}
	if text != a.last {
		a.last = text
		a.Say(text)
	}
}

// mostNotes bounds what is said of workers of other versions.
const mostNotes = 20

// hear reports a worker of another version, once.
func (a *asking) hear(m *nats.Msg) {
	var n note
	if a.work[strings.TrimPrefix(m.Subject, notes)] == nil || json.Unmarshal(m.Data, &n) != nil ||
		n.Version == fit.Build() || a.heard[n] || len(a.heard) == mostNotes {
		return
	}
	a.heard[n] = true
	a.Say(unlike("the worker on %q is vflc %q, the cells are of %s", n.Host, n.Version, fit.Build()))
}
