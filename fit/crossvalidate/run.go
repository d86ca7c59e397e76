// Package crossvalidate fits a model to all but one part of its rows, part by part, and scores the predictions of the rows that were left out.
package crossvalidate

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// Options say how rows are divided, and how each part is fitted.
type Options struct {
	Folds    int
	Stratify bool   // each fold has the same share of each value of the response
	By       string // the rows with one value of this column are in one fold; "": none
	// NewLevels draws parameters of categories that the fitted rows do not have from their prior.
	NewLevels bool
	Seed      uint64
	Jobs      int         // folds that are fitted at the same time; 0: as many as there are processors
	Fit       fit.Options // without a folder
	Progress  func(done, all int)
}

// A row is the prediction of one row that was left out.
type row struct {
	fold     int
	observed float64
	mean     float64
	score    float64 // log predictive density
}

// Run cross-validates a model. Folds do not depend on how many are fitted at once. The diagnostics are those of the data.
func Run(ctx context.Context, m *compile.Model, sources data.Sources, o Options) (*Report, diag.List, error) {
	whole, diags, err := compile.Bind(m, sources, o.Fit.Joining)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	tables, _ := data.Load(sources, lower.Wants(whole.Checked), o.Fit.Joining) // again: a bound model has let go of them
	d, err := divide(whole, tables, sources, o)
	if err != nil {
		return nil, diags, &fit.UsageError{Err: err}
	}
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	results := make([][]response, o.Folds)
	errs := make([]error, o.Folds)
	work := make(chan int, o.Folds)
	for k := range o.Folds {
		work <- k
	}
	close(work)
	var wait sync.WaitGroup
	var lock sync.Mutex
	done := 0
	for range min(o.Jobs, o.Folds) {
		wait.Go(func() {
			for k := range work {
				if results[k], errs[k] = one(ctx, m, sources, d, k, o); errs[k] != nil {
					return
				}
				lock.Lock()
				if done++; o.Progress != nil {
					o.Progress(done, o.Folds)
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	for k, err := range errs {
		if err != nil {
			return nil, diags, fmt.Errorf("fold %d: %w", k+1, err)
		}
	}
	return report(m.Name, results, o.Folds, o.Seed), diags, nil
}

// A response has its predictions in one fold.
type response struct {
	name   string
	binary bool
	rows   []row
}

// one fits all folds but k, and predicts that one.
func one(ctx context.Context, m *compile.Model, sources data.Sources, d *division, k int, o Options) ([]response, error) {
	part := func(others bool) (data.Sources, error) {
		s, diags, err := sources.Some(d.parties, d.key, d.rows(k, others))
		if diags.HasErrors() {
			return nil, data.Errors(diags)
		}
		return s, err
	}
	train, err := part(true)
	if err != nil {
		return nil, err
	}
	test, err := part(false)
	if err != nil {
		return nil, err
	}
	p, diags, err := fit.Open(m, train, o.Fit)
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	if err != nil {
		return nil, err
	}
	r, err := p.Sample(ctx, nil)
	if err != nil {
		return nil, err
	}
	predicted, diags, err := fit.PredictBound(ctx, p.Bound, r.Draws, fit.PredictionRequest{Sources: test, Scored: true, NewLevels: o.NewLevels, Seed: o.Seed, Key: o.Fit.Joining.Key, Wire: p.Plan.Wire})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	if err != nil {
		return nil, err
	}
	return scoresOf(predicted, k), nil
}

// scoresOf are the rows of a fold, by response.
func scoresOf(p *fit.Predictions, k int) (out []response) {
	for _, y := range p.Responses {
		of, _ := p.Model.ResponseOf(y.Name)
		one := response{name: of.Data, binary: of.Binary}
		for e, scores := range y.Scores {
			next := row{fold: k, score: logMeanExp(scores)}
			if len(y.Scores) == len(y.Mean) {
				next.observed, next.mean = y.Observed[e], y.Mean[e]
			}
			one.rows = append(one.rows, next)
		}
		out = append(out, one)
	}
	return out
}

// leftName is the name of the data on the left side of a likelihood, "" where it is an expression.
func leftName(k *check.Likelihood) string {
	if n, ok := k.Stmt.Left.(*ast.Name); ok {
		return n.Name
	}
	return ""
}
