// Command layers compares a small network on the vector functions of vflc with plain loops in C
// (bench/c/dense.c), which it builds with gcc -Ofast: both compute the same, in turn, in CPU time, and the
// ratio is taken in each round.
package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "layers:", err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "layers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	c, err := start(folder)
	if err != nil {
		return err
	}
	defer c.stop()
	fmt.Printf("1-16-16-2 with tanh, forward and backward, set %v: least ns a run, and the median of "+
		"ratios with their quartiles\n", vector.Tier())
	for _, n := range []int{512, 960} {
		if err := c.compare(n, newNetwork(n)); err != nil {
			return err
		}
	}
	return nil
}

// A server is the running C program.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(folder string) (*server, error) {
	program := filepath.Join(folder, "dense")
	args := []string{"-Ofast", "-march=native", "bench/c/dense.c", "-o", program, "-lmvec", "-lm"}
	if vector.Tier() != vector.AVX512 {
		args = append(args, "-mno-avx512f")
	}
	build := exec.Command("gcc", args...)
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc, from the top of the repository: %w\n%s", err, text)
	}
	s := &server{cmd: exec.Command(program)}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.cmd.Start()
}

// stop ends the C program by closing its input.
func (s *server) stop() {
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "layers: the C program:", err)
	}
}

// ask makes the C program run n rows and returns the time of a run and its check.
func (s *server) ask(n, runs int) (ns, check float64, err error) {
	if _, err = fmt.Fprintln(s.in, n, runs); err == nil {
		_, err = fmt.Fscan(s.out, &ns, &check)
	}
	return ns, check, err
}

// compare alternates rounds of both.
func (s *server) compare(n int, m *network) error {
	const rounds, runs = 41, 8
	var here, there, ratios []float64
	for range rounds {
		ns, check, err := s.ask(n, runs)
		if err != nil {
			return err
		}
		took := stopwatch.Once(m.run, runs)
		if got := m.check(); math.Abs(got-check) > 1e-9*math.Abs(check) {
			return fmt.Errorf("%d rows: vflc computes %v, C %v", n, got, check)
		}
		here, there, ratios = append(here, took), append(there, ns), append(ratios, took/ns)
	}
	slices.Sort(ratios)
	fmt.Printf("n = %-6d C %9.0f   vflc %9.0f   ratio %.2f (%.2f to %.2f)\n", n, slices.Min(there),
		slices.Min(here),
		ratios[rounds/2], ratios[rounds/4], ratios[3*rounds/4])
	return nil
}
