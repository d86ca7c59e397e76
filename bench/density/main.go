// Command density times value and gradient of every distribution of numbers and categories as a likelihood,
// each in turn with bernoulli_logit:
//
//	go run ./bench/density [-rows 2000] [NAME…]
//
// The first parameter that may be any expression has a value in each row, exp or inv_logit of a predictor
// where it is positive or a probability; the others are one parameter of the model each. With NAME, only the
// distributions whose names contain one.
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
	flag.Parse()
	if err := run(*rows, flag.Args()); err != nil {
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
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool {
			return strings.Contains(l.text, n)
		}) {
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
