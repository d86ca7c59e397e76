//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
)

// private is long enough that no key or certificate has it by chance. It is in every name that client b alone
// knows: parameters, lets, consts, columns and categories, in a module of its own or in the model's part of
// it.
const private = "qzxvjk"

// A privateCase is a run, of a model of which client b keeps names to itself.
type privateCase struct {
	args []string
	// the names are of a module that b keeps; else of what the model says is b's, and only columns and
	// categories are private
	module bool
}

func privateCases() map[string]privateCase {
	return map[string]privateCase{
		"nuts exact": {[]string{"--transform", "exact", "--chains", "2", "--warmup", "20", "--max-depth",
			"4", "--draws", "10"}, true},
		"nuts augmented": {[]string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws", "10"},
			false},
		"nuts power": {[]string{"--transform", "power", "--rho", "0.4", "--chains", "1", "--warmup",
			"20", "--max-depth", "4", "--draws", "10", "--wire", "plain"}, true},
		"sfvi sampled": {[]string{"--backend", "sfvi", "--estimator", "sampled", "--iterations", "60",
			"--elbo-draws", "100", "--draws", "20"}, true},
		"sfvi quadrature": {[]string{"--transform", "power", "--rho", "0.4", "--backend", "sfvi", "--draws",
			"20"}, false},
		"sfvi fixed": {[]string{"--transform", "exact", "--backend", "sfvi", "--estimator", "fixed",
			"--draws", "20"}, true},
		"soul": {[]string{"--backend", "soul", "--iterations", "30", "--draws", "20"}, true},
	}
}

const privateModel = `client a, b
data y : real[N] @ shared
data xa : real[N] @ a
contribution c : real[N] @ b
param m ~ normal(0, 5)
param ba ~ normal(0, 1) @ a
y ~ normal(m + xa * ba + c, 1)
transform augmented(rho = 0.5)
`

const privateModule = `module b implements m
const qzxvjk_two = 2
data qzxvjk_ward : level(QZX)[N]
data qzxvjk_own : real[N, P] from zscore(qzxvjk_dose), qzxvjk_age
param qzxvjk_slope : real[P] ~ normal(0, qzxvjk_two)
param qzxvjk_u : real[QZX] ~ normal(0, 1)
let qzxvjk_eta = qzxvjk_own * qzxvjk_slope
c = qzxvjk_eta + qzxvjk_u[qzxvjk_ward]
`

var privateColumns = strings.NewReplacer(
	"contribution c : real[N] @ b\n",
	"data ward : level(R)[N] @ b from qzxvjk_ward\ndata own : real[N, P] @ b from zscore(qzxvjk_dose), "+
		"qzxvjk_age\nparam slope : real[P] ~ normal(0, 1) @ b\nparam u : real[R] ~ normal(0, 1) @ b\n",
	" + c, 1)", " + own * slope + u[ward], 1)",
).Replace(privateModel)

// stagePrivate writes the model, and the table of b with private columns and categories.
func stagePrivate(t *testing.T, module bool) *stage {
	s := newStage(t)
	s.stopAfter("demo")
	s.write("m.vfl", privateColumns)
	if module {
		s.write("m.vfl", privateModel)
		s.write("m/b.vfl", privateModule)
	}
	var table strings.Builder
	for k, line := range strings.Split(strings.TrimSpace(s.read("m/b.csv")), "\n") {
		if k == 0 {
			table.WriteString("id,qzxvjk_dose,qzxvjk_age,qzxvjk_ward\n")
			continue
		}
		table.WriteString(line + "," + []string{"1,qzxvjk_east", "3.5,qzxvjk_west", "-1,qzxvjk_north"}[k%3] +
			"\n")
	}
	s.write("m/b.csv", table.String())
	return s
}

// found lists the files below folders that have a private name in any letter case, without what is b's own.
func (s *stage) found(own func(path string) bool, dirs ...string) (seen int, where []string) {
	s.t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(s.dir, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(s.dir, path)
			if own(name) {
				if e.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
			if !e.Type().IsRegular() {
				return nil
			}
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a process that ends takes its lock away
			}
			if seen++; bytes.Contains(bytes.ToLower(text), []byte(private)) ||
				strings.Contains(strings.ToLower(name), private) {
				where = append(where, name)
			}
			return err
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return seen, where
}

// toB is a folder of compiled programs with a module written out, which is given to the client alone.
func toB(path string) bool { return filepath.Base(path) == compile.OwnDir }

// ofB are the folders and the log of client b in a demonstration: its programs with the module written out,
// its run and its table.
func ofB(path string) bool {
	for _, own := range []string{"runs/b", "b.log", "b"} {
		if path == filepath.Join("demo", own) {
			return true
		}
	}
	return toB(path)
}

// Whatever a client keeps to itself, the names of its module, of its columns and its categories, stands in no
// byte of what the other parties hold after a run of any backend: programs, manifest, project, records with
// the scripts of sessions, checkpoints, draws, summaries, audits, ledgers and logs. They do stand in what the
// client holds.
func TestPrivateNamesStayWithTheirClient(t *testing.T) {
	t.Parallel()
	for name, c := range privateCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stagePrivate(t, c.module)
			s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo", "--seed", "7", "--wait",
				"--checkpoint-interval", "100ms"}, c.args...)...)
			own := ofB
			// the model that all have names the columns of b, in b's program and in the model; nothing else
			// may
			if !c.module {
				own = func(path string) bool {
					return ofB(path) || strings.HasSuffix(path, "b.vfl") || strings.HasSuffix(path, "m.vfl")
				}
			}
			seen, where := s.found(own, "demo")
			if len(where) > 0 {
				t.Errorf("names of b in %v", where)
			}
			if seen < 20 {
				t.Errorf("only %d files were searched", seen)
			}
			if _, where := s.found(func(string) bool { return false }, "demo/runs/b"); len(where) == 0 {
				t.Error("the folder of b has none of its names: the search finds nothing")
			}
			for _, party := range []string{"server", "a"} {
				for _, command := range [][]string{{"summary"}, {"audit"}, {"status"}, {"summary", "--json"},
					{"diagnose"}} {
					out, _ := s.vflc(append([]string{command[0], "demo/runs/" + party}, command[1:]...)...)
					if strings.Contains(strings.ToLower(out), private) {
						t.Errorf("vflc %v of %s has names of b:\n%s", command, party, out)
					}
				}
			}
		})
	}
}

// The programs and the audit that are made of the model have no private name either, and a client whose data
// or density fail tells nobody which of its names it was.
func TestPrivateNamesInFailures(t *testing.T) {
	t.Parallel()
	s := stagePrivate(t, true)
	s.must("compile", "--split-by", "client", "m.vfl", "-o", "build")
	if _, where := s.found(toB, "build"); len(where) > 0 {
		t.Errorf("names of b in %v", where)
	}
	if out := s.must("audit", "build"); strings.Contains(strings.ToLower(out), private) {
		t.Errorf("the audit has names of b:\n%s", out)
	}
	for name, spoil := range map[string]func(s *stage){
		"a cell": func(s *stage) {
			s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), ",1,qzxvjk_east", ",one,qzxvjk_east", 1))
		},
		"a column": func(s *stage) {
			s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "qzxvjk_age", "age", 1))
		},
		"another density": func(s *stage) {
			s.write("m/b.vfl", strings.Replace(privateModule, "c = qzxvjk_eta",
				"c = log(-1 - square(qzxvjk_eta))", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stagePrivate(t, true)
			s.write("good.csv", s.read("m/b.csv"))
			spoil(s)
			out, err := s.vflc("demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "20",
				"--max-depth", "4", "--draws", "10")
			if err == nil {
				for _, party := range []string{"server", "a", "b"} {
					s.ended(party)
				}
				// the whole model is at hand here, so that it is b itself that is told
			} else if !strings.Contains(strings.ToLower(out), private) {
				t.Errorf("b is not told where: %s", out)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "demo")); err != nil {
				return
			}
			if _, where := s.found(ofB, "demo"); len(where) > 0 {
				t.Errorf("names of b in %v", where)
			}
		})
	}
}
