// Command nested fits hierarchies across parties over a grid of their hyperparameters (--estimator nested),
// and prints, beside the bars, round trips, bytes, CPU time, k̂, effective draws, and how far means and
// standard deviations are from those of a long run of the no-U-turn sampler on the pooled data: over seeds of
// the fit, and of the data too where these are drawn. It fails where a bar is missed.
//
//	go run ./bench/nested [-data ../shared/data] [-seeds 10] [-references FOLDER] [MODEL…]
//	go run ./bench/nested -beside [-data ../shared/data] [MODEL…]
//
// With -beside it compares the other ways to fit them, one run each: fixed draws, NUTS from the grid's draws,
// and NUTS.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	var s study
	flag.StringVar(&s.data, "data", filepath.Join("..", "shared", "data"), "folder of the reference data")
	flag.IntVar(&s.seeds, "seeds", 10, "fits of each model")
	flag.IntVar(&s.first, "first", 1, "the first seed")
	flag.StringVar(&s.references, "references", "",
		"folder in which long runs are kept; \"\": they are made anew")
	flag.BoolVar(&s.beside, "beside", false, "compare with other ways to fit")
	flag.BoolVar(&s.each, "each", false, "print a line for each seed too")
	flag.Parse()
	if err := s.run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "nested:", err)
		os.Exit(1)
	}
}

// A study is what the flags select.
type study struct {
	data, references string
	seeds, first     int
	beside, each     bool
	work             string // folder of tables and runs
}

const (
	heading = "| model | parameters | round trips | bar | MB | CPU s | k̂ | effective draws | shift of a " +
		"mean, in sds | error of an sd | missed |\n| --- | --- | --- | --- | --- | --- | --- | " +
		"--- | --- | --- | --- |"
	against = "| model | fit | round trips | MB | CPU s | k̂ | shift of a mean, in sds | error of an sd | " +
		"least effective draws |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)

// run prints a line for each model, or of a model several. It is an error if a bar is missed.
func (s *study) run(names []string) (err error) {
	if s.work, err = os.MkdirTemp("", "nested"); err != nil {
		return err
	}
	defer os.RemoveAll(s.work)
	var known []string
	for _, p := range problems() {
		known = append(known, p.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no model %s; there are %v", name, known)
		}
	}
	fmt.Println(map[bool]string{false: heading, true: against}[s.beside])
	missed, failed := 0, error(nil)
	for _, p := range problems() {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		if s.beside {
			err = s.compare(p)
		} else {
			var m bool
			if m, err = s.judge(p); m {
				missed++
			}
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	if missed > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d models miss a bar", missed))
	}
	return failed
}
