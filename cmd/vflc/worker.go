package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/internal/grouped"
)

// natsFlags name the server over which cells are handed out.
type natsFlags struct{ cells.WorkCluster }

func (f *natsFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.URL, "nats", "",
		"`URL` of a NATS server with JetStream, over which workers (vflc worker) take cells: "+
			"nats://HOST:4222, tls://…")
	cmd.Flags().StringVar(&f.Credentials, "nats-creds", "",
		"`file` with the credentials of the user at that server")
	cmd.Flags().StringVar(&f.CA, "nats-ca", "",
		"`file` with the certificates by which that server is known (default: the system's); connections are then by TLS")
}

// check is an error where other flags contradict them.
func (f *natsFlags) check(cmd *cobra.Command) error {
	switch {
	case f.URL == "" && f.WorkCluster != cells.WorkCluster{}:
		return usagef("--nats-creds and --nats-ca are for the server that --nats names")
	case f.URL != "" && cmd.Flags().Changed("jobs"):
		return usagef("--jobs is for this process; with --nats, vflc worker --jobs says how many cells " +
			"a worker makes at a time")
	}
	return nil
}

// open connects. That there is no server is shown, and the failure of a peer.
func (f *natsFlags) open(ctx context.Context, cmd *cobra.Command, say func(string)) (*cells.WorkServer,
	error) {
	link, err := cells.Connect(ctx, f.WorkCluster, say)
	if err != nil {
		_ = judged(cmd, err) // which shows it
		return nil, shown(exitPeer)
	}
	return link, nil
}

// afterwards is what to say after an interrupt: "" where there are no workers.
func (f *natsFlags) afterwards() string {
	if f.URL == "" {
		return ""
	}
	return "; the workers go on, and the same command takes their results"
}

func newWorker() *cobra.Command {
	var f natsFlags
	var jobs int
	var dir string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Work on fits, folds and replicates that other machines ask for",
		Long: `Work on cells that wait at a NATS server with JetStream, until the process is ended: any number of workers on any machines. A cell is a fit or a cross-validation of a study (vflc study --nats URL), ` +
			workerParts() + `. A worker gets the model and the tables of a cell, computes what the command would, and sends the
result. It says every 2 seconds that it is at its cells; after the death of a worker another one gets them within some seconds. Ctrl-C gives them back at once. While the server does not answer, a
worker waits for it and goes on with the cells that it has.

Whoever may use the server can give its workers cells: they run these commands on the files that come with the cell, and nothing else.`,
		Example: `  vflc worker --nats nats://queue:4222
  vflc worker --nats nats://queue:4222 --jobs 8`,
		Args: cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.URL == "":
				return usagef("name the server that has the cells: --nats URL")
			case jobs < 1:
				return usagef("--jobs must be positive")
			}
			return work(cmd, f, jobs, dir, quiet)
		}),
	}
	f.add(cmd)
	cmd.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "number of cells to work on at the same time")
	cmd.Flags().StringVar(&dir, "scratch", "",
		"`folder` for cells on their way (default: a new one among the temporary files)")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print nothing of cells")
	return cmd
}

func work(cmd *cobra.Command, f natsFlags, jobs int, dir string, quiet bool) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "vflc-worker-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	store, err := study.OpenStore(filepath.Join(dir, "results"), true)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	var lock sync.Mutex
	say := func(text string) {
		lock.Lock()
		defer lock.Unlock()
		if !quiet {
			fmt.Fprintln(cmd.ErrOrStderr(), time.Now().Format(time.TimeOnly), text)
		}
	}
	link, err := f.open(ctx, cmd, say)
	if err != nil {
		return err
	}
	defer link.Close()
	w := &cells.Worker{
		Link: link, Scratch: filepath.Join(dir, "inputs"), Kept: filepath.Join(dir, "kept"),
		Refuses: refuseCell,
		Make: func(ctx context.Context, c *cells.Cell, root string) ([]byte, error) {
			ctx = context.WithValue(fit.Sharing(ctx, jobs), inputsKey{}, c.Inputs)
			if c.Part != nil {
				return makePart(ctx, c)
			}
			return packCell(ctx, store, c, root)
		},
		Say: say,
	}
	say(fmt.Sprintf("vflc %s: %s at a time, from %s", fit.Build(), grouped.Count(jobs, "cell"), f.URL))
	var wait sync.WaitGroup
	var refused error
	for range jobs {
		wait.Go(func() {
			if err := w.Run(ctx); ctx.Err() == nil {
				lock.Lock()
				refused = err
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	if refused != nil {
		_ = judged(cmd, refused) // which shows it
		return shown(exitPeer)
	}
	return interruption(ctx)
}

// workerParts says which cells are parts of a command.
func workerParts() string {
	var out []string
	for _, name := range inParts() {
		out = append(out, "a part of what vflc "+name+" --nats URL computes")
	}
	return inWords(out, "or")
}

// packCell makes the result of a whole cell in a store, and takes it from there.
func packCell(ctx context.Context, store *study.Store, c *cells.Cell, root string) ([]byte, error) {
	if err := makeCell(ctx, store, c); err != nil {
		return nil, err
	}
	if err := store.Rename(c, root); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := store.Pack(c, &text); err != nil {
		return nil, err
	}
	return text.Bytes(), store.Drop(c)
}
