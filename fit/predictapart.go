package fit

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// mostShares is how many draws cross together in a prediction across processes.
const mostShares = 16

// PredictionTrips is how many round trips a prediction across processes takes with so many draws.
func PredictionTrips(draws int) int { return (draws + mostShares - 1) / mostShares }

// FittedOf is what a party's run keeps for new rows.
func FittedOf(r *posterior.Run, b *compile.OneParty) (compile.FittedModel, error) {
	recipes, err := recipesOf(r.Path)
	if err != nil {
		return compile.FittedModel{}, err
	}
	own, ok := recipes[b.Party]
	if !ok {
		var diags diag.List
		diags.Errorf(diag.FittedByOthers, nil, source.Span{},
			"%s is no run of %s: its encoders are not in it", r.Path, b.Party)
		return compile.FittedModel{}, data.Errors(diags)
	}
	return compile.FittedModel{Recipes: own, Sizes: sizesOf(b.Checked, r.Draws)}, nil
}

// PredictApart is one party's part of Predict, where each party is in a process of its own: b has the party's
// program of a prediction and its rows, and plan the wire of all parties (PlanApart). run has the party's own
// draws, of which the number wanted is used, at even distances; 0: all. The predictions are those of the
// responses that this party draws.
func PredictApart(ctx context.Context, b *compile.OneParty, run *posterior.Run, plan *model.Plan, a *Apart,
	draws int) (*Predictions, error) {
	d := run.Draws
	recipes, err := recipesOf(run.Path)
	if err != nil {
		return nil, err
	}
	p := &Predictions{Model: &compile.Prediction{Model: b.Model, Responses: b.Manifest.Predicted},
		recipes: recipes, NewLevels: map[string]int{}}
	columns, err := columnsOfParties(b.BoundModel, d, nil)
	if err != nil {
		return nil, err
	}
	every := everyOf(d, draws)
	if err := p.prepare(b.BoundModel, d, every); err != nil {
		return nil, err
	}
	shares := max(1, min(mostShares, p.Draws))
	side, err := session.RemoteChains(plan, a.Index, a.Transport, a.Keys, shares)
	if err != nil {
		return nil, err
	}
	err = side.Each(ctx, func(ctx context.Context, k int) error {
		for c := range d.Chains() {
			if err := p.chain(ctx, density.Streams(side.Envs[k], c+1), d, columns,
				used{chain: c, every: every, share: k, shares: shares}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k := range side.Envs {
		p.Work = p.Work.Beside(*side.Envs[k].Work())
	}
	p.finish()
	if len(p.Responses) > 0 && len(p.Responses[0].Shape) > 0 {
		p.Key, p.Keys = b.Data.RowKeys(p.Responses[0].Shape[0])
	}
	return p, nil
}

// everyOf returns k where every k-th draw is used, if so many are wanted.
func everyOf(d *posterior.Draws, draws int) int {
	all := 0
	for c := range d.Chains() {
		all += d.Len(c)
	}
	if draws > 0 {
		return max(1, all/draws)
	}
	return 1
}

// Save writes the predictions to a folder: as JSON and CSV, and the draws of the responses.
func (p *Predictions) Save(dir string, probs []float64) error {
	d := p.Document(probs)
	for _, f := range []struct {
		name string
		fill func(io.Writer) error
	}{{posterior.PredictedDraws, p.WriteDraws}, {posterior.PredictedTable, d.WriteCSV},
		{posterior.PredictedFile, func(w io.Writer) error {
			return posterior.WriteJSON(w, d)
		}}} {
		if err := writeSynced(dir, f.name, f.fill); err != nil {
			return err
		}
	}
	return nil
}

// Replication is predictions of the rows of a run as replicates of its responses, which were scored.
// Replicates are of the model as it is written. d are the draws of the run.
func (p *Predictions) Replication(d *posterior.Draws, draws int) (*Replication, error) {
	out := &Replication{Draws: thinned(d, draws)}
	n := out.Draws.Len(0)
	if n*out.Draws.Chains() != p.Draws {
		return nil, fmt.Errorf("the chains of the run have different numbers of draws")
	}
	for _, r := range p.Responses {
		of, _ := p.Model.ResponseOf(r.Name)
		if r.Observed == nil {
			return nil, fmt.Errorf("%s was not observed", of.Data)
		}
		if of.Censored {
			return nil, model.ErrCensored(of.Data)
		}
		one := export.Observed{Name: r.Name[:strings.LastIndex(r.Name, ".")+1] + of.Data, Shape: r.Shape,
			Values: r.Observed, Whole: of.Discrete}
		for _, y := range r.Draws {
			one.Replicates = append(one.Replicates, slices.Collect(slices.Chunk(y, n)))
		}
		out.Responses = append(out.Responses, one)
	}
	return out, nil
}
