package fit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/atomicfile"
)

// checkpointDir holds a file for each chain of a run: its draws so far, and the state of its kernel. When all chains are done the draws are in
// their own files, and the state remains for runs that start from it (--from).
const checkpointDir = "checkpoint"

// saveEvery is the time between two writes of a chain's file.
const saveEvery = 10 * time.Second

// worthSaving is the least time since the last write for which a chain that ends writes its file at once: less work is quickly repeated.
const worthSaving = time.Second

func chainFile(dir string, chain int) string {
	return filepath.Join(dir, checkpointDir, fmt.Sprintf("chain-%d", chain))
}

// save writes the chain's file; where the run is over, without the draws.
func (c *chain) save(dir string, over bool) error {
	path := chainFile(dir, c.number)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	kept := *c
	if over {
		kept.rows, kept.transitions = nil, nil
	}
	// It holds private parameters of parties, so only its owner may read it.
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		if err := checkpoint.Save(w, chainHeading, kept.state); err != nil {
			return err
		}
		return c.kernel.Save(w)
	})
}

const chainHeading = "vflc chain 1"

// load reads what save has written and restores the kernel. It reports whether there was a file.
func (c *chain) load(dir string) (bool, error) {
	path := chainFile(dir, c.number)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if err := checkpoint.Load(in, chainHeading, c.state); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if err := c.kernel.Load(in); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}

// state saves or loads the draws and counts of a chain.
func (c *chain) state(f *checkpoint.Codec) {
	warming, drawing := int(c.warming), int(c.drawing)
	gradients, rounds, bytes := int(c.work.Gradients), int(c.work.Rounds), int(c.work.Bytes)
	rows, columns := len(c.rows), 0
	if rows > 0 {
		columns = len(c.rows[0])
	}
	f.Ints(&c.steps, &c.info.Draws, &c.info.Iteration, &warming, &drawing, &gradients, &rounds, &bytes, &rows, &columns)
	f.Bool(&c.info.Done)
	f.Float(&c.info.Transition.StepSize, &c.info.Mode.Gradient.Value, &c.info.Mode.Gradient.SE)
	f.Ints(&c.info.NonFinite, &c.info.Mode.Gradient.N, &c.info.Mode.Iterations)
	f.Bool(&c.info.Mode.Converged)
	c.warming, c.drawing = time.Duration(warming), time.Duration(drawing)
	c.work = density.Work{Gradients: int64(gradients), Rounds: int64(rounds), Bytes: int64(bytes)}
	if rows > 0 && columns != c.width {
		f.Fail(fmt.Errorf("it has draws of %d numbers, but a draw of this model has %d", columns, c.width))
	}
	for i := range rows {
		if f.Failed() {
			return
		}
		if i == len(c.rows) {
			c.rows, c.transitions = append(c.rows, make([]float64, columns)), append(c.transitions, backends.Transition{})
		}
		f.Floats(c.rows[i])
		t := &c.transitions[i]
		f.Float(&t.LogDensity, &t.Energy, &t.Accept, &t.StepSize)
		f.Ints(&t.Depth, &t.Leapfrogs)
		f.Bool(&t.Divergent)
	}
}

// warmStart starts where a chain of an earlier run ended. Several chains start from the same one if that run had fewer.
func (c *chain) warmStart(ctx context.Context, dir string) error {
	k, ok := c.kernel.(backends.WarmStarter)
	if !ok {
		return usagef("--from: this backend cannot start where another run ended")
	}
	files, err := filepath.Glob(filepath.Join(dir, checkpointDir, "chain-*"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("--from %s: it has no %s, so it is not the folder of a run that has saved Markov chains", dir, checkpointDir)
	}
	path := chainFile(dir, (c.number-1)%len(files)+1)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	earlier := chain{width: c.width}
	if err := checkpoint.Load(in, chainHeading, earlier.state); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := k.WarmStart(ctx, in); err != nil {
		return fmt.Errorf("--from %s: %w", path, err)
	}
	return nil
}
