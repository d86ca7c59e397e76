// Command vector times the functions of package runtime/vector on every instruction set of the processor, in
// CPU time, sets in turn: go run ./bench/vector [NAME…] prints nanoseconds per call, the least of many
// rounds.
package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

func main() {
	if os.Getenv(vector.Variable) == "" {
		if err := everySet(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "vector:", err)
			os.Exit(1)
		}
		return
	}
	for _, n := range []int{32, 256, 2048} {
		var tasks []stopwatch.Task
		for _, t := range tasksOf(n) {
			if len(os.Args) == 1 || slices.ContainsFunc(os.Args[1:], func(s string) bool {
				return strings.Contains(t.Name, s)
			}) {
				tasks = append(tasks, t)
			}
		}
		if len(tasks) == 0 {
			continue
		}
		for _, t := range stopwatch.Measure(tasks, 25) {
			fmt.Printf("%s %d %v %.1f\n", t.Name, n, vector.Tier(), t.Least)
		}
	}
}

// everySet runs this program once for each set and prints the times side by side.
func everySet(names []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	times, order := map[string]map[string]string{}, []string{}
	for _, s := range vector.Sets() {
		c := exec.Command(self, names...)
		c.Env = append(os.Environ(), vector.Variable+"="+s.String())
		c.Stderr = os.Stderr
		text, err := c.Output()
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			key := f[0] + " " + f[1]
			if times[key] == nil {
				times[key] = map[string]string{}
				order = append(order, key)
			}
			times[key][f[2]] = f[3]
		}
	}
	fmt.Printf("%-20s %6s", "ns a call", "n")
	for _, s := range vector.Sets() {
		fmt.Printf(" %10v", s)
	}
	fmt.Println()
	for _, key := range order {
		name, n, _ := strings.Cut(key, " ")
		fmt.Printf("%-20s %6s", name, n)
		for _, s := range vector.Sets() {
			fmt.Printf(" %10s", times[key][s.String()])
		}
		fmt.Println()
	}
	return nil
}

// ramp returns n numbers spread over an interval.
func ramp(n int, lo, hi float64) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = lo + (hi-lo)*math.Mod(float64(i)*math.Phi, 1)
	}
	return a
}
