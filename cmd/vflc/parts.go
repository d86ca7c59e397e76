package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/study"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// inParts names the commands whose computation is in equal steps, some of which are a cell.
func inParts() []string { return []string{"cv", "calibrate"} }

// A partRequest asks a command for a part of its computation in place of all of it.
type partRequest struct {
	part   cells.Steps
	made   bool
	result []byte
	failed error
}

type partKey struct{} // of the request in a context

// requested is the part that a command is asked for; nil: all.
func requested(cmd *cobra.Command) *partRequest {
	r, _ := cmd.Context().Value(partKey{}).(*partRequest)
	return r
}

// makePart makes a cell that is a part of a command's computation.
func makePart(ctx context.Context, c *cells.Cell) ([]byte, error) {
	r := &partRequest{part: *c.Part}
	var said strings.Builder
	err := carryOut(context.WithValue(ctx, partKey{}, r), append(c.Args(), "--quiet"), io.Discard, &said)
	if !r.made {
		return nil, reasoned(err, &said)
	}
	return r.result, r.failed
}

// A stepwise is the computation of a command in equal steps.
type stepwise struct {
	cmd   *cobra.Command
	nats  *natsFlags
	model *compile.Model
	path  string   // of the model
	data  []string // of --data
	typed []string // the flags of the command line
	// apart are flags on which the result of a step does not depend.
	apart []string

	steps int
	// of a cell for workers, in steps: the same in every version of a command line, so that results that are
	// there are found
	size     int
	jobs     int
	make     func(ctx context.Context, p cells.Steps) ([]byte, error)
	take     func(p cells.Steps, result []byte) error
	progress func(done, all int)
	say      func(text string) // not at the same time as progress
}

// run makes all steps, in this process or by workers. The error of an interrupt is that of the context.
func (s *stepwise) run(ctx context.Context) error {
	if r := requested(s.cmd); r != nil {
		if err := r.part.Within(s.steps); err != nil {
			return err
		}
		r.made = true
		r.result, r.failed = s.make(ctx, r.part)
		return errInspected
	}
	whole := cells.Cell{Command: s.cmd.Name(), Model: s.path}
	var pool cells.Pool = cells.Local{Jobs: s.jobs, Make: func(ctx context.Context, c *cells.Cell) ([]byte,
		error) {
		return s.make(ctx, *c.Part)
	}}
	var lock sync.Mutex
	say := func(text string) {
		lock.Lock()
		defer lock.Unlock()
		s.say(text)
	}
	progress := func(done, all int) {
		lock.Lock()
		defer lock.Unlock()
		s.progress(done, all)
	}
	size := 1
	if s.nats.URL != "" {
		found, err := inspect(s.model, s.path, s.data)
		if err != nil {
			return err
		}
		if err := found.near(); err != nil {
			return err
		}
		if whole.Model, err = filepath.Abs(s.path); err != nil {
			return err
		}
		whole.Inputs, whole.Flags = found.inputs, append(s.flags(), found.flags...)
		link, err := s.nats.open(ctx, s.cmd, say)
		if err != nil {
			return err
		}
		defer link.Close()
		size = s.size
		pool = cells.SpreadPool{Link: link, Files: func(*cells.Cell) []cells.CellInput {
			return found.files
		}, Keep: true, Say: say}
	} else {
		ctx = fit.Sharing(ctx, min(s.jobs, s.steps))
	}
	var all []*cells.Cell
	for _, part := range cells.Parts(s.steps, size) {
		c := whole
		c.Part = &part
		all = append(all, &c)
	}
	return cells.Gather(ctx, pool, all, s.take, progress)
}

// flags are those of the command line on which the results depend, but those that name files.
func (s *stepwise) flags() (out []cells.Flag) {
	s.cmd.Flags().VisitAll(func(f *pflag.Flag) {
		own := cells.Flag{Name: f.Name}
		if !slices.Contains(s.typed, f.Name) || own.NamesFiles() ||
			slices.Contains(cells.OwnFlags(), f.Name) || slices.Contains(s.apart, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			out = append(out, cells.Flag{Name: f.Name, Value: v})
		}
	})
	return out
}

// refuseCell is why a worker does not make a cell; nil: it does.
func refuseCell(c *cells.Cell) error {
	var diags diag.List
	_, whole := study.CommandOf(c.Command)
	partly := slices.Contains(inParts(), c.Command)
	if c.Part == nil && !whole || c.Part != nil && !partly {
		diags.Errorf(diag.NoCell, nil, source.Span{}, "vflc %q is no command that cells are of", c.Command)
	}
	for _, f := range c.Flags {
		if slices.Contains(cells.OwnFlags(), f.Name) && !f.NamesFiles() {
			diags.Errorf(diag.NoCell, nil, source.Span{}, "a cell does not set --%s", f.Name)
		}
	}
	if len(diags) > 0 {
		return data.Errors(diags)
	}
	return nil
}
