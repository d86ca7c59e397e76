package fit

import (
	"context"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// A Finished is a run whose draws are at hand: that of a folder, whose model and tables are read again where
// they are needed, or one that this process has made.
type Finished struct {
	*posterior.Run
	Published []posterior.SummaryRow // of other parties, whose draws are not here
	Result    *Result                // of this process; nil: of a folder
	Bound     *compile.BoundModel    // its model with its data, of this process
}

// Replicate is Replicate of the run.
func (f *Finished) Replicate(ctx context.Context, draws int, seed uint64) (*Replication, diag.List, error) {
	if f.Result == nil {
		return Replicate(ctx, f.Run, draws, seed)
	}
	out, err := ReplicateBound(ctx, f.Bound, f.Draws, draws, seed)
	return out, nil, err
}

// ReplicateWritten draws the responses again from the model as it is written, without the noise of its
// transform.
func (f *Finished) ReplicateWritten(ctx context.Context, draws int, seed uint64) (*Replication, diag.List,
	error) {
	if draws == UsualReplicates {
		draws = usualReplicates
	}
	p, diags, err := f.Predict(ctx, PredictionRequest{Draws: draws, Seed: seed, Scored: true})
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out, err := p.Replication(f.Draws, draws)
	return out, diags, err
}

// Predict is Predict with the draws of the run.
func (f *Finished) Predict(ctx context.Context, q PredictionRequest) (*Predictions, diag.List, error) {
	if f.Result == nil {
		return Predict(ctx, f.Run, q)
	}
	if len(q.Data) == 0 {
		q.Data = RecordedData(f.Record)
	}
	q.Wire, q.Intersect = WireOf(f.Record), f.Record.Intersect
	return PredictBound(ctx, f.Bound, f.Draws, q)
}

// LogLikelihood is LogLikelihood of the run.
func (f *Finished) LogLikelihood(want LogDensities) ([]export.Observed, diag.List, error) {
	if f.Result == nil {
		return LogLikelihood(f.Run, want)
	}
	out, err := Pointwise(f.Bound, f.Draws, want)
	return out, nil, err
}

// ELBO is the trace of the evidence lower bound.
func (f *Finished) ELBO() ([]posterior.ELBOPoint, error) {
	if f.Result != nil {
		return f.Result.ELBO(), nil
	}
	return f.Run.ELBO()
}
