// Command ablation measures what each rule of the no-U-turn sampler's warm-up brings: it builds the program
// without one rule at a time, fits models that no rule was chosen on, and prints how many times the effective
// draws the rule brings on each.
//
//	go run ./bench/ablation [-seeds 4] [-rules NAMES] [-models NAMES] [-folder models] [-tails] [-o RESULTS]
//
// A rule is a patch in bench/ablation/rules that takes it out; the models are in bench/ablation/models, those
// that a rule was made for in bench/ablation/reasons, and their tables are drawn from their priors. Effective
// draws are the least bulk ones of all parameters, or those of tails, for each 1000 gradients, warm-up
// included, in the geometric mean over seeds. They do not depend on the machine
// or on what else it does. A run whose largest R-hat is above 1.05 is lost, and counted as such.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	s := study{results: map[string]outcome{}}
	rules := flag.String("rules", "", "names of rules, separated by commas; \"\": all")
	models := flag.String("models", "", "names of models; \"\": all")
	flag.StringVar(&s.folder, "folder", "models", "the folder of the models: models or reasons")
	flag.BoolVar(&s.tails, "tails", false, "effective draws of tails")
	flag.IntVar(&s.seeds, "seeds", 4, "runs of each model and rule")
	flag.StringVar(&s.file, "o", "", "a file that keeps results, to go on with")
	flag.Parse()
	if err := s.run(*rules, *models); err != nil {
		fmt.Fprintln(os.Stderr, "ablation:", err)
		os.Exit(1)
	}
}

// A study has the results so far, by rule, model and seed.
type study struct {
	seeds   int
	folder  string
	tails   bool
	file    string
	dir     string
	results map[string]outcome
}

// An outcome is that of one run.
type outcome struct {
	Draws     float64 // effective ones for each 1000 gradients, the least of all parameters
	Tails     float64 // the same of tails
	Rhat      float64 // the largest
	Divergent float64
}

// lostRhat is the largest R-hat of a run that is not lost.
const lostRhat = 1.05

func (o outcome) lost() bool { return !(o.Rhat <= lostRhat) }

// sizes are those of the tables of each model.
var sizes = map[string][]string{
	"volatility": {"T=200"}, "horseshoe": {"N=60", "P=80"}, "events": {"N=400", "PA=6", "PB=6"},
	"counts": {"N=300", "PA=3", "PB=3", "G=30"}, "sparse_groups": {"N=150", "G=50"},
	"outliers": {"N=150", "PA=4", "PB=4"}, "ordinal": {"N=200", "K=5", "PA=3", "PB=3"}, "process": {"N=40"},
	"mixture": {"N=200"}, "crossed": {"N=180", "G=15", "H=12"}, "slopes": {"N=240", "G=24"},
	"errors": {"N=80"}, "survival": {"N=120"}, "shares": {"N=200", "G=20"}, "noisy": {"N=60"},
	"divided": {"N=60"}, "shifted": {"N=200", "G=20"},
	"wide": {"N=400"}, "rates": {"N=400"}, "rates_two": {"N=400"}, "means": {"N=3"},
}

func (s *study) run(rules, models string) (err error) {
	if s.dir, err = os.MkdirTemp("", "ablation"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	if text, err := os.ReadFile(s.file); err == nil {
		if err := json.Unmarshal(text, &s.results); err != nil {
			return err
		}
	}
	all, err := filepath.Glob("bench/ablation/rules/*.patch")
	if err != nil {
		return err
	}
	names := []string{""}
	for _, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".patch")
		if rules == "" || slices.Contains(strings.Split(rules, ","), name) {
			names = append(names, name)
		}
	}
	there, err := filepath.Glob("bench/ablation/" + s.folder + "/*.vfl")
	if err != nil {
		return err
	}
	var on []string
	for _, file := range there {
		name := strings.TrimSuffix(filepath.Base(file), ".vfl")
		if models == "" || slices.Contains(strings.Split(models, ","), name) {
			on = append(on, name)
		}
	}
	for _, rule := range names {
		program, err := s.program(rule)
		if err != nil {
			return fmt.Errorf("without %s: %w", rule, err)
		}
		for _, model := range on {
			if err := s.fits(program, rule, model); err != nil {
				return err
			}
		}
	}
	s.print(names[1:], on)
	return nil
}

// program builds the program without a rule.
func (s *study) program(rule string) (string, error) {
	out := filepath.Join(s.dir, cmp.Or(rule, "with-all"))
	tree := "."
	if rule != "" {
		tree = filepath.Join(s.dir, "tree")
		if err := os.RemoveAll(tree); err != nil {
			return "", err
		}
		patch, err := filepath.Abs(filepath.Join("bench/ablation/rules", rule+".patch"))
		if err != nil {
			return "", err
		}
		for _, c := range [][]string{
			{"sh", "-c", `git ls-files -z -- ':!bench' ':!docs' | xargs -0 cp --parents -t "$0"`, tree},
			{"git", "apply", "--unsafe-paths", "--directory=" + tree, patch}} {
			if err := os.MkdirAll(tree, 0o755); err != nil {
				return "", err
			}
			if text, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
				return "", fmt.Errorf("%w: %s", err, text)
			}
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", out, "./cmd/vflc")
	build.Dir = tree
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return out, nil
}

// fits fits a model from each seed, unless that is known.
func (s *study) fits(program, rule, model string) error {
	file := filepath.Join(s.dir, model+".vfl")
	if _, err := os.Stat(file); err != nil {
		if err := s.tables(program, model, file); err != nil {
			return err
		}
	}
	for seed := 1; seed <= s.seeds; seed++ {
		key := fmt.Sprintf("%s/%s/%d", rule, model, seed)
		if _, known := s.results[key]; known {
			continue
		}
		out := filepath.Join(s.dir, "run")
		run := exec.Command(program, "run", file, "--quiet", "--seed", fmt.Sprint(seed), "-o", out)
		if text, err := run.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", key, err, text)
		}
		o, err := read(filepath.Join(out, "summary.json"))
		if err != nil {
			return err
		}
		s.results[key] = o
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	return s.keep()
}

// tables draws a model's tables beside a copy of it.
func (s *study) tables(program, model, file string) error {
	text, err := os.ReadFile("bench/ablation/" + s.folder + "/" + model + ".vfl")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	args := []string{"simulate", file, "--quiet", "--seed", "5"}
	for _, size := range sizes[model] {
		args = append(args, "--size", size)
	}
	if given[model] != nil {
		more, err := s.columns(model)
		if err != nil {
			return err
		}
		args = append(args, more...)
	}
	if text, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", model, err, text)
	}
	return nil
}

// read reads a summary.
func read(file string) (outcome, error) {
	var doc struct {
		Parameters []struct {
			Bulk *float64 `json:"ess_bulk"`
			Tail *float64 `json:"ess_tail"`
			Rhat *float64 `json:"rhat"`
		}
		Diagnostics struct{ Divergences float64 }
		Work        struct{ Gradients float64 }
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	o := outcome{Draws: math.Inf(1), Tails: math.Inf(1), Divergent: doc.Diagnostics.Divergences}
	for _, p := range doc.Parameters {
		if p.Bulk != nil && p.Tail != nil && p.Rhat != nil { // an element that is constant has none
			o.Draws, o.Tails, o.Rhat = min(o.Draws, *p.Bulk), min(o.Tails, *p.Tail), max(o.Rhat, *p.Rhat)
		}
	}
	o.Draws *= 1000 / doc.Work.Gradients
	o.Tails *= 1000 / doc.Work.Gradients
	return o, err
}

func (s *study) keep() error {
	if s.file == "" {
		return nil
	}
	text, err := json.Marshal(s.results)
	if err != nil {
		return err
	}
	return os.WriteFile(s.file, text, 0o644)
}

// of is the geometric mean of effective draws over seeds, how many were lost, and divergent transitions.
func (s *study) of(rule, model string) (draws float64, lost int, divergent float64) {
	for seed := 1; seed <= s.seeds; seed++ {
		o := s.results[fmt.Sprintf("%s/%s/%d", rule, model, seed)]
		if s.tails {
			o.Draws = o.Tails
		}
		draws += math.Log(o.Draws) / float64(s.seeds)
		divergent += o.Divergent
		if o.lost() {
			lost++
		}
	}
	return math.Exp(draws), lost, divergent
}

// print prints a line for each model with what it has, and for each rule what it brings.
func (s *study) print(rules, models []string) {
	fmt.Println("| model | effective draws per 1000 gradients | lost | divergent |\n| --- | --- | --- | --- |")
	for _, m := range models {
		draws, lost, divergent := s.of("", m)
		fmt.Printf("| %s | %.1f | %d | %.0f |\n", m, draws, lost, divergent)
	}
	fmt.Printf("\n| rule | mean gain | %s | lost without |\n| --- | --- |%s --- |\n",
		strings.Join(models, " | "), strings.Repeat(" --- |", len(models)))
	for _, r := range rules {
		line, mean, lost := "", 0.0, 0
		for _, m := range models {
			with, before, _ := s.of("", m)
			without, after, _ := s.of(r, m)
			line += fmt.Sprintf(" %.2f |", with/without)
			mean += math.Log(with/without) / float64(len(models))
			lost += after - before
		}
		fmt.Printf("| %s | %.3f |%s %d |\n", r, math.Exp(mean), line, lost)
	}
}
