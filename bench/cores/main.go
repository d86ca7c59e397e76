// Command cores measures by the clock how much faster one chain is on two cores than on one, beside what two
// independent processes do at once:
//
//	go run ./bench/cores [-rounds 9] [NAME…]
//
// In each round the same transitions of the same chain are made in turn by a process with one core, by one
// with two, and by two processes at the same time with one core each. The speed-up of two cores is the first
// time over the second, that of two processes twice the first over the slower of the last; "share" is their
// ratio in the same round. Draws must be the same bytes everywhere. On a machine that others use, neither
// reaches 2.
//
//	go run ./bench/cores -cost [-against BINARY] [NAME…]
//
// prints the CPU time of a leapfrog, or of an iteration, on one core instead, in turn with an older build of
// this command where one is given.
//
//	go run ./bench/cores -chains N [NAME…]
//
// prints the CPU time of a leapfrog of one chain on one core, and of N chains on that core, in turn, for data
// that the second cache cannot hold. The first chain has the same draws.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
)

func main() {
	rounds := flag.Int("rounds", 9, "rounds")
	cost := flag.Bool("cost", false, "CPU time on one core")
	against := flag.String("against", "", "an older build of this command")
	chains := flag.Int("chains", 1, "compare one chain on one core with so many on it")
	child := flag.String("child", "", "problem to work on, as this command calls itself")
	flag.Parse()
	if *child != "" {
		if err := work(find(*child), *chains); err != nil {
			log.Fatal(err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	chosen := flag.Args()
	for _, p := range problems {
		if len(chosen) > 0 && !slices.Contains(chosen, p.name) || len(chosen) == 0 &&
			(p.small != *cost || p.large != (*chains > 1)) {
			continue
		}
		switch {
		case *cost:
			err = p.cost(self, *against, *rounds)
		case *chains > 1:
			err = p.beside(self, *rounds, *chains)
		default:
			err = p.speedUp(self, *rounds)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// work makes transitions of chains, a batch for each line that it reads, and prints the time, the CPU time,
// the evaluations and a digest of the draws of the first chain of each.
func work(p *problem, chains int) error {
	plan, err := p.plan()
	if err != nil {
		return err
	}
	return session.RunChains(context.Background(), plan, session.OneLoop, 1, chains, runtime.GOMAXPROCS(0),
		func(ctx context.Context, c *session.Chains) error {
			kernels := make([]backends.Kernel, chains)
			err := c.Each(ctx, func(ctx context.Context, chain int) (err error) {
				if kernels[chain], err = p.kernel(density.Chain(c.Envs[chain], chain+1)); err == nil {
					err = kernels[chain].Init(ctx)
				}
				return err
			})
			if err != nil {
				return err
			}
			var theta [][]float64
			for _, b := range c.Envs[0].Blocks() {
				theta = append(theta, make([]float64, b.Dim()))
			}
			steps := func(n int) (evaluations int, err error) {
				each := make([]int, chains)
				err = c.Each(ctx, func(ctx context.Context, chain int) error {
					for range n {
						info, err := kernels[chain].Step(ctx)
						if err != nil {
							return err
						}
						each[chain] += max(1, info.Transition.Leapfrogs)
					}
					return nil
				})
				for _, n := range each {
					evaluations += n
				}
				return evaluations, err
			}
			if _, err := steps(p.warmup); err != nil {
				return err
			}
			fmt.Println("ready")
			for in := bufio.NewScanner(os.Stdin); in.Scan(); {
				begin, cpu := time.Now(), stopwatch.Process()
				n, err := steps(p.batch)
				if err != nil {
					return err
				}
				wall := time.Since(begin)
				digest := fnv.New64()
				if p.draws {
					kernels[0].Draw(0, theta)
				}
				for _, block := range theta {
					for _, v := range block {
						fmt.Fprint(digest, math.Float64bits(v))
					}
				}
				fmt.Println(wall.Nanoseconds(), (stopwatch.Process() - cpu).Nanoseconds(), n, digest.Sum64())
			}
			return nil
		})
}

// A worker is a process that makes transitions.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// A batch is what a worker says of one.
type batch struct {
	wall, cpu   float64 // ns
	evaluations int
	digest      uint64
}

func start(binary string, p *problem, cores, chains int) (*worker, error) {
	cmd := exec.Command(binary, "-child", p.name)
	if chains > 1 {
		cmd.Args = append(cmd.Args, "-chains", fmt.Sprint(chains))
	}
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", cores))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd, in, bufio.NewReader(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := w.out.ReadString('\n')
	if err == nil && line != "ready\n" {
		err = fmt.Errorf("%s: %q", p.name, line)
	}
	return w, err
}

func (w *worker) stop() {
	w.in.Close()
	w.cmd.Wait()
}

func (w *worker) begin() error {
	_, err := fmt.Fprintln(w.in)
	return err
}

func (w *worker) end() (b batch, err error) {
	_, err = fmt.Fscan(w.out, &b.wall, &b.cpu, &b.evaluations, &b.digest)
	return b, err
}

// together has some workers make a batch at the same time.
func together(workers ...*worker) (out []batch, err error) {
	for _, w := range workers {
		if err := w.begin(); err != nil {
			return nil, err
		}
	}
	for _, w := range workers {
		b, err := w.end()
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// speedUp prints the line of a problem.
func (p *problem) speedUp(self string, rounds int) error {
	var workers []*worker
	for _, cores := range []int{1, 2, 1, 1} {
		w, err := start(self, p, cores, 1)
		if err != nil {
			return err
		}
		defer w.stop()
		workers = append(workers, w)
	}
	var cores, processes, share, cpu []float64
	for range rounds {
		one, err := together(workers[0])
		if err != nil {
			return err
		}
		two, err := together(workers[1])
		if err != nil {
			return err
		}
		both, err := together(workers[2], workers[3])
		if err != nil {
			return err
		}
		if a, b := one[0].digest, two[0].digest; a != b {
			return fmt.Errorf("%s: other draws with two cores", p.name)
		}
		fast, pair := one[0].wall/two[0].wall, 2*one[0].wall/max(both[0].wall, both[1].wall)
		cores, processes, share = append(cores, fast), append(processes, pair), append(share, fast/pair)
		cpu = append(cpu, two[0].cpu/one[0].cpu)
	}
	fmt.Printf("%-28s two cores %s  two processes %s  share %s  CPU %s\n", p.name, spread(cores),
		spread(processes), spread(share), spread(cpu))
	return nil
}

// cost prints the line of a problem.
func (p *problem) cost(self, against string, rounds int) error {
	binaries := []string{self}
	if against != "" {
		binaries = []string{against, self}
	}
	var workers []*worker
	for _, b := range binaries {
		w, err := start(b, p, 1, 1)
		if err != nil {
			return err
		}
		defer w.stop()
		workers = append(workers, w)
	}
	each := make([][]float64, len(workers))
	var ratio []float64
	for range rounds {
		for i, w := range workers {
			out, err := together(w)
			if err != nil {
				return err
			}
			each[i] = append(each[i], out[0].cpu/1e3/float64(out[0].evaluations))
		}
		n := len(each[0]) - 1
		ratio = append(ratio, each[len(each)-1][n]/each[0][n])
	}
	fmt.Printf("%-28s", p.name)
	for i := range each {
		fmt.Printf("  µs %s least %.2f", spread(each[i]), slices.Min(each[i]))
	}
	if against != "" {
		fmt.Printf("  new/old %s", spread(ratio))
	}
	fmt.Println()
	return nil
}

// beside prints the line of a problem for chains that share a core.
func (p *problem) beside(self string, rounds, chains int) error {
	var workers []*worker
	for _, n := range []int{1, chains} {
		w, err := start(self, p, 1, n)
		if err != nil {
			return err
		}
		defer w.stop()
		workers = append(workers, w)
	}
	var alone, shared, gain []float64
	for range rounds {
		one, err := together(workers[0])
		if err != nil {
			return err
		}
		all, err := together(workers[1])
		if err != nil {
			return err
		}
		if one[0].digest != all[0].digest {
			return fmt.Errorf("%s: other draws beside other chains", p.name)
		}
		a, b := one[0].cpu/1e3/float64(one[0].evaluations), all[0].cpu/1e3/float64(all[0].evaluations)
		alone, shared, gain = append(alone, a), append(shared, b), append(gain, a/b)
	}
	fmt.Printf("%-28s one chain µs %s  %d chains µs %s  gain %s\n", p.name, spread(alone), chains,
		spread(shared), spread(gain))
	return nil
}

// spread is the median with quartiles.
func spread(v []float64) string {
	s := slices.Sorted(slices.Values(v))
	n := float64(len(s) - 1)
	return fmt.Sprintf("%.2f (%.2f-%.2f)", s[int(n/2)], s[int(n/4)], s[int(3*n/4+0.5)])
}
