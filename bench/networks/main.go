// Command networks times one iteration of the split networks of examples/paper on nine tenths of the rows of
// some tables, as in one fold of a cross-validation, all parties in one thread, and, where a Python with JAX
// is given, the same iteration in JAX, in turn and in CPU time:
//
//	go run ./bench/networks [-venv VENV] [PARTY=FILE…]
//
// VENV is a Python environment that has jax and numpy. Without tables it takes those of examples/split_nn.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
)

const (
	rounds = 21
	batch  = 200 // iterations of one round
	fold   = 10  // one row of so many is left out
)

func main() {
	venv := flag.String("venv", "", "Python environment that has jax and numpy")
	flag.Parse()
	if err := run(*venv, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "networks:", err)
		os.Exit(1)
	}
}

// A design is a model with how it is fitted, on both sides.
type design struct {
	name, model, transform string
	settings               map[string]string
	noise                  []string // of the other side
}

func designs() []design {
	return []design{
		{"plain", "split_nn.vfl", "exact", map[string]string{}, []string{"none"}},
		{"hierarchical", "hier_bayes_split_nn.vfl", "augmented", map[string]string{"guide": "amortized"},
			[]string{"pairs", "fresh"}},
	}
}

func run(venv string, tables []string) error {
	fmt.Printf("instruction set: %v; microseconds an iteration, medians of %d rounds; ratios "+
		"to vflc with quartiles\n", vector.Tier(), rounds)
	for _, d := range designs() {
		b, err := load(d, tables)
		if err != nil {
			return err
		}
		if err := d.line(b, venv); err != nil {
			return err
		}
	}
	return nil
}

// load compiles a model with nine tenths of the rows of its tables.
func load(d design, tables []string) (*compile.BoundModel, error) {
	path := filepath.Join("examples", "paper", d.model)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	transform, _ := stdlib.TransformNamed(d.transform)
	m, diags := compile.Compile(source.New(path, string(text)), check.Options{Transform: transform, Rho: 1})
	if err := first(diags); err != nil {
		return nil, err
	}
	sources, err := data.Locate(path, m.Parties(), tables)
	if err != nil {
		return nil, err
	}
	var parties []string
	for _, p := range m.Parties() {
		parties = append(parties, p.Name)
	}
	if sources, diags, err = sources.Some(parties, "", func(row int, _ string) bool {
		return row%fold != 0
	}); err != nil {
		return nil, err
	}
	if err := first(diags); err != nil {
		return nil, err
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err := first(diags); err != nil {
		return nil, err
	}
	return b, err
}

func first(diags diag.List) error {
	if diags.HasErrors() {
		return errors.New(diags.Shown()[0].Message)
	}
	return nil
}

// line prints the times of a design.
func (d design) line(b *compile.BoundModel, venv string) error {
	k, err := d.fitting(b)
	if err != nil {
		return err
	}
	var failed error
	tasks := []stopwatch.Task{{Name: "vflc", Run: func() {
		for range batch {
			if _, err := k.Step(context.Background()); err != nil {
				failed = err
			}
		}
	}}}
	var jax *peer
	if venv != "" {
		folder, err := os.MkdirTemp("", "networks")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		if jax, err = startPeer(venv, folder, b); err != nil {
			return err
		}
		defer jax.stop()
		for _, noise := range d.noise {
			tasks = append(tasks, jax.task(d.name, noise))
		}
	}
	times := stopwatch.Measure(tasks, rounds)
	fmt.Printf("%-13s vflc %7.1f", d.name, times[0].Median/1000/batch)
	for _, t := range times[1:] {
		fmt.Printf("   JAX, noise %s %7.1f: %.2f (%.2f-%.2f)", t.Name, t.Median/1000/batch, t.Ratio, t.Low,
			t.High)
	}
	fmt.Println()
	if jax != nil && failed == nil {
		failed = jax.err
	}
	return failed
}

// fitting returns a fit that has started its iterations and does not end.
func (d design) fitting(b *compile.BoundModel) (backends.Kernel, error) {
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		return nil, err
	}
	a := sfvi.Algorithm()
	given := map[string]string{"iterations": "100000000", "elbo-every": "100000000"}
	for name, value := range d.settings {
		given[name] = value
	}
	s, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		return nil, err
	}
	k, err := a.New(env, s)
	if err != nil {
		return nil, err
	}
	return k, k.Init(context.Background())
}

// A peer is networks_jax.py; it runs one request at a time.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err error
}

// startPeer starts it with the response and the encoded columns of the two clients.
func startPeer(venv, folder string, b *compile.BoundModel) (*peer, error) {
	args := []string{"-B", filepath.Join("bench", "peers", "networks_jax.py")}
	for _, name := range []string{"y", "XA", "XB"} {
		file, err := written(folder, name, b)
		if err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	cmd := exec.Command(filepath.Join(venv, "bin", "python"), args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

// written writes the values of a declaration as CSV.
func written(folder, name string, b *compile.BoundModel) (string, error) {
	for _, bindings := range b.Values {
		v := bindings[name]
		if v == nil {
			continue
		}
		var text strings.Builder
		rows := v.Dims[0]
		for i := range rows {
			for k := i; k < len(v.Values); k += rows { // values are stored by columns
				if k > i {
					text.WriteByte(',')
				}
				text.WriteString(strconv.FormatFloat(v.Values[k], 'g', -1, 64))
			}
			text.WriteByte('\n')
		}
		file := filepath.Join(folder, name+".csv")
		return file, os.WriteFile(file, []byte(text.String()), 0o600)
	}
	return "", fmt.Errorf("no values of %s", name)
}

func (p *peer) stop() {
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "networks: the peer:", err)
	}
}

// task returns a batch of its iterations as a task.
func (p *peer) task(model, noise string) stopwatch.Task {
	return stopwatch.Task{Name: noise, Elsewhere: func(runs int) time.Duration {
		var ns, value float64
		if _, p.err = fmt.Fprintf(p.in, "%s %s %d\n", model, noise, runs*batch); p.err == nil {
			_, p.err = fmt.Fscan(p.out, &ns, &value)
		}
		if p.err != nil {
			return time.Second
		}
		return time.Duration(ns)
	}}
}
