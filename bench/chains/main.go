// Command chains fits the models of this folder with default settings from many seeds, and counts chains that
// are lost: those that never move, and those whose removal brings R-hat from above 1.1 to below 1.05. A model
// of one party has a data set in every file data*.csv of its folder; those with a number are simulated
// (simulate.py).
//
//	go run ./bench/chains [-seeds 20] [-first 1] [-coordinates auto] [-metric auto] [MODEL…]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
)

func main() {
	seeds := flag.Int("seeds", 20, "runs per model")
	first := flag.Int("first", 1, "seed of the first run")
	coordinates := flag.String("coordinates", "auto", "coordinates of hierarchies")
	metric := flag.String("metric", "auto", "form of each party's metric")
	folder := flag.String("models", "bench/chains/models", "folder of the models")
	flag.Parse()
	if err := study(*folder, flag.Args(), *first, *seeds,
		map[string]string{"coordinates": *coordinates, "metric": *metric}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// study prints a line for each model. It is an error if a chain is lost.
func study(folder string, names []string, first, seeds int, settings map[string]string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.vfl"))
	if err != nil {
		return err
	}
	fmt.Println("| model | lost chains | R-hat, largest | divergences | gradients a transition | min " +
		"ESS per 1000 gradients |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	lost := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".vfl")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		for _, set := range dataSets(path) {
			t := tally{name: strings.TrimSuffix(name+" "+set.name, " ")}
			for seed := first; seed < first+seeds; seed++ {
				r, err := run(path, set.flags, uint64(seed), settings)
				if err != nil {
					return fmt.Errorf("%s, seed %d: %w", t.name, seed, err)
				}
				t.add(seed, r)
			}
			fmt.Println(t.line())
			lost += t.lost
		}
	}
	if lost > 0 {
		return fmt.Errorf("%d chains are lost", lost)
	}
	return nil
}

// A dataSet is the tables of one study of a model, as values of --data.
type dataSet struct {
	name  string // "" for the tables of the model's folder
	flags []string
}

// dataSets are the tables of the folder of a model's name, and each simulated data set there.
func dataSets(path string) []dataSet {
	sets := []dataSet{{}}
	folder := strings.TrimSuffix(path, filepath.Ext(path))
	for k := 1; ; k++ {
		name := fmt.Sprint("data", k)
		file := filepath.Join(folder, name+".csv")
		if _, err := os.Stat(file); err != nil {
			return sets
		}
		sets = append(sets, dataSet{name, []string{file}})
	}
}

// run fits the model of a file as vflc run does, with the tables of the flags or else beside it.
func run(path string, flags []string, seed uint64, settings map[string]string) (*fit.Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	model, diags := compile.Compile(source.New(path, string(text)), check.Options{})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	tables, err := data.Locate(path, model.Parties(), flags)
	if err != nil {
		return nil, err
	}
	prepared, diags, err := fit.Open(model, tables, fit.Options{Seed: seed, Settings: settings})
	if err != nil || diags.HasErrors() {
		return nil, errors.Join(err, data.Errors(diags))
	}
	return prepared.Sample(context.Background(), nil)
}

// A tally is what the runs of one model had.
type tally struct {
	name        string
	lost        int
	where       []string // the seeds and numbers of lost chains
	rhat        float64  // the largest
	divergences int
	leapfrogs   []float64
	efficiency  []float64
}

func (t *tally) add(seed int, r *fit.Result) {
	chains := lost(r.Draws)
	t.lost += len(chains)
	for _, c := range chains {
		t.where = append(t.where, fmt.Sprintf("%d/%d", seed, c+1))
	}
	least := math.Inf(1)
	for _, p := range r.Summary() {
		t.rhat = max(t.rhat, float64(p.RHat))
		least = min(least, float64(p.ESSBulk))
	}
	gradients := float64(r.Document.Work.Gradients)
	t.divergences += *r.Document.Diagnostics.Divergences
	t.leapfrogs = append(t.leapfrogs, gradients/float64(r.Document.Work.Iterations))
	t.efficiency = append(t.efficiency, 1000*least/gradients)
}

func (t *tally) line() string {
	chains := fmt.Sprint(t.lost)
	if t.lost > 0 {
		chains += " (seed/chain " + strings.Join(t.where, ", ") + ")"
	}
	return fmt.Sprintf("| %s | %s | %.2f | %d | %.1f | %.2f |", t.name, chains, t.rhat, t.divergences,
		median(t.leapfrogs), median(t.efficiency))
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}
