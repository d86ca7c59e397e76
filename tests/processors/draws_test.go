//go:build rebuild

package processors

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/vector"
)

var whole = flag.Bool("whole", false,
	"compare the draws of three examples by each backend, not of one example by each")

// A computer runs the command: an emulator, or "", the program, and the set of instructions for arrays that
// it is told to use.
type computer struct{ emulator, program, set string }

// outcome is what a run wrote that is to be the same everywhere, by file, or what it printed where it failed.
func (c computer) outcome(t *testing.T, args ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	args = append(append([]string{c.program}, args...), "--quiet", "-o", dir)
	if c.emulator != "" {
		args = append([]string{c.emulator}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), vector.Variable+"="+c.set)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out := map[string]string{}
	if err := cmd.Run(); err != nil {
		if errs.Len() == 0 {
			t.Fatal(err)
		}
		out["errors"] = errs.String()
		return out
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		numbers := strings.HasPrefix(name, "draws.zarr/") && !strings.HasPrefix(d.Name(), ".z")
		table := strings.HasPrefix(name, "draws/") && strings.HasSuffix(name, ".csv")
		if !numbers && !table {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		var kept strings.Builder
		for line := range strings.Lines(string(text)) {
			if numbers || !strings.HasPrefix(line, "#") { // the time that a chain took stands in a comment
				kept.WriteString(line)
			}
		}
		out[name] = kept.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Draws are the same bytes on amd64 and on arm64, with each set of instructions for arrays: of one example by
// each backend that samples, and with -whole of three examples by each. A refusal has the same text.
func TestDrawsAreTheSameEverywhere(t *testing.T) {
	computers := []computer{}
	for _, processor := range []string{"amd64", "arm64"} {
		e := emulator(t, processor)
		program := command(t, processor)
		for _, set := range setsOf(t, e, program) {
			computers = append(computers, computer{e, program, set})
		}
	}
	settings := map[string][]string{
		"nuts": {"--warmup", "30", "--draws", "10", "--chains", "1"},
		"sfvi": {"--iterations", "40", "--elbo-draws", "20", "--draws", "20"},
		"soul": {"--iterations", "30", "--draws", "20"},
	}
	quick := map[string]string{"linear": "nuts", "logistic": "sfvi", "poisson_multilevel": "soul"}
	runs, drawn := 0, 0
	for model, only := range quick {
		for backend, more := range settings {
			if !*whole && backend != only {
				continue
			}
			runs++
			t.Run(model+" "+backend, func(t *testing.T) {
				args := append([]string{"run", "../../examples/" + model + ".vfl", "--seed", "3", "--backend",
					backend}, more...)
				want := computers[0].outcome(t, args...)
				if want["errors"] == "" {
					drawn++
					if len(want) < 3 {
						t.Fatalf("the run wrote %d files of numbers", len(want))
					}
				}
				for _, c := range computers[1:] {
					got := c.outcome(t, args...)
					if len(got) != len(want) {
						t.Errorf("%v wrote %d files of numbers, %v %d", c, len(got), computers[0], len(want))
					}
					for name, text := range want {
						if got[name] != text {
							t.Errorf("%s of %v differs from that of %v", name, c, computers[0])
						}
					}
				}
			})
		}
	}
	if drawn < runs-1 || !*whole && drawn < runs { // soul refuses the linear example
		t.Errorf("%d of %d runs made draws", drawn, runs)
	}
}

// setsOf lists the sets of a computer: those that its program accepts.
func setsOf(t *testing.T, emulator, program string) (all []string) {
	t.Helper()
	for _, set := range vector.All() {
		args := []string{program, "version"}
		if emulator != "" {
			args = append([]string{emulator}, args...)
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), vector.Variable+"="+set.String())
		var errs bytes.Buffer // says so where the processor does not have the set
		cmd.Stderr = &errs
		if cmd.Run() == nil && errs.Len() == 0 {
			all = append(all, set.String())
		}
	}
	if len(all) == 0 {
		t.Fatal("no set is accepted")
	}
	return all
}
