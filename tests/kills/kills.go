// Package kills kills runs of the vflc program at random instants, resumes them, and compares what they wrote
// with a run that nobody killed.
package kills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Case is a run of the program: its model, and its arguments after "run MODEL".
type Case struct {
	Name  string
	Model string
	Args  []string
}

// Cases returns a run of every backend, and of sfvi's two estimators, that takes about the given share of its
// usual time.
func Cases(scale float64) []Case {
	n := func(n float64) string { return fmt.Sprint(int(n * scale)) }
	return []Case{
		{"nuts", "m.vfl", []string{"--transform", "augmented", "--chains", "2", "--warmup", n(1000),
			"--draws", n(2000)}},
		{"sfvi", "m.vfl", []string{"--backend", "sfvi", "--transform", "augmented", "--iterations", n(30000),
			"--draws", "3000"}},
		{"quadrature", "linear.vfl", []string{"--backend", "sfvi", "--transform", "augmented", "--estimator",
			"quadrature", "--draws", n(60000)}},
		{"soul", "m.vfl", []string{"--backend", "soul", "--transform", "augmented", "--iterations", n(4000),
			"--draws", n(3000)}},
	}
}

// The models and their tables; 40 rows at each of two clients. The first has what a resumed run must find
// again: a module with a parameter, parameters in sets of vectors and matrices, and missing cells; the second
// can be integrated by quadrature.
const (
	model = `import "./terms.vfl"
client a, b
data y : real[N] @ server
data xa : real[N] @ a
data xb : real[N] @ b missing impute ~ normal(0, 1)
param m ~ normal(0, 5)
let u = terms.slope(xa) @ a
param share : simplex[2] ~ dirichlet(2) @ b
param L : corr_cholesky[2] ~ lkj_corr_cholesky(2) @ b
y ~ normal(m + u + xb * (share[1] + L[2, 1]), 1)
transform augmented(rho = 0.5)
`
	linear = `client a, b
data y : real[N] @ server
data xa : real[N] @ a
data xb : real[N] @ b missing drop
param m ~ normal(0, 5)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ normal(m + xa * ba + xb * bb, 1)
transform augmented(rho = 0.5)
`
	module = `fn slope(x) {
    param w ~ normal(0, 1)
    return x * w
}
`
)

// A Lab holds the model, and what each run of it writes when nobody kills it.
type Lab struct {
	Program string // the path of vflc
	Dir     string // a folder for everything
	Random  *rand.Rand
	Counts  Counts
}

// Counts say what the kills met.
type Counts struct {
	Kills    int
	NoFolder int // before the folder of the run was there
	NoState  int // the folder was there, but no state had been saved
	Running  int // with a state saved
	Undeliv  int // all draws were made and saved, and the outputs were not whole
	Resumes  int // kills of a process that resumed
	Late     int // processes that had ended before the kill
	Wholes   int // trials that ended with the draws of a run that nobody killed
	Attempts int // trials
	// Of runs of encrypted rows:
	Entries []int   // that a kill left in the journal
	Moved   float64 // most of a mean or standard deviation from the reference, in standard deviations
}

// NewLab writes the model to a folder.
func NewLab(program, dir string, seed uint64) (*Lab, error) {
	l := &Lab{Program: program, Dir: dir, Random: rand.New(rand.NewPCG(seed, 7))}
	noise := rand.New(rand.NewPCG(1, 2))
	tables := map[string]*bytes.Buffer{"server": bytes.NewBufferString("id,y\n"),
		"a": bytes.NewBufferString("id,xa\n"), "b": bytes.NewBufferString("id,xb\n")}
	signs := bytes.NewBufferString("id,y\n")
	for id := range 40 {
		xa, xb := noise.NormFloat64(), noise.NormFloat64()
		fmt.Fprintf(tables["a"], "%d,%v\n", id, xa)
		if id%10 == 3 {
			fmt.Fprintf(tables["b"], "%d,\n", id)
		} else {
			fmt.Fprintf(tables["b"], "%d,%v\n", id, xb)
		}
		y, sign := 0.5+xa-xb+noise.NormFloat64(), 0
		if y > 0 {
			sign = 1
		}
		fmt.Fprintf(tables["server"], "%d,%v\n", id, y)
		fmt.Fprintf(signs, "%d,%d\n", id, sign)
	}
	for _, folder := range []string{"m", "linear", "binary", "released"} { // the tables of a model are beside it
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, err
		}
		for name, text := range tables {
			if err := os.WriteFile(filepath.Join(dir, folder, name+".csv"), text.Bytes(), 0o644); err != nil {
				return nil, err
			}
		}
	}
	for name, text := range map[string]string{"binary/server.csv": signs.String(),
		"released/b.csv": strings.ReplaceAll(tables["b"].String(), ",\n", ",0.5\n"),
		"m.vfl":          model,
		"linear.vfl":     linear, "binary.vfl": binary, "released.vfl": released, "terms.vfl": module} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *Lab) run(c Case, out string) *exec.Cmd {
	args := append([]string{"run", c.Model, "--quiet", "--checkpoint-interval", "20ms", "-o", out}, c.Args...)
	return l.command(args...)
}

func (l *Lab) command(args ...string) *exec.Cmd {
	cmd := exec.Command(l.Program, args...)
	cmd.Dir = l.Dir
	return cmd
}

// A Reference is a run that nobody killed.
type Reference struct {
	draws map[string]string
	took  time.Duration
}

// Reference runs a case to its end.
func (l *Lab) Reference(c Case) (*Reference, error) {
	out := "reference-" + c.Name
	begin := time.Now()
	if text, err := l.run(c, out).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	draws, err := l.written(out)
	return &Reference{draws, time.Since(begin)}, err
}

// written returns what a run wrote and that may depend on nothing but its seed: draws without their comments,
// which hold times, the trace and the work.
func (l *Lab) written(out string) (map[string]string, error) {
	texts := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(l.Dir, out, "draws", "*.csv"))
	files = append(files, filepath.Join(l.Dir, out, "elbo.csv"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var kept []string
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				kept = append(kept, line)
			}
		}
		texts[filepath.Base(file)] = strings.Join(kept, "")
	}
	var document struct{ Parameters, Work json.RawMessage }
	text, err := os.ReadFile(filepath.Join(l.Dir, out, "summary.json"))
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	texts["parameters"], texts["work"] = string(document.Parameters), string(document.Work)
	return texts, err
}

// Trial starts a run and kills it, resumes it and kills that with probability ½, and so on, and lets the last
// resume end. It reports whether the run then has written what the reference has.
func (l *Lab) Trial(c Case, want *Reference) error {
	l.Counts.Attempts++
	out := fmt.Sprintf("%s-%d", c.Name, l.Counts.Attempts)
	defer os.RemoveAll(filepath.Join(l.Dir, out))
	cmd := l.run(c, out)
	for resumed := false; ; resumed = true {
		if l.killed(cmd, l.instant(want.took, resumed)) {
			l.count(out, resumed)
		} else {
			l.Counts.Late++
		}
		if !l.there(out) {
			cmd = l.run(c, out)
			continue
		}
		cmd = l.command("resume", out)
		if l.Random.IntN(2) == 0 {
			break
		}
	}
	if text, err := cmd.CombinedOutput(); err != nil && !strings.Contains(string(text),
		"this run is complete") {
		return fmt.Errorf("%s: resume: %v: %s", out, err, text)
	}
	got, err := l.written(out)
	if err != nil {
		return fmt.Errorf("%s: %v", out, err)
	}
	for name := range want.draws {
		if got[name] != want.draws[name] {
			return fmt.Errorf("%s: %s is not that of the run that nobody killed", out, name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(l.Dir, out, ".*")); len(left) > 0 {
		return fmt.Errorf("%s: temporary files are left: %v", out, left)
	}
	l.Counts.Wholes++
	return nil
}

// instant chooses when to kill: anywhere in a run, or, half of the times, in its last quarter, when it writes
// its outputs. A resumed run has less to do.
func (l *Lab) instant(took time.Duration, resumed bool) time.Duration {
	x := l.Random.Float64()
	switch {
	case resumed:
		x *= l.Random.Float64()
	case l.Random.IntN(2) == 0:
		x = 0.75 + 0.3*x
	}
	return time.Duration(x * float64(took))
}

// killed starts a process and kills it after a time. It reports whether the process was still there.
func (l *Lab) killed(cmd *exec.Cmd, after time.Duration) bool {
	if cmd.Start() != nil {
		return false
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
		return false
	case <-time.After(after):
	}
	cmd.Process.Kill()
	<-done
	return true
}

func (l *Lab) there(out string) bool {
	_, err := os.Stat(filepath.Join(l.Dir, out))
	return err == nil
}

// count records what a kill met.
func (l *Lab) count(out string, resumed bool) {
	l.Counts.Kills++
	if resumed {
		l.Counts.Resumes++
	}
	_, state := os.Stat(filepath.Join(l.Dir, out, "checkpoint"))
	_, draws := os.Stat(filepath.Join(l.Dir, out, "draws"))
	switch {
	case !l.there(out):
		l.Counts.NoFolder++
	case draws == nil:
		l.Counts.Undeliv++
	case state != nil:
		l.Counts.NoState++
	default:
		l.Counts.Running++
	}
}
