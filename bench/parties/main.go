//go:build unix

// Command parties kills parties of a run across processes with SIGKILL, the coordinator included, at random
// instants and several times a run, starts them again, and reports how many of the runs ended with the draws
// of a run in one process.
//
//	go build -o /tmp/vflc ./cmd/vflc && go run ./bench/parties -vflc /tmp/vflc -runs 100
//
// With -cut it cuts the links of a party instead, for so long, of each party in turn (-off: of one), and
// reports after how long every party names who is missing.
//
//	go run ./bench/parties -vflc /tmp/vflc -cut 30s
//	go run ./bench/parties -vflc /tmp/vflc -cut 10m -off a
//
// With -rtt it measures how long a run waits for the network, handshakes counted: the logistic model of
// examples/, transform exact with masks, by quadrature with 500 draws, against the same run without a delay.
//
//	go run ./bench/parties -vflc /tmp/vflc -rtt 30ms -runs 5
//
// With -wires every case is run with masks and without, on both wires, and compared with a run in one
// process:
//
//	go run ./bench/parties -vflc /tmp/vflc -wires -scale 0.1
//
// With -cpu it measures the processor time of exact NUTS with masks, of all processes together, beside a run
// in one process with masks and without, on the logistic models of examples/ with two clients, or ten and
// more:
//
//	go run ./bench/parties -vflc /tmp/vflc -cpu 2 -columns 2 -runs 5
//	go run ./bench/parties -vflc /tmp/vflc -cpu 50 -scale 0.05 -runs 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/tests/parties"
)

func main() {
	program := flag.String("vflc", "vflc", "the program")
	runs := flag.Int("runs", 100, "how many runs, over all cases in turn")
	most := flag.Int("kills", 4, "the largest number of kills of a run; each run has two or more")
	seed := flag.Uint64("seed", 1, "of the instants")
	scale := flag.Float64("scale", 1, "length of the runs")
	only := flag.String("only", "",
		"the cases whose names have this text, such as soul or power/nuts; empty: all")
	limit := flag.Duration("limit", 5*time.Minute, "a run that takes longer counts as lost")
	cut := flag.Duration("cut", 0, "how long the links of a party are cut; 0: kill processes")
	off := flag.String("off", "", "the `party` whose links are cut: server, a or b; empty: each in turn")
	rtt := flag.Duration("rtt", 0,
		"time of a round trip between clients and server, by a proxy: measure waiting; 0: kill processes")
	wires := flag.Bool("wires", false,
		"compare masked and other wires with runs in one process; false: kill processes")
	clients := flag.Int("cpu", 0, "2, or 10 and more, clients: measure processor time; 0: kill processes")
	columns := flag.Int("columns", 0, "with -cpu 2: how many columns each client has; 0: ten")
	flag.Parse()
	if *wires {
		if err := compareWires(*program, *only, *seed, *scale, *limit); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *clients > 0 {
		if err := costs(*program, *clients, *columns, *runs, int(1000**scale)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *rtt > 0 {
		if err := waiting(*program, *rtt, *runs); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *cut > 0 {
		if err := partition(*program, *off, *cut, *seed, *scale); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(*program, *only, *runs, *most, *seed, *scale, *limit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(program, only string, runs, most int, seed uint64, scale float64, limit time.Duration) error {
	l, err := lab(program, seed)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.Dir)
	cases, err := chosen(only, scale)
	if err != nil {
		return err
	}
	for k, c := range cases {
		n := runs / len(cases)
		if k < runs%len(cases) {
			n++
		}
		if n > 0 {
			if err := trials(l, c, n, most, limit); err != nil {
				return err
			}
		}
	}
	n := l.Counts
	fmt.Printf("%d of %d runs ended with the draws of a run in one process: %d kills, %d of them of the "+
		"coordinator; %d runs were hit more than once; %d kills came too late\n", n.Wholes, n.Trials, n.Kills,
		n.Servers, n.Several, n.Late)
	if n.Wholes != n.Trials {
		return fmt.Errorf("%d runs were lost", n.Trials-n.Wholes)
	}
	return nil
}

// chosen are the cases whose names have a text.
func chosen(only string, scale float64) (out []parties.Case, err error) {
	for _, c := range parties.Cases(scale) {
		if strings.Contains(c.Name, only) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		err = fmt.Errorf("there is no case %s", only)
	}
	return out, err
}

func compareWires(program, only string, seed uint64, scale float64, limit time.Duration) error {
	l, err := lab(program, seed)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.Dir)
	cases, err := chosen(only, scale)
	if err != nil {
		return err
	}
	all := 0
	for _, c := range cases {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		n, err := l.Wires(ctx, c)
		cancel()
		if err != nil {
			return err
		}
		all += n
	}
	fmt.Printf("%d of %d runs of processes had the draws of a run in one process, masked on the fixed "+
		"wire, not masked on it, and not masked on the plain one\n", all, 3*len(cases))
	return nil
}

// trials runs a case n times. An error is one of the reference: runs that are lost are printed.
func trials(l *parties.Lab, c parties.Case, n, most int, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	want, err := l.Reference(ctx, c)
	cancel()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	before := l.Counts
	for range n {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		if err := l.Trial(ctx, c, want, 2+l.Random.IntN(max(1, most-1))); err != nil {
			fmt.Println(err)
		}
		cancel()
	}
	fmt.Printf("%-26s %d of %d runs whole, %d kills\n", c.Name, l.Counts.Wholes-before.Wholes,
		l.Counts.Trials-before.Trials, l.Counts.Kills-before.Kills)
	return nil
}

// partition cuts links in a run whose processes last long enough.
func partition(program, off string, last time.Duration, seed uint64, scale float64) error {
	l, err := lab(program, seed)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.Dir)
	c := parties.Long(scale)
	ctx, cancel := context.WithTimeout(context.Background(), last+10*time.Minute)
	defer cancel()
	want, err := l.Reference(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	all := []string{off}
	if off == "" {
		all = []string{"server", "a", "b"}
	}
	for _, party := range all {
		ctx, cancel := context.WithTimeout(context.Background(), last+10*time.Minute)
		seen, err := l.Partition(ctx, c, want, party, last)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", party, err)
		}
		fmt.Printf("%s cut off for %v: named after", party, last)
		for _, name := range []string{"server", "a", "b"} {
			fmt.Printf(" %v at %s,", seen.Named[name].Round(100*time.Millisecond), name)
		}
		fmt.Printf(" %d transitions meanwhile; all back %v after the links were mended; the draws are "+
			"those of a run in one process\n", seen.Steps, seen.Back.Round(100*time.Millisecond))
	}
	return nil
}

// waiting measures runs with and without a delay in turn.
func waiting(program string, rtt time.Duration, runs int) error {
	l, err := lab(program, 1)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.Dir)
	d, err := logistic(l.Dir, 2, 0)
	if err != nil {
		return err
	}
	d.Serve = []string{"--backend", "sfvi", "--estimator", "quadrature", "--draws", "500"}
	var took [2][]time.Duration
	var trips int64
	for range runs {
		for k, delay := range []time.Duration{0, rtt / 2} {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			w, err := l.Deployed(ctx, d, delay)
			cancel()
			if err != nil {
				return err
			}
			took[k], trips = append(took[k], w.Took), w.Trips
		}
	}
	for k := range took {
		slices.Sort(took[k])
	}
	near, far := took[0][runs/2], took[1][runs/2]
	fmt.Printf("%d runs: median %v without a delay, %v with round trips of %v from the start of the "+
		"processes to the end of the last, which bounds the waiting, handshakes counted; %d "+
		"rounds one after another\n",
		runs, near.Round(time.Millisecond), far.Round(time.Millisecond), rtt, trips)
	return nil
}

// lab is a laboratory in a temporary folder.
func lab(program string, seed uint64) (*parties.Lab, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "parties")
	if err != nil {
		return nil, err
	}
	return parties.NewLab(program, dir, seed)
}
