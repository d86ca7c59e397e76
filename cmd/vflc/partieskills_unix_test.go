//go:build unix

package main

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/vflc/vflc/tests/await"
	lab "github.com/vflc/vflc/tests/parties"
)

// newLab is a folder for processes of this test's own binary (see TestMain).
func newLab(t *testing.T) (*lab.Lab, context.Context) {
	t.Helper()
	program, err := exec.LookPath("vflc")
	if err != nil {
		t.Fatal(err)
	}
	l, err := lab.NewLab(program, t.TempDir(), 5)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*await.Patience)
	t.Cleanup(cancel)
	return l, ctx
}

// Parties that are killed at random instants and started again, the coordinator too, end with the draws of a
// run in one process, whatever the backend and the transform, and the audit finds the script of the session
// in their ledgers.
func TestKilledPartiesLoseNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"augmented/nuts", "augmented/sfvi-sampled", "augmented/soul", "power/nuts",
		"exact/sfvi-quadrature"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, ctx := newLab(t)
			for _, c := range lab.Cases(0.1) {
				if c.Name != name {
					continue
				}
				want, err := l.Reference(ctx, c)
				if err != nil {
					t.Fatal(err)
				}
				for l.Counts.Kills == 0 { // the run may end before
					if err := l.Trial(ctx, c, want, 3); err != nil {
						t.Fatal(err)
					}
				}
			}
			if l.Counts.Kills == 0 || l.Counts.Wholes != l.Counts.Trials {
				t.Errorf("%+v", l.Counts)
			}
		})
	}
}

// A client whose link is cut is named by every party, as it names the server; the run waits, and goes on with
// the same draws.
func TestCutLinkOfAParty(t *testing.T) {
	t.Parallel()
	l, ctx := newLab(t)
	var seen *lab.Cut
	for scale := 0.15; ; scale *= 4 {
		c := lab.Long(scale)
		want, err := l.Whole(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		if seen, err = l.Partition(ctx, c, want, "b", 7*time.Second); err == nil {
			break
		}
		if !errors.Is(err, lab.ErrEnded) {
			t.Fatal(err)
		}
	}
	if len(seen.Named) != 3 || seen.Steps != 0 {
		t.Errorf("%+v", seen)
	}
}
