package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/assess"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/model"
)

// A NewPoints evaluates the density that a run drew from at points that are no draws of it, by unconstrained
// coordinates of the parameters: with all parties' data in one process, and where the transform adds noise,
// with its auxiliary variables integrated out. Several goroutines may call it.
type NewPoints struct {
	draws  [][]float64
	alone  *compile.BoundModel   // without parties and noise
	model  *model.SimulatedModel // with noise
	noise  bool
	idle   sync.Pool // of evaluators
	lock   sync.Mutex
	failed error
}

// An evaluator is what one goroutine evaluates with.
type evaluator struct {
	joint *JointDensity
	rows  *model.Simulator
	at    placement
	x     []float64
	grad  []float64
	lp    [][]float64 // by response
}

// NewNewPoints returns the density of a model with its data, at every k-th of the draws as LogDensities has
// them for so many rows. The error holds diagnostics (data.Errors) of the model.
func NewNewPoints(b *compile.BoundModel, d *posterior.Draws, every int) (*NewPoints, error) {
	if why := refusedRows(b); why != "" {
		return nil, refused(diag.NoNewPoints, why)
	}
	m, diags := b.Generative()
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	alone, diags, err := b.WithoutParties()
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	if err != nil {
		return nil, err
	}
	p := &NewPoints{alone: alone, model: m, noise: len(m.Noise) > 0}
	e, err := p.newEvaluator()
	if err != nil {
		return nil, err
	}
	p.idle.Put(e)
	return p, p.place(e.joint, d, every)
}

func (p *NewPoints) newEvaluator() (*evaluator, error) {
	joint, err := NewJointDensity(p.alone)
	if err != nil {
		return nil, err
	}
	e := &evaluator{joint: joint, rows: p.model.NewSimulator(), x: make([]float64, p.model.Graph.Dim()),
		grad: make([]float64, joint.Dim())}
	e.at, err = places(p.model, posterior.NewDraws(joint.Params, 1, 1))
	for _, y := range p.model.Responses {
		n := 1
		for _, k := range y.Outcomes {
			n *= k
		}
		e.lp = append(e.lp, make([]float64, n))
	}
	return e, err
}

// place sets the unconstrained draws.
func (p *NewPoints) place(joint *JointDensity, d *posterior.Draws, every int) error {
	first, column := map[string]int{}, 0
	for _, v := range d.Vars {
		first[v.Name], column = column, column+v.Len()
	}
	for c := range d.Chains() {
		for i := every - 1; i < d.Len(c)/every*every; i += every {
			var entries []*data.Entry
			for _, v := range joint.Params {
				from, ok := first[v.Name]
				if !ok {
					return fmt.Errorf("the draws have no %s", v.Name)
				}
				values := make([]float64, v.Len())
				for k := range values {
					values[k] = d.Column(from + k)[c][i]
				}
				entries = append(entries, data.NewEntry(v.Name, v.Dims, values))
			}
			u, errs := joint.Unconstrain(entries)
			if err := errors.Join(errs...); err != nil {
				return fmt.Errorf("draw %d of chain %d: %w", i+1, c+1, err)
			}
			p.draws = append(p.draws, u)
		}
	}
	return nil
}

// Draws are the draws of the run, by unconstrained coordinates.
func (p *NewPoints) Draws() [][]float64 { return p.draws }

// Err is the first error of an evaluation.
func (p *NewPoints) Err() error {
	if p == nil {
		return nil
	}
	return p.failed
}

// Moving is leave-one-out cross-validation that moves draws, of so many responses; without new points it is
// that which was given.
func (p *NewPoints) Moving(c assess.Criterion, responses int) assess.Criterion {
	if p == nil {
		return c
	}
	return assess.Moving(p.Densities(responses))
}

// Densities are those of so many responses; nil without new points.
func (p *NewPoints) Densities(responses int) (all []assess.PointDensity) {
	if p == nil {
		return nil
	}
	for k := range responses {
		all = append(all, pointsOf{p, k})
	}
	return all
}

// each evaluates points: joint is log p(y, θ), with all constants and the Jacobian, and the log densities of
// rows stand in the evaluator.
func (p *NewPoints) each(points [][]float64, take func(s int, joint float64, e *evaluator)) {
	e, ok := p.idle.Get().(*evaluator)
	var err error
	switch {
	case !ok:
		e, err = p.newEvaluator()
	case p.noise: // whose integrals begin where the first did: results do not depend on who computes them
		e.rows = p.model.NewSimulator()
	}
	for s := 0; s < len(points) && err == nil; s++ {
		var joint float64
		if joint, err = p.evaluate(e, points[s]); err == nil {
			take(s, joint, e)
		}
	}
	if err == nil {
		p.idle.Put(e)
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.failed = errors.Join(p.failed, err)
}

func (p *NewPoints) evaluate(e *evaluator, u []float64) (float64, error) {
	ctx := context.Background()
	joint, err := e.joint.LogDensity(ctx, u, true, e.grad)
	if err != nil || math.IsNaN(joint) || math.IsInf(joint, 0) {
		for _, lp := range e.lp {
			for i := range lp {
				lp[i] = math.NaN()
			}
		}
		return math.Inf(-1), err
	}
	values, err := e.joint.Constrain(ctx, u, 0)
	if err != nil {
		return 0, err
	}
	e.at.fill(e.x, func(column int) float64 { return values[column] })
	if p.noise {
		joint -= e.rows.LogLikelihood(e.x)
	}
	for k, lp := range e.lp {
		if err := e.rows.LogDensity(k, e.x, lp); err != nil {
			return 0, err
		}
		if p.noise {
			joint += portable.Sum(lp)
		}
	}
	return joint, nil
}

// pointsOf has the rows of one response.
type pointsOf struct {
	*NewPoints
	response int
}

// At implements assess.PointDensity.
func (p pointsOf) At(points [][]float64, i int, joint, row []float64) {
	p.each(points, func(s int, v float64, e *evaluator) { joint[s], row[s] = v, e.lp[p.response][i] })
}

// AtNewPoints are the log densities of a run's rows at its draws, and its density elsewhere.
func (f *Finished) AtNewPoints(want LogDensities) ([]export.Observed, *NewPoints, diag.List, error) {
	b, diags, err := f.rebound("moment matching")
	if err != nil || diags.HasErrors() {
		return nil, nil, diags, err
	}
	responses, err := Pointwise(b, f.Draws, want)
	if err != nil {
		return nil, nil, diags, err
	}
	rows := 0
	for _, y := range responses {
		rows += len(y.LogLik)
	}
	p, err := NewNewPoints(b, f.Draws, want.every(f.Draws, rows))
	return responses, p, diags, err
}

// refusedRows says why the density that a run drew from is none of rows and priors; "" where it is one.
func refusedRows(b *compile.BoundModel) string {
	switch t := b.Checked.Transform.Kind; {
	case t.Powers():
		return refusedPower
	case t.Released():
		return "under transform private the density is of sums that were released, and not of rows; run " +
			"the model with --transform none, with all tables in one process"
	case b.Checked.PriorOnly:
		return refusedPrior + "; run the model without --prior-only"
	}
	return ""
}

// refused is the error of one diagnostic without a place.
func refused(code diag.Code, why string) error {
	var diags diag.List
	diags.Errorf(code, nil, source.Span{}, "%s", strings.ReplaceAll(why, "\n", " "))
	return data.Errors(diags)
}

// rebound is the model of the run with its data, for something that all parties' tables are needed for.
func (f *Finished) rebound(what string) (*compile.BoundModel, diag.List, error) {
	if f.Result != nil {
		return f.Bound, nil, nil
	}
	if part, err := IsPart(f.Run); err != nil {
		return nil, nil, err
	} else if part {
		return nil, nil, refused(diag.NoNewPoints, fmt.Sprintf("%s is one party's part of a run across "+
			"machines, and for %s the densities of all parties are needed at points for which no round "+
			"was made; run vflc where one process may read all tables, or compare models by vflc serve "+
			"--cv and vflc join --cv",
			f.Path, what))
	}
	return Reopen(f.Run)
}

// Transform returns LOO-PIT of the responses that are numbers, from replicates at the usual number of draws.
func (f *Finished) Transform(ctx context.Context) ([]assess.Transformed, diag.List, error) {
	b, diags, err := f.rebound("LOO-PIT")
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	again, err := ReplicateBound(ctx, b, f.Draws, UsualReplicates, 1)
	if err != nil {
		return nil, diags, err
	}
	weights, err := Pointwise(b, again.Draws, LogDensities{Draws: again.Draws.Chains() * again.Draws.Len(0)})
	if err != nil {
		return nil, diags, err
	}
	var numbers []export.Observed
	for k, y := range weights {
		if y.Replicates = again.Responses[k].Replicates; y.Outcomes == nil {
			numbers = append(numbers, y)
		}
	}
	if len(numbers) == 0 {
		return nil, diags, errors.New("no response is of numbers, which alone can lie below one another")
	}
	return assess.Transform(numbers, f.Draws.Independent()), diags, nil
}
