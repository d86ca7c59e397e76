//go:build unix

// Package parties runs all parties of a model as processes, kills processes at random instants, starts them
// again, and compares what they wrote with a run in one process.
package parties

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/vflc/vflc/tests/await"
)

// A Case is a run: its arguments after "run MODEL" and "demo start MODEL".
type Case struct {
	Name string
	Args []string
}

// Cases returns every backend under the transforms that it has. scale is the length of the runs as a share of
// what a count of kills needs.
func Cases(scale float64) (out []Case) {
	n := func(n float64) string { return fmt.Sprint(int(n * scale)) }
	for _, transform := range []string{"exact", "augmented", "power"} {
		for _, backend := range [][]string{
			{"nuts", "--backend", "nuts", "--chains", "2", "--warmup", n(300), "--max-depth", "5", "--draws",
				n(200)},
			{"sfvi-sampled", "--backend", "sfvi", "--estimator", "sampled", "--iterations", n(6000),
				"--elbo-draws", n(4000), "--draws", "50"},
			{"sfvi-quadrature", "--backend", "sfvi", "--estimator", "quadrature", "--draws", "50"},
			{"sfvi-nested", "--backend", "sfvi", "--estimator", "nested", "--draws", "50"},
			{"soul", "--backend", "soul", "--iterations", n(800), "--draws", n(200)},
		} {
			if transform == "exact" && backend[0] == "soul" || transform == "power" &&
				backend[0] == "sfvi-nested" {
				continue // it draws auxiliary variables, and there are none; the likelihood is at the clients
			}
			out = append(out,
				Case{transform + "/" + backend[0], append([]string{"--transform", transform},
					backend[1:]...)})
		}
	}
	return out
}

// Long is a case whose processes take some seconds.
func Long(scale float64) Case {
	n := func(n float64) string { return fmt.Sprint(int(n * scale)) }
	return Case{"augmented/nuts", []string{"--transform", "augmented", "--backend", "nuts", "--chains", "2",
		"--warmup", n(1500), "--draws", n(1500)}}
}

// Model is the model of all cases: two clients and a server.
const Model = `client a, b
data y : real[N] @ shared
data xa : real[N] @ a
data xb : real[N] @ b
param m ~ normal(0, 5)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ normal(m + xa * ba + xb * bb, 1)
transform augmented(rho = 0.5)
`

const rows = 40

// A Lab holds the model with its tables.
type Lab struct {
	Program string // the path of vflc
	Dir     string // a folder for everything
	Random  *rand.Rand
	Counts  Counts
}

// Counts say what the kills met.
type Counts struct {
	Trials, Wholes int // Wholes have ended with the draws of a run in one process
	Kills, Servers int // processes that were killed, and servers among them
	Several        int // trials with more than one kill
	Late           int // processes that had ended before the kill
}

// NewLab writes the model to a folder.
func NewLab(program, dir string, seed uint64) (*Lab, error) {
	l := &Lab{Program: program, Dir: dir, Random: rand.New(rand.NewPCG(seed, 11))}
	noise := rand.New(rand.NewPCG(1, 2))
	tables := map[string]string{"server": "id,y\n", "a": "id,xa\n", "b": "id,xb\n"}
	for id := range rows {
		xa, xb := noise.NormFloat64(), noise.NormFloat64()
		tables["a"] += fmt.Sprintf("%d,%v\n", id, xa)
		tables["b"] += fmt.Sprintf("%d,%v\n", id, xb)
		tables["server"] += fmt.Sprintf("%d,%v\n", id, 0.5+xa-xb+noise.NormFloat64())
	}
	if err := os.MkdirAll(filepath.Join(dir, "m"), 0o755); err != nil {
		return nil, err
	}
	for name, text := range tables {
		if err := os.WriteFile(filepath.Join(dir, "m", name+".csv"), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return l, os.WriteFile(filepath.Join(dir, "m.vfl"), []byte(Model), 0o644)
}

// vflc runs the program, and returns its output with an error.
func (l *Lab) vflc(ctx context.Context, args ...string) error {
	_, err := l.output(ctx, args...)
	return err
}

// output runs the program, and returns what it prints.
func (l *Lab) output(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, l.Program, args...)
	cmd.Dir = l.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("vflc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// A Reference is what a run in one process writes, and how long the processes of a run that nobody kills
// take.
type Reference struct {
	draws map[string]string
	took  time.Duration
}

// Whole runs a case in one process alone: how long processes take is not known.
func (l *Lab) Whole(ctx context.Context, c Case) (*Reference, error) {
	if err := l.vflc(ctx, append([]string{"run", "m.vfl", "-o", "whole", "--overwrite", "--secure-sum", "on",
		"--quiet"}, c.Args...)...); err != nil {
		return nil, err
	}
	draws, err := Draws(filepath.Join(l.Dir, "whole"))
	return &Reference{draws: draws}, err
}

// Reference runs a case in one process, and once across processes.
func (l *Lab) Reference(ctx context.Context, c Case) (*Reference, error) {
	r, err := l.Whole(ctx, c)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Join(l.Dir, "demo"))
	begin := time.Now()
	if err := l.vflc(ctx, append(l.start(c), "--wait")...); err != nil {
		return nil, err
	}
	r.took = time.Since(begin)
	return r, l.compare(r)
}

func (l *Lab) start(c Case) []string {
	return append([]string{"demo", "start", "m.vfl", "-o", "demo", "--checkpoint-interval", "30ms"},
		c.Args...)
}

// Draws are the draws of the run in a folder as they are written, one text with a space after each draw for
// each column of each file; a key is the name of the file, a space and the column. Columns of the sampler,
// whose names end in __, are left out.
func Draws(dir string) (map[string]string, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "draws", "chain-*.csv"))
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var head []string
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSpace(line), ",")
			switch {
			case strings.HasPrefix(line, "#"):
			case head == nil:
				head = cells
			default:
				for k, cell := range cells {
					if !strings.HasSuffix(head[k], "__") {
						out[filepath.Base(file)+" "+head[k]] += cell + " "
					}
				}
			}
		}
	}
	return out, nil
}

// processes are those of the demonstration, the server first.
func (l *Lab) processes() (out []struct {
	Party   string
	Process int
}, err error) {
	text, err := os.ReadFile(filepath.Join(l.Dir, "demo", "demo.json"))
	if err != nil {
		return nil, err
	}
	file := struct {
		Processes *[]struct {
			Party   string
			Process int
		}
	}{&out}
	return out, json.Unmarshal(text, &file)
}

// compare compares what the parties wrote with the run in one process.
func (l *Lab) compare(want *Reference) error {
	all, err := l.processes()
	if err != nil {
		return err
	}
	seen := 0
	for _, p := range all {
		got, err := Draws(filepath.Join(l.Dir, "demo", "runs", p.Party))
		if err != nil {
			return err
		}
		for name, text := range got {
			if text != want.draws[name] {
				return fmt.Errorf("%s: %s is not that of a run in one process", p.Party, name)
			}
			seen++
		}
	}
	if seen != len(want.draws) || seen == 0 {
		return fmt.Errorf("the parties have %d columns of draws, the run in one process %d", seen,
			len(want.draws))
	}
	return nil
}

// Trial starts the parties, kills a random one of them several times at random instants and starts it again,
// and reports whether all then end with the draws of a run in one process. Processes that are left are
// killed.
func (l *Lab) Trial(ctx context.Context, c Case, want *Reference, kills int) error {
	l.Counts.Trials++
	defer os.RemoveAll(filepath.Join(l.Dir, "demo"))
	defer l.end()
	if err := l.vflc(ctx, l.start(c)...); err != nil {
		return err
	}
	met := 0
	for range kills {
		time.Sleep(time.Duration(l.Random.Float64() * float64(want.took) / float64(max(1, kills-1))))
		all, err := l.processes()
		if err != nil {
			return err
		}
		at := l.Random.IntN(len(all))
		killed, err := Kill(all[at].Process)
		if err != nil {
			return err
		}
		if !killed {
			l.Counts.Late++
			continue
		}
		if met++; at == 0 {
			l.Counts.Servers++
		}
		if err := l.vflc(ctx, l.start(c)...); err != nil {
			return err
		}
	}
	if l.Counts.Kills += met; met > 1 {
		l.Counts.Several++
	}
	err := l.vflc(ctx, append(l.start(c), "--wait")...)
	if err == nil {
		err = l.compare(want)
	}
	if err == nil {
		err = l.audit(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s, trial %d, %d kills: %w\n%s", c.Name, l.Counts.Trials, met, err, l.logs())
	}
	l.Counts.Wholes++
	return nil
}

// audit wants the script of the session, and nothing else, in the ledgers of all parties.
func (l *Lab) audit(ctx context.Context) error {
	out, err := l.output(ctx, "audit", "demo")
	if err == nil && (!strings.Contains(out, "all as the script of the session has them") ||
		strings.Contains(out, "not complete")) {
		err = errors.New(out)
	}
	return err
}

// logs are the ends of what the parties have printed.
func (l *Lab) logs() (all string) {
	files, _ := filepath.Glob(filepath.Join(l.Dir, "demo", "*.log"))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all += filepath.Base(f) + ":\n" + string(text[max(0, len(text)-3000):])
	}
	return all
}

// Kill kills a process, and waits until it is gone. It reports whether the process was there.
func Kill(process int) (bool, error) {
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			err = nil
		}
		return false, err
	}
	for begin := time.Now(); syscall.Kill(process, 0) == nil; time.Sleep(time.Millisecond) {
		// it waits for whoever started it
		if threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", process)); state(process) == 'Z' &&
			len(threads) < 2 {
			break
		}
		if time.Since(begin) > await.Patience {
			return true, fmt.Errorf("process %d does not end", process)
		}
	}
	return true, nil
}

// state is the letter by which the system names the state of a process; 0 where it does not say.
func state(process int) byte {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	at := strings.LastIndex(string(text), ") ")
	if err != nil || at < 0 || at+2 >= len(text) {
		return 0
	}
	return text[at+2]
}

func (l *Lab) end() {
	all, _ := l.processes()
	for _, p := range all {
		if p.Process > 0 {
			_, _ = Kill(p.Process) // it has ended, or is no longer there
		}
	}
}
