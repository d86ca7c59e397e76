// Package crossvalidate fits a model to all but one part of its rows, part by part, and scores the
// predictions of the rows that were left out.
package crossvalidate

import (
	"context"
	"fmt"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// Options say how rows are divided, and how each part is fitted.
type Options struct {
	Folds    int
	Stratify bool   // each fold has the same share of each value of the response
	By       string // the rows with one value of this column are in one fold; "": none
	// NewLevels draws parameters of categories that the fitted rows do not have from their prior.
	NewLevels bool
	Seed      uint64
	Fit       fit.Options // without a folder
}

// A row is the prediction of one row that was left out.
type row struct {
	fold     int
	observed float64
	mean     float64
	score    float64 // log predictive density
	key      string  // in the column that joins the rows, or the number of the row where none does
}

// A Validation is a cross-validation: what its folds share, and the results of those that are done.
type Validation struct {
	model   *compile.Model
	sources data.Sources
	options Options
	rows    *division
	results []result // by fold
}

// New divides the rows of a model's tables into folds. The diagnostics are those of the data.
func New(m *compile.Model, sources data.Sources, o Options) (*Validation, diag.List, error) {
	whole, diags, err := compile.Bind(m, sources, o.Fit.Joining)
	o.Fit.Joining.Rows = nil // those of a fold are among them
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	// again: a bound model has let go of them
	tables, _ := data.Load(sources, lower.Wants(whole.Checked), o.Fit.Joining)
	d, err := divide(whole, tables, sources, o)
	if err != nil {
		return nil, diags, &fit.UsageError{Err: err}
	}
	return &Validation{m, sources, o, d, make([]result, o.Folds)}, diags, nil
}

// Make fits all folds but k, counted from 0, predicts that one, and writes down what came out, for Take. It
// may be called for several at the same time.
func (v *Validation) Make(ctx context.Context, k int) ([]byte, error) {
	found, err := one(ctx, v.model, v.sources, v.rows, k, v.options)
	if err == nil {
		err = ctx.Err() // an interrupt leaves fewer draws
	}
	if err != nil {
		return nil, fmt.Errorf("fold %d: %w", k+1, err)
	}
	return v.fold(k).encode(found)
}

func (v *Validation) fold(k int) Fold {
	return Fold{Folds: v.options.Folds, Fold: k + 1, Seed: v.options.Seed}
}

// Take takes the result of a fold.
func (v *Validation) Take(k int, result []byte) error {
	f, found, err := decode(result)
	if err == nil && f != v.fold(k) {
		err = fmt.Errorf("it is of fold %d of %d", f.Fold, f.Folds)
	}
	if err == nil {
		v.results[k] = found
	}
	return err
}

// Report is how well the rows were predicted, once all folds are there.
func (v *Validation) Report() *Report {
	return report(v.model.Name, v.results, v.options.Folds, v.options.Seed)
}

// A response has its predictions in one fold.
type response struct {
	name   string
	binary bool
	key    string // the column that names the rows; "": their numbers do
	rows   []row
}

// A result is what comes of a fold: the predictions, and what is to be said of the fit.
type result struct {
	responses []response
	findings  []posterior.Finding
}

// one fits all folds but k, and predicts that one.
func one(ctx context.Context, m *compile.Model, sources data.Sources, d *division, k int,
	o Options) (out result, err error) {
	part := func(others bool) (data.Sources, error) {
		s, diags, err := sources.Some(d.parties, d.key, d.rows(k, others))
		if diags.HasErrors() {
			return nil, data.Errors(diags)
		}
		return s, err
	}
	train, err := part(true)
	if err != nil {
		return out, err
	}
	test, err := part(false)
	if err != nil {
		return out, err
	}
	p, diags, err := fit.Open(m, train, o.Fit)
	if diags.HasErrors() {
		return out, data.Errors(diags)
	}
	if err != nil {
		return out, err
	}
	r, err := p.Sample(ctx, nil)
	if err != nil {
		return out, err
	}
	predicted, diags, err := fit.PredictBound(ctx, p.BoundModel, r.Draws,
		fit.PredictionRequest{Sources: test, Scored: true, NewLevels: o.NewLevels, Seed: o.Seed,
			Key: o.Fit.Joining.Key, Wire: p.Plan.Wire})
	if diags.HasErrors() {
		return out, data.Errors(diags)
	}
	if err != nil {
		return out, err
	}
	return result{scoresOf(predicted, k, d.numbers(k)), r.Diagnose()}, nil
}

// scoresOf are the rows of a fold, by response. numbers are those of the rows of the fold among all joined
// rows, from 1: their names where there is no key.
func scoresOf(p *fit.Predictions, k int, numbers []string) (out []response) {
	for _, y := range p.Responses {
		of, _ := p.Model.ResponseOf(y.Name)
		one := response{name: of.Data, binary: of.Binary, key: p.Key}
		names := p.Keys
		if names == nil {
			names = numbers
		}
		if len(y.Shape) == 0 || y.Shape[0] != len(names) {
			one.key, names = "", nil
		}
		for e, scores := range y.Scores {
			next := row{fold: k, score: logMeanExp(scores)}
			if names != nil {
				next.key = names[e%len(names)]
			}
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
