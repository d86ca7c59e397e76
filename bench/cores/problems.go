package main

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/backends/sfvi"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A problem is a logistic regression over clients with covariates of their own, or of one party where there
// are none, and an algorithm.
type problem struct {
	name                   string
	algorithm              backends.Algorithm
	transform              def.Transform
	clients, rows, columns int
	warmup, batch          int
	draws                  bool // each step leaves a draw
	small                  bool // for -cost
	large                  bool // for -chains
}

var problems = list()

func list() (out []*problem) {
	wide := func(name string, a backends.Algorithm, t def.Transform, clients, rows, columns, warmup,
		batch int) {
		out = append(out, &problem{name: name, algorithm: a, transform: t, clients: clients, rows: rows,
			columns: columns, warmup: warmup, batch: batch, draws: a.Name == "nuts"})
	}
	n, s := nuts.Algorithm(), sfvi.Algorithm()
	wide("rows", n, stdlib.NoTransform, 0, 100_000, 20, 150, 40)
	wide("parties/exact", n, stdlib.Exact, 4, 25_000, 5, 150, 40)
	wide("parties/augmented", n, stdlib.Augmented, 4, 25_000, 5, 150, 20)
	wide("parties/power", n, stdlib.Power, 4, 25_000, 5, 150, 20)
	wide("parties/sfvi", s, stdlib.Augmented, 4, 25_000, 5, 100, 400)
	large := func(name string, t def.Transform, clients, rows, columns int) {
		out = append(out, &problem{name: name, algorithm: n, transform: t, clients: clients, rows: rows,
			columns: columns, warmup: 20, batch: 6, draws: true, large: true})
	}
	large("10000x50", stdlib.NoTransform, 0, 10_000, 50)
	large("10000x100", stdlib.NoTransform, 0, 10_000, 100)
	large("10000x500", stdlib.NoTransform, 0, 10_000, 500)
	large("100000x20", stdlib.NoTransform, 0, 100_000, 20)
	large("100000x50", stdlib.NoTransform, 0, 100_000, 50)
	large("exact/2x10000x250", stdlib.Exact, 2, 10_000, 250)
	large("augmented/2x10000x250", stdlib.Augmented, 2, 10_000, 250)
	for _, t := range []def.Transform{stdlib.Augmented, stdlib.Exact, stdlib.Power} {
		for _, j := range []int{1, 2, 10, 50, 200} {
			out = append(out, &problem{
				name: fmt.Sprintf("%s/%d", t.Name, j), algorithm: n, transform: t, clients: j, rows: 500,
				columns: max(1, 20/j), warmup: 200, batch: max(20, 1000/j), draws: true, small: true,
			})
		}
	}
	return out
}

func find(name string) *problem {
	for _, p := range problems {
		if p.name == name {
			return p
		}
	}
	log.Fatalf("no problem %s", name)
	return nil
}

// kernel starts the algorithm.
func (p *problem) kernel(env density.Env) (backends.Kernel, error) {
	settings := map[string]string{"warmup": fmt.Sprint(p.warmup), "draws": "1000000"}
	if !p.draws {
		settings = map[string]string{"guide": "structured", "iterations": "100000000",
			"elbo-every": "100000000"}
	}
	s, err := p.algorithm.Resolve(p.transform, settings)
	if err != nil {
		return nil, err
	}
	return p.algorithm.New(env, s)
}

const (
	family = `client lab[J]
data y : binary[N]  @ shared
data X : real[N, P] @ lab
param b              ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1) @ lab
y ~ bernoulli_logit(b + sum(X[j] * beta[j] for j in lab))
`
	alone = `data y : binary[N]
data X : real[N, P]
param b              ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1)
y ~ bernoulli_logit(b + X * beta)
`
)

// plan compiles the model with tables that it simulates.
func (p *problem) plan() (*model.Plan, error) {
	folder, err := os.MkdirTemp("", "cores")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	text := family
	if p.clients == 0 {
		text = alone
	}
	path := filepath.Join(folder, "model.vfl")
	if err := p.simulate(filepath.Join(folder, "model")); err != nil {
		return nil, err
	}
	m, diags := compile.Compile(source.New(path, text), check.Options{Transform: p.transform})
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
	if err != nil {
		return nil, err
	}
	return b.Plan, nil
}

// simulate writes normal covariates with effects of 0.5 in all, and responses.
func (p *problem) simulate(folder string) error {
	r := rand.New(rand.NewPCG(uint64(p.rows), uint64(p.clients)))
	parties := max(1, p.clients)
	if err := os.MkdirAll(filepath.Join(folder, "lab"), 0o755); err != nil {
		return err
	}
	labs := make([]strings.Builder, parties)
	var y strings.Builder
	y.WriteString("id,y")
	for j := range labs {
		labs[j].WriteString("id")
		for c := range p.columns {
			fmt.Fprintf(&labs[j], ",X%d", c+1)
		}
	}
	if p.clients == 0 {
		y.WriteString(strings.TrimPrefix(labs[0].String(), "id"))
	}
	for i := range p.rows {
		sum := 0.0
		var own string
		for j := range labs {
			own = ""
			for range p.columns {
				v := r.NormFloat64()
				sum += v
				own += fmt.Sprintf(",%.4f", v)
			}
			fmt.Fprintf(&labs[j], "\n%d%s", i+1, own)
		}
		response := 0
		if sum/float64(2*parties*p.columns)+r.NormFloat64() > 0 {
			response = 1
		}
		fmt.Fprintf(&y, "\n%d,%d", i+1, response)
		if p.clients == 0 {
			y.WriteString(own)
		}
	}
	files := map[string]string{"server": y.String() + "\n"}
	if p.clients == 0 {
		files = map[string]string{"data": y.String() + "\n"}
	}
	for j := range p.clients {
		files[filepath.Join("lab", fmt.Sprint("lab", j+1))] = labs[j].String() + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name+".csv"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
