//go:build unix

package main

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	lab "github.com/vflc/vflc/tests/parties"
)

// Parties that are killed at random instants and started again, the coordinator too, end with the draws of a run in one process, whatever the backend and the transform.
func TestKilledPartiesLoseNothing(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc") // this test's own binary: see TestMain
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"augmented/soul", "power/nuts", "exact/sfvi-quadrature"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := lab.NewLab(program, t.TempDir(), 5)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range lab.Cases(0.15) {
				if c.Name != name {
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				want, err := l.Reference(ctx, c)
				if err != nil {
					t.Fatal(err)
				}
				if err := l.Trial(ctx, c, want, 3); err != nil {
					t.Error(err)
				}
			}
			if l.Counts.Wholes != 1 || l.Counts.Kills == 0 {
				t.Errorf("%+v", l.Counts)
			}
		})
	}
}

// Masks and wires change no draw: processes with masks, without them on the same wire, and on the plain one have the draws of a run in one process on that wire.
// bench/parties -wires does so for every backend and transform.
func TestProcessesEqualOneProcessOnEveryWire(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc")
	if err != nil {
		t.Fatal(err)
	}
	l, err := lab.NewLab(program, t.TempDir(), 5)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	compared := 0
	for _, c := range lab.Cases(0.05) {
		if !slices.Contains([]string{"augmented/soul", "power/sfvi-quadrature", "exact/sfvi-sampled"}, c.Name) {
			continue
		}
		n, err := l.Wires(ctx, c)
		if err != nil {
			t.Error(err)
		}
		compared += n
	}
	if compared != 9 {
		t.Errorf("%d comparisons", compared)
	}
}

// A client whose link is cut is named by every party in less than 10 seconds, as it names the server; the run waits, and goes on with the same draws.
func TestCutLinkOfAParty(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc")
	if err != nil {
		t.Fatal(err)
	}
	l, err := lab.NewLab(program, t.TempDir(), 5)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := lab.Long(0.2)
	want, err := l.Whole(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := l.Partition(ctx, c, want, "b", 7*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.Named) != 3 || seen.Steps != 0 {
		t.Errorf("%+v", seen)
	}
}
