package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/fit/study/spread"
)

// natsFlags name the server over which cells are handed out.
type natsFlags struct{ url, credentials string }

func (f *natsFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.url, "nats", "", "`URL` of a NATS server with JetStream, over which workers (vflc worker) take cells: nats://HOST:4222, tls://…")
	cmd.Flags().StringVar(&f.credentials, "nats-creds", "", "`file` with the credentials of the user at that server")
}

func (f *natsFlags) open(ctx context.Context) (*spread.Link, error) {
	link, err := spread.Open(ctx, f.url, f.credentials)
	if err != nil {
		return nil, &failure{exitPeer, err}
	}
	return link, nil
}

func newWorker() *cobra.Command {
	var f natsFlags
	var jobs int
	var dir string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Work on the cells of studies that other machines offer",
		Long: `Work on the cells of studies (vflc study --nats URL) that wait at a NATS server with JetStream, until the process is ended: any number of workers on any machines. A worker gets the models
and tables of a cell, computes what vflc study would, and sends the result. It says every 2 seconds that it is at its cells; after the death of a worker another one gets them within some seconds. Ctrl-C gives
them back at once.

Whoever may use the server can give its workers cells: they run vflc run and vflc cv on the files that come with the cell, and nothing else.`,
		Example: `  vflc worker --nats nats://queue:4222
  vflc worker --nats nats://queue:4222 --jobs 8`,
		Args: cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.url == "":
				return usagef("name the server that has the cells: --nats URL")
			case jobs < 1:
				return usagef("--jobs must be positive")
			}
			return work(cmd, f, jobs, dir, quiet)
		}),
	}
	f.add(cmd)
	cmd.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "number of cells to work on at the same time")
	cmd.Flags().StringVar(&dir, "scratch", "", "`folder` for cells on their way (default: a new one among the temporary files)")
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
	link, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer link.Close()
	var lock sync.Mutex
	w := &spread.Worker{
		Link: link, Version: fit.Version(), Store: store, Scratch: filepath.Join(dir, "inputs"),
		Make: func(ctx context.Context, t study.Task, inputs []study.Input) error {
			return makeCell(ctx, store, t, inputs)
		},
		Say: func(text string) {
			lock.Lock()
			defer lock.Unlock()
			if !quiet {
				fmt.Fprintln(cmd.ErrOrStderr(), time.Now().Format(time.TimeOnly), text)
			}
		},
	}
	w.Say(fmt.Sprintf("%d cells at a time, from the server of --nats", jobs))
	var wait sync.WaitGroup
	for range jobs {
		wait.Go(func() { _ = w.Run(ctx) })
	}
	wait.Wait()
	return interruption(ctx)
}
