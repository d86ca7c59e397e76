package fit

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/metropolis"
)

// twoPlaces is a regression on covariates of two clients, with its tables.
func twoPlaces(t *testing.T, transform def.Transform) *compile.BoundModel {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "m.vfl"), `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param b ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(b + x * u + w * v, 1)
`)
	write(t, filepath.Join(dir, "m", "server.csv"), "id,y\n1,0.3\n2,-1.1\n3,0.7\n4,2.0\n5,-0.4\n6,1.2\n")
	write(t, filepath.Join(dir, "m", "a.csv"), "id,x\n1,-1\n2,0.5\n3,0.2\n4,1.5\n5,-0.7\n6,0.1\n")
	write(t, filepath.Join(dir, "m", "c.csv"), "id,w\n1,0.4\n2,-1.3\n3,0.6\n4,0.8\n5,-0.2\n6,1.0\n")
	return bindPath(t, filepath.Join(dir, "m.vfl"), transform, 0.5)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// short are settings that make a run of any algorithm brief, found by their roles.
func short(a backends.Algorithm) map[string]string {
	given := map[string]string{}
	for role, n := range map[backends.SettingRole]int{backends.Chains: 2, backends.Warmup: 150,
		backends.Draws:    60,
		backends.MaxDepth: 5} {
		if s, ok := a.In(role); ok {
			given[s.Name] = strconv.Itoa(n)
		}
	}
	if slices.ContainsFunc(a.Settings, func(s backends.Setting) bool { return s.Name == "estimator" }) {
		given["estimator"] = "sampled" // a fit that can be interrupted
	}
	return given
}

// A journey is a test of every backend from end to end.
type journey struct {
	algorithm backends.Algorithm
	bound     *compile.BoundModel
}

func (j *journey) open(t *testing.T, o Options) *Prepared {
	t.Helper()
	o.Algorithm, o.Settings, o.Seed = j.algorithm, short(j.algorithm), 3
	p, diags, err := OpenBound(j.bound, o)
	good(t, diags, err)
	return p
}

func (j *journey) sample(t *testing.T, o Options, stop <-chan struct{}) *Result {
	t.Helper()
	r, err := j.open(t, o).Sample(t.Context(), stop)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every listed backend, and one that is not listed, is opened under two transforms, run, summarised,
// diagnosed, written, read again, interrupted and resumed.
func TestEveryBackendFromEndToEnd(t *testing.T) {
	t.Parallel()
	for _, a := range append(Backends(), metropolis.Algorithm()) {
		for _, transform := range a.Transforms[:2] { // pooled and across parties, for those that run on both
			t.Run(a.Name+" "+transform.Name, func(t *testing.T) {
				j := &journey{a, twoPlaces(t, transform)}
				dir := filepath.Join(t.TempDir(), "run")
				r := j.sample(t, Options{Dir: dir}, nil)
				j.summarises(t, r)
				j.repeats(t, r)
				j.saves(t, r, dir)
				j.resumes(t, r)
			})
		}
	}
}

// summarises: a row for every parameter, with finite numbers; a table of them; a document that JSON can hold.
func (j *journey) summarises(t *testing.T, r *Result) {
	t.Helper()
	var names []string
	for _, row := range r.Summary() {
		names = append(names, row.Name)
		if m := float64(row.Mean); math.IsNaN(m) || math.Abs(m) > 5 {
			t.Errorf("the mean of %s is %v", row.Name, m)
		}
	}
	if diff := cmp.Diff([]string{"b", "u", "v"}, names); diff != "" {
		t.Error(diff)
	}
	var text bytes.Buffer
	if err := r.WriteTable(&text); err != nil ||
		!strings.Contains(text.String(), "\n"+j.algorithm.Name+", transform ") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := posterior.WriteJSON(&text, r.Document); err != nil {
		t.Error(err)
	}
	d := r.Document.Diagnostics
	if _, trees := j.algorithm.In(backends.MaxDepth); trees != (d.MaxDepthHits != nil) {
		t.Errorf("trees %t, transitions at their limit %v", trees, d.MaxDepthHits)
	}
	if (j.algorithm.Gives == backends.Markov) != (d.Divergences != nil) {
		t.Errorf("divergences %v", d.Divergences)
	}
}

// repeats: the same seed gives the same draws.
func (j *journey) repeats(t *testing.T, want *Result) {
	t.Helper()
	sameDraws(t, "a second run", want.Draws, j.sample(t, Options{}, nil).Draws)
}

// saves: the folder holds the run, which has the same draws and summary when it is read.
func (j *journey) saves(t *testing.T, r *Result, dir string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, dir := range []string{dir, elsewhere} {
		if err := r.Save(dir); err != nil {
			t.Fatal(err)
		}
		read, err := posterior.OpenRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		sameDraws(t, "what was written", r.Draws, read.Draws)
		if diff := cmp.Diff(r.Diagnose(), Diagnose(read), cmp.Comparer(sameNumber)); diff != "" {
			t.Errorf("the run (-) and its folder (+) are diagnosed otherwise:\n%s", diff)
		}
	}
}

func sameNumber(a, b posterior.Number) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b))
}

// resumes: a run that was interrupted, early or late, continues to the draws of one that was not, with the
// same work. So does one that was killed when it had drawn all and written nothing, and one that was killed
// before it had saved anything.
func (j *journey) resumes(t *testing.T, want *Result) {
	t.Helper()
	for _, at := range []int64{5, 330} {
		dir := filepath.Join(t.TempDir(), "run")
		p := j.open(t, Options{Dir: dir})
		ctx, interrupt := context.WithCancel(t.Context())
		p.Algorithm = interrupting(j.algorithm, at, interrupt)
		part, err := p.Sample(t.Context(), ctx.Done())
		early := (*InterruptedError)(nil)
		if err != nil && !errors.As(err, &early) {
			t.Fatal(err)
		}
		if err == nil {
			j.savesPart(t, part, dir)
		}
		if err := Resumable(dir, &p.Record); err != nil {
			t.Error(err)
		}
		if _, err := posterior.ReadRecord(dir); err != nil {
			t.Error(err)
		}
		j.same(t, "a resumed run", want, j.sample(t, Options{Dir: dir, Resume: true}, nil))
		// the first was killed before it wrote anything
		whole := j.sample(t, Options{Dir: dir, Resume: true}, nil)
		j.same(t, "a run that was killed after its last draw", want, whole)
		if err := whole.Save(dir); err != nil {
			t.Fatal(err)
		}
		j.complete(t, dir)
	}
	dir := filepath.Join(t.TempDir(), "run")
	j.open(t, Options{Dir: dir}).lock.Release() // killed here
	j.same(t, "a run that was killed before its first checkpoint", want,
		j.sample(t, Options{Dir: dir, Resume: true}, nil))
}

func (j *journey) same(t *testing.T, what string, want, got *Result) {
	t.Helper()
	sameDraws(t, what, want.Draws, got.Draws)
	if diff := cmp.Diff(want.Document.Work, got.Document.Work); diff != "" {
		t.Errorf("%s did other work: %s", what, diff)
	}
	if diff := cmp.Diff(want.Document.ELBO, got.Document.ELBO, cmp.Comparer(sameNumber)); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
	if diff := cmp.Diff(want.trace, got.trace); diff != "" {
		t.Errorf("%s has another trace: %s", what, diff)
	}
}

// savesPart: what an interrupted run has drawn is written, with a message, and the run can still be
// continued.
func (j *journey) savesPart(t *testing.T, part *Result, dir string) {
	t.Helper()
	if !strings.Contains(strings.Join(part.Document.Diagnostics.Messages, "\n"), "vflc resume") {
		t.Error("an interrupted run has no message that says how to continue it")
	}
	if err := part.Save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := posterior.OpenRun(dir); err != nil {
		t.Error(err)
	}
}

// complete: there is nothing to resume in a complete run, and a file that is missing or was altered is named.
func (j *journey) complete(t *testing.T, dir string) {
	t.Helper()
	resume := func() error {
		_, _, err := OpenBound(j.bound, Options{Algorithm: j.algorithm, Settings: short(j.algorithm), Seed: 3,
			Dir: dir, Resume: true})
		return err
	}
	complete := (*CompleteError)(nil)
	if err := resume(); !errors.As(err, &complete) {
		t.Errorf("a complete run that is resumed: %v", err)
	}
	path := filepath.Join(dir, posterior.DrawsDir, "chain-1.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(string(text), "1", "2", 1))
	_, reading := posterior.OpenRun(dir)
	for _, err := range []error{resume(), reading} {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("altered draws: %v", err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, reading = posterior.OpenRun(dir)
	for _, err := range []error{resume(), reading} {
		if err == nil || !strings.Contains(err.Error(), path+" is missing") {
			t.Errorf("missing draws: %v", err)
		}
	}
}

func sameDraws(t *testing.T, what string, want, got *posterior.Draws) {
	t.Helper()
	if !reflect.DeepEqual(want.Columns(), got.Columns()) || want.Chains() != got.Chains() {
		t.Fatalf("%s has %d chains of %v, want %d of %v", what, got.Chains(), got.Columns(), want.Chains(),
			want.Columns())
	}
	for k := range want.Columns() {
		for c, values := range want.Column(k) {
			if !sameBits(values, got.Column(k)[c]) {
				t.Errorf("%s: chain %d has other values of %s", what, c+1, want.Columns()[k].Name)
			}
		}
	}
}

// With a Gaussian likelihood and prior the posterior is known: n = 4 observations of standard deviation 1 and
// a prior of standard deviation 10 give mean Σy/(n + 1/100) and variance 1/(n + 1/100). The tolerance is 5
// Monte Carlo standard errors.
func TestUnlistedBackendFindsThePosterior(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.vfl")
	write(t, path, "data y : real[N]\nparam b ~ normal(0, 10)\ny ~ normal(b, 1)\n")
	write(t, filepath.Join(dir, "m", "data.csv"), "y\n1\n2\n3\n2.2\n")
	m, sources := compiled(t, path, check.Options{})
	p, diags, err := Open(m, sources, Options{Algorithm: metropolis.Algorithm(),
		Settings: map[string]string{"keep": "4000", "scale": "1.2"}, Seed: 1})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	row, precision := r.Summary()[0], 4.01
	if got := float64(row.Mean); math.Abs(got-8.2/precision) > 5*float64(row.MCSE) {
		t.Errorf("mean %v ± %v, want %v", got, row.MCSE, 8.2/precision)
	}
	if got, want := float64(row.SD),
		1/math.Sqrt(precision); math.Abs(got/want-1) > 5/math.Sqrt(2*float64(row.ESSBulk)) {
		t.Errorf("sd %v, want %v", got, want)
	}
}
