package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/linear"
	"github.com/vflc/vflc/tests/testmodel"
)

// A likelihood is one that fits are measured for: its lines of the model, %s in which is the predictor, and
// how a response is drawn at a predictor and an exposure, with which information on the predictor.
type likelihood struct {
	kind, text string
	intercept  float64
	draw       func(r *rand.Rand, eta, exposure float64) float64
	weight     func(eta, exposure float64) float64
}

func count(r *rand.Rand, mean float64) (y float64) {
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		y++
	}
	return y
}

func binary(p func(float64) float64) func(r *rand.Rand, eta, _ float64) float64 {
	return func(r *rand.Rand, eta, _ float64) float64 {
		if r.Float64() < p(eta) {
			return 1
		}
		return 0
	}
}

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func logisticWeight(eta, _ float64) float64 { return logistic(eta) * logistic(-eta) }

var likelihoods = map[string]likelihood{
	"logistic": {"binary", "y ~ bernoulli_logit(%s)", 0, binary(logistic), logisticWeight},
	"rare":     {"binary", "y ~ bernoulli_logit(%s)", -3.6, binary(logistic), logisticWeight},
	"probit": {"binary", "y ~ bernoulli_probit(%s)", -1, binary(normal), func(eta, _ float64) float64 {
		return math.Exp(-eta*eta) / (2 * math.Pi) / (normal(eta) * normal(-eta))
	}},
	"poisson": {"count", "y ~ poisson_log(log(e) + %s)", -.7,
		func(r *rand.Rand, eta, e float64) float64 { return count(r, e*math.Exp(eta)) },
		func(eta, e float64) float64 { return e * math.Exp(eta) }},
	"negative": {"count", "y ~ neg_binomial_2_log(%s, 2)", -.7, func(r *rand.Rand, eta, _ float64) float64 {
		return count(r, math.Exp(eta)*(r.ExpFloat64()+r.ExpFloat64())/2)
	}, func(eta, _ float64) float64 { return 1 / (math.Exp(-eta) + .5) }},
	"normal": {"real", "param s ~ half_normal(5)\ny ~ normal(%s, s)", 1,
		func(r *rand.Rand, eta, _ float64) float64 { return eta + 2*r.NormFloat64() },
		func(_, _ float64) float64 { return .25 }},
	"gamma": {"real<lower=0>", "y ~ gamma(3, 3 ./ exp(%s))", 1, func(r *rand.Rand, eta, _ float64) float64 {
		return math.Exp(eta) / 3 * (r.ExpFloat64() + r.ExpFloat64() + r.ExpFloat64())
	}, func(_, _ float64) float64 { return 3 }},
}

// design draws a response of two clients with ten columns each, whose coefficients have deviation size, and
// binds a model of it in a folder. sds are the standard deviations of intercept and coefficients by the
// information at these coefficients.
func design(dir string, l likelihood, n int, size float64) (b *compile.BoundModel, sds map[string]float64,
	err error) {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	var beta [2][columns]float64
	for c := range beta {
		for j := range columns {
			beta[c][j] = size * r.NormFloat64()
		}
	}
	information := newInformation()
	tables := []*strings.Builder{{}, {}, {}}
	tables[0].WriteString("id,y,e\n")
	for c := range beta {
		tables[1+c].WriteString("id")
		for j := range columns {
			fmt.Fprintf(tables[1+c], ",x%d", j)
		}
		tables[1+c].WriteString("\n")
	}
	for i := range n {
		eta, e, row := l.intercept, math.Exp(2*r.Float64()-1), []float64{1}
		for c := range beta {
			fmt.Fprint(tables[1+c], i)
			for _, b := range beta[c] {
				x := r.NormFloat64()
				eta, row = eta+b*x, append(row, x)
				fmt.Fprintf(tables[1+c], ",%.5f", x)
			}
			tables[1+c].WriteString("\n")
		}
		information.add(row, l.weight(eta, e))
		fmt.Fprintf(tables[0], "%d,%v,%.5f\n", i, l.draw(r, eta, e), e)
	}
	text := fmt.Sprintf("client left, right\ndata y : %s[N]\ndata e : real<lower=0>[N]\ndata "+
		"X : real[N, P] @ left\n"+
		"data Z : real[N, Q] @ right\nparam b ~ normal(0, 5)\nparam u : real[P] ~ normal(0, 2.5) @ left\n"+
		"param v : real[Q] ~ normal(0, 2.5) @ right\n"+l.text+"\n", l.kind, "b + X * u + Z * v")
	if !strings.Contains(l.text, "(e)") {
		text = strings.Replace(text, "data e : real<lower=0>[N]\n", "", 1)
	}
	b, err = bind(dir, text, []string{"server", "left", "right"},
		[]string{tables[0].String(), tables[1].String(), tables[2].String()})
	return b, information.sds(), err
}

// columns are those of a client, and dim is how many coefficients there are with the intercept.
const columns, dim = 10, 1 + 2*columns

// An information is the precision of the intercept and the coefficients, row by row.
type information []float64

// newInformation is that of the priors of the model of design.
func newInformation() information {
	m := make(information, dim*dim)
	for i := range dim {
		m[i*dim+i] = 1 / (2.5 * 2.5)
	}
	m[0] = 1.0 / (5 * 5)
	return m
}

func (m information) add(row []float64, weight float64) {
	for i, x := range row {
		for j, z := range row {
			m[i*dim+j] += x * z * weight
		}
	}
}

// sds are standard deviations by name.
func (m information) sds() map[string]float64 {
	factor, inverse, out := make([]float64, dim*dim), make([]float64, dim*dim), map[string]float64{}
	linear.Cholesky(factor, m, dim)
	linear.Inverse(inverse, factor, dim)
	for i := range dim {
		name := "b"
		if i > 0 {
			name = fmt.Sprintf("%c[%d]", "uv"[(i-1)/columns], (i-1)%columns+1)
		}
		out[name] = math.Sqrt(inverse[i*dim+i])
	}
	return out
}

// bind binds a model to the tables of parties with names.
func bind(dir, text string, names, tables []string, accepted ...string) (*compile.BoundModel, error) {
	path := filepath.Join(dir, "m.vfl")
	if err := os.Mkdir(filepath.Join(dir, "m"), 0o700); err != nil {
		return nil, err
	}
	for k, name := range names {
		file := filepath.Join(dir, "m", name+".csv")
		if err := os.WriteFile(file, []byte(tables[k]), 0o600); err != nil {
			return nil, err
		}
	}
	m, diags := compile.Compile(source.New(path, text), check.Options{Transform: stdlib.Exact,
		Accept: diag.Accepted(accepted)})
	if diags.HasErrors() {
		return nil, errors.New(diags.Shown()[0].Message)
	}
	sources, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		return nil, err
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if diags.HasErrors() {
		return nil, errors.New(diags.Shown()[0].Message)
	}
	return b, err
}

// over runs a backend on a wire and returns the run with its CPU seconds.
func over(b *compile.BoundModel, backend string, settings map[string]string) (*fit.Result, float64, error) {
	a, _ := fit.Backend(backend)
	began := stopwatch.Process()
	p, diags, err := fit.OpenBound(b, fit.Options{Algorithm: a, Settings: settings})
	if err == nil && diags.HasErrors() {
		err = errors.New(diags.Shown()[0].Message)
	}
	if err != nil {
		return nil, 0, err
	}
	r, err := p.Sample(context.Background(), nil)
	return r, (stopwatch.Process() - began).Seconds(), err
}

// draws are those of each fit: standard deviations of encrypted rows are known to .7 %. The plain wire has
// fewer of a long table, so that they are compared with what the information gives, which has no noise.
const draws = "10000"

// fits prints what a fit of encrypted rows takes, and how far it is from the joint Gaussian of the plain
// wire.
func fits(name string, n int) error {
	l, ok := likelihoods[name]
	if !ok {
		return fmt.Errorf("no likelihood %s", name)
	}
	size := .3
	if name == "poisson" || name == "negative" || name == "gamma" {
		size = .15
	}
	dir, err := os.MkdirTemp("", "vflc-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, informed, err := design(dir, l, n, size)
	if err != nil {
		return err
	}
	want, _, err := over(b, "sfvi", map[string]string{"theta-guide": "joint", "estimator": "quadrature",
		"tolerance": "1e-7", "correct": "false", "draws": draws})
	if err != nil {
		return err
	}
	got, cpu, err := over(b, "sfvi", map[string]string{"wire": "encrypted", "correct": "false",
		"draws": draws})
	if err != nil {
		return err
	}
	off, wider, of := 0.0, 0.0, 0
	rows := got.Summary()
	for i, w := range want.Summary() {
		off = max(off, math.Abs(float64(rows[i].Mean-w.Mean)/float64(w.SD)))
		if sd := informed[w.Name]; sd > 0 {
			wider, of = max(wider, math.Abs(float64(rows[i].SD)/sd-1)), of+1
		}
	}
	w := got.Document.Work
	fmt.Printf("%s, n = %d: %d evaluations, %.1f CPU s, %.1f MB in %d trips; %.3f sd from the joint "+
		"Gaussian, sds of %d by %.1f %% from the information at the truth\n%s\n",
		name, n, w.Gradients, cpu, float64(w.Bytes)/1e6, w.Sequential, off, of, 100*wider, got.Footer())
	return nil
}

// paper fits the logistic design of 500 rows and 20 columns with weights, and prints how far it is from draws
// of Stan.
func paper(folder string, clients int) error {
	dir, err := os.MkdirTemp("", "vflc-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var stan struct {
		Parameters map[string]struct{ Mean, SD float64 }
	}
	reference, err := os.ReadFile(filepath.Join(folder, "reference/logistic_true.json"))
	if err == nil {
		err = json.Unmarshal(reference, &stan)
	}
	if err != nil {
		return err
	}
	b, err := paperDesign(dir, folder, clients)
	if err != nil {
		return err
	}
	got, cpu, err := over(b, "sfvi", map[string]string{"wire": "encrypted", "draws": draws})
	if err != nil {
		return err
	}
	off, wider := 0.0, 0.0
	for i, row := range got.Summary() {
		name := "b"
		if i > 0 {
			name = fmt.Sprintf("beta[%d]", i)
		}
		want := stan.Parameters[name]
		off, wider = max(off, math.Abs(float64(row.Mean)-want.Mean)/want.SD),
			max(wider, math.Abs(float64(row.SD)/want.SD-1))
	}
	w := got.Document.Work
	fmt.Printf("the paper's design, J = %d: k-hat %.2f, %d evaluations, %.1f CPU s; %.3f sd from "+
		"Stan, sds by %.1f %%\n%s\n",
		clients, float64(got.Document.Diagnostics.Khat), w.Gradients, cpu, off, 100*wider, got.Footer())
	return nil
}

// paperDesign binds that design, of which clients have as many columns each.
func paperDesign(dir, folder string, clients int) (*compile.BoundModel, error) {
	outcome, err := os.ReadFile(filepath.Join(folder, "paper/logistic/server.csv"))
	if err != nil {
		return nil, err
	}
	each, err := testmodel.LogisticTables(folder, clients)
	if err != nil {
		return nil, err
	}
	names, tables := []string{"server"}, []string{string(outcome)}
	text, predictor := "data y : binary[N]\nparam b ~ normal(0, 1)\n", "b"
	for j, table := range each {
		names, tables = append(names, fmt.Sprintf("c%d", j+1)), append(tables, table)
		text += fmt.Sprintf("client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : "+
			"real[P%[1]d] ~ normal(0, 1) @ c%[1]d\n", j+1)
		predictor += fmt.Sprintf(" + X%d * t%[1]d", j+1)
	}
	return bind(dir, text+"y ~ bernoulli_logit("+predictor+")\n", names, tables, "few-rows")
}
