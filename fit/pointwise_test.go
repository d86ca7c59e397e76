package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

const pointwiseRows = 40

// pointwiseModel is a regression of two clients with a normal or a Poisson response, and its draws: any
// values of the parameters.
func pointwiseModel(t *testing.T, likelihood string) (b *compile.BoundModel, d *posterior.Draws,
	x [][]float64,
	y []float64) {
	t.Helper()
	dir, r := t.TempDir(), rand.New(rand.NewPCG(4, 4))
	path := filepath.Join(dir, "m.vfl")
	write(t, path, "client a, b\ndata y : "+map[bool]string{true: "count", false: "real"}[strings.HasPrefix(likelihood, "poisson")]+`[N]
data x : real[N] @ a
data w : real[N] @ b
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
param s ~ half_normal(1)
y ~ `+likelihood+"\n")
	tables := map[string]string{"server": "id,y\n", "a": "id,x\n", "b": "id,w\n"}
	x = make([][]float64, 2)
	for range pointwiseRows {
		y = append(y, float64(r.IntN(6)))
		x[0], x[1] = append(x[0], r.NormFloat64()), append(x[1], r.NormFloat64())
		i := len(y) - 1
		tables["server"] += fmt.Sprintf("%d,%v\n", i, y[i])
		tables["a"] += fmt.Sprintf("%d,%v\n", i, x[0][i])
		tables["b"] += fmt.Sprintf("%d,%v\n", i, x[1][i])
	}
	var given []string
	for _, party := range []string{"server", "a", "b"} {
		write(t, filepath.Join(dir, party+".csv"), tables[party])
		given = append(given, party+"="+filepath.Join(dir, party+".csv"))
	}
	b = bound(t, path, check.Options{Transform: stdlib.Augmented,
		RhoBy: map[string]float64{"a": 0.4, "b": 0.3}}, given...)
	d = posterior.NewDraws([]posterior.Variable{{Name: "s"}, {Name: "ba", Owner: "a"},
		{Name: "bb", Owner: "b"}}, 2, 600)
	for c := range 2 {
		for range 600 {
			d.Append(c, []float64{math.Exp(0.5 * r.NormFloat64()), r.NormFloat64(), r.NormFloat64()})
		}
	}
	return b, d, x, y
}

// With a normal likelihood the variances of the noise and of the response add up, at every draw.
func TestMarginalOfNormal(t *testing.T) {
	b, d, x, y := pointwiseModel(t, "normal(x * ba + w * bb, s)")
	got, err := Pointwise(b, d, LogDensities{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		for c := range 2 {
			for k := range 600 {
				s, ba, bb := d.Column(0)[c][k], d.Column(1)[c][k], d.Column(2)[c][k]
				variance := s*s + 0.25
				z := y[i] - x[0][i]*ba - x[1][i]*bb
				want := -0.5*z*z/variance - 0.5*math.Log(2*math.Pi*variance)
				if v := got[0].LogLik[i][c][k]; math.Abs(v-want) > model.Precision {
					t.Fatalf("row %d, chain %d, draw %d: %v, want %v", i, c, k, v, want)
				}
			}
		}
	}
}

// Thinned densities are those of every k-th draw, and do not depend on the number of processors. Without a
// closed form: a Poisson likelihood.
func TestThinnedDensities(t *testing.T) {
	b, d, _, _ := pointwiseModel(t, "poisson_log(x * ba + w * bb + 0 * s)")
	all, err := Pointwise(b, d, LogDensities{})
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	few, err := Pointwise(b, d, LogDensities{Draws: 400, Progress: func(n, of int) {
		if n <= done || of != 400 {
			t.Errorf("progress %d of %d after %d", n, of, done)
		}
		done = n
	}})
	if err != nil {
		t.Fatal(err)
	}
	if done != 400 {
		t.Errorf("progress ends at %d", done)
	}
	before := runtime.GOMAXPROCS(1)
	again, err := Pointwise(b, d, LogDensities{})
	runtime.GOMAXPROCS(before)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pointwiseRows {
		for c := range 2 {
			if !slices.Equal(all[0].LogLik[i][c], again[0].LogLik[i][c]) {
				t.Fatal("one processor gives other numbers")
			}
			for k, v := range few[0].LogLik[i][c] {
				if want := all[0].LogLik[i][c][3*k+2]; math.Abs(v-want) > model.Precision {
					t.Fatalf("row %d, draw %d: %v, want %v", i, k, v, want)
				}
			}
			if n := len(few[0].LogLik[i][c]); n != 200 {
				t.Fatalf("%d draws of chain %d, want every third", n, c)
			}
		}
	}
}

// A Poisson rate of 0, which the vector functions cannot do, has the density 1 for 0 events and 0 for one.
func TestLogDensityAtALimit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.vfl")
	table := "y,pop\n0,0\n1,0\n"
	for range 30 {
		table += "2,1\n"
	}
	write(t, path,
		"data y : count[N]\ndata pop : real[N]\nparam b ~ normal(0, 1)\ny ~ poisson_log(b + log(pop))\n")
	write(t, filepath.Join(dir, "data.csv"), table)
	d := posterior.NewDraws([]posterior.Variable{{Name: "b"}}, 1, 1)
	d.Append(0, []float64{0.5})
	got, err := Pointwise(bound(t, path, check.Options{}, filepath.Join(dir, "data.csv")), d, LogDensities{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, math.Inf(-1), 2*0.5 - math.Exp(0.5) - math.Ln2} {
		if v := got[0].LogLik[i][0][0]; v != want && !(math.Abs(v-want) < 1e-12) {
			t.Errorf("row %d: %v, want %v", i, v, want)
		}
	}
}
