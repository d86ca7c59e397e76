// Command load measures loading a table into the constants of a graph, and a gradient: CPU time and peak
// memory of a whole process, and the memory that it keeps.
//
//	go run ./bench/load [-rows N] [-columns P] [-digits D] [-parquet] [-normal] [-memory 2GB] [FILE]
//	go run ./bench/load -write FILE [-rows N] [-columns P] [-digits D] [-normal]
//
// Without a file it makes one, with a response and normal covariates of D digits after the point (-1: all
// digits of a float64), as CSV with shuffled whole-number keys too. -write makes a Parquet file and ends. A
// CSV file must have the columns id and y, a Parquet file y, y of 0 and 1 without -normal, and numbers in all
// others.
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
	"strings"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/vector"
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
	{"graph", func(path string) (any, error) { return graph(path) }},
	{"gradient", gradients},
}

var (
	columnar = flag.Bool("parquet", false, "Parquet in place of CSV, without keys")
	normal   = flag.Bool("normal", false, "a response with normal errors in place of 0 and 1")
	memory   = flag.Int64("memory", 0, "bytes of memory for numbers; 0: half of the machine's")
	written  = flag.String("write", "", "write a Parquet file and end")
)

func main() {
	rows := flag.Int("rows", 1_000_000, "rows of the generated file")
	columns := flag.Int("columns", 20, "columns of the generated file, id and y among them")
	digits := flag.Int("digits", -1, "digits after the point; -1: all")
	stage := flag.String("stage", "", "run one stage in this process")
	flag.Parse()
	var err error
	switch {
	case *written != "":
		err = writeParquet(*written, *rows, *columns, *digits)
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
	path, write := filepath.Join(dir, "data.csv"), writeCSV
	if *columnar {
		path, write = filepath.Join(dir, "data.parquet"), writeParquet
	}
	if err := write(path, rows, columns, digits); err != nil {
		return err
	}
	fmt.Printf("%d rows of %d columns, %.0f MB as float64\n", rows, columns, float64(8*rows*columns)/1e6)
	return compare(path)
}

func writeCSV(path string, rows, columns, digits int) error {
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
		cmd := exec.Command(self, fmt.Sprintf("-parquet=%t", *columnar), fmt.Sprintf("-normal=%t", *normal),
			fmt.Sprintf("-memory=%d", *memory), "-stage", s.name, path)
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
	s, err := data.Named([]data.PartyRef{{Name: "registry"}}, []string{path})
	if err != nil {
		panic(err)
	}
	s.Limit(safefile.MaxBytes, *memory)
	return s
}

// joining is the key of a CSV file.
func joining() data.Joining {
	if *columnar {
		return data.Joining{Key: data.RowOrder}
	}
	return data.Joining{Key: "id"}
}

func load(path string) (*data.Dataset, error) {
	set, list := data.Load(sources(path), nil, joining())
	return set, failure(list)
}

func compiled() (*compile.Model, error) {
	text := model
	if *normal {
		text = strings.NewReplacer("binary", "real", "bernoulli_logit(alpha + X * beta)",
			"normal(alpha + X * beta, 1)").Replace(text)
	}
	m, list := compile.Compile(source.New("model.vfl", text), check.Options{})
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

func graph(path string) (*compile.BoundModel, error) {
	m, err := compiled()
	if err != nil {
		return nil, err
	}
	bound, list, err := compile.Bind(m, sources(path), joining())
	if err == nil {
		err = failure(list)
	}
	if err == nil {
		bound.Release() // as vflc run does
	}
	return bound, err
}

// passes is how often an array that the caches do not hold is read to have the numbers of X.
const passes = 8

// gradients prints the CPU time of a gradient beside that of reading the numbers of X as float64, in turn on
// one core.
func gradients(path string) (any, error) {
	b, err := graph(path)
	if err != nil {
		return nil, err
	}
	g := b.Plan.Here()[0].Graph
	e, x := g.NewExec(), make([]float64, g.Dim())
	for i := range x {
		x[i] = 0.1 * float64(i%3-1)
	}
	read, sum := make([]float64, b.Sizes.Common["N"]*b.Sizes.Common["P"]/passes), 0.0
	vector.OnHugePages(read)
	for i := range read {
		read[i] = 1
	}
	t := stopwatch.Measure([]stopwatch.Task{{Name: "gradient", Run: func() { e.Forward(x); e.Target() }},
		{Name: "reading", Run: func() {
			for range passes {
				sum += vector.Sum(len(read), read)
			}
		}}}, 11)
	fmt.Fprintf(os.Stderr, "a gradient takes %.0f ms of CPU, reading %.0f: %.2f (%.2f-%.2f) of it\n",
		t[0].Median/1e6, t[1].Median/1e6, t[1].Ratio, t[1].Low, t[1].High)
	return b, nil
}

func failure(list diag.List) error {
	if !list.HasErrors() {
		return nil
	}
	return data.Errors(list)
}
