// Command lastlayer fits networks across two clients with their hidden layers at the mode (--estimator
// last-layer), and prints what that costs and how well it predicts rows that are left out, beside the same
// fit with all parameters at one point, what --estimator auto takes, and the no-U-turn sampler of the whole
// network: medians over seeds. Draws of the last layers are held against that sampler on the features as
// data.
//
//	go run ./bench/lastlayer [-data ../shared/data] [-seeds 5] [MODEL…]
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
	"strings"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

func main() {
	folder := flag.String("data", filepath.Join("..", "shared", "data"), "folder of the reference data")
	seeds := flag.Int("seeds", 5, "fits of each model")
	flag.Parse()
	if err := study(*folder, flag.Args(), *seeds); err != nil {
		fmt.Fprintln(os.Stderr, "lastlayer:", err)
		os.Exit(1)
	}
}

// study prints a table for each model.
func study(folder string, names []string, seeds int) error {
	dir, err := os.MkdirTemp("", "lastlayer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, p := range problems(folder, dir) {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		if err := p.table(seeds); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// A way is one by which a model is fitted.
type way struct {
	title, backend string
	transform      def.Transform
	settings       map[string]string
	once           bool // for one seed
}

var ways = []way{
	{"last layer", "sfvi", stdlib.Exact, map[string]string{"estimator": "last-layer"}, false},
	{"what auto takes", "sfvi", stdlib.Exact, nil, true},
	{"nuts, whole network", "nuts", stdlib.Exact, map[string]string{"warmup": "500", "draws": "500",
		"max-depth": "8"}, true},
}

// A fitted is one fit to rows, and the mean log density of a row that it has not seen.
type fitted struct {
	*fit.Result
	bound *compile.BoundModel
	cpu   float64
	left  float64 // by the draws
	point float64 // with all parameters at their means
	rows  int
}

func (p *problem) table(seeds int) error {
	fmt.Printf("%s\n\n| fit | round trips | MB | CPU s | k̂ | log density of a row left out |\n| --- | --- "+
		"| --- | --- | --- | --- |\n", p.title)
	var last []*fitted
	for _, w := range ways {
		var all []*fitted
		for seed := range seeds {
			if w.once && seed > 0 {
				break
			}
			f, err := p.fit(p.text, p.tables, w, uint64(seed+1), true)
			if err != nil {
				return err
			}
			all = append(all, f)
		}
		fmt.Println(line(w.title, all, func(f *fitted) float64 { return f.left }))
		if last == nil {
			last = all
			fmt.Println(line("the same, all parameters at one point", all, func(f *fitted) float64 {
				return f.point
			}))
		}
	}
	means, sds, err := p.against(last[0])
	if err != nil {
		return err
	}
	fmt.Printf("\n%d rows, and %d left out. Last layers given the features, seed 1, beside nuts on the "+
		"features as data: means within %.3f sds, sds within %.1f %%.\n\n", last[0].rows, p.left, means,
		100*sds)
	return nil
}

func line(title string, all []*fitted, left func(*fitted) float64) string {
	of := func(x func(*fitted) float64) (out []float64) {
		for _, f := range all {
			out = append(out, x(f))
		}
		return out
	}
	trips := of(func(f *fitted) float64 { return float64(f.Document.Work.Sequential) })
	khats := of(func(f *fitted) float64 { return float64(f.Document.Diagnostics.Khat) })
	scores := of(left)
	khat := fmt.Sprintf("%.2f", median(khats))
	if math.IsNaN(khats[0]) {
		khat = "–"
	}
	return fmt.Sprintf("| %s | %.0f (%.0f–%.0f) | %.0f | %.1f | %s | %.4f (%.4f to %.4f) |", title,
		median(trips), slices.Min(trips), slices.Max(trips),
		median(of(func(f *fitted) float64 {
			return float64(f.Document.Work.Bytes) / 1e6
		})), median(of(func(f *fitted) float64 {
			return f.cpu
		})), khat, median(scores), slices.Min(scores), slices.Max(scores))
}

// fit fits a text to two thirds of the rows of its tables; scored: and predicts the others.
func (p *problem) fit(text string, tables []string, w way, seed uint64, scored bool) (*fitted, error) {
	model, diags := compile.Compile(source.New(filepath.Join(p.dir, "m.vfl"), text),
		check.Options{Transform: w.transform})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	all, err := data.Locate(filepath.Join(p.dir, "m.vfl"), model.Parties(), tables)
	if err != nil {
		return nil, err
	}
	train, test := all, data.Sources(nil)
	if scored {
		var parties []string
		for _, party := range model.Parties() {
			parties = append(parties, party.Name)
		}
		if train, _, err = all.Some(parties, "", func(row int, _ string) bool {
			return row%3 != 0
		}); err != nil {
			return nil, err
		}
		if test, _, err = all.Some(parties, "", func(row int, _ string) bool {
			return row%3 == 0
		}); err != nil {
			return nil, err
		}
	}
	algorithm, _ := fit.Backend(w.backend)
	prepared, diags, err := fit.Open(model, train, fit.Options{Algorithm: algorithm, Seed: seed,
		Settings: w.settings})
	if err != nil || diags.HasErrors() {
		return nil, errors.Join(err, data.Errors(diags))
	}
	before := stopwatch.Process()
	r, err := prepared.Sample(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	f := &fitted{Result: r, bound: prepared.BoundModel, cpu: (stopwatch.Process() - before).Seconds()}
	if !scored {
		return f, nil
	}
	if f.left, err = p.score(f, r.Draws, test); err != nil {
		return nil, err
	}
	f.point, err = p.score(f, average(r.Draws), test)
	return f, err
}

// score is the mean over rows of the logarithm of their mean density.
func (p *problem) score(f *fitted, d *posterior.Draws, test data.Sources) (float64, error) {
	out, diags, err := fit.PredictBound(context.Background(), f.bound, d,
		fit.PredictionRequest{Sources: test, Scored: true, Seed: 1})
	if err != nil || diags.HasErrors() {
		return 0, errors.Join(err, data.Errors(diags))
	}
	sum, rows := 0.0, out.Responses[0].Scores
	for _, scores := range rows {
		top, mean := slices.Max(scores), 0.0
		for _, s := range scores {
			mean += portable.Exp(s-top) / float64(len(scores))
		}
		sum += top + portable.Log(mean)
	}
	p.left = len(rows)
	return sum / float64(len(rows)), nil
}

// average is one draw with the means of all.
func average(d *posterior.Draws) *posterior.Draws {
	out := posterior.NewDraws(d.Vars, 1, 1)
	row := make([]float64, len(d.Columns()))
	for k := range row {
		n := 0.0
		for _, chain := range d.Column(k) {
			for _, v := range chain {
				row[k] += v
			}
			n += float64(len(chain))
		}
		row[k] /= n
	}
	out.Append(0, row)
	return out
}

// against compares last layers with the no-U-turn sampler on the features as data: the largest shift of a
// mean, in standard deviations, and the largest relative error of one.
func (p *problem) against(f *fitted) (means, sds float64, err error) {
	text, tables, rows, err := p.features(f)
	if err != nil {
		return 0, 0, err
	}
	f.rows = rows
	truth, err := p.fit(text, tables, way{backend: "nuts", transform: stdlib.NoTransform,
		settings: map[string]string{"draws": "5000"}}, 1001, false)
	if err != nil {
		return 0, 0, err
	}
	known := map[string]posterior.SummaryRow{}
	for _, r := range f.Summary() {
		known[r.Name] = r
	}
	for _, want := range truth.Summary() {
		got, ok := known[want.Name]
		if !ok || strings.HasPrefix(want.Name, "W") {
			return 0, 0, fmt.Errorf("the fit has no %s", want.Name)
		}
		means = max(means, math.Abs(float64(got.Mean-want.Mean))/float64(want.SD))
		sds = max(sds, math.Abs(float64(got.SD/want.SD)-1))
	}
	return means, sds, nil
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}
