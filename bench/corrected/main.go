// Command corrected fits regressions across parties by quadrature and corrects the fits by importance
// sampling, and prints, beside the bars, the round trips of the whole run and how far means and standard
// deviations are from those of a long run of the no-U-turn sampler on the pooled data: medians over seeds. It
// fails where a bar is missed.
//
//	go run ./bench/corrected [-data ../shared/data] [-seeds 5] [MODEL…]
//
// The logistic design and the heart data are read from a folder; the tables of the other models are
// simulated.
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

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// The bars of every model: the largest shift of a mean, in standard deviations, the largest relative error of
// a standard deviation, and the largest k̂.
const (
	mostShift = 0.08
	mostSD    = 0.07
	mostKhat  = 0.7
)

func main() {
	folder := flag.String("data", filepath.Join("..", "shared", "data"), "folder of the reference data")
	seeds := flag.Int("seeds", 5, "fits of each model")
	draws := flag.Int("draws", 5000, "draws of each of the four chains that tell the truth")
	flag.Parse()
	if err := study(*folder, flag.Args(), *seeds, *draws); err != nil {
		fmt.Fprintln(os.Stderr, "corrected:", err)
		os.Exit(1)
	}
}

// study prints a line for each model. It is an error if a bar is missed.
func study(folder string, names []string, seeds, draws int) error {
	dir, err := os.MkdirTemp("", "corrected")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| model | parameters | round trips | bar | k̂ | largest shift of a mean, in sds | " +
		"largest error of an sd |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- |")
	missed := 0
	for _, c := range problems(folder, dir) {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		l, err := c.line(seeds, draws)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Println(l.text)
		if l.missed {
			missed++
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d models miss a bar", missed)
	}
	return nil
}

type line struct {
	text   string
	missed bool
}

// line fits a model from some seeds.
func (c *problem) line(seeds, draws int) (line, error) {
	truth, err := c.run(stdlib.NoTransform, 1001, map[string]string{"draws": fmt.Sprint(draws), "chains": "4",
		"target-accept": "0.9"}, "nuts")
	if err != nil {
		return line{}, err
	}
	known := map[string]posterior.SummaryRow{}
	for _, r := range truth.Summary() {
		known[r.Name] = r
	}
	var trips, khat, shift, sds []float64
	for seed := range seeds {
		r, err := c.run(stdlib.Exact, uint64(seed+1), nil, "sfvi")
		if err != nil {
			return line{}, err
		}
		trips = append(trips, float64(r.Document.Work.Sequential))
		khat = append(khat, float64(r.Document.Diagnostics.Khat))
		means, widths := 0.0, 0.0
		for _, row := range r.Summary() {
			of, ok := known[row.Name]
			if !ok {
				return line{}, fmt.Errorf("the pooled run has no %s", row.Name)
			}
			means = max(means, math.Abs(float64(row.Mean-of.Mean))/float64(of.SD))
			widths = max(widths, math.Abs(float64(row.SD/of.SD)-1))
		}
		shift, sds = append(shift, means), append(sds, widths)
	}
	out := line{text: fmt.Sprintf("| %s | %d | %.0f (%.0f–%.0f) | %d | %.2f | %.3f (at most "+
		"%.3f) | %.1f %% (%.1f) |", c.title, len(known), median(trips), slices.Min(trips), slices.Max(trips),
		c.trips,
		median(khat), median(shift), slices.Max(shift), 100*median(sds), 100*slices.Max(sds))}
	out.missed = median(trips) > float64(c.trips) || median(khat) > mostKhat || median(shift) > mostShift ||
		median(sds) > mostSD
	return out, nil
}

// run fits the model.
func (c *problem) run(transform def.Transform, seed uint64, settings map[string]string,
	backend string) (*fit.Result, error) {
	text, path, flags, err := c.model()
	if err != nil {
		return nil, err
	}
	model, diags := compile.Compile(source.New(path, text), check.Options{Transform: transform})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	tables, err := data.Locate(path, model.Parties(), flags)
	if err != nil {
		return nil, err
	}
	algorithm, ok := fit.Backend(backend)
	if !ok {
		return nil, fmt.Errorf("no backend %s", backend)
	}
	prepared, diags, err := fit.Open(model, tables, fit.Options{Algorithm: algorithm, Seed: seed,
		Settings: settings})
	if err != nil || diags.HasErrors() {
		return nil, errors.Join(err, data.Errors(diags))
	}
	return prepared.Sample(context.Background(), nil)
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}
