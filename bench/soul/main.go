// Command soul runs SOUL on the logistic design of the reference data over hand-written densities, one panel
// after another, and compares its maximum with references: the exact one by Newton's method where there is
// one (augmented), other seeds, and the gradient there, estimated again from the draws. It prints the
// conditional means and standard deviations of the coefficients beside those of the exact posterior.
//
//	go run ./bench/soul
//	go run ./bench/soul -models power -clients 2 -rhos 1 -seeds 1 -table
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/soul"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A study is what the flags select.
type study struct {
	data, models, clients, rhos, set string
	seeds                            int
	table                            bool
	refs                             testmodel.References
}

func run() error {
	var s study
	flag.StringVar(&s.data, "data", filepath.Join("..", "shared", "data"), "folder of the reference data")
	flag.StringVar(&s.models, "models", "augmented,power", "transforms")
	flag.StringVar(&s.clients, "clients", "2,10", "numbers of clients")
	flag.StringVar(&s.rhos, "rhos", "1", "values of rho")
	flag.StringVar(&s.set, "set", "", "settings as name=value, separated by semicolons")
	flag.IntVar(&s.seeds, "seeds", 3, "seeds, from 1")
	flag.BoolVar(&s.table, "table", false, "print every coefficient of the first seed beside the posterior")
	flag.Parse()
	var err error
	if s.refs, err = testmodel.ReadReferences(s.data); err != nil {
		return err
	}
	fmt.Println("model       J  rho seed iterations  evaluations seconds  |z-mode|  worst z_j  gradient " +
		"±noise      b  slopes   sds  (of the posterior's)")
	for _, model := range strings.Split(s.models, ",") {
		for _, j := range strings.Split(s.clients, ",") {
			for _, rho := range strings.Split(s.rhos, ",") {
				if err := s.panel(model, j, rho); err != nil {
					return fmt.Errorf("%s J=%s rho=%s: %w", model, j, rho, err)
				}
			}
		}
	}
	return nil
}

// panel runs all seeds of a panel.
func (s study) panel(name, clients, rho string) error {
	j, err := strconv.Atoi(clients)
	if err != nil {
		return err
	}
	m, err := testmodel.Logistic(s.data, j)
	if err != nil {
		return err
	}
	m.Transform, err = chosen(name)
	if err != nil {
		return err
	}
	if m.Rho, err = strconv.ParseFloat(rho, 64); err != nil {
		return err
	}
	var all []result
	for seed := 1; seed <= s.seeds; seed++ {
		r, err := s.fit(m, uint64(seed))
		if err != nil {
			return err
		}
		s.row(m, seed, r)
		all = append(all, r)
	}
	apart := 0.0
	for a := range all {
		for b := range a {
			apart = max(apart, distance(all[a].z, all[b].z))
		}
	}
	if len(all) > 1 {
		fmt.Printf("%-10s %2d %4g      seeds apart by %.4f at most (relative norm of z)\n", name, j, m.Rho,
			apart)
	}
	if s.table {
		return s.coefficients(m, all[0])
	}
	return nil
}

// A result is the result of one run.
type result struct {
	b           float64
	z           [][]float64 // by client
	theta       [][]float64 // draws, all clients' coefficients in a row
	info        backends.StepInfo
	evaluations int64 // of the joint density
	seconds     float64
	gradient    float64 // ‖∇L‖ at the result, relative to that at the start
	noise       float64 // the standard error of its estimate, in the same unit
}

// watched is an Env that records the last z that was evaluated.
type watched struct {
	*testmodel.Env
	z [][]float64
}

// watcher passes every call on to a kernel.
type watcher struct {
	density.LocalSteps
	env *watched
}

// Send implements density.LocalSteps.
func (w watcher) Send(b int, z []float64) {
	w.LocalSteps.Send(b, z)
	w.env.z[b-1] = append(w.env.z[b-1][:0], z...)
}

// StepLocally implements density.LocallyStepped.
func (w *watched) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps,
	grad [][]float64, lp []float64) error {
	return w.Env.StepLocally(ctx, theta, watcher{steps, w}, grad, lp)
}

func (s study) fit(m testmodel.GLM, seed uint64) (r result, err error) {
	given := map[string]string{"draws": "2500"}
	for _, pair := range strings.Split(s.set, ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			given[name] = value
		}
	}
	settings, err := soul.Algorithm().Resolve(m.Transform, given)
	if err != nil {
		return r, err
	}
	env := &watched{Env: m.Env(seed), z: make([][]float64, m.Clients())}
	ctx, begin := context.Background(), time.Now()
	k, err := soul.Algorithm().New(env, settings)
	if err != nil {
		return r, err
	}
	if err := k.Init(ctx); err != nil {
		return r, err
	}
	theta := make([][]float64, len(env.Blocks()))
	for b, block := range env.Blocks() {
		theta[b] = make([]float64, block.Dim())
	}
	for !r.info.Done {
		if r.info, err = k.Step(ctx); err != nil {
			return r, err
		}
		if r.info.Draws == 0 {
			r.seconds, r.evaluations = time.Since(begin).Seconds(), env.Work().Rounds
		}
		for id := len(r.theta); id < r.info.Draws; id++ {
			k.Draw(id, theta)
			r.b = theta[0][0]
			var row []float64
			for _, t := range theta[1:] {
				row = append(row, t...)
			}
			r.theta = append(r.theta, row)
		}
	}
	r.z = env.z
	start := make([][]float64, len(r.z))
	for c := range start {
		start[c] = make([]float64, len(m.Y))
	}
	first, _ := gradient(m, start, 0, atStart(m))
	last, noise := gradient(m, r.z, r.b, r.theta)
	r.gradient, r.noise = last/first, noise/first
	return r, nil
}

// atStart is the mode of θ given z = 0 and b = 0, in place of draws: 0 under augmented; under power Newton's
// method for a penalised regression of the response, whose likelihood has the power 1/J.
func atStart(m testmodel.GLM) [][]float64 {
	var row []float64
	for j := range m.X {
		row = append(row, m.Given(j)...)
	}
	return [][]float64{row}
}

// gradient is the Euclidean norm of ∇L over z and b from draws of θ, with the noise subtracted, and the
// noise.
func gradient(m testmodel.GLM, z [][]float64, b float64, draws [][]float64) (norm, noise float64) {
	n, j := len(m.Y), m.Clients()
	sum := make([]float64, n)
	for _, v := range z {
		for i, x := range v {
			sum[i] += x
		}
	}
	const batches = 20
	parts := make([][]float64, min(batches, len(draws)))
	for p := range parts {
		parts[p] = make([]float64, n*j+1)
		of := draws[p*len(draws)/len(parts) : (p+1)*len(draws)/len(parts)]
		for _, theta := range of {
			addGradient(m, z, sum, b, theta, 1/float64(len(of)), parts[p])
		}
	}
	mean := make([]float64, n*j+1)
	for _, p := range parts {
		for i, v := range p {
			mean[i] += v / float64(len(parts))
		}
	}
	square, spread := 0.0, 0.0
	for i, v := range mean {
		square += v * v
		for _, p := range parts {
			spread += (p[i] - v) * (p[i] - v)
		}
	}
	if len(parts) > 1 {
		noise = spread / float64(len(parts)-1) / float64(len(parts))
	}
	return math.Sqrt(max(0, square-noise)), math.Sqrt(noise)
}

// addGradient adds the gradient of the joint log density in z and b at one θ.
func addGradient(m testmodel.GLM, z [][]float64, sum []float64, b float64, theta []float64, weight float64,
	to []float64) {
	n, j := len(m.Y), m.Clients()
	total, own, at := make([]float64, n), make([][]float64, j), 0
	for c, x := range m.X {
		g := make([]float64, n)
		for k := range len(x) / n {
			for i := range g {
				g[i] += theta[at] * x[k*n+i]
			}
			at++
		}
		own[c] = make([]float64, n)
		for i := range g {
			to[c*n+i] += weight * (g[i] - z[c][i]) / (m.Rho * m.Rho)
			if m.Transform == stdlib.Power {
				own[c][i] = m.Score(i, b+g[i]+sum[i]-z[c][i]) / float64(j)
				total[i] += own[c][i]
			}
		}
	}
	for i := range total {
		if m.Transform == stdlib.Augmented {
			total[i] = m.Score(i, b+sum[i])
		}
		for c := range own {
			to[c*n+i] += weight * (total[i] - own[c][i])
		}
		to[n*j] += weight * total[i]
	}
	to[n*j] -= weight * b
}

// distance is the relative distance of two lists of vectors.
func distance(a, b [][]float64) float64 {
	d, n := 0.0, 0.0
	for c := range a {
		for i, v := range a[c] {
			d += (v - b[c][i]) * (v - b[c][i])
			n += b[c][i] * b[c][i]
		}
	}
	return math.Sqrt(d / n)
}

// moments returns the mean and sd of b and of every coefficient.
func (r result) moments() (mean, sd []float64) {
	p, n := len(r.theta[0]), float64(len(r.theta))
	mean, sd = make([]float64, p+1), make([]float64, p+1)
	mean[0] = r.b
	for _, row := range r.theta {
		for i, v := range row {
			mean[i+1] += v / n
		}
	}
	for _, row := range r.theta {
		for i, v := range row {
			sd[i+1] += (v - mean[i+1]) * (v - mean[i+1]) / (n - 1)
		}
	}
	for i := range sd {
		sd[i] = math.Sqrt(sd[i])
	}
	return mean, sd
}

func (s study) row(m testmodel.GLM, seed int, r result) {
	away, worst := math.NaN(), math.NaN()
	if m.Transform == stdlib.Augmented {
		peak := m.Peak()
		away, worst = distance(r.z, peak.Z), 0
		for c := range r.z {
			worst = max(worst, distance(r.z[c:c+1], peak.Z[c:c+1]))
		}
	}
	slope, spread, b := math.NaN(), math.NaN(), math.NaN()
	if exact := testmodel.Select(s.refs.Exact, m.Transform.Name, m.Clients(), m.Rho, ""); len(exact) > 0 {
		mean, sd := r.moments()
		b = mean[0] / exact[0].Mean[0]
		along, length := 0.0, 0.0
		spread = 0
		for i := 1; i < len(mean); i++ {
			along += mean[i] * exact[0].Mean[i]
			length += exact[0].Mean[i] * exact[0].Mean[i]
			spread += sd[i] / exact[0].SD[i] / float64(len(mean)-1)
		}
		slope = along / length
	}
	fmt.Printf("%-10s %2d %4g %4d %10d %12d %7.1f %9.4f %10.4f %9.4f %6.4f %6.3f %7.3f %5.3f\n", m.Transform,
		m.Clients(), m.Rho, seed,
		r.info.Mode.Iterations, r.evaluations, r.seconds, away, worst, r.gradient, r.noise, b, slope, spread)
}

// coefficients prints Stan's estimate of each coefficient beside the conditional draws.
func (s study) coefficients(m testmodel.GLM, r result) error {
	name := fmt.Sprintf("logistic_%s_J%d_rho%g.json", m.Transform, m.Clients(), m.Rho)
	text, err := os.ReadFile(filepath.Join(s.data, "reference", name))
	if err != nil {
		return err
	}
	var ref struct {
		Parameters map[string]struct{ Mean, SD float64 }
	}
	if err := json.Unmarshal(text, &ref); err != nil {
		return err
	}
	mean, sd := r.moments()
	fmt.Println("parameter     soul mean      sd   posterior mean      sd   difference in posterior sds")
	for i := range mean {
		p := "b"
		if i > 0 {
			p = fmt.Sprintf("beta[%d]", i)
		}
		q := ref.Parameters[p]
		fmt.Printf("%-10s %12.4f %7.4f %16.4f %7.4f %10.2f\n", p, mean[i], sd[i], q.Mean, q.SD,
			(mean[i]-q.Mean)/q.SD)
	}
	return nil
}

// chosen returns the transform with the given name.
func chosen(name string) (def.Transform, error) {
	t, ok := stdlib.TransformNamed(name)
	if !ok {
		return t, fmt.Errorf("%q is not a transform", name)
	}
	return t, nil
}
