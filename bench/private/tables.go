package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// radon is a model of the public table of 919 houses, joined by the house.
const radon = `server health
client survey, geology
data high    : binary[N]
data first   : binary[N] @ survey from is(floor, "first")
data uranium : real<lower=0, upper=2>[N] @ geology
param b     ~ normal(0, 2.5)
param beta  ~ normal(0, 2.5) @ survey
param gamma ~ normal(0, 2.5) @ geology
high ~ bernoulli_logit(b + beta * first + gamma * uranium)
transform private(epsilon = 3, delta = 1e-6)
`

// register is a model of a simulated register of 200,000 persons; years of age count from 60, income from 40,
// the body mass index from 26.
const register = `client hospital, registry
levels R = "north", "east", "south", "west", "capital"
data died    : binary[N]
data age     : real<lower=-42, upper=40>[N] @ hospital
data bmi     : real<lower=-14, upper=24>[N] @ hospital
data smoker  : binary[N] @ hospital
data income  : real<lower=-40, upper=160>[N] @ registry
data married : binary[N] @ registry
data region  : level(R)[N] @ registry
param c         ~ normal(0, 5)
param b_age     ~ normal(0, 0.2) @ hospital
param b_bmi     ~ normal(0, 0.2) @ hospital
param b_smoker  ~ normal(0, 1) @ hospital
param b_income  ~ normal(0, 0.1) @ registry
param b_married ~ normal(0, 1) @ registry
param u : real[R] ~ normal(0, 0.5) @ registry
died ~ bernoulli_logit(c + b_age * age + b_bmi * bmi + b_smoker * smoker + b_income * income + b_married * married + u[region])
transform private(epsilon = 3, delta = 1e-6)
`

// tumours is a model of the 569 tumours of Wolberg, Street and Mangasarian (1995), of which scikit-learn has
// the table: see -cancer.
const tumours = `client imaging, pathology
data malignant  : binary[N]
data radius     : real<lower=-10, upper=20>[N] @ imaging
data texture    : real<lower=-15, upper=25>[N] @ imaging
data smoothness : real<lower=-5, upper=8>[N] @ pathology
data concavity  : real<lower=0, upper=45>[N] @ pathology
param c            ~ normal(0, 2.5)
param b_radius     ~ normal(0, 1) @ imaging
param b_texture    ~ normal(0, 1) @ imaging
param b_smoothness ~ normal(0, 1) @ pathology
param b_concavity  ~ normal(0, 1) @ pathology
malignant ~ bernoulli_logit(c + b_radius * radius + b_texture * texture + b_smoothness * smoothness + b_concavity * concavity)
transform private(epsilon = 3, delta = 1e-6)
`

// cells reads the table: radius from 14, texture from 19, smoothness in hundredths from 9.6, concavity in
// hundredths. In the file malignant is 0.
func cells(path string) (map[string]data.Bindings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	column := func(at int, of func(v float64) float64) *data.BoundValue {
		b := &data.BoundValue{Dims: []int{len(lines) - 1}, ByRow: true}
		for _, l := range lines[1:] {
			v, wrong := strconv.ParseFloat(l[at], 64)
			err = errors.Join(err, wrong)
			b.Values = append(b.Values, of(v))
		}
		return b
	}
	return map[string]data.Bindings{
		"server": {"malignant": column(30, func(v float64) float64 { return 1 - v })},
		"imaging": {"radius": column(0, func(v float64) float64 { return v - 14 }),
			"texture": column(1, func(v float64) float64 { return v - 19 })},
		"pathology": {"smoothness": column(4, func(v float64) float64 { return 100*v - 9.6 }),
			"concavity": column(6, func(v float64) float64 { return 100 * v })},
	}, err
}

// persons draws the register.
func persons(n int) map[string]data.Bindings {
	r := rand.New(rand.NewPCG(1, 32))
	names := []string{"died", "age", "bmi", "smoker", "income", "married", "region"}
	columns := map[string]*data.BoundValue{}
	for _, name := range names {
		columns[name] = &data.BoundValue{Dims: []int{n}, ByRow: true}
	}
	effect := []float64{.2, 0, -.1, .1, -.2}
	for range n {
		row := []float64{0, 82*r.Float64()*r.Float64() - 42, max(-14, min(24, 4.5*r.NormFloat64())),
			one(r.Float64() < .22),
			min(160, 40*r.ExpFloat64()-40), one(r.Float64() < .5), float64(1 + r.IntN(5))}
		eta := -1.9 + .05*row[1] + .02*row[2] + .5*row[3] - .006*row[4] - .2*row[5] + effect[int(row[6])-1]
		row[0] = one(r.Float64() < logistic(eta))
		for k, name := range names {
			columns[name].Values = append(columns[name].Values, row[k])
		}
	}
	columns["region"].Levels = 5
	of := func(names ...string) data.Bindings {
		out := data.Bindings{}
		for _, name := range names {
			out[name] = columns[name]
		}
		return out
	}
	return map[string]data.Bindings{"server": of("died"), "hospital": of("age", "bmi", "smoker"),
		"registry": of("income", "married", "region")}
}

// tables prints posteriors given releases beside those given the rows.
func tables(cancer string) error {
	houses := func(m *compile.Model) (*compile.BoundModel, error) {
		const at = "internal/project/radon/"
		s, err := data.Locate("radon.vfl", m.Parties(),
			[]string{"health=" + at + "health.csv", "survey=" + at + "survey.csv",
				"geology=" + at + "geology.csv"})
		if err != nil {
			return nil, err
		}
		b, diags, err := compile.Bind(m, s, data.Joining{Key: "house"})
		return b, whole(diags, err)
	}
	everybody := func(m *compile.Model) (*compile.BoundModel, error) {
		b, diags, err := compile.BindValues(m, persons(200000), nil)
		return b, whole(diags, err)
	}
	tissue := func(m *compile.Model) (*compile.BoundModel, error) {
		values, err := cells(cancer)
		if err != nil {
			return nil, err
		}
		b, diags, err := compile.BindValues(m, values, nil)
		return b, whole(diags, err)
	}
	for _, t := range []struct {
		name, text string
		bind       func(m *compile.Model) (*compile.BoundModel, error)
	}{
		{"breast cancer, 569 tumours", tumours, tissue},
		{"radon, 919 houses", radon, houses},
		{"register, 200,000 persons", register, everybody},
	} {
		if t.text == tumours && cancer == "" {
			continue
		}
		fmt.Printf("| %s | rows: mean, sd | epsilon = 3: mean, sd |\n| --- | --- | --- |\n", t.name)
		if err := compare(t.text, t.bind); err != nil {
			return err
		}
	}
	return nil
}

// compare prints the lines of a model.
func compare(text string, bind func(m *compile.Model) (*compile.BoundModel, error)) error {
	bound := func(o check.Options) (*compile.BoundModel, error) {
		m, diags := compile.Compile(source.New("m.vfl", text), o)
		if err := whole(diags, nil); err != nil {
			return nil, err
		}
		return bind(m)
	}
	rows, err := bound(check.Options{Transform: stdlib.NoTransform})
	if err != nil {
		return err
	}
	b, err := bound(check.Options{})
	if err != nil {
		return err
	}
	given, err := releasedOnce(b)
	if err != nil {
		return err
	}
	of, err := sample(rows, 1)
	if err != nil {
		return err
	}
	private, err := sample(given, 1)
	if err != nil {
		return err
	}
	beside := private.Summary()
	for i, row := range of.Summary() {
		fmt.Printf("| %s | %.4g, %.2g | %.4g, %.2g |\n", row.Name, float64(row.Mean), float64(row.SD),
			float64(beside[i].Mean), float64(beside[i].SD))
	}
	return nil
}

// releasedOnce makes a release of rows, and is the model of the posterior given it.
func releasedOnce(b *compile.BoundModel) (*compile.BoundModel, error) {
	moments, err := b.Moments()
	if err != nil {
		return nil, err
	}
	p, diags := b.Posterior(moments)
	if err := whole(diags, nil); err != nil {
		return nil, err
	}
	given, diags, err := compile.BindValues(p, map[string]data.Bindings{}, nil)
	return given, whole(diags, err)
}

func sample(b *compile.BoundModel, seed uint64) (*fit.Result, error) {
	run, diags, err := fit.OpenBound(b,
		fit.Options{Settings: map[string]string{"chains": "2", "draws": "300", "warmup": "300"}, Seed: seed})
	if err := whole(diags, err); err != nil {
		return nil, err
	}
	return run.Sample(context.Background(), nil)
}

// whole is the error of what reports diagnostics too.
func whole(diags diag.List, err error) error {
	if err == nil && diags.HasErrors() {
		return data.Errors(diags)
	}
	return err
}

func quit(err error, code int) {
	fmt.Fprintln(os.Stderr, "private:", err)
	os.Exit(code)
}
