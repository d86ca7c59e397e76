// Package spread hands out the cells of a study to workers on other machines, over JetStream of a NATS server. A cell waits in a work queue; a worker that takes it says every few seconds that it
// is at it, and after its death another one gets the cell. Inputs and results lie in object stores: inputs under the digests of their contents, a result under the name of its cell, which follows
// from everything that it depends on. Whatever is lost on the way is offered again.
package spread

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/vflc/vflc/fit/study"
)

// Names on the server.
const (
	stream  = "VFLC_WORK"
	subject = "vflc.work."
	workers = "workers"
	inputs  = "vflc_inputs"
	results = "vflc_results"
)

// Times.
const (
	beatEvery  = 2 * time.Second // in which a worker says that it is at its cell
	missed     = 3 * beatEvery   // after which another one gets it
	lookEvery  = 300 * time.Millisecond
	checkEvery = 10 * time.Second // in which the offers that nobody has answered are looked for
	keepInputs = 30 * 24 * time.Hour
)

// failedHeader is the header of a result that says why there is none.
const failedHeader = "Vflc-Failed"

// A File is an input of a cell.
type File struct {
	Path   string `json:"path"` // absolute, where the study is
	SHA256 string `json:"sha256"`
	Text   []byte `json:"-"`
}

// NewFile is a file with a content.
func NewFile(path string, text []byte) File {
	sum := sha256.Sum256(text)
	return File{path, hex.EncodeToString(sum[:]), text}
}

// A Work is a cell with all that is needed to make its result elsewhere.
type Work struct {
	study.Task
	Inputs []study.Input
	Files  []File
}

// An offer is the message of a cell.
type offer struct {
	ID       string        `json:"id"`
	Version  string        `json:"version"` // of vflc, which results depend on
	Command  string        `json:"command"`
	Model    string        `json:"model"`
	Flags    []study.Flag  `json:"flags"`
	Predicts bool          `json:"predicts,omitempty"`
	New      []study.Flag  `json:"new,omitempty"`
	Inputs   []study.Input `json:"inputs"`
	Files    []File        `json:"files"`
}

// A Link is a connection to the server of the work.
type Link struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	queue   jetstream.Consumer
	inputs  jetstream.ObjectStore
	results jetstream.ObjectStore
}

// Open connects to a server with JetStream. credentials is a file of NATS, "" for none. It goes on trying to connect again for as long as the process lives.
func Open(ctx context.Context, url, credentials string) (*Link, error) {
	options := []nats.Option{nats.Name("vflc"), nats.MaxReconnects(-1)}
	if credentials != "" {
		options = append(options, nats.UserCredentials(credentials))
	}
	conn, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("--nats: %w", err)
	}
	l := &Link{conn: conn}
	if err := l.open(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("the server has no JetStream that this user may use: %w", err)
	}
	return l, nil
}

func (l *Link) open(ctx context.Context) (err error) {
	if l.js, err = jetstream.New(l.conn); err != nil {
		return err
	}
	if l.stream, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: stream, Subjects: []string{subject + "*"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, // a cell that is offered twice waits once
	}); err != nil {
		return err
	}
	if l.queue, err = l.js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: missed, MaxDeliver: -1, MaxAckPending: 10000}); err != nil {
		return err
	}
	if l.inputs, err = l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: inputs, TTL: keepInputs, Storage: jetstream.FileStorage}); err != nil {
		return err
	}
	l.results, err = l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: results, TTL: keepInputs, Storage: jetstream.FileStorage})
	return err
}

// Close ends the connection.
func (l *Link) Close() { l.conn.Close() }

// Offer offers cells to the workers, and takes their results into a store as they come. report is called for each. It ends when all are there, or with the context, after which the workers go on: the
// results wait for the next call.
func (l *Link) Offer(ctx context.Context, version string, all []Work, store *study.Store, report func(t study.Task, failed error, done, all int)) error {
	for _, w := range all {
		if err := l.supply(ctx, w.Files); err != nil {
			return err
		}
		if info, err := l.results.GetInfo(ctx, w.ID); err == nil && info.Headers.Get(failedHeader) != "" { // of an earlier study
			if err := l.results.Delete(ctx, w.ID); err != nil {
				return err
			}
		}
		if err := l.publish(ctx, version, w); err != nil {
			return err
		}
	}
	open, done, checked := all, 0, time.Now()
	for {
		var left []Work
		for _, w := range open {
			there, failed, err := l.collect(ctx, w, store)
			if err != nil {
				return err
			}
			if !there {
				left = append(left, w)
				continue
			}
			done++
			report(w.Task, failed, done, len(all))
		}
		if open = left; len(open) == 0 {
			return nil
		}
		if time.Since(checked) >= checkEvery {
			checked = time.Now()
			for _, w := range open {
				if err := l.publish(ctx, version, w); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// supply puts files into the store of inputs, unless they are there.
func (l *Link) supply(ctx context.Context, files []File) error {
	for _, f := range files {
		if _, err := l.inputs.GetInfo(ctx, f.SHA256); err == nil {
			continue
		}
		if _, err := l.inputs.PutBytes(ctx, f.SHA256, f.Text); err != nil {
			return err
		}
	}
	return nil
}

// publish offers a cell, unless its result is there or its offer waits.
func (l *Link) publish(ctx context.Context, version string, w Work) error {
	if _, err := l.results.GetInfo(ctx, w.ID); err == nil {
		return nil
	}
	text, err := json.Marshal(offer{w.ID, version, w.Cell.Command, w.Cell.Model, plain(w.Cell.Flags), w.Cell.Predicts, plain(w.Cell.New), w.Inputs, w.Files})
	if err != nil {
		return err
	}
	_, err = l.js.Publish(ctx, subject+w.ID, text)
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == errNotStored && strings.Contains(refused.Description, "maximum messages per subject") {
		return nil
	}
	return err
}

// errNotStored is the server's code for a message that it does not keep, as where the subject has as many as it may: the offer waits already.
const errNotStored = jetstream.ErrorCode(10077)

// plain are flags without the places that gave them.
func plain(flags []study.Flag) (out []study.Flag) {
	for _, f := range flags {
		out = append(out, study.Flag{Name: f.Name, Value: f.Value})
	}
	return out
}

// collect takes the result of a cell, where it is there.
func (l *Link) collect(ctx context.Context, w Work, store *study.Store) (there bool, failed, err error) {
	object, err := l.results.Get(ctx, w.ID)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	defer object.Close()
	info, err := object.Info()
	if err != nil {
		return false, nil, err
	}
	if why := info.Headers.Get(failedHeader); why != "" {
		return true, errors.New(why), nil
	}
	text, err := io.ReadAll(object) // compares the digest
	if err != nil {
		return false, nil, err
	}
	if err := store.Unpack(w.Task, bytes.NewReader(text)); err != nil {
		return false, nil, err
	}
	return true, nil, l.results.Delete(ctx, w.ID)
}
