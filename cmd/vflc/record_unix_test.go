//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/fit/attack"
)

// recordedRows is the number of rows of the recorded runs.
const recordedRows = 240

// recordedModel has a column of two values at each client, beside one that is not.
const recordedModel = `client a, b
data y : binary[N] @ shared
data xa : real[N] @ a
data ga : real[N] @ a
data xb : real[N] @ b
data gb : real[N] @ b
param m ~ normal(0, 1)
param ba ~ normal(0, 1) @ a
param ca ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
param cb ~ normal(0, 1) @ b
y ~ bernoulli_logit(m + (xa * ba + ga * ca) + (xb * bb + gb * cb))
`

// A recordedRun is what the clients of a run know, for comparison with what the server found.
type recordedRun struct {
	*stage
	columns map[string][]float64
}

func newRecordedRun(t *testing.T) *recordedRun {
	r := &recordedRun{&stage{t, t.TempDir()}, map[string][]float64{}}
	r.stopAfter("demo")
	random := rand.New(rand.NewPCG(3, 4))
	var y, a, b strings.Builder
	y.WriteString("id,y\n")
	a.WriteString("id,xa,ga\n")
	b.WriteString("id,xb,gb\n")
	for i := range recordedRows {
		xa, xb := random.NormFloat64(), random.NormFloat64()
		ga, gb, p := 0.0, 0.0, 0
		if random.IntN(3) == 0 {
			ga = 1
		}
		if random.IntN(4) == 0 {
			gb = 1
		}
		if random.Float64() < 1/(1+math.Exp(-xa+xb-ga+2*gb)) {
			p = 1
		}
		for name, v := range map[string]float64{"xa": xa, "ga": ga, "xb": xb, "gb": gb} {
			r.columns[name] = append(r.columns[name], v)
		}
		fmt.Fprintf(&y, "%d,%d\n", i, p)
		fmt.Fprintf(&a, "%d,%v,%v\n", i, xa, ga)
		fmt.Fprintf(&b, "%d,%v,%v\n", i, xb, gb)
	}
	r.write("m.vfl", recordedModel)
	r.write("m/server.csv", y.String())
	r.write("m/a.csv", a.String())
	r.write("m/b.csv", b.String())
	return r
}

// start runs the parties, whose server records, and returns what is found in its folder.
func (r *recordedRun) start(args ...string) map[string]attack.RecordedCut {
	r.t.Helper()
	r.must(slices.Concat([]string{"demo", "start", "m.vfl", "-o", "demo", "--seed", "7", "--wait",
		"--record"}, args)...)
	if text := r.must("audit", "demo/runs/server", "--attack"); !strings.Contains(text, "recorded") {
		r.t.Error(text)
	}
	var report attack.Recorded
	if err := json.Unmarshal([]byte(r.must("audit", "demo/runs/server", "--attack", "--json")),
		&report); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]attack.RecordedCut{}
	for _, f := range report.Findings {
		out[strings.Join(f.Parties, "+")] = f
	}
	return out
}

// cut is the mean over its run of what a client adds to the predictor.
func (r *recordedRun) cut(party string) []float64 {
	out := make([]float64, recordedRows)
	for key, cells := range r.draws("demo/runs/" + party) {
		_, name, _ := strings.Cut(key, " ")
		column := map[string]string{"b" + party: "x" + party, "c" + party: "g" + party}[name]
		if column == "" {
			continue
		}
		for _, c := range strings.Fields(cells) {
			v, err := strconv.ParseFloat(c, 64)
			if err != nil {
				r.t.Fatal(err)
			}
			for i, x := range r.columns[column] {
				out[i] += x * v
			}
		}
	}
	return out
}

// partial is the correlation of two vectors given a third.
func partial(a, b, given []float64) float64 {
	ab, ac, bc := stat.Correlation(a, b, nil), stat.Correlation(a, given, nil),
		stat.Correlation(b, given, nil)
	return (ab - ac*bc) / math.Sqrt((1-ac*ac)*(1-bc*bc))
}

func values(f attack.RecordedCut) (out []float64) {
	for _, v := range f.Mean {
		out = append(out, float64(v))
	}
	return out
}

// has reports whether a column of two values is among those that were found.
func (r *recordedRun) has(f attack.RecordedCut, column string) bool {
	var rows []int
	for i, v := range r.columns[column] {
		if v == 1 {
			rows = append(rows, i+1)
		}
	}
	return slices.ContainsFunc(f.Columns, func(found []int) bool { return slices.Equal(found, rows) })
}

var recordedSettings = map[string][]string{
	"nuts": {"--transform", "exact", "--chains", "2", "--warmup", "50", "--max-depth", "5",
		"--draws", "50"},
	"sfvi": {"--transform", "augmented", "--rho", "0.3", "--backend", "sfvi", "--draws", "200"},
	"power nuts": {"--transform", "power", "--rho", "0.1", "--chains", "1", "--warmup", "70",
		"--max-depth", "5", "--draws", "80"},
	"power quadrature": {"--transform", "power", "--rho", "0.3", "--backend", "sfvi", "--draws", "200"},
	"minibatch": {"--transform", "augmented", "--rho", "0.3", "--backend", "sfvi", "--estimator",
		"sampled", "--minibatch", "60", "--iterations", "700", "--elbo-draws", "100", "--draws", "30"},
	"power minibatch": {"--transform", "power", "--rho", "0.3", "--backend", "sfvi", "--estimator",
		"sampled", "--minibatch", "60", "--iterations", "400", "--elbo-draws", "100", "--draws", "30"},
}

// divided reports whether the settings evaluate a part of the rows at a time: directions, and what follows
// from them, are then not looked for.
func divided(args []string) bool { return slices.Contains(args, "--minibatch") }

// Without masks the server's own folder shows each client's cut; the columns of two values are found in what
// has no noise.
func TestServerRecordsCuts(t *testing.T) {
	t.Parallel()
	for name, args := range recordedSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecordedRun(t)
			found := r.start(append(slices.Clone(args), "--secure-sum", "off")...)
			if log := r.ended("server"); name == "nuts" &&
				!strings.Contains(log, "next: --backend sfvi takes") {
				t.Errorf("the server does not say how many trips an approximation takes:\n%s", log)
			}
			a, b := r.cut("a"), r.cut("b")
			sum := make([]float64, recordedRows)
			for i := range sum {
				sum[i] = a[i] + b[i]
			}
			for party, cut := range map[string][]float64{"a": a, "b": b} {
				f := found[party]
				if f.Masked || len(f.Mean) != recordedRows {
					t.Fatal(party, f)
				}
				if c := partial(values(f), cut, sum); !(c > 0.95) || !(float64(f.Agreement) > 0.95) {
					t.Errorf("the cut of %s: partial correlation %v given the sum, agreement %v", party, c,
						f.Agreement)
				}
				if divided(args) {
					if f.Known || len(f.Columns) > 0 {
						t.Errorf("%s: %d directions of evaluations of parts of the rows, columns %v", party,
							len(f.Directions), f.Columns)
					}
					continue
				}
				if len(f.Directions) < 2 || name == "nuts" && len(f.Directions) > 2 || !r.has(f, "g"+party) {
					t.Errorf("%s: %d directions, columns %v", party, len(f.Directions), f.Columns)
				}
			}
		})
	}
}

// Of a fit over a grid it has the span of each client's covariates at once, and the columns of two values
// there; under masks that of both together.
func TestServerRecordsAGrid(t *testing.T) {
	t.Parallel()
	for _, masks := range []string{"off", "on"} {
		t.Run(masks, func(t *testing.T) {
			t.Parallel()
			r := newRecordedRun(t)
			r.write("m.vfl", strings.NewReplacer("param m", "param tau ~ half_normal(1) @ a\nparam m",
				"ca ~ normal(0, 1)", "ca ~ normal(0, tau)").Replace(recordedModel))
			found := r.start("--transform", "exact", "--backend", "sfvi", "--estimator", "nested", "--draws",
				"300", "--secure-sum", masks)
			for party, want := range map[string]string{"a": "ga", "b": "gb", "a+b": "ga gb"} {
				f, visible := found[party], masks == "off" || party == "a+b"
				if n := len(f.Directions); visible && n != 2*len(strings.Fields(want)) || !visible && n > 0 {
					t.Errorf("%s: %d directions", party, n)
				}
				for _, column := range strings.Fields(want) {
					if r.has(f, column) != visible {
						t.Errorf("%s: %s among the columns %v: %v", party, column, f.Columns, !visible)
					}
				}
			}
		})
	}
}

// With masks what a client sends tells nothing of its cut given the sum; the sum shows columns of both
// clients.
func TestServerRecordsMaskedSums(t *testing.T) {
	t.Parallel()
	for name, args := range recordedSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecordedRun(t)
			var found map[string]attack.RecordedCut
			// masks are other ones in every run: one in a thousand exceeds three standard errors by chance,
			// and none twice
			for attempt := range 2 {
				if attempt > 0 {
					r.must("demo", "stop", "demo")
					r.clean("demo")
				}
				found = r.start(args...)
				a, b := r.cut("a"), r.cut("b")
				sum := make([]float64, recordedRows)
				for i := range sum {
					sum[i] = a[i] + b[i]
				}
				largest := 0.0
				for party, cut := range map[string][]float64{"a": a, "b": b} {
					f := found[party]
					if !f.Masked || len(f.Mean) != recordedRows || float64(f.SD) == 0 {
						t.Fatal(party, f)
					}
					if len(f.Directions) > 0 || len(f.Columns) > 0 || f.Groups > 0 {
						t.Errorf("found under the masks of %s: %d directions, %d groups, columns %v", party,
							len(f.Directions), f.Groups, f.Columns)
					}
					largest = max(largest, math.Abs(partial(values(f), cut, sum)))
				}
				f := found["a+b"]
				if c := stat.Correlation(values(f), sum, nil); !(c > 0.98) {
					t.Errorf("the sum: correlation %v", c)
				}
				for _, column := range []string{"ga", "gb"} {
					if !divided(args) && !r.has(f, column) {
						t.Errorf("%s is not among the columns of the sum %v", column, f.Columns)
					}
				}
				if largest < 3/math.Sqrt(recordedRows) {
					return
				}
				t.Logf("partial correlation %v", largest)
			}
			t.Error("what a client sends under masks is correlated with its cut, given the sum")
		})
	}
}

// A party with a policy takes no part in a run that the server records, unless the policy allows it; a
// client's folder has no recording.
func TestRecordingIsRefused(t *testing.T) {
	t.Parallel()
	r := newRecordedRun(t)
	r.start(append(slices.Clone(recordedSettings["nuts"][:2]), "--chains", "1", "--warmup", "20",
		"--max-depth", "4", "--draws", "10")...)
	if out, err := r.vflc("audit", "demo/runs/a", "--attack"); err == nil || !strings.Contains(out, "V0813") {
		t.Error(out, err)
	}
	for policy, refused := range map[string]bool{"min_contributors = 2\n": true,
		"min_contributors = 2\nrecord = true\n": false} {
		r.write("demo/parties/a/policy.toml", policy)
		name := fmt.Sprint(refused)
		server := r.play("server", "--data", "m/server.csv", "-o", name+"/server", "--record", "--chains",
			"1", "--warmup", "20", "--max-depth", "4", "--draws", "10")
		a := r.play("a", "--data", "m/a.csv", "--data", "shared=m/server.csv", "-o", name+"/a")
		b := r.play("b", "--data", "m/b.csv", "--data", "shared=m/server.csv", "-o", name+"/b")
		if !refused {
			r.end(server, a, b)
			continue
		}
		for _, p := range []*played{a, server, b} {
			if p.Wait() == nil {
				t.Errorf("%v: no error", p.Args)
			}
		}
		if !strings.Contains(a.out.String(), "V0812") ||
			strings.Contains(server.out.String(), "record = true") ||
			!strings.Contains(server.out.String(), "policy") {
			t.Errorf("a\n%s\nserver\n%s", a.out.String(), server.out.String())
		}
	}
}

// clean removes a folder.
func (s *stage) clean(dir string) {
	if err := os.RemoveAll(filepath.Join(s.dir, dir)); err != nil {
		s.t.Fatal(err)
	}
}
