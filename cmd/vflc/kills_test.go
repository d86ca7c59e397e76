package main

import (
	"os/exec"
	"testing"

	"github.com/vflc/vflc/tests/kills"
)

// A run that is killed at any instant, and whose resumes are killed too, ends with the bytes of one that
// nobody killed. bench/kills does this more often.
func TestKilledRunsLoseNothing(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range kills.Cases(0.15) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			l, err := kills.NewLab(program, t.TempDir(), uint64(k))
			if err != nil {
				t.Fatal(err)
			}
			want, err := l.Reference(c)
			if err != nil {
				t.Fatal(err)
			}
			for l.Counts.Kills < 3 {
				if err := l.Trial(c, want); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
