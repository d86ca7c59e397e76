// Command factors checks by simulation-based calibration models whose likelihood is a factor, from which vflc
// calibrate draws no data: the multivariate probit of glm, and discrete parameters that are summed out of
// several statements, or by group. Here data are drawn from what the models mean.
//
//	go run ./bench/sbc/factors [-replicates 200] [-seed 1] [MODEL…]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/vflc/vflc/bench/sbc/subject"
	"github.com/vflc/vflc/fit/calibrate"
)

const rows, groups = 60, 12

// A drawn is one draw of what is ranked, by the names of a summary, and of the data.
type drawn struct {
	truth map[string]float64
	data  map[string]any
}

func (d *drawn) ranked(name string, values ...float64) {
	for i, v := range values {
		d.truth[fmt.Sprintf("%s[%d]", name, i+1)] = v
	}
}

var models = []struct {
	name string
	draw func(r *rand.Rand, d *drawn)
}{{"probit", probit}, {"statements", statements}, {"groups", grouped}}

func main() {
	replicates := flag.Int("replicates", 200, "data sets per model")
	seed := flag.Uint64("seed", 1, "seed of all random numbers")
	folder := flag.String("models", "bench/sbc/factors", "folder of the models")
	flag.Parse()
	if err := study(*folder, flag.Args(), *replicates, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func study(folder string, only []string, replicates int, seed uint64) error {
	work, err := os.MkdirTemp("", "factors")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	vflc, err := subject.Build(work)
	if err != nil {
		return err
	}
	var all []calibrate.RankResult
	for _, m := range models {
		if len(only) > 0 && !slices.Contains(only, m.name) {
			continue
		}
		ranks := subject.Ranks{}
		for i := range replicates {
			d := drawn{truth: map[string]float64{}, data: map[string]any{}}
			m.draw(rand.New(rand.NewPCG(seed, uint64(i))), &d)
			table := filepath.Join(work, "data.json")
			text, err := json.Marshal(d.data)
			if err != nil {
				return err
			}
			if err := os.WriteFile(table, text, 0o644); err != nil {
				return err
			}
			if err := ranks.Add(vflc, filepath.Join(folder, m.name+".vfl"), work, 500, 1000, d.truth, "--data",
				table, "--seed", strconv.Itoa(i+1), "--target-accept", "0.95", "--overwrite"); err != nil {
				return fmt.Errorf("%s, replicate %d: %w", m.name, i+1, err)
			}
		}
		results := ranks.Judge()
		for i := range results {
			results[i].Name = m.name + " " + results[i].Name
		}
		all = append(all, results...)
	}
	calibrate.Holm(all)
	for _, r := range all {
		fmt.Printf("%-20s %+6.2f %9.2g %6.2f %9.2g %9.2g %9.2g %s %s\n", r.Name, r.Shift.Estimate, r.Shift.P,
			r.Width.Estimate, r.Width.P, r.Shape, r.Adjusted, r.Bars(), r.Reading())
	}
	if !calibrate.Uniform(all) {
		return fmt.Errorf("not calibrated")
	}
	fmt.Printf("calibrated at %g over %d quantities\n", calibrate.Level, len(all))
	return nil
}

func normals(r *rand.Rand, n int, sd float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = sd * r.NormFloat64()
	}
	return out
}

// gamma draws from the gamma distribution whose shape is half a whole number n.
func gamma(r *rand.Rand, n int) (sum float64) {
	for range n {
		z := r.NormFloat64()
		sum += z * z / 2
	}
	return sum
}

// correlation draws from the beta distribution with both shapes n/2, between -1 and 1: the partial
// correlations of a matrix of lkj_corr(2) have n = 5 without a condition and 4 given one, of three.
func correlation(r *rand.Rand, n int) float64 {
	a, b := gamma(r, n), gamma(r, n)
	return (a - b) / (a + b)
}

func probit(r *rand.Rand, d *drawn) {
	a, b, x := normals(r, 3, 1), normals(r, 3, 1), normals(r, rows, 1)
	r12, r13, r23 := correlation(r, 5), correlation(r, 5), correlation(r, 4)
	l := [3][3]float64{{1}, {r12, math.Sqrt(1 - r12*r12)}}
	left := math.Sqrt(1 - r13*r13)
	l[2] = [3]float64{r13, r23 * left, left * math.Sqrt(1-r23*r23)}
	y := make([][]int, rows)
	for i := range y {
		y[i] = make([]int, 3)
		e := normals(r, 3, 1)
		for j := range y[i] {
			eta := a[j] + b[j]*x[i]
			for k := range j + 1 {
				eta += l[j][k] * e[k]
			}
			if eta > 0 {
				y[i][j] = 1
			}
		}
	}
	d.data["x"], d.data["y"] = x, y
	d.ranked("a", a...)
	d.ranked("b", b...)
	d.truth["L[2,1]"], d.truth["L[3,1]"], d.truth["L[3,2]"] = l[1][0], l[2][0], l[2][1]
}

func statements(r *rand.Rand, d *drawn) {
	p, q := gamma(r, 4), gamma(r, 4)
	w, m, s := p/(p+q), normals(r, 2, 2), math.Exp(0.5*r.NormFloat64())
	slices.Sort(m)
	rate := []float64{math.Exp(1 + 0.5*r.NormFloat64()), math.Exp(1 + 0.5*r.NormFloat64())}
	y, n := make([]float64, rows), make([]int, rows)
	first := 0
	for i := range y {
		k := 0
		if r.Float64() > w {
			k = 1
		}
		if i == 0 {
			first = k
		}
		y[i], n[i] = m[k]+s*r.NormFloat64(), poisson(r, rate[k])
	}
	d.data["y"], d.data["n"] = y, n
	d.truth["w[1]"], d.truth["s"], d.truth["k[1]"] = w, s, float64(first+1)
	d.ranked("m", m...)
	d.ranked("r", rate...)
}

// poisson counts exponential times between events in a time of the length mean.
func poisson(r *rand.Rand, mean float64) (n int) {
	for t := r.ExpFloat64(); t < mean; t += r.ExpFloat64() {
		n++
	}
	return n
}

func grouped(r *rand.Rand, d *drawn) {
	p, q := gamma(r, 6), gamma(r, 6)
	w, m := []float64{p / (p + q), q / (p + q)}, normals(r, 2, 3)
	b, s := 2*r.NormFloat64(), math.Exp(-0.5+0.3*r.NormFloat64())
	slices.Sort(m)
	k, z := make([]int, groups), make([]float64, groups)
	for j := range k {
		if r.Float64() > w[0] {
			k[j] = 1
		}
		if r.Float64() < 0.4 {
			z[j] = 1
		}
	}
	y, x, g := make([]float64, rows), normals(r, rows, 1), make([]int, rows)
	for i := range y {
		j := i % groups
		g[i], y[i] = j+1, m[k[j]]+b*z[j]*x[i]+s*r.NormFloat64()
	}
	d.data["y"], d.data["x"], d.data["g"] = y, x, g
	d.truth["b"], d.truth["s"], d.truth["k[1]"], d.truth["z[1]"] = b, s, float64(k[0]+1), z[0]
	d.ranked("w", w...)
	d.ranked("m", m...)
}
