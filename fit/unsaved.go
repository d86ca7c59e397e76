package fit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/grouped"
)

// saveOrGoOn saves a chain that still runs. One that cannot be saved, as on a full disk, goes on: it may be
// possible later, and what was saved before is there in any case. In a run across processes the error ends
// the run, since all parties must have the same states.
func (m *sampling) saveOrGoOn(c *chain) error {
	err := m.save(c)
	if err == nil || m.apart != nil {
		return err
	}
	m.unsaved.Do(func() {
		m.options.Progress.Warning(fmt.Sprintf("the state of the run cannot be saved (%v); the run goes "+
			"on, and tries again every %v", data.Trouble(err), m.options.SaveEvery))
	})
	return nil
}

// persist writes the files of all chains of a run that has ended. Where they cannot be written, it tries
// again until the run is interrupted, and for no longer than the draws took that are not saved: then it is as
// quick to draw them again. Result.Save tries once more, and returns the error.
func (m *sampling) persist(ctx context.Context, stop <-chan struct{}, chains []*chain) error {
	err := m.saveAll(chains)
	if err == nil || m.apart != nil {
		return err
	}
	var took time.Duration
	for _, c := range chains {
		if !c.current {
			took = max(took, time.Since(c.written))
		}
	}
	if !stopped(stop) {
		m.options.Progress.Warning(fmt.Sprintf("all is drawn, and cannot be saved (%v); the run tries "+
			"again for %v, as long as what is not saved took: make room, or interrupt it", data.Trouble(err),
			took.Round(100*time.Millisecond)))
	}
	late := time.After(took)
	pause := time.NewTicker(min(max(took/100, 10*time.Millisecond), time.Minute))
	defer pause.Stop()
	for err != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-stop:
			return nil
		case <-late:
			return nil
		case <-pause.C:
			err = m.saveAll(chains)
		}
	}
	return nil
}

// saveRest writes the files of chains that are not saved yet. The error names what is on disk, and how the
// run is finished.
func saveRest(dir string, chains []*chain) error {
	var failed error
	for _, c := range chains {
		if c.current {
			continue
		}
		if err := c.save(dir, false); err != nil && failed == nil {
			failed = err
		}
	}
	if failed == nil {
		return nil
	}
	return WithNotes(failed, "on disk: "+onDisk(chains),
		fmt.Sprintf("vflc resume %s finishes the run when its folder can be written again; what is not on "+
			"disk is computed again, with the same result", dir))
}

// onDisk says what the files of chains hold.
func onDisk(chains []*chain) string {
	var texts []string
	of := map[string][]string{}
	for _, c := range chains {
		text := "all"
		switch {
		case c.current:
		case c.stored.steps == 0:
			text = "nothing"
		case c.stored.draws == 0:
			text = "part of the warm-up"
		default:
			text = grouped.Count(c.stored.draws, "draw")
		}
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], fmt.Sprint(c.number))
	}
	for k, text := range texts {
		name := "chain "
		if len(of[text]) > 1 {
			name = "chains "
		}
		if len(chains) == 1 {
			return text + " of the run"
		}
		texts[k] = text + " of " + name + strings.Join(of[text], ", ")
	}
	return strings.Join(texts, "; ")
}

// WithNotes adds sentences to an error, as notes where it has diagnostics or comes from the file system.
func WithNotes(err error, notes ...string) error {
	var diags data.Errors
	if !errors.As(data.Trouble(err), &diags) {
		return fmt.Errorf("%w; %s", err, strings.Join(notes, "; "))
	}
	for _, n := range notes {
		diags[0].Note("%s", n)
	}
	return diags
}

// notWritten adds to an error of writing the results of a run where its draws are.
func notWritten(err error, dir string) error {
	return WithNotes(err, "all draws are in "+filepath.Join(dir, checkpointDir),
		fmt.Sprintf("vflc resume %s writes the results when its folder can be written again", dir))
}
