// Command applied checks the no-U-turn sampler by simulation-based calibration on five models of examples/applied: ordinal, Weibull with censoring,
// correlated slopes, missing covariates, and a hidden Markov model, whose data it draws itself. Each is judged by itself.
//
//	go run ./bench/sbc/applied [-replicates 200] [-seed 1]
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/sbc"
	"github.com/vflc/vflc/tests/applied"
)

// A subject is a model under a transform, with the sizes of its data.
type subject struct {
	model, transform string
	sizes            []string
	flags            []string
}

var subjects = []subject{
	{"ordinal", "augmented", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"ordinal", "exact", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"weibull", "augmented", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"weibull", "exact", []string{"N=60", "PA=2", "PB=2"}, nil},
	{"correlated_slopes", "exact", []string{"N=80", "J=10", "PB=2"}, []string{"--target-accept", "0.95"}},
	{"missing_covariates", "exact", []string{"N=50", "PB=2"}, nil},
}

// covariates is the seed of the tables whose responses are replaced.
const covariates = "7"

// The hidden Markov model has so many steps, and each fit so many draws, of which those at even distances are ranked.
const (
	steps  = 30
	warmup = 500
	draws  = 1000
	ranked = 99
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
	vflc := filepath.Join(work, "vflc")
	if out, err := exec.Command("go", "build", "-o", vflc, "./cmd/vflc").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var failed []error
	judge := func(title string, fit func() ([]sbc.Result, error)) {
		began := time.Now()
		results, err := fit()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", title, err))
			return
		}
		show(title, results, time.Since(began))
		if !sbc.Calibrated(results) {
			failed = append(failed, fmt.Errorf("%s: not calibrated", title))
		}
	}
	for k, s := range subjects {
		if only == "" || only == s.model {
			dir := filepath.Join(work, strconv.Itoa(k))
			judge(s.model+" "+s.transform, func() ([]sbc.Result, error) { return calibrate(vflc, folder, dir, s, replicates, seed) })
		}
	}
	if only == "" || only == "hmm" {
		judge("hmm exact", func() ([]sbc.Result, error) { return hidden(vflc, folder, work, replicates, seed) })
	}
	return errors.Join(failed...)
}

// show prints the row of a table: how many scalars, the smallest p-value adjusted for their number, and how long it took.
func show(title string, results []sbc.Result, took time.Duration) {
	least := slices.MinFunc(results, func(a, b sbc.Result) int {
		if a.Adjusted < b.Adjusted || a.Adjusted == b.Adjusted && a.P < b.P {
			return -1
		}
		return 1
	})
	fmt.Printf("| %s | %d | %.3g | %s (%.3g) | %.0f s |\n", title, len(results), least.Adjusted, least.Shown(), least.P, took.Seconds())
}

// calibrate makes tables, whose responses vflc calibrate replaces.
func calibrate(vflc, folder, dir string, s subject, replicates int, seed uint64) ([]sbc.Result, error) {
	model := filepath.Join(folder, s.model+".vfl")
	args := []string{"simulate", model, "--quiet", "--seed", covariates, "-o", dir}
	for _, size := range s.sizes {
		args = append(args, "--size", size)
	}
	if _, err := output(vflc, args...); err != nil {
		return nil, err
	}
	if s.model == "missing_covariates" {
		if _, err := applied.Blank(filepath.Join(dir, "clinic.csv"), "chol"); err != nil {
			return nil, err
		}
	}
	args = append([]string{"calibrate", model, "--quiet", "--json", "--transform", s.transform, "--replicates", strconv.Itoa(replicates), "--seed", fmt.Sprint(seed)}, s.flags...)
	out, err := output(vflc, append(args, tables(dir)...)...)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Parameters []sbc.Result `json:"parameters"`
		Warnings   []string     `json:"warnings"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, err
	}
	for _, w := range answer.Warnings {
		fmt.Println(s.model + ": " + w)
	}
	return answer.Parameters, nil
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

// output runs vflc. What it says is shown only where it fails.
func output(vflc string, args ...string) ([]byte, error) {
	cmd := exec.Command(vflc, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("vflc %s: %w\n%s", args[0], err, said.String())
	}
	return out, nil
}

// hidden fits the hidden Markov model to data that are drawn for each replicate, and ranks what they were drawn with.
func hidden(vflc, folder, work string, replicates int, seed uint64) ([]sbc.Result, error) {
	var columns []posterior.Column
	var ranks [][]int
	for replicate := range replicates {
		dir := filepath.Join(work, "hmm", strconv.Itoa(replicate))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		truth, err := applied.HiddenMarkov(dir, rand.New(rand.NewPCG(seed, uint64(replicate))), steps)
		if err != nil {
			return nil, err
		}
		run := filepath.Join(dir, "run")
		args := []string{"run", filepath.Join(folder, "hmm.vfl"), "--quiet", "--transform", "exact", "--chains", "1", "--warmup", strconv.Itoa(warmup), "--draws", strconv.Itoa(draws), "--seed", strconv.Itoa(replicate + 1), "-o", run}
		if _, err := output(vflc, append(args, tables(dir)...)...); err != nil {
			return nil, err
		}
		chain, err := read(filepath.Join(run, "draws", "chain-1.csv"))
		if err != nil {
			return nil, err
		}
		for k, name := range slices.Sorted(maps.Keys(truth)) {
			if replicate == 0 {
				columns, ranks = append(columns, posterior.Column{Name: name}), append(ranks, nil)
			}
			ranks[k] = append(ranks[k], sbc.Rank(truth[name], sbc.Thinned(chain[name], ranked)))
		}
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return sbc.Judge(columns, ranks, ranked), nil
}

// read reads a chain in Stan's CSV, by the names of a summary: mu.1 is mu[1].
func read(path string) (map[string][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	out := map[string][]float64{}
	for k, head := range rows[0] {
		name, index, ok := strings.Cut(head, ".")
		if ok {
			name += "[" + strings.ReplaceAll(index, ".", ",") + "]"
		}
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				return nil, err
			}
			out[name] = append(out[name], v)
		}
	}
	return out, nil
}
