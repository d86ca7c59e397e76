package fit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
)

// checkpointDir holds a file for each kernel of a run: its draws so far, and its state. When the outputs of a
// finished run have been written, its draws are in their own files, and the state remains for runs that start
// from it (--from).
const checkpointDir = "checkpoint"

// saveEvery is the time between two writes of a chain's file, where the options set none.
const saveEvery = 10 * time.Second

// worthSaving is the least time since the last write for which a chain that ends writes its file at once,
// before the others have ended: less work is quickly repeated.
const worthSaving = time.Second

func chainFile(dir string, chain int) string {
	return filepath.Join(dir, checkpointDir, fmt.Sprintf("chain-%d", chain))
}

// save writes the chain's file, with its draws unless they have been delivered. The file ends with the
// SHA-256 digest of what is before it.
func (c *chain) save(dir string, delivered bool) error {
	path := c.file(dir)
	if err := os.MkdirAll(filepath.Dir(path), privateFolder); err != nil {
		return err
	}
	kept := *c
	if delivered {
		kept.rows, kept.transitions = nil, nil
	}
	err := safefile.Write(path, private, func(w io.Writer) error {
		sum := sha256.New()
		out := io.MultiWriter(w, sum)
		if err := backends.SaveState(out, chainHeading, kept.state); err != nil {
			return err
		}
		if err := c.kernel.Save(out); err != nil {
			return err
		}
		if c.view != nil {
			if err := c.view.Save(out); err != nil {
				return err
			}
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
	if c.current = err == nil; !c.current {
		return err
	}
	c.hasStored()
	if c.kept {
		prune(dir, c.number)
	}
	return err
}

// file is where the state of the chain is saved, and read from.
func (c *chain) file(dir string) string {
	if c.kept {
		return generationFile(dir, c.number, c.steps)
	}
	return chainFile(dir, c.number)
}

// place sets when a chain begins in this process, and where it goes on if it is saved at several parties.
func (m *sampling) place(c *chain) {
	c.written = time.Now()
	if m.apart != nil {
		c.kept, c.steps = true, m.apart.At[c.number]
	}
}

const chainHeading = "vflc chain 5"

// openChain opens a chain's file after it has compared the file with its digest.
func openChain(path string) (*os.File, io.Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	sum, want := sha256.New(), make([]byte, sha256.Size)
	n := info.Size() - sha256.Size
	if n >= 0 {
		if _, err = io.CopyN(sum, f, n); err == nil {
			_, err = io.ReadFull(f, want)
		}
	}
	if n < 0 || err != nil || !bytes.Equal(sum.Sum(nil), want) {
		f.Close()
		return nil, nil,
			fmt.Errorf("%s is damaged: its contents do not have its digest. Restore it from a copy, or "+
				"remove it: the chain is then drawn again from its start", path)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, bufio.NewReader(io.LimitReader(f, n)), nil
}

// load reads what save has written and restores the kernel. It reports whether there was a file.
func (c *chain) load(dir string) (bool, error) {
	path := c.file(dir)
	f, in, err := openChain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if err := backends.LoadState(in, chainHeading, c.state); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if err := c.kernel.Load(in); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if c.view != nil {
		if err := c.view.Load(in); err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
	}
	c.current = true
	c.hasStored()
	return true, nil
}

// hasStored notes that the chain's file holds its present state.
func (c *chain) hasStored() {
	c.written = time.Now()
	c.stored.steps, c.stored.draws = c.steps, len(c.rows)
}

// state saves or loads the draws and counts of a chain.
func (c *chain) state(f *backends.Codec) {
	warming, drawing := int(c.warming), int(c.drawing)
	gradients, rounds, sequential, bytes := int(c.work.Gradients), int(c.work.Rounds), int(c.work.Sequential),
		int(c.work.Bytes)
	rows, columns := len(c.rows), 0
	if rows > 0 {
		columns = len(c.rows[0])
	}
	f.Ints(&c.steps, &c.info.Draws, &c.info.Iteration, &warming, &drawing, &gradients, &rounds, &sequential,
		&bytes, &rows, &columns)
	f.Bool(&c.info.Done)
	f.Float(&c.info.Transition.StepSize, &c.info.Mode.Gradient.Value, &c.info.Mode.Gradient.SE)
	f.Ints(&c.info.NonFinite, &c.info.Unsolved, &c.info.Mode.Gradient.N, &c.info.Mode.Iterations)
	f.Bool(&c.info.Mode.Converged)
	c.fitState(f)
	c.warming, c.drawing = time.Duration(warming), time.Duration(drawing)
	c.work = density.Work{Gradients: int64(gradients), Rounds: int64(rounds), Sequential: int64(sequential),
		Bytes: int64(bytes)}
	if rows > 0 && columns != c.width {
		f.Fail(fmt.Errorf("it has draws of %d numbers, but a draw of this model has %d", columns, c.width))
	}
	for i := range rows {
		if f.Failed() {
			return
		}
		if i == len(c.rows) {
			c.rows, c.transitions = append(c.rows, make([]float64, columns)),
				append(c.transitions, backends.Transition{})
		}
		f.Floats(c.rows[i])
		t := &c.transitions[i]
		f.Float(&t.LogDensity, &t.Energy, &t.Accept, &t.StepSize)
		f.Ints(&t.Depth, &t.Leapfrogs)
		f.Bool(&t.Divergent)
	}
}

// mostModes is more than any run finds.
const mostModes = 1000

// fitState saves or loads what is known of a variational fit.
func (c *chain) fitState(f *backends.Codec) {
	s := &c.search
	modes := len(s.Modes)
	if f.Ints(&modes, &s.Wanted, &s.Fits, &s.Unconverged, &s.Failed, &s.Places); modes < 0 ||
		modes > mostModes {
		f.Fail(fmt.Errorf("%d modes", modes))
		return
	}
	if len(s.Modes) != modes {
		s.Modes = make([]backends.MonteCarloMean, modes)
	}
	for i := range s.Modes {
		f.Ints(&s.Modes[i].N)
		f.Float(&s.Modes[i].Value, &s.Modes[i].SE)
	}
	fit := &c.info.Fit
	for _, e := range []*backends.MonteCarloMean{&fit.Smooth, &fit.Trace, &fit.Drift, &fit.Final} {
		f.Ints(&e.N)
		f.Float(&e.Value, &e.SE)
	}
	for _, b := range []*bool{&fit.Traced, &fit.Converged, &fit.Judged, &fit.Rising} {
		f.Bool(b)
	}
	f.Float(&fit.Gradient, &fit.GradientBound, &fit.HeldOut)
	f.Ints(&fit.Drifting, &fit.BestAt)
	points := len(c.trace)
	f.Ints(&c.iterations, &points)
	for i := range points {
		if f.Failed() {
			return
		}
		if i == len(c.trace) {
			c.trace = append(c.trace, posterior.ELBOPoint{})
		}
		f.Ints(&c.trace[i].Iteration)
		f.Float(&c.trace[i].Value, &c.trace[i].SE)
	}
}

// before is the file of the chain of an earlier run where this one starts; of a party's part of a run, its
// newest.
func (c *chain) before(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, checkpointDir, "chain-*"))
	saved := Checkpoints(dir)
	n := len(files)
	if c.kept {
		n = len(saved)
	}
	if err != nil || n == 0 {
		return "", fmt.Errorf("--from %s: it has no %s, so it is not the folder of a run that "+
			"has saved Markov chains", dir, checkpointDir)
	}
	k := (c.number-1)%n + 1
	if c.kept {
		if len(saved[k]) == 0 {
			return "", fmt.Errorf("--from %s: chain %d has no state in %s", dir, k, checkpointDir)
		}
		return generationFile(dir, k, saved[k][len(saved[k])-1]), nil
	}
	return chainFile(dir, k), nil
}

// warmStart starts where a chain of an earlier run ended. Several chains start from the same one if that run
// had fewer.
func (c *chain) warmStart(ctx context.Context, dir string) error {
	k, ok := c.kernel.(backends.WarmStarter)
	if !ok {
		return usagef("--from: this backend cannot start where another run ended")
	}
	path, err := c.before(dir)
	if err != nil {
		return err
	}
	f, in, err := openChain(path)
	if err != nil {
		return err
	}
	defer f.Close()
	earlier := chain{width: c.width}
	if err := backends.LoadState(in, chainHeading, earlier.state); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := k.WarmStart(ctx, in); err != nil {
		return fmt.Errorf("--from %s: %w", path, err)
	}
	return nil
}
