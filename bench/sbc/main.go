// Command sbc checks the no-U-turn sampler by simulation-based calibration on the five models of this folder, judged together; then again with the
// prior of one coefficient 1.2 times as wide in the model as in the simulation, which it must detect.
//
//	go run ./bench/sbc [-replicates 1000] [-seed 1]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/vflc/vflc/posterior/sbc"
)

// A subject is a model and the flags it is fitted with. Hierarchical models need shorter steps to explore the neck of the funnel.
type subject struct {
	model string
	flags []string
}

var subjects = []subject{
	{"linear", nil},
	{"schools", []string{"--target-accept", "0.95"}},
	{"logistic", nil},
	{"poisson", []string{"--target-accept", "0.95"}},
	{"binomial", nil},
}

// The wrong prior is that of coefficients on which eight rows have little information: where the data dominate, a wrong prior has no effect.
const (
	wrongModel = "logistic"
	wrongPrior = "beta_a=1.2"
)

func main() {
	replicates := flag.Int("replicates", 1000, "data sets per model")
	seed := flag.Int("seed", 1, "seed of all random numbers")
	folder := flag.String("models", "bench/sbc", "folder of the models")
	flag.Parse()
	if err := study(*folder, *replicates, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func study(folder string, replicates, seed int) error {
	work, err := os.MkdirTemp("", "sbc")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	vflc := filepath.Join(work, "vflc")
	if out, err := exec.Command("go", "build", "-o", vflc, "./cmd/vflc").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var right, wrong []sbc.Result
	for _, s := range subjects {
		args := append([]string{"calibrate", filepath.Join(folder, s.model+".vfl"), "--json", "--quiet", "--replicates", strconv.Itoa(replicates), "--seed", strconv.Itoa(seed)}, s.flags...)
		results, err := calibrate(vflc, args)
		if err != nil {
			return fmt.Errorf("%s: %w", s.model, err)
		}
		results = named(s.model, results)
		right = append(right, results...)
		if s.model == wrongModel {
			if results, err = calibrate(vflc, append(args, "--misstate", wrongPrior)); err != nil {
				return fmt.Errorf("%s: %w", s.model, err)
			}
			results = named(s.model, results)
		}
		wrong = append(wrong, results...)
	}
	show("priors as simulated", right)
	show(fmt.Sprintf("%s with the prior %s", wrongModel, wrongPrior), wrong)
	switch {
	case !sbc.Calibrated(right):
		return fmt.Errorf("not calibrated")
	case sbc.Calibrated(wrong):
		return fmt.Errorf("the wrong prior was not detected")
	}
	return nil
}

func named(model string, results []sbc.Result) []sbc.Result {
	for i := range results {
		results[i].Name = model + " " + results[i].Name
	}
	return results
}

func calibrate(vflc string, args []string) ([]sbc.Result, error) {
	cmd := exec.Command(vflc, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
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
		fmt.Println(w)
	}
	return answer.Parameters, nil
}

// show prints the results and whether they pass together.
func show(title string, results []sbc.Result) {
	sbc.Holm(results)
	fmt.Printf("%s\n%-22s %6s %3s %10s %10s\n", title, "parameter", "chi2", "df", "p", "p (Holm)")
	for _, r := range results {
		fmt.Printf("%-22s %6.1f %3d %10.3g %10.3g %s %s\n", r.Name, r.Chi2, r.DF, r.P, r.Adjusted, r.Bars(), r.Reading())
	}
	verdict := "calibrated"
	if !sbc.Calibrated(results) {
		verdict = "not calibrated"
	}
	fmt.Printf("%s at %g over %d parameters\n\n", verdict, sbc.Level, len(results))
}
