// Command private fits regressions to releases under transform private, and prints for each family, kind of
// columns, number of rows and epsilon how wide 90 % intervals of coefficients are beside those of the rows
// themselves (median), and how often they hold the true coefficient.
//
//	go run ./bench/private [-sets 200] [-rows 2000,10000,50000] [-epsilon .5,1,3,8] [-only "binary, 30"]
//		[-to results.md]
//	go run ./bench/private -to bench/private/widths.md -picture docs/widths.svg
//	go run ./bench/private -tables [-cancer breast_cancer.csv]
//
// breast_cancer.csv is in the package scikit-learn, as its copy of the UCI repository's Breast Cancer
// Wisconsin (Diagnostic), and is not kept here:
//
//	pip download --no-deps -d /tmp/sk scikit-learn
//	unzip -p /tmp/sk/*.whl sklearn/datasets/data/breast_cancer.csv > /tmp/breast_cancer.csv
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
)

const text = `client a, b
const epsilon = 3
data x1 : %[1]s[N] @ a
data x2 : %[1]s[N] @ a
data x3 : %[1]s[N] @ b
data x4 : %[1]s[N] @ b
param c  ~ normal(0, 5)
param b1 ~ normal(0, 5) @ a
param b2 ~ normal(0, 5) @ a
param b3 ~ normal(0, 5) @ b
param b4 ~ normal(0, 5) @ b
let eta = c + b1 * x1 + b2 * x2 + b3 * x3 + b4 * x4
%[2]s
transform private(epsilon = epsilon, delta = 1e-6)
`

// A family is a response, with the weight of a row in the information on its predictor.
type family struct {
	name, declared string
	draw           func(r *rand.Rand, eta float64) float64
	information    func(eta float64) float64
}

var families = []family{
	{"normal", "data y : real<lower=-6, upper=6>[N]\nparam s ~ half_normal(3)\ny ~ normal(eta, s)",
		func(r *rand.Rand, eta float64) float64 {
			return max(-6, min(6, eta+r.NormFloat64()))
		}, func(float64) float64 { return 1 }},
	{"normal, wide bounds",
		"data y : real<lower=-60, upper=60>[N]\nparam s ~ half_normal(3)\ny ~ normal(eta, s)",
		func(r *rand.Rand, eta float64) float64 { return eta + r.NormFloat64() },
		func(float64) float64 { return 1 }},
	{"bernoulli_logit", "data y : binary[N]\ny ~ bernoulli_logit(eta)",
		func(r *rand.Rand, eta float64) float64 { return one(r.Float64() < logistic(eta)) },
		func(eta float64) float64 { return logistic(eta) * (1 - logistic(eta)) }},
}

func logistic(eta float64) float64 { return 1 / (1 + math.Exp(-eta)) }

// truth are the coefficients, the intercept first.
var truth = [...]float64{.3, .5, -.4, .3, .6}

// A kind is a distribution of the columns, with its declaration.
type kind struct {
	name, declared string
	draw           func(r *rand.Rand) float64
}

var kinds = []kind{
	{"Gaussian, clipped at 3", "real<lower=-3, upper=3>", func(r *rand.Rand) float64 {
		return max(-3, min(3, r.NormFloat64()))
	}},
	{"binary, 30 %", "binary", func(r *rand.Rand) float64 { return one(r.Float64() < .3) }},
	{"binary, 5 %", "binary", func(r *rand.Rand) float64 { return one(r.Float64() < .05) }},
	{"exponential, clipped at 4", "real<lower=0, upper=4>", func(r *rand.Rand) float64 {
		return min(4, r.ExpFloat64())
	}},
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func main() {
	sets := flag.Int("sets", 200, "data sets of each line")
	rows := flag.String("rows", "2000,10000,50000", "numbers of rows")
	epsilons := flag.String("epsilon", ".5,1,3,8", "values of epsilon")
	only := flag.String("only", "", "lines alone in whose family and columns this stands")
	beside := flag.Bool("tables", false,
		"posteriors of a public table and of a simulated register beside those of the rows, and no more")
	cancer := flag.String("cancer", "", "beside -tables: the table of breast cancer in this file too")
	to := flag.String("to", "",
		"a file to which lines are appended; those that it has, of as many data sets, are not made again")
	draw := flag.String("picture", "", "a picture of the widths in the file of -to is written here, and no more")
	flag.Parse()
	if *draw != "" {
		if err := picture(*to, *draw); err != nil {
			quit(err, 1)
		}
		return
	}
	if *beside {
		if err := tables(*cancer); err != nil {
			quit(err, 1)
		}
		return
	}
	out, err := open(*to)
	if err != nil {
		quit(err, 1)
	}
	for _, f := range families {
		for _, k := range kinds {
			for _, n := range numbers(*rows) {
				for _, epsilon := range numbers(*epsilons) {
					if strings.Contains(f.name+" "+k.name, *only) {
						if err := out.cell(f, k, int(n), epsilon, *sets); err != nil {
							quit(err, 1)
						}
					}
				}
			}
		}
	}
}

// A table is what has been printed, and where to.
type table struct {
	file *os.File
	has  string
}

// open prints the head of a table, or reads what an earlier run has written of it.
func open(path string) (*table, error) {
	t := &table{file: os.Stdout}
	if path != "" {
		has, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if t.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
			return nil, err
		}
		t.has = string(has)
	}
	if t.has == "" {
		_, err := fmt.Fprintln(t.file,
			"| family | columns | rows | epsilon | sets | width | coverage |\n| --- | --- "+
				"| --- | --- | --- | --- | --- |")
		return t, err
	}
	return t, nil
}

// cell prints a line.
func (t *table) cell(f family, k kind, rows int, epsilon float64, sets int) error {
	key := fmt.Sprintf("| %s | %s | %d | %g | %d |", f.name, k.name, rows, epsilon, sets)
	if strings.Contains(t.has, key) {
		return nil
	}
	var width []float64
	held := 0.0
	for set := range sets {
		if err := fitOne(f, k, rows, epsilon, uint64(set), &width, &held); err != nil {
			return err
		}
	}
	slices.Sort(width)
	_, err := fmt.Fprintf(t.file, "%s %.2f | %.3f |\n", key, width[len(width)/2], held/float64(len(width)))
	return err
}

func numbers(list string) (out []float64) {
	for _, n := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil {
			quit(err, 2)
		}
		out = append(out, v)
	}
	return out
}

// fitOne adds the intervals of one data set.
func fitOne(f family, k kind, rows int, epsilon float64, seed uint64, width *[]float64, held *float64) error {
	values, se := simulate(f, k, rows, seed)
	m, diags := compile.Compile(source.New("m.vfl", fmt.Sprintf(text, k.declared, f.declared)),
		check.Options{Set: map[string]float64{"epsilon": epsilon}})
	if err := whole(diags, nil); err != nil {
		return err
	}
	b, diags, err := compile.BindValues(m, values, nil)
	if err := whole(diags, err); err != nil {
		return err
	}
	given, err := releasedOnce(b)
	if err != nil {
		return err
	}
	result, err := sample(given, seed)
	if err != nil {
		return err
	}
	for i, row := range result.Summary()[:len(truth)] {
		*width = append(*width, float64(row.Q95-row.Q5)/(2*1.6448536*se[i]))
		*held += one(float64(row.Q5) <= truth[i] && truth[i] <= float64(row.Q95))
	}
	return nil
}

// simulate draws rows, and returns them with the standard errors that their information gives.
func simulate(f family, k kind, rows int, seed uint64) (map[string]data.Bindings, []float64) {
	r, p := rand.New(rand.NewPCG(seed, 7)), len(truth)
	x, y, xx := mat.NewDense(rows, p, nil), mat.NewVecDense(rows, nil), mat.NewSymDense(p, nil)
	for i := range rows {
		eta := 0.0
		for j := range p {
			v := 1.0
			if j > 0 {
				v = k.draw(r)
			}
			x.Set(i, j, v)
			eta += v * truth[j]
		}
		y.SetVec(i, f.draw(r, eta))
		xx.SymRankOne(xx, f.information(eta), x.RowView(i))
	}
	column := func(v mat.Vector) *data.BoundValue {
		return &data.BoundValue{Dims: []int{rows}, Values: mat.Col(nil, 0, v), ByRow: true}
	}
	out := map[string]data.Bindings{"server": {"y": column(y)}, "a": {}, "b": {}}
	for j := 1; j < p; j++ {
		out[string("aabb"[j-1])][fmt.Sprint("x", j)] = column(x.ColView(j))
	}
	var inverse mat.Dense
	if err := inverse.Inverse(xx); err != nil {
		panic(err)
	}
	se := make([]float64, p)
	for j := range se {
		se[j] = math.Sqrt(inverse.At(j, j))
	}
	return out, se
}
