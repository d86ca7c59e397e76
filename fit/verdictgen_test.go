package fit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
)

// A drawnRun is a run of a model, drawn at random: its number of clients, the columns of each, and everything
// on which a verdict depends.
type drawnRun struct {
	path      string
	transform def.Transform
	backend   string
	given     map[string]string
}

func (d drawnRun) String() string { return fmt.Sprintf("%s, %s %v", d.transform, d.backend, d.given) }

// one draws from a list.
func one[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// drawRun draws a run.
func drawRun(t *testing.T, r *rand.Rand) drawnRun {
	t.Helper()
	clients := 1 + r.IntN(3)
	d := drawnRun{filepath.Join(t.TempDir(), "m.vfl"), stdlib.Exact,
		one(r, "nuts", "nuts", "sfvi", "sfvi", "soul"), map[string]string{"secure-sum": one(r, "off", "on")}}
	if noisy := []def.Transform{stdlib.Augmented,
		stdlib.Power}[:min(clients, 2)]; d.backend == "soul" || r.IntN(2) == 0 {
		d.transform = one(r, noisy...)
	}
	switch d.backend {
	case "nuts":
		d.set("chains", one(r, "2", "3", "4"), "warmup", "150", "draws", "100", "metric",
			one(r, "auto", "dense", "diag"))
	case "soul":
		d.set("iterations", "60", "draws", "20")
	case "sfvi":
		if e := one(r, "quadrature", "sampled", "fixed"); e != "fixed" || d.transform == stdlib.Exact {
			d.set("estimator", e)
		}
		if r.IntN(2) == 0 {
			d.set("theta-guide", one(r, "meanfield", "fullrank"))
		}
		if d.given["estimator"] == "sampled" {
			d.set("iterations", "400", "elbo-every", "100", "draws", "20")
		}
	}
	d.write(t, r, clients)
	return d
}

func (d drawnRun) set(namesAndValues ...string) {
	for k := 0; k < len(namesAndValues); k += 2 {
		d.given[namesAndValues[k]] = namesAndValues[k+1]
	}
}

// write writes the model and its tables: of each client up to three columns, continuous of unlike scales or
// of two values.
func (d drawnRun) write(t *testing.T, r *rand.Rand, clients int) {
	t.Helper()
	const n = 120
	names, eta := []string{"a", "b", "c"}[:clients], make([]float64, n)
	text, sum := "client "+strings.Join(names, ", ")+
		"\ndata y : binary[N] @ shared\nparam m ~ normal(0, 2)\n", "m"
	for _, p := range names {
		table, columns := make([]string, n), 1+r.IntN(3)
		head := "id"
		for k := range columns {
			head += fmt.Sprintf(",x%d", k+1)
			two, slope, scale := r.IntN(2) == 0, r.NormFloat64(), one(r, 0.2, 1, 5)
			for i := range table {
				x := scale * r.NormFloat64()
				if two {
					x = float64(r.IntN(2))
				}
				table[i] += fmt.Sprintf(",%v", x)
				eta[i] += float64(slope * x / scale)
			}
		}
		for i := range table {
			table[i] = fmt.Sprint(i) + table[i]
		}
		write(t, filepath.Join(filepath.Dir(d.path), "m", p+".csv"), head+"\n"+strings.Join(table, "\n")+"\n")
		text += fmt.Sprintf("data X%[1]s : real[N, P%[1]s] @ %[1]s\nparam u%[1]s : real[P%[1]s] "+
			"~ normal(0, 1) @ %[1]s\n", p)
		sum += fmt.Sprintf(" + X%[1]s * u%[1]s", p)
	}
	response := "id,y\n"
	for i, e := range eta {
		y := 0
		if e+r.NormFloat64() > 0 {
			y = 1
		}
		response += fmt.Sprintf("%d,%d\n", i, y)
	}
	write(t, filepath.Join(filepath.Dir(d.path), "m", "server.csv"), response)
	write(t, d.path, text+"y ~ bernoulli_logit("+sum+")\n")
}

// foundBy counts what an attack found.
func foundBy(r *attack.Assessment) (n int) {
	for _, c := range r.Cuts {
		if c.Correlation > 0.99 {
			n++
		}
		if c.Columns != nil {
			n += len(c.Columns.Found)
		}
	}
	for _, s := range r.Separated {
		n += s.Directions
	}
	return n
}

// Of runs drawn at random the attack never finds what the verdict does not name: a column, of whom, or whose
// contribution; with the tables at hand and without. It finds something in most of them.
func TestVerdictOfDrawnRuns(t *testing.T) {
	found, runs := 0, brief.Draws(6, 60)
	for seed := range uint64(runs) {
		d := drawRun(t, rand.New(rand.NewPCG(seed, 71)))
		b := bindPath(t, d.path, d.transform, 0.05)
		m, sources := compiled(t, d.path, check.Options{Transform: d.transform, Rho: 0.05})
		_, report := attacked(t, b, d.backend, d.given)
		if foundBy(report) > 0 {
			found++
		}
		for _, tables := range []*compile.Tables{nil, m.Tables(sources, data.Joining{})} {
			if missing := unnamed(verdictOf(t, b, d.backend, d.given, tables), report); len(missing) > 0 {
				t.Errorf("run %d, %s: with tables %v the verdict does not name\n%s", seed, d, tables != nil,
					strings.Join(missing, "\n"))
			}
		}
	}
	if found < runs*2/3 {
		t.Errorf("the attack found something in %d of %d runs", found, runs)
	}
}
