package spread

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/posterior/runs"
)

// A Worker makes the results of cells that are offered.
type Worker struct {
	Link    *Link
	Version string
	Store   *study.Store // of results on their way
	Scratch string       // a folder for inputs
	// Make makes the result of a cell in the store; its paths are below Scratch.
	Make func(ctx context.Context, t study.Task, inputs []study.Input) error
	Say  func(string)
}

// waitMost is the time of one request for a cell.
const waitMost = 5 * time.Second

// Run takes cells until the context ends; the cell at hand is then given back.
func (w *Worker) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		batch, err := w.Link.queue.Fetch(1, jetstream.FetchMaxWait(waitMost))
		if err != nil {
			w.Say("no cells: " + err.Error())
			pause(ctx, time.Second)
			continue
		}
		for m := range batch.Messages() {
			w.take(ctx, m)
		}
		if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
			w.Say("no cells: " + err.Error())
			pause(ctx, time.Second)
		}
	}
	return ctx.Err()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// take does what an offer asks for. A message whose answer is lost comes again.
func (w *Worker) take(ctx context.Context, m jetstream.Msg) {
	var o offer
	if err := json.Unmarshal(m.Data(), &o); err != nil || m.Subject() != subject+o.ID {
		w.Say("dropped what is no offer of a cell")
		_ = m.Term()
		return
	}
	if o.Version != w.Version {
		w.Say(fmt.Sprintf("left cell %s to others: it is of vflc %s, this is %s", o.ID, o.Version, w.Version))
		_ = m.NakWithDelay(missed)
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
	switch {
	case ctx.Err() != nil, err != nil:
		if err != nil && ctx.Err() == nil {
			w.Say(fmt.Sprintf("cell %s: %v; it is given back", o.ID, err))
		}
		_ = m.NakWithDelay(0)
		return
	case failed != nil:
		w.Say(fmt.Sprintf("cell %s: %v", o.ID, failed))
	default:
		w.Say(fmt.Sprintf("cell %s: %v", o.ID, time.Since(begun).Round(time.Second)))
	}
	ack, cancel := context.WithTimeout(context.WithoutCancel(ctx), waitMost)
	defer cancel()
	_ = m.DoubleAck(ack) // where it is lost, the next worker finds the result
}

// do makes the result of an offer and stores it. failed is why there can be none; err is the worker's own.
func (w *Worker) do(ctx context.Context, o *offer) (failed, err error) {
	if _, err := w.Link.results.GetInfo(ctx, o.ID); err == nil {
		return nil, nil // of a worker that could not say so
	}
	root := filepath.Join(w.Scratch, o.ID)
	defer os.RemoveAll(root)
	cell, err := o.cell(root)
	if err != nil {
		return err, w.fail(ctx, o.ID, err)
	}
	for _, f := range o.Files {
		text, err := w.Link.inputs.GetBytes(ctx, f.SHA256)
		if err != nil {
			return nil, err
		}
		if NewFile("", text).SHA256 != f.SHA256 {
			return nil, fmt.Errorf("%s is not what the offer says", f.Path)
		}
		path := below(root, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, err
		}
	}
	t := study.Task{Cell: cell, ID: o.ID}
	if err := w.Make(ctx, t, o.Inputs); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		err = errors.New(strings.ReplaceAll(err.Error(), root, "")) // with the paths that the study has
		return err, w.fail(ctx, o.ID, err)
	}
	if err := rename(w.Store.Folder(t), root); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := w.Store.Pack(t, &text); err != nil {
		return nil, err
	}
	if _, err := w.Link.results.PutBytes(ctx, o.ID, text.Bytes()); err != nil {
		return nil, err
	}
	return nil, w.Store.Drop(t)
}

// rename gives the inputs in the records of runs the paths that the study has.
func rename(dir, root string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != runs.RecordFile {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return atomicfile.WriteBytes(path, 0o600, bytes.ReplaceAll(text, []byte(root+"/"), []byte("/")))
	})
}

// fail stores why a cell has no result.
func (w *Worker) fail(ctx context.Context, id string, why error) error {
	_, err := w.Link.results.Put(ctx, jetstream.ObjectMeta{Name: id, Headers: nats.Header{failedHeader: []string{strings.ReplaceAll(why.Error(), "\n", " ")}}}, bytes.NewReader(nil))
	return err
}

// below is the place of a file of an offer.
func below(root, path string) string { return filepath.Join(root, filepath.Clean("/"+path)) }

// cell is the cell of an offer, with its files below a folder. The error is of an offer that a study does not make.
func (o *offer) cell(root string) (*study.Cell, error) {
	if _, ok := study.CommandOf(o.Command); !ok || !slices.ContainsFunc(o.Files, func(f File) bool { return f.Path == o.Model }) {
		return nil, fmt.Errorf("the offer of cell %s is no cell of a study", o.ID)
	}
	c := &study.Cell{Command: o.Command, Model: below(root, o.Model), Predicts: o.Predicts}
	for _, list := range []struct {
		from []study.Flag
		to   *[]study.Flag
	}{{o.Flags, &c.Flags}, {o.New, &c.New}} {
		for _, f := range list.from {
			if f.Name == study.DataFlag {
				party, files, named := strings.Cut(f.Value, "=")
				if !named {
					party, files = "", f.Value
				}
				var all []string
				for _, file := range strings.Split(files, ",") {
					if !filepath.IsAbs(file) {
						return nil, fmt.Errorf("%s is no file with an absolute path: the tables of a study that is spread are files", file)
					}
					all = append(all, below(root, file))
				}
				f.Value = strings.Join(all, ",")
				if named {
					f.Value = party + "=" + f.Value
				}
			} else if study.Owns(f.Name) {
				return nil, fmt.Errorf("a study does not set --%s", f.Name)
			}
			*list.to = append(*list.to, f)
		}
	}
	return c, nil
}
