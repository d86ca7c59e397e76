package quadrature_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
)

// many is a regression of many rows on six columns of a client.
func many(t *testing.T, rows int, likelihood string) *compile.BoundModel {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	x, y := table("x", 6), []string{"id,y"}
	for row := range rows {
		line, sum := []string{fmt.Sprint(row)}, 0.0
		for range 6 {
			v := r.NormFloat64()
			line, sum = append(line, fmt.Sprintf("%.17g", v)), sum+0.1*v
		}
		x = append(x, strings.Join(line, ","))
		y = append(y, fmt.Sprintf("%d,%d", row, map[bool]int{true: 1}[sum+r.NormFloat64() > 0]))
	}
	return bind(t, `client a
data y : int<lower=0, upper=1>[N]
data x : real[N, P] @ a
param m ~ normal(0, 1)
param s ~ lognormal(0, 1)
param b : real[P] ~ normal(0, 1) @ a
`+likelihood+"\ntransform exact\n", map[string]string{"server": strings.Join(y, "\n"), "a": strings.Join(x, "\n")})
}

// held is how many bytes a fit holds, most of all between its steps, and where it is evaluated.
func held(t *testing.T, rows int) (most uint64) {
	t.Helper()
	b := many(t, rows, "y ~ bernoulli_logit(m + x * b)")
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	k, err := quadrature.New(env, quadrature.Options{Guide: "structured", Theta: quadrature.Joint, Iterations: 20,
		Tolerance: 1e-3, Draws: 2, Crossing: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	for {
		info, err := k.Step(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if most = max(most, live()-before); info.Done {
			return most
		}
	}
}

// A fit holds a number of vectors with a number for each row that the rows do not change: those of the
// iterates at the server, slopes and curvatures, and what crosses. What a party can compute of its parameters
// is not among them, nor is a copy of its matrix.
func TestFewNumbersForEachRow(t *testing.T) {
	const n = 20000
	if perRow := float64(held(t, 2*n)-held(t, n)) / (8 * n); perRow > 15 {
		t.Errorf("%.1f numbers for each row", perRow)
	}
}

// Blocks of rows have the density of all rows: each row its own, with the derivative in its predictor, and
// derivatives by parameters beside that which add up to those of all, also in the last block, which has rows
// of the one before.
func TestBlocksOfRows(t *testing.T) {
	const n = 10001
	b := many(t, n, "y ~ normal(m + x * b, s)")
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	lin, err := density.Linearised(env.Blocks()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := lin.Rows[0]
	if r.Block == 0 || r.Block >= n/2 {
		t.Fatalf("%d rows of %d at a time", r.Block, n)
	}
	phi, eta, seeds := []float64{0.3}, make([]float64, n), make([]float64, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range eta {
		eta[i], seeds[i] = random.NormFloat64(), random.Float64()
	}
	lp, slope, by := make([]float64, n), make([]float64, n), []float64{0}
	r.Evaluate(phi, eta, lp, slope, seeds, by)
	sum := 0.0
	for from := 0; from < n; from += r.Block {
		to := min(from+r.Block, n)
		l, d, part := make([]float64, to-from), make([]float64, to-from), []float64{0}
		r.Part(from, phi, eta[from:to], l, d, seeds[from:to], part)
		sum += part[0]
		for i := range l {
			if l[i] != lp[from+i] || d[i] != slope[from+i] {
				t.Fatalf("row %d: %g and %g, want %g and %g", from+i, l[i], d[i], lp[from+i], slope[from+i])
			}
		}
	}
	want, s := 0.0, math.Exp(phi[0])
	for i, e := range eta {
		y := e + slope[i]/seeds[i]*s*s // which is 0 or 1
		if off := math.Min(math.Abs(y), math.Abs(y-1)); off > 1e-9 {
			t.Fatalf("row %d: a slope of %g for the predictor %g", i, slope[i], e)
		}
		z := (math.Round(y) - e) / s
		if l := -0.5*z*z - math.Log(s) - 0.5*math.Log(2*math.Pi); math.Abs(l-lp[i]) > 1e-12*(1+math.Abs(l)) {
			t.Fatalf("row %d: %g, want %g", i, lp[i], l)
		}
		want += seeds[i] * (z*z - 1)
	}
	if math.Abs(by[0]-want) > 1e-8*math.Abs(want) || math.Abs(sum-want) > 1e-8*math.Abs(want) {
		t.Errorf("derivatives %g and %g, want %g", by[0], sum, want)
	}
}
