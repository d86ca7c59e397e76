// Command vi fits the logistic design of the reference data with SFVI over hand-written densities, one panel
// after another, and prints how far each fit is from the exact optimum of its guide. With -o it also writes a
// summary of every fit.
//
//	go run ./bench/vi -models augmented,power -clients 2,10 -rhos 0.5,1,2 -guides structured,noncentered
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi"
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
	data, out, models, clients, rhos, guides, set string
	seed                                          uint64
	refs                                          testmodel.References
}

func run() error {
	var s study
	flag.StringVar(&s.data, "data", filepath.Join("..", "shared", "data"), "folder of the reference data")
	flag.StringVar(&s.out, "o", "", "folder for summaries")
	flag.StringVar(&s.models, "models", "augmented,power", "transforms")
	flag.StringVar(&s.clients, "clients", "2,10", "numbers of clients")
	flag.StringVar(&s.rhos, "rhos", "0.5,1,2", "values of rho")
	flag.StringVar(&s.guides, "guides", "structured,noncentered", "guides")
	flag.StringVar(&s.set, "set", "", "settings as name=value, separated by semicolons")
	flag.Uint64Var(&s.seed, "seed", 1, "seed")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	var err error
	if s.refs, err = testmodel.ReadReferences(s.data); err != nil {
		return err
	}
	fmt.Println("model       J  rho guide        seed     ELBO     se  optimum    log Z  means   " +
		"sds    gradients   us each")
	for _, model := range strings.Split(s.models, ",") {
		for _, j := range strings.Split(s.clients, ",") {
			for _, rho := range strings.Split(s.rhos, ",") {
				for _, guide := range strings.Split(s.guides, ",") {
					if err := s.fit(model, j, rho, guide); err != nil {
						return fmt.Errorf("%s J=%s rho=%s %s: %w", model, j, rho, guide, err)
					}
				}
			}
		}
	}
	return nil
}

func (s study) fit(model, clients, rho, guide string) error {
	j, err := strconv.Atoi(clients)
	if err != nil {
		return err
	}
	m, err := testmodel.Logistic(s.data, j)
	if err != nil {
		return err
	}
	if m.Transform, err = chosen(model); err != nil {
		return err
	}
	if m.Rho, err = strconv.ParseFloat(rho, 64); err != nil {
		return err
	}
	given := map[string]string{"guide": guide}
	for _, pair := range strings.Split(s.set, ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			given[name] = value
		}
	}
	settings, err := sfvi.Algorithm().Resolve(m.Transform, given)
	if err != nil {
		return err
	}
	env := m.Env(s.seed)
	start := time.Now()
	info, mean, sd, err := posterior(env, settings)
	if err != nil {
		return err
	}
	s.row(model, j, m.Rho, guide, info, mean, sd, env.Work().Gradients, time.Since(start).Seconds())
	if s.out == "" {
		return nil
	}
	return s.summary(fmt.Sprintf("%s_J%d_rho%s_%s_seed%d.json", model, j, rho, guide, s.seed), info, mean, sd)
}

// posterior runs a fit and returns the means and sds of its draws of b and the slopes.
func posterior(env *testmodel.Env, settings backends.Settings) (info backends.StepInfo, mean, sd []float64,
	err error) {
	ctx := context.Background()
	k, err := sfvi.Algorithm().New(env, settings)
	if err != nil {
		return info, nil, nil, err
	}
	if err := k.Init(ctx); err != nil {
		return info, nil, nil, err
	}
	for !info.Done {
		if info, err = k.Step(ctx); err != nil {
			return info, nil, nil, err
		}
	}
	var theta [][]float64
	for _, b := range env.Blocks() {
		theta = append(theta, make([]float64, b.Dim()))
	}
	for d := range info.Draws {
		k.Draw(d, theta)
		at := 0
		for _, block := range theta {
			for _, v := range block {
				if at == len(mean) {
					mean, sd = append(mean, 0), append(sd, 0)
				}
				delta := v - mean[at]
				mean[at] += delta / float64(d+1)
				sd[at] += delta * (v - mean[at])
				at++
			}
		}
	}
	for i := range sd {
		sd[i] = math.Sqrt(sd[i] / float64(info.Draws-1))
	}
	return info, mean, sd, nil
}

// references names the reference entries of each guide.
var references = map[string]string{"structured": "slope", "noncentered": "ncmf", "meanfield": "mf"}

func (s study) row(model string, j int, rho float64, guide string, info backends.StepInfo, mean, sd []float64,
	gradients int64, seconds float64) {
	exact := testmodel.Select(s.refs.Exact, model, j, rho, "")[0]
	target, optimum := exact, math.NaN()
	if name := references[guide]; name != "" {
		target = testmodel.Select(s.refs.Optimum, model, j, rho, name)[0]
		optimum = target.ELBO
	}
	dm, ds := 0.0, 0.0
	for i := range mean {
		dm = max(dm, math.Abs(mean[i]-target.Mean[i])/exact.SD[i])
		ds = max(ds, math.Abs(sd[i]/target.SD[i]-1))
	}
	fmt.Printf("%-10s %2d %4g %-12s %4d %8.2f %6.2f %8.2f %8.2f %6.3f %5.3f %11d %8.1f\n",
		model, j, rho, guide, s.seed, info.Fit.Final.Value, info.Fit.Final.SE, optimum, exact.LogZ, dm, ds,
		gradients, 1e6*seconds/float64(gradients))
}

// summary writes the results that are compared with the references, in the form of summary.json.
func (s study) summary(name string, info backends.StepInfo, mean, sd []float64) error {
	type parameter struct {
		Name string  `json:"name"`
		Mean float64 `json:"mean"`
		SD   float64 `json:"sd"`
	}
	parameters := []parameter{{"b", mean[0], sd[0]}}
	for i := 1; i < len(mean); i++ {
		parameters = append(parameters, parameter{fmt.Sprintf("beta[%d]", i), mean[i], sd[i]})
	}
	text, err := json.MarshalIndent(map[string]any{
		"parameters": parameters,
		"elbo":       map[string]float64{"value": info.Fit.Final.Value, "se": info.Fit.Final.SE},
	}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.out, name), text, 0o644)
}

// chosen returns the transform with the given name.
func chosen(name string) (def.Transform, error) {
	t, ok := stdlib.TransformNamed(name)
	if !ok {
		return t, fmt.Errorf("%q is not a transform", name)
	}
	return t, nil
}
