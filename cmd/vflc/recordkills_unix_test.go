//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/tests/await"
)

// saved is the newest transition, added over chains, that a party has saved.
func (s *stage) saved(party string) (n int) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "demo", "runs", party, "checkpoint", "chain-*"))
	newest := map[string]int{}
	for _, f := range files {
		chain, at, _ := strings.Cut(filepath.Base(f), ".")
		k, _ := strconv.Atoi(at)
		newest[chain] = max(newest[chain], k)
	}
	for _, k := range newest {
		n += k
	}
	return n
}

// reach waits until a party of the demonstration has saved a transition, and reports whether its process is
// still there.
func (s *stage) reach(party string, transition int) bool {
	s.t.Helper()
	all := s.demo().Processes
	process := all[slices.IndexFunc(all, func(p *demoProcess) bool { return p.Party == party })].Process
	if !await.Until(func() bool { return s.saved(party) >= transition || !alive(process) }) {
		s.t.Fatalf("%s has not reached transition %d, but %d\n%s", party, transition, s.saved(party),
			s.logs("demo"))
	}
	return alive(process)
}

// killAt kills the process of a party with SIGKILL once the party has saved a transition, and starts it
// again. It reports whether the process was still there.
func (s *stage) killAt(party, transition int, start []string) bool {
	s.t.Helper()
	p := s.demo().Processes[party]
	if !s.reach(p.Party, transition) || syscall.Kill(p.Process, syscall.SIGKILL) != nil {
		return false
	}
	if !await.Until(func() bool { return !alive(p.Process) }) {
		s.t.Fatalf("%s does not end", p.Party)
	}
	s.must(start...)
	return true
}

func (r *recordedRun) report() (out attack.Recorded) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.must("audit", "demo/runs/server", "--attack", "--json")),
		&out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// A server that is killed while it records goes on with what it had recorded: at the end it has the recording
// of a run that nobody killed. Without masks that is so byte for byte; masks are other ones after every
// start, so what is under them differs, and everything else is the same.
func TestKilledRecordingIsWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last int // the iteration at which it is killed for the last time
		args []string
	}{
		"exact": {180, []string{"--transform", "exact", "--chains", "2", "--warmup", "60", "--max-depth",
			"4", "--draws", "80"}},
		"masked": {180, []string{"--transform", "exact", "--chains", "2", "--warmup", "60", "--max-depth",
			"4", "--draws", "80"}},
		"sfvi": {500, []string{"--transform", "augmented", "--rho", "0.3", "--backend", "sfvi",
			"--estimator", "sampled", "--iterations", "1000", "--elbo-draws", "200", "--draws", "50"}},
		"power": {70, []string{"--transform", "power", "--rho", "0.3", "--chains", "1", "--warmup", "50",
			"--max-depth", "4", "--draws", "50"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecordedRun(t)
			start := slices.Concat([]string{"demo", "start", "m.vfl", "-o", "demo", "--seed", "7", "--record",
				"--checkpoint-interval", "30ms"}, c.args)
			if name != "masked" {
				start = append(start, "--secure-sum", "off")
			}
			received := filepath.Join(r.dir, "demo", "runs", "server", "received")
			r.must(append(start, "--wait")...)
			whole, err := os.ReadFile(received)
			if err != nil {
				t.Fatal(err)
			}
			want := r.report()
			r.clean("demo")

			r.must(start...)
			for k := 0; k < 4; k++ {
				party, at := 0, c.last*(k+1)/3
				if k == 3 {
					party, at = 1, c.last+1
				}
				at = max(at, r.saved(r.demo().Processes[party].Party)+1) // it has gone on since the last one
				if !r.killAt(party, at, start) {
					t.Log("it was complete before")
					r.kill("demo")
					r.clean("demo")
					r.must(start...)
					k = -1
				}
			}
			r.must(append(start, "--wait")...)
			got, err := os.ReadFile(received)
			if err != nil {
				t.Fatal(err)
			}
			if same := bytes.Equal(got, whole); same != (name != "masked") {
				t.Errorf("the recording of %d bytes has the bytes of one of a run that nobody killed: %t",
					len(got), same)
			}
			report := r.report()
			for k, f := range report.Findings {
				w := want.Findings[k]
				if f.Masked {
					if f.Rounds != w.Rounds || len(f.Columns) > 0 || len(f.Directions) > 0 ||
						!(math.Abs(float64(f.SD)-float64(w.SD)) < 0.5*float64(w.SD)) {
						t.Errorf("under masks: %d rounds, sd %v, %d directions, columns %v; of a run that "+
							"nobody killed %d rounds, sd %v", f.Rounds, f.SD, len(f.Directions), f.Columns,
							w.Rounds, w.SD)
					}
					continue
				}
				if a, b := fmt.Sprint(f), fmt.Sprint(w); a != b && !reflect.DeepEqual(f, w) {
					t.Errorf("%v: %v\nof a run that nobody killed: %v", f.Parties, a, b)
				}
			}
			if log := r.must("logs", "demo/runs/server"); strings.Count(log,
				"the run goes on from what all parties have saved") < 3 {
				t.Error(log)
			}
		})
	}
}
