// Package subject is what commands of simulation-based calibration have in common: a build of vflc, and what
// it prints about a model.
package subject

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/fit/calibrate"
	"github.com/vflc/vflc/posterior"
)

// Draws is the number of posterior draws among which a parameter is ranked.
const Draws = 99

// A Command is a build of vflc.
type Command string

// Build builds the command in a folder, from the repository's root.
func Build(folder string) (Command, error) {
	path := filepath.Join(folder, "vflc")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/vflc").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return Command(path), nil
}

// Output runs the command. What it says on its error stream is shown only where it fails.
func (c Command) Output(args ...string) ([]byte, error) {
	cmd := exec.Command(string(c), args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("vflc %s: %w\n%s", args[0], err, said.String())
	}
	return out, nil
}

// Calibrate returns the verdicts of vflc calibrate on a model, and prints its warnings after the title.
func (c Command) Calibrate(title, model string, replicates int, seed uint64,
	flags ...string) ([]calibrate.RankResult, error) {
	args := []string{"calibrate", model, "--json", "--quiet", "--replicates", strconv.Itoa(replicates),
		"--seed", fmt.Sprint(seed)}
	out, err := c.Output(append(args, flags...)...)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Parameters    []calibrate.RankResult `json:"parameters"`
		LogLikelihood *calibrate.RankResult  `json:"log_likelihood"`
		Warnings      []string               `json:"warnings"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, err
	}
	for _, w := range answer.Warnings {
		fmt.Println(title + ": " + w)
	}
	if answer.LogLikelihood != nil {
		return append(answer.Parameters, *answer.LogLikelihood), nil
	}
	return answer.Parameters, nil
}

// Ranks collects the ranks of parameters whose data were not drawn by vflc calibrate.
type Ranks map[string][]int

// Add fits a model with one chain of so many transitions of warm-up and draws, and ranks the truth among
// draws at even distances.
func (r Ranks) Add(c Command, model, folder string, warmup, draws int, truth map[string]float64,
	flags ...string) error {
	run := filepath.Join(folder, "run")
	args := []string{"run", model, "--quiet", "--chains", "1", "--warmup", strconv.Itoa(warmup), "--draws",
		strconv.Itoa(draws), "-o", run}
	if _, err := c.Output(append(args, flags...)...); err != nil {
		return err
	}
	chain, err := read(filepath.Join(run, "draws", "chain-1.csv"))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		value := truth[name]
		if len(chain[name]) < Draws {
			return fmt.Errorf("%s has %d draws of %s", run, len(chain[name]), name)
		}
		ties := rand.New(rand.NewPCG(uint64(len(r[name])), 0))
		r[name] = append(r[name], calibrate.Rank(value, calibrate.Thinned(chain[name], Draws), ties))
	}
	return nil
}

// Judge returns the verdicts, by name.
func (r Ranks) Judge() []calibrate.RankResult {
	var columns []posterior.Scalar
	var ranks [][]int
	for name := range r {
		columns = append(columns, posterior.Scalar{Name: name})
	}
	slices.SortFunc(columns, func(a, b posterior.Scalar) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range columns {
		ranks = append(ranks, r[c.Name])
	}
	return calibrate.Judge(columns, ranks, Draws)
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
