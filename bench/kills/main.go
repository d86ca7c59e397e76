// Command kills kills runs of vflc at random instants, resumes them, and reports whether all of them ended
// with the bytes of a run that nobody killed.
//
//	go build -o /tmp/vflc ./cmd/vflc && go run ./bench/kills -vflc /tmp/vflc -kills 200
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/tests/kills"
)

func main() {
	program := flag.String("vflc", "vflc", "the program")
	most := flag.Int("kills", 200, "how many kills, over all backends")
	seed := flag.Uint64("seed", 1, "of the instants")
	scale := flag.Float64("scale", 1, "length of the runs")
	only := flag.String("only", "",
		"the case to kill, such as soul; empty: all of them, with an equal part of the kills each")
	flag.Parse()
	if err := run(*program, *only, *most, *seed, *scale); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(program, only string, most int, seed uint64, scale float64) error {
	found, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("-vflc %s: %w; build it: go build -o /tmp/vflc ./cmd/vflc", program, err)
	}
	if program, err = filepath.Abs(found); err != nil {
		return err
	}
	all := append(kills.Cases(scale), kills.EncryptedCase(), kills.ReleaseCase())
	cases := slices.DeleteFunc(all, func(c kills.Case) bool {
		return only != "" && c.Name != only
	})
	if len(cases) == 0 {
		return fmt.Errorf("there is no case %s", only)
	}
	failed := false
	for k, c := range cases {
		trial := (*kills.Lab).Trial
		reference := (*kills.Lab).Reference
		switch c.Name {
		case kills.EncryptedCase().Name:
			trial = (*kills.Lab).Encrypted
		case kills.ReleaseCase().Name: // compares parties with one another
			trial, reference = (*kills.Lab).Release, func(*kills.Lab, kills.Case) (*kills.Reference, error) {
				return nil, nil
			}
		}
		dir, err := os.MkdirTemp("", "kills")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		l, err := kills.NewLab(program, dir, seed+uint64(k))
		if err != nil {
			return err
		}
		want, err := reference(l, c)
		if err != nil {
			return err
		}
		for l.Counts.Kills < (most+len(cases)-1)/len(cases) {
			if err := trial(l, c, want); err != nil {
				failed = true
				fmt.Println(err)
			}
			fmt.Fprintf(os.Stderr, "%s: %d trials, %d kills, %d with the same bytes\n", c.Name,
				l.Counts.Attempts, l.Counts.Kills, l.Counts.Wholes)
		}
		n := l.Counts
		fmt.Printf("%-5s %3d kills (%d of them of resumes): %d before the folder, %d before a state was "+
			"saved, %d with a state, %d when outputs were being written or were there; %d trials, "+
			"%d with the same bytes\n",
			c.Name, n.Kills, n.Resumes, n.NoFolder, n.NoState, n.Running, n.Undeliv, n.Attempts, n.Wholes)
		if len(n.Entries) > 0 {
			fmt.Printf("      steps that were written down at each kill: %v; means and standard deviations "+
				"within %.3f standard deviations of the reference\n", n.Entries, n.Moved)
		}
	}
	if failed {
		return fmt.Errorf("some runs did not end with the bytes of the run that nobody killed")
	}
	return nil
}
