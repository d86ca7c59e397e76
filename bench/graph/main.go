// Command graph holds value and gradient of compiled models against loops written for them alone in C, in CPU time, all in turn:
//
//	go run ./bench/graph
//
// It needs gcc for the C side and leaves it out where there is none. C is built with AVX2, and with AVX-512 where vflc uses it, and the faster of the two
// counts. A ratio is the median over rounds, with quartiles.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/kernel"
)

const rounds = 41

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "graph:", err)
		os.Exit(1)
	}
}

func run() error {
	c, err := startReferences()
	if err != nil {
		fmt.Printf("without C: %v\n", err)
	}
	fmt.Printf("kernels: %v\n%-48s %12s %12s %-7s %s\n", kernel.Tier(), "value and gradient", "vflc ns", "C ns", "", "ratio to C (quartiles)")
	for _, r := range rows() {
		if err := r.print(c); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return printLoad()
}

// A row is one line of the table: a model with data, and what it is held against.
type row struct {
	name string
	text string
	data func() tables
	task string // of reference.c, "" for the logistic regression of 512×20
	n, p int
}

// tables are the values of a model's data by name, column-major, with their dimensions.
type tables map[string]table

type table struct {
	dims   []int
	values []float64
	levels int
}

func rows() []row {
	var out []row
	for _, size := range [][2]int{{512, 20}, {2016, 8}, {100_000, 50}, {1_000_000, 20}} {
		n, p := size[0], size[1]
		out = append(out, row{fmt.Sprintf("Bernoulli-logit %d×%d", n, p), logistic, func() tables { return regression(n, p, false) }, "logistic", n, p})
		if n >= 100_000 {
			out = append(out, row{fmt.Sprintf("Bernoulli-logit %d×%d, exact as float32", n, p), logistic, func() tables { return regression(n, p, true) }, "logistic", n, p})
		}
	}
	out = append(out,
		row{"Poisson multilevel 2000×4, 5 levels (C: 512×20)", multilevel, grouped, "logistic", 512, 20},
		row{"Eight schools (C: 512×20)", schools, eightSchools, "logistic", 512, 20},
		row{"Cauchy decay, 2000 rows", decay, curve, "decay", 2000, 0},
		row{"Normal growth with its own scales, 2000 rows", growth, curve, "growth", 2000, 0},
		row{"Student-t of tanh, 2000 rows", student, curve, "student", 2000, 0},
	)
	return out
}

const (
	logistic = `data y : binary[N]
data X : real[N, P]
param b ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1)
y ~ bernoulli_logit(b + X * beta)
`
	multilevel = `data y : count[N]
data X : real[N, P]
data g : level(5)[N]
param mu ~ normal(0, 5)
param tau ~ half_normal(1)
param a : real[5] ~ normal(mu, tau)
param beta : real[P] ~ normal(0, 1)
y ~ poisson_log(a[g] + X * beta)
`
	schools = `data y : real[N]
data s : real[N]
param mu ~ normal(0, 5)
param tau ~ half_cauchy(5)
param eta : real[N] ~ normal(0, 1)
y ~ normal(mu + tau * eta, s)
`
	decay = `data x : real[N]
data y : real[N]
param p0 ~ normal(0, 1)
param p1 ~ normal(0, 1)
param p2 ~ normal(0, 1)
param p3 ~ half_normal(1)
y ~ cauchy(p0 * exp(p1 * x) + p2, p3)
`
	growth = `data x : real[N]
data y : real[N]
param p0 ~ normal(0, 1)
param p1 ~ normal(0, 1)
param p2 ~ normal(0, 1)
param p3 ~ normal(0, 1)
y ~ normal(p0 * inv_logit(p1 * (x - p2)), exp(p3 * x))
`
	student = `data x : real[N]
data y : real[N]
param p0 ~ normal(0, 1)
param p1 ~ normal(0, 1)
param p2 ~ normal(0, 1)
param p3 ~ half_normal(1)
y ~ student_t(4, p0 * tanh(p1 * x + p2), p3)
`
)

// regression has normal covariates, multiples of 1/64 where they are to be exact as float32.
func regression(n, p int, short bool) tables {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := normals(r, n*p), make([]float64, n)
	for i := range x {
		if short {
			x[i] = math.Round(x[i]*64) / 64
		}
	}
	for i := range y {
		y[i] = float64(r.IntN(2))
	}
	return tables{"X": {dims: []int{n, p}, values: x}, "y": {dims: []int{n}, values: y}}
}

func grouped() tables {
	const n = 2000
	r := rand.New(rand.NewPCG(3, 4))
	x, y, g := normals(r, 4*n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], g[i] = float64(r.IntN(6)), float64(1+r.IntN(5))
	}
	return tables{"X": {dims: []int{n, 4}, values: x}, "y": {dims: []int{n}, values: y}, "g": {dims: []int{n}, values: g, levels: 5}}
}

func eightSchools() tables {
	return tables{
		"y": {dims: []int{8}, values: []float64{28, 8, -3, 7, -1, 1, 18, 12}}, "s": {dims: []int{8}, values: []float64{15, 10, 16, 11, 9, 11, 10, 18}},
	}
}

func curve() tables {
	const n = 2000
	r := rand.New(rand.NewPCG(5, 6))
	return tables{"x": {dims: []int{n}, values: normals(r, n)}, "y": {dims: []int{n}, values: normals(r, n)}}
}

func normals(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// print measures a row.
func (r *row) print(c []*reference) error {
	g, err := compile(r.text, r.data())
	if err != nil {
		return err
	}
	e, x := g.NewExec(), make([]float64, g.Dim())
	for i := range x {
		x[i] = 0.3 * math.Sin(float64(i+1))
	}
	ours := stopwatch.Task{Name: "vflc", Run: func() { e.Forward(x); e.Target() }}
	if len(c) == 0 {
		t := stopwatch.Measure([]stopwatch.Task{ours}, rounds)
		fmt.Printf("%-48s %12.0f\n", r.name, t[0].Median)
		return nil
	}
	best := fastest(c, r)
	t := stopwatch.Measure([]stopwatch.Task{best.task(r), ours}, rounds)
	fmt.Printf("%-48s %12.0f %12.0f %-7s %.2f (%.2f-%.2f)\n", r.name, t[1].Median, t[0].Median, best.name, t[1].Ratio, t[1].Low, t[1].High)
	return best.err
}
