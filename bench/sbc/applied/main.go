// Command applied checks the no-U-turn sampler by simulation-based calibration on five models of
// examples/applied: ordinal, Weibull with censoring, correlated slopes, missing covariates, and a hidden
// Markov model, whose data it draws itself. Each is judged by itself.
//
//	go run ./bench/sbc/applied [-replicates 200] [-seed 1]
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/vflc/vflc/bench/sbc/subject"
	"github.com/vflc/vflc/fit/calibrate"
	"github.com/vflc/vflc/tests/applied"
)

// A fitted model has a transform, and the sizes of its data.
type fitted struct {
	model, transform string
	sizes            []string
	flags            []string
}

var subjects = []fitted{
	{"ordinal", "augmented", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"ordinal", "exact", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"weibull", "augmented", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"weibull", "exact", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"correlated_slopes", "exact", []string{"N=80", "J=10", "PB=2"}, []string{"--target-accept", "0.95"}},
	{"missing_covariates", "exact", []string{"N=50", "PB=2"}, nil},
}

// covariates is the seed of the tables whose responses are replaced.
const covariates = "7"

// The hidden Markov model has so many steps, and each fit so many draws.
const (
	steps  = 30
	warmup = 500
	draws  = 1000
)

func main() {
	replicates := flag.Int("replicates", 200, "data sets per model")
	seed := flag.Uint64("seed", 1, "seed of all random numbers")
	folder := flag.String("models", "examples/applied", "folder of the models")
	only := flag.String("only", "", "one model")
	flag.Parse()
	if err := study(*folder, *only, *replicates, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func study(folder, only string, replicates int, seed uint64) error {
	work, err := os.MkdirTemp("", "sbc")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	vflc, err := subject.Build(work)
	if err != nil {
		return err
	}
	var failed []error
	judge := func(title string, fit func() ([]calibrate.RankResult, error)) {
		began := time.Now()
		results, err := fit()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", title, err))
			return
		}
		show(title, results, time.Since(began))
		if !calibrate.Uniform(results) {
			failed = append(failed, fmt.Errorf("%s: not calibrated", title))
		}
	}
	for k, s := range subjects {
		if only == "" || only == s.model {
			dir := filepath.Join(work, strconv.Itoa(k))
			judge(s.model+" "+s.transform, func() ([]calibrate.RankResult, error) {
				return calibrated(vflc, folder, dir, s, replicates, seed)
			})
		}
	}
	if only == "" || only == "hmm" {
		judge("hmm exact", func() ([]calibrate.RankResult, error) {
			return hidden(vflc, folder, work, replicates, seed)
		})
	}
	return errors.Join(failed...)
}

// show prints the row of a table: how many scalars, the smallest p-value adjusted for their number, and how
// long it took.
func show(title string, results []calibrate.RankResult, took time.Duration) {
	least := slices.MinFunc(results, func(a, b calibrate.RankResult) int {
		if a.Adjusted < b.Adjusted || a.Adjusted == b.Adjusted && a.P < b.P {
			return -1
		}
		return 1
	})
	fmt.Printf("| %s | %d | %.3g | %s (%.3g) | %.0f s |\n", title, len(results), least.Adjusted,
		least.Shown(), least.P, took.Seconds())
}

// calibrated makes tables, whose responses vflc calibrate replaces.
func calibrated(vflc subject.Command, folder, dir string, s fitted, replicates int,
	seed uint64) ([]calibrate.RankResult, error) {
	model := filepath.Join(folder, s.model+".vfl")
	args := []string{"simulate", model, "--quiet", "--seed", covariates, "-o", dir}
	for _, size := range s.sizes {
		args = append(args, "--size", size)
	}
	if _, err := vflc.Output(args...); err != nil {
		return nil, err
	}
	if s.model == "missing_covariates" {
		if _, err := applied.Blank(filepath.Join(dir, "clinic.csv"), "chol"); err != nil {
			return nil, err
		}
	}
	return vflc.Calibrate(s.model, model, replicates, seed,
		slices.Concat([]string{"--transform", s.transform}, s.flags, tables(dir))...)
}

// tables are the flags that name the tables in a folder.
func tables(dir string) (flags []string) {
	for _, party := range []string{"registry", "clinic", "lab", "shared"} {
		file := filepath.Join(dir, party+".csv")
		if _, err := os.Stat(file); err == nil {
			flags = append(flags, "--data", party+"="+file)
		}
	}
	return flags
}

// hidden fits the hidden Markov model to data that are drawn for each replicate, and ranks what they were
// drawn with.
func hidden(vflc subject.Command, folder, work string, replicates int,
	seed uint64) ([]calibrate.RankResult, error) {
	ranks := subject.Ranks{}
	for replicate := range replicates {
		dir := filepath.Join(work, "hmm", strconv.Itoa(replicate))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		truth, err := applied.HiddenMarkov(dir, rand.New(rand.NewPCG(seed, uint64(replicate))), steps)
		if err != nil {
			return nil, err
		}
		flags := append(tables(dir), "--transform", "exact", "--seed", strconv.Itoa(replicate+1))
		if err := ranks.Add(vflc, filepath.Join(folder, "hmm.vfl"), dir, warmup, draws, truth,
			flags...); err != nil {
			return nil, err
		}
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return ranks.Judge(), nil
}
