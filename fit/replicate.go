package fit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// A Replication is draws of the responses of a run from its model, at some of its draws.
type Replication struct {
	Responses []export.Observed
	Draws     *posterior.Draws // those that were used
	Prior     bool             // they are of the prior
}

// UsualReplicates in place of a number of draws is usualReplicates of them, and fewer where the observations
// are so many that their replicates would not fit into usualValues numbers.
const UsualReplicates = -1

const (
	usualReplicates = 1000
	usualValues     = 25_000_000 // 200 MB
)

// Replicate draws the responses of a run again, at the given number of its draws (0: all; UsualReplicates),
// with new noise of auxiliary variables where the transform adds some. It needs the data of all parties: it
// is for simulations and pooled models. The error holds diagnostics (data.Errors) where nothing can be drawn
// from the model.
func Replicate(ctx context.Context, r *posterior.Run, draws int, seed uint64) (*Replication, diag.List,
	error) {
	if r.Record != nil && r.Record.PriorOnly { // its draws are of the prior: so are the replicates
		whole, record := *r, *r.Record
		record.PriorOnly, whole.Record = false, &record
		r = &whole
	}
	b, diags, err := Reopen(r)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out, err := ReplicateBound(ctx, b, r.Draws, draws, seed)
	return out, diags, err
}

// ReplicateBound is Replicate for a model that has its data.
func ReplicateBound(ctx context.Context, b *compile.BoundModel, d *posterior.Draws, draws int,
	seed uint64) (*Replication, error) {
	m, found := b.Generative()
	if found.HasErrors() {
		return nil, data.Errors(found)
	}
	if err := replicable(m); err != nil {
		return nil, err
	}
	if draws == UsualReplicates {
		draws = usual(m.Responses)
	}
	out := &Replication{Draws: thinned(d, draws)}
	at, err := places(m, out.Draws)
	if err != nil {
		return nil, err
	}
	n := out.Draws.Len(0)
	for _, y := range m.Responses {
		if len(y.Values)*n*out.Draws.Chains() > mostValues {
			return nil, fmt.Errorf("%d observations at %d draws are too many to keep; use fewer draws",
				len(y.Values), n*out.Draws.Chains())
		}
		out.Responses = append(out.Responses, export.Observed{Name: y.Name, Shape: y.Shape, Values: y.Values,
			Whole: y.Dist.Discrete, Replicates: empty(out.Draws, len(y.Values), 1)})
	}
	s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
	for c := range out.Draws.Chains() {
		stream := vector.NewGenerator(vector.SharedKey(seed), fmt.Sprintf("replicates of chain %d", c+1))
		for i := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			stream.Round(uint64(i))
			at.fill(x, func(column int) float64 { return out.Draws.Column(column)[c][i] })
			values, err := s.Responses(stream.Rand(), x)
			if err != nil {
				return nil, err
			}
			for k := range values {
				for e, v := range values[k] {
					out.Responses[k].Replicates[e][c][i] = v
				}
			}
		}
	}
	return out, nil
}

// usual is the number of draws that UsualReplicates stands for.
func usual(responses []model.Response) int {
	n := 1
	for _, y := range responses {
		n += len(y.Values)
	}
	return max(1, min(usualReplicates, usualValues/n))
}

// thinned leaves about so many draws, at even distances; 0 leaves all.
func thinned(d *posterior.Draws, draws int) *posterior.Draws {
	least, all := d.Len(0), 0
	for c := range d.Chains() {
		least, all = min(least, d.Len(c)), all+d.Len(c)
	}
	every := 1
	if draws > 0 {
		every = min(least, max(1, all/draws))
	}
	out := posterior.NewDraws(d.Vars, d.Chains(), least/every)
	if d.Transitions != nil {
		out.Transitions = make([][]posterior.Transition, d.Chains())
	}
	row := make([]float64, len(d.Columns()))
	for c := range d.Chains() {
		for i := every - 1; i < least/every*every; i += every {
			for k := range row {
				row[k] = d.Column(k)[c][i]
			}
			out.Append(c, row)
			if d.Transitions != nil {
				out.AppendTransition(c, d.Transitions[c][i])
			}
		}
	}
	return out
}

// WriteZarr writes the draws that were used with the responses and their replicates, for ArviZ. A path that
// exists must be a Zarr directory.
func (p *Replication) WriteZarr(path string) error {
	if _, err := os.Stat(path); err == nil {
		if _, err := os.Stat(filepath.Join(path, ".zgroup")); err != nil {
			return fmt.Errorf("%s already exists and is not a Zarr directory", path)
		}
	}
	attrs := map[string]any{"inference_library": "vflc", "inference_library_version": Version()}
	groups := export.Inference(p.Draws, attrs, p.Responses)
	if p.Prior {
		groups = export.OfPrior(groups)
	}
	return export.WriteZarr(path, nil, groups)
}
