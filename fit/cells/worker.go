package cells

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

// A Worker makes the results of cells that are offered.
type Worker struct {
	Link    *WorkServer
	Scratch string // a folder for the inputs of cells on their way
	Kept    string // a folder for inputs that later cells may want too, up to a gigabyte
	// Refuses is why no cell of this worker is so; nil: it is one.
	Refuses func(c *Cell) error
	// Make makes the result of a cell, whose paths are below root.
	Make func(ctx context.Context, c *Cell, root string) ([]byte, error)
	Say  func(string)

	lock sync.Mutex
	told map[string]bool // versions whose cells were left to others
	kept *kept
}

// waitMost is the time of one request for a cell.
const waitMost = 5 * time.Second

// Run takes cells until the context ends; the cell at hand is then given back. Several may run at the same
// time. An error is the server's refusal.
func (w *Worker) Run(ctx context.Context) error {
	for {
		if err := w.Link.persist(ctx, func() error {
			batch, err := w.Link.at().queue.Fetch(1, jetstream.FetchMaxWait(waitMost))
			if err != nil {
				return err
			}
			for m := range batch.Messages() {
				w.take(ctx, m)
			}
			if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
				return err
			}
			return nil
		}); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// take does what an offer asks for. A message whose answer is lost comes again.
func (w *Worker) take(ctx context.Context, m jetstream.Msg) {
	var from struct {
		ID      string `json:"id"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(m.Data(), &from); err != nil || m.Subject() != subject+from.ID {
		w.drop(m, "the message has no name and no version, or comes under another name")
		return
	}
	if from.Version != fit.Build() {
		w.leave(m, from.ID, from.Version)
		return
	}
	var o offer
	if err := json.Unmarshal(m.Data(), &o); err != nil {
		w.drop(m, err.Error())
		return
	}
	if err := o.sound(); err != nil {
		w.drop(m, err.Error())
		return
	}
	alive, end := context.WithCancel(ctx)
	defer end()
	go func() {
		for {
			pause(alive, beatEvery)
			if alive.Err() != nil {
				return
			}
			_ = m.InProgress() // one that is lost is followed by others
		}
	}()
	begun := time.Now()
	failed, err := w.do(ctx, &o)
	name := fmt.Sprintf("cell %s (%s)", o.ID, o.Cell.Name())
	switch {
	case ctx.Err() != nil:
		_ = m.NakWithDelay(0)
		return
	case err != nil:
		w.Say(fmt.Sprintf("%s: %v; it is given back", name, err))
		_ = m.NakWithDelay(againAfter)
		return
	case failed != nil:
		w.Say(fmt.Sprintf("%s: %v", name, failed))
	default:
		w.Say(fmt.Sprintf("%s: %v", name, time.Since(begun).Round(time.Millisecond)))
	}
	ack, cancel := context.WithTimeout(context.WithoutCancel(ctx), waitMost)
	defer cancel()
	_ = m.DoubleAck(ack) // where it is lost, the next worker finds the result
}

// do makes the result of an offer and stores it. failed is why there can be none; err is the worker's own.
func (w *Worker) do(ctx context.Context, o *offer) (failed, err error) {
	if _, err := w.Link.at().results.GetInfo(ctx, o.ID); err == nil {
		return nil, nil // of a worker that could not say so
	}
	root := filepath.Join(w.Scratch, o.ID)
	defer os.RemoveAll(root)
	if failed = w.Refuses(&o.Cell); failed == nil {
		for _, f := range o.Files {
			if err := w.fetch(ctx, root, f); err != nil {
				return nil, err
			}
		}
		var result []byte
		result, failed = w.Make(ctx, o.Cell.Moved(func(path string) string {
			return below(root, path)
		}), root)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case failed == nil:
			return nil, w.store(ctx, jetstream.ObjectMeta{Name: o.ID}, result)
		}
	}
	// with the paths where the cell is from
	failure := FailureOf(failed).Renamed(root+string(filepath.Separator), string(filepath.Separator))
	text, err := json.Marshal(failure)
	if err != nil {
		return nil, err
	}
	return failure,
		w.store(ctx, jetstream.ObjectMeta{Name: o.ID, Headers: nats.Header{failedHeader: []string{"yes"}}},
			text)
}

// store puts a result at the server, however long that does not answer.
func (w *Worker) store(ctx context.Context, meta jetstream.ObjectMeta, text []byte) error {
	return w.Link.persist(ctx, func() error {
		_, err := w.Link.at().results.Put(ctx, meta, bytes.NewReader(text))
		return err
	})
}

// fetch writes a file of an offer below a folder.
func (w *Worker) fetch(ctx context.Context, root string, f CellInput) error {
	text, err := w.earlier().get(f.SHA256, func() ([]byte, error) {
		text, _, err := get(ctx, w.Link.at().inputs, f.SHA256)
		return text, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if Digest("", text).SHA256 != f.SHA256 {
		return fmt.Errorf("%s is not what the offer says", f.Path)
	}
	path := below(root, f.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// earlier is what the worker has fetched.
func (w *Worker) earlier() *kept {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.kept == nil {
		_ = os.RemoveAll(w.Kept) // of a process that was killed
		w.kept = &kept{dir: w.Kept, most: keptMost}
	}
	return w.kept
}

// below is the place of a file of an offer.
func below(root, path string) string { return filepath.Join(root, filepath.Clean("/"+path)) }

// drop takes a message that is no offer of a cell from the queue.
func (w *Worker) drop(m jetstream.Msg, why string) {
	w.Say(warning(diag.NoCell, "dropped what is no cell: %s", why))
	_ = m.Term()
}

// leave gives a cell of another version back to the queue, and says so here and to whoever asks for the cell.
func (w *Worker) leave(m jetstream.Msg, id, version string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.told[version] {
		if w.told == nil {
			w.told = map[string]bool{}
		}
		w.told[version] = true
		w.Say(unlike("this worker is vflc %s, some cells are of %q", fit.Build(), version))
	}
	host, _ := os.Hostname()
	if text, err := json.Marshal(note{fit.Build(), host}); err == nil {
		_ = w.Link.conn.Publish(notes+id, text)
	}
	_ = m.NakWithDelay(missed)
}
