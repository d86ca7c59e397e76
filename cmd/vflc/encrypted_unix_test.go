//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted"
)

const encryptedModel = `client left, right
data y : binary[N]
data x : real[N] @ left
data z : real[N] @ right
param b ~ normal(0, 5)
param u ~ normal(0, 2.5) @ left
param v ~ normal(0, 2.5) @ right
y ~ bernoulli_logit(b + x * u + z * v)
transform exact
`

// encryptedStage is a stage with encryptedModel and its tables.
func encryptedStage(t *testing.T, rows int) *stage {
	s := &stage{t, t.TempDir()}
	s.stopAfter("demo")
	s.write("m.vfl", encryptedModel)
	r := rand.New(rand.NewPCG(8, 4))
	server, left, right := "id,y\n", "id,x\n", "id,z\n"
	for i := range rows {
		x, z, y := r.NormFloat64(), r.NormFloat64(), 0
		if r.Float64() < 1/(1+math.Exp(1-.5*x+.4*z)) {
			y = 1
		}
		server += fmt.Sprintf("%d,%d\n", i, y)
		left += fmt.Sprintf("%d,%.4f\n", i, x)
		right += fmt.Sprintf("%d,%.4f\n", i, z)
	}
	s.write("m/server.csv", server)
	s.write("m/left.csv", left)
	s.write("m/right.csv", right)
	return s
}

// encrypted runs vflc with processes that encrypt rows in a small ring.
func (s *stage) encrypted(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("vflc", append(args, "--backend", "sfvi", "--wire", "encrypted",
		"--correct=false")...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), encrypted.SmallRing+"=10")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("vflc %s: %v\n%s%s", strings.Join(args, " "), err, out, s.logs("demo"))
	}
	return string(out)
}

// Three processes, each of which derives what it decrypts, end at the joint Gaussian of the plain wire in one
// process, as near as the noise of the decryption allows; their ledgers agree with one another and with the
// script.
func TestEncryptedRowsAcrossProcesses(t *testing.T) {
	t.Parallel()
	s := encryptedStage(t, 3000)
	s.encrypted("demo", "start", "m.vfl", "-o", "demo", "--wait")
	s.must("run", "m.vfl", "--backend", "sfvi", "--theta-guide", "joint", "--correct=false", "-o", "whole",
		"--quiet")
	whole := map[string]posterior.SummaryRow{}
	for _, row := range s.summary("whole").Parameters {
		whole[row.Name] = row
	}
	seen := 0
	for _, p := range s.demo().Processes {
		for _, got := range s.summary(filepath.Join("demo", "runs", p.Party)).Parameters {
			want := whole[got.Name]
			if shift := float64(got.Mean-want.Mean) / float64(want.SD); !(math.Abs(shift) < .05) ||
				!(math.Abs(float64(got.SD/want.SD)-1) < .05) {
				t.Errorf("%s: %s is %v ± %v, and in one process %v ± %v", p.Party, got.Name, got.Mean, got.SD,
					want.Mean, want.SD)
			}
			seen++
		}
		if log := s.read("demo/" + p.Party + ".log"); !strings.Contains(log,
			"encrypted rows: keys for 3 parties, each derives for itself") ||
			!strings.Contains(log, "Encrypted rows, n = 3000: ") {
			t.Errorf("%s says\n%s", p.Party, log)
		}
	}
	if seen != len(whole) || seen != 3 {
		t.Errorf("%d parameters of %d", seen, len(whole))
	}
	out := s.must("audit", "demo")
	for _, want := range []string{"contributions", "gradient shares", "curvature shares"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// summary is what summary.json of a run holds.
func (s *stage) summary(dir string) *posterior.SummaryDocument {
	s.t.Helper()
	r, err := posterior.OpenRun(filepath.Join(s.dir, dir))
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Document
}
