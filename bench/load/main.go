// Command load measures loading a CSV file into the constants of a graph: CPU time and peak memory of a whole
// process, and the memory that it keeps.
//
//	go run ./bench/load [-rows N] [-columns P] [-digits D] [FILE]
//
// Without a file it makes one, with shuffled whole-number keys, a response and normal covariates of D digits
// after the point (-1: all digits of a float64). A file must have the columns id and y, y of 0 and 1, and
// numbers in all others.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

const model = `server registry
data y : binary[N]
data X : real[N, P] from *
param alpha : real ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1)
y ~ bernoulli_logit(alpha + X * beta)
transform none
`

// stages lists the stages of loading; each runs from the beginning.
var stages = []struct {
	name string
	run  func(path string) (keep any, err error)
}{
	{"table", func(path string) (any, error) { return load(path) }},
	{"values", values},
	{"graph", graph},
}

func main() {
	rows := flag.Int("rows", 1_000_000, "rows of the generated file")
	columns := flag.Int("columns", 20, "columns of the generated file, id and y among them")
	digits := flag.Int("digits", -1, "digits after the point; -1: all")
	stage := flag.String("stage", "", "run one stage in this process")
	flag.Parse()
	var err error
	switch {
	case *stage != "":
		err = measured(*stage, flag.Arg(0))
	case flag.NArg() == 1:
		err = compare(flag.Arg(0))
	default:
		err = made(*rows, *columns, *digits)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// made measures a file that it generates.
func made(rows, columns, digits int) error {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "data.csv")
	if err := write(path, rows, columns, digits); err != nil {
		return err
	}
	fmt.Printf("%d rows of %d columns, %.0f MB as float64\n", rows, columns, float64(8*rows*columns)/1e6)
	return compare(path)
}

func write(path string, rows, columns, digits int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	line := []byte("id,y")
	for k := range columns - 2 {
		line = fmt.Appendf(line, ",x%d", k+1)
	}
	for _, id := range r.Perm(rows) {
		w.Write(append(line, '\n')) // Flush returns the first error
		line = strconv.AppendInt(line[:0], int64(id+1), 10)
		line = strconv.AppendInt(append(line, ','), int64(r.IntN(2)), 10)
		for range columns - 2 {
			line = strconv.AppendFloat(append(line, ','), r.NormFloat64(), 'f', digits, 64)
		}
	}
	w.Write(append(line, '\n'))
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// compare runs every stage in a process of its own.
func compare(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("%-8s %8s %10s %10s\n", "up to", "CPU s", "live MB", "peak MB")
	for _, s := range stages {
		cmd := exec.Command(self, "-stage", s.name, path)
		cmd.Stderr = os.Stderr
		live, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		used := cmd.ProcessState
		fmt.Printf("%-8s %8.2f %10s %10.0f\n", s.name, (used.UserTime() + used.SystemTime()).Seconds(), live,
			peak(used)/1e6)
	}
	return nil
}

// measured runs a stage and prints the megabytes that it keeps.
func measured(stage, path string) error {
	for _, s := range stages {
		if s.name != stage {
			continue
		}
		keep, err := s.run(path)
		if err != nil {
			return err
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("%.0f", float64(m.HeapAlloc)/1e6)
		runtime.KeepAlive(keep)
		return nil
	}
	return fmt.Errorf("no stage %s", stage)
}

func sources(path string) data.Sources {
	return data.Sources{{PartyRef: data.PartyRef{Name: "registry"}, Files: []string{path}}}
}

func load(path string) (*data.Dataset, error) {
	set, list := data.Load(sources(path), nil, data.Joining{Key: "id"})
	return set, failure(list)
}

func compiled() (*compile.Model, error) {
	m, list := compile.Compile(source.New("model.vfl", model), check.Options{})
	return m, failure(list)
}

// values keeps the table with its values, as a run does until its graphs are built.
func values(path string) (any, error) {
	m, err := compiled()
	if err != nil {
		return nil, err
	}
	set, err := load(path)
	if err != nil {
		return nil, err
	}
	bound, list := set.Bind(lower.Wants(m.Checked))
	return []any{set, bound}, failure(list)
}

func graph(path string) (any, error) {
	m, err := compiled()
	if err != nil {
		return nil, err
	}
	bound, list, err := compile.Bind(m, sources(path), data.Joining{Key: "id"})
	if err == nil {
		err = failure(list)
	}
	if err == nil {
		bound.Release() // as vflc run does
	}
	return bound, err
}

func failure(list diag.List) error {
	if !list.HasErrors() {
		return nil
	}
	return data.Errors(list)
}
