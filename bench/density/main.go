// Command density times value and gradient of every distribution of numbers and categories as a likelihood,
// each in turn with bernoulli_logit:
//
//	go run ./bench/density [-rows 2000] [-forms [-show]] [NAME…]
//
// The first parameter that may be any expression has a value in each row, exp or inv_logit of a predictor
// where it is positive or a probability; the others are one parameter of the model each. With NAME, only the
// distributions whose names contain one.
//
// With -forms it has models of one line as users write them, slowest first: each argument as a number, with a
// value in each row and by groups, as a likelihood and in the functions of densities and tails, in mixtures,
// censored and truncated; and functions in a predictor. The last column names what is computed row by row for
// want of a vector function.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

const rounds = 41

func main() {
	rows := flag.Int("rows", 2000, "number of `rows`")
	forms := flag.Bool("forms", false, "every form in which users write densities and functions")
	show := flag.Bool("show", false, "with -forms: the models and their graphs")
	flag.Parse()
	do := run
	if *forms {
		do = survey
	}
	if *show {
		do = showForms
	}
	if err := do(*rows, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "density:", err)
		os.Exit(1)
	}
}

func run(rows int, names []string) error {
	base, err := likelihoods()[0].task(rows)
	if err != nil {
		return err
	}
	fmt.Printf("instruction set: %v\n\n| likelihood | ns a row | times bernoulli_logit (quartiles) | why "+
		"more than four |\n| --- | --- | --- | --- |\n", vector.Tier())
	for _, l := range likelihoods() {
		if !wanted(l.text, names) {
			continue
		}
		task, err := l.task(rows)
		if err != nil {
			return fmt.Errorf("%s: %w", l.text, err)
		}
		t := stopwatch.Measure([]stopwatch.Task{base, task}, rounds)[1]
		fmt.Printf("| `%s` | %.2f | %.1f (%.1f-%.1f) | %s |\n", l.text, t.Median/float64(rows), t.Ratio,
			t.Low, t.High, l.reason())
	}
	return nil
}

// wanted reports whether a text contains one of some names, or there are none.
func wanted(text string, names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool {
		return strings.Contains(text, n)
	})
}
