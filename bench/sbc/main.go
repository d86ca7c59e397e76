// Command sbc checks the no-U-turn sampler by simulation-based calibration on the models of this folder,
// judged together: pooled and split, with the coordinates and steps that the warm-up chooses, under exact,
// augmented and power. Then some of them again with a prior that is wrong in the model, which it must detect.
//
//	go run ./bench/sbc [-replicates 1000] [-seed 1] [MODEL…]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/bench/sbc/subject"
	"github.com/vflc/vflc/fit/calibrate"
)

// A fitted model has flags, and the prior with which an error must be seen, PARAMETER=FACTOR for a scale that
// is so many times too wide, "" for none.
type fitted struct {
	model, title string
	flags        []string
	wrong        string
}

// Hierarchical models need shorter steps to explore the neck of the funnel. A wrong prior is that of a
// parameter on which the data have little information: where they dominate, it has no effect.
var models = []fitted{
	{model: "linear"},
	{model: "schools", flags: []string{"--target-accept", "0.95"}},
	{model: "logistic", wrong: "beta_a=1.2"},
	{model: "poisson", flags: []string{"--target-accept", "0.95"}},
	{model: "binomial"},
	{model: "groups", flags: []string{"--target-accept", "0.95"}, wrong: "tau=1.3"},
	{model: "follows", title: "follows, exact"},
	{model: "follows", title: "follows, augmented", flags: []string{"--transform", "augmented", "--rho",
		"0.5"}},
	{model: "located", flags: []string{"--target-accept", "0.95"}},
	{model: "crossed", title: "crossed, pooled", flags: []string{"--transform", "none", "--target-accept",
		"0.95"}},
	{model: "crossed", title: "crossed, exact", flags: []string{"--target-accept", "0.95"},
		wrong: "sd_field=1.3"},
	{model: "crossed", title: "crossed, augmented", flags: []string{"--transform", "augmented", "--rho",
		"0.3", "--target-accept", "0.95"}},
}

func main() {
	replicates := flag.Int("replicates", 1000, "data sets per model")
	seed := flag.Uint64("seed", 1, "seed of all random numbers")
	folder := flag.String("models", "bench/sbc", "folder of the models")
	flag.Parse()
	if err := study(*folder, flag.Args(), *replicates, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func study(folder string, only []string, replicates int, seed uint64) error {
	work, err := os.MkdirTemp("", "sbc")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	vflc, err := subject.Build(work)
	if err != nil {
		return err
	}
	var right []calibrate.RankResult
	var missed []error
	judge := func(title, wrong string, results []calibrate.RankResult, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", title, err)
		}
		for i := range results {
			results[i].Name = title + " " + results[i].Name
		}
		if wrong == "" {
			show(title, results)
			right = append(right, results...)
			return nil
		}
		show(title+" with the prior "+wrong, results)
		if calibrate.Uniform(results) {
			missed = append(missed, fmt.Errorf("%s: the wrong prior of %s was not detected", title, wrong))
		}
		return nil
	}
	for _, m := range models {
		if m.title == "" {
			m.title = m.model
		}
		if len(only) > 0 && !slices.Contains(only, m.model) {
			continue
		}
		path := filepath.Join(folder, m.model+".vfl")
		results, err := vflc.Calibrate(m.title, path, replicates, seed, m.flags...)
		if err := judge(m.title, "", results, err); err != nil {
			return err
		}
		if m.wrong != "" {
			results, err = vflc.Calibrate(m.title, path, replicates, seed,
				append(slices.Clone(m.flags), "--misstate", m.wrong)...)
			if err := judge(m.title, m.wrong, results, err); err != nil {
				return err
			}
		}
	}
	if len(only) == 0 || slices.Contains(only, "power") {
		for _, factor := range []float64{1, 1.2} {
			results, err := power(vflc, folder, work, replicates, seed, factor)
			wrong := ""
			if factor != 1 {
				wrong = fmt.Sprint("a=", factor)
			}
			if err := judge("power", wrong, results, err); err != nil {
				return err
			}
		}
	}
	show("all models, priors as simulated", right)
	if !calibrate.Uniform(right) {
		missed = append(missed, errors.New("not calibrated"))
	}
	return errors.Join(missed...)
}

// show prints the results and whether they pass together.
func show(title string, results []calibrate.RankResult) {
	calibrate.Holm(results)
	fmt.Printf("%s\n%-34s %6s %9s %6s %9s %9s %9s\n", title, "parameter", "shift", "p", "width", "p",
		"shape p", "p (Holm)")
	for _, r := range results {
		fmt.Printf("%-34s %+6.2f %9.2g %6.2f %9.2g %9.2g %9.2g %s %s\n", r.Name, r.Shift.Estimate, r.Shift.P,
			r.Width.Estimate, r.Width.P, r.Shape, r.Adjusted, r.Bars(), r.Reading())
	}
	verdict := "calibrated"
	if !calibrate.Uniform(results) {
		verdict = "not calibrated"
	}
	fmt.Printf("%s at %g over %d quantities\n\n", verdict, calibrate.Level, len(results))
}
