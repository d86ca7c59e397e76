package fit

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// refusedPower explains why no pointwise density is computed for a power model.
const refusedPower = `the power model has no pointwise log likelihood: its density is a geometric mean of likelihoods, which is not a distribution of the response.
Run the model with --transform augmented, whose auxiliary variables can be integrated out, or --transform exact or none, to compare models`

// refusedPrior explains why no pointwise density is computed for draws from the prior.
const refusedPrior = "the likelihoods were left out (--prior-only), so that no response has a density"

// refusedNone explains why a model has no pointwise density at all.
const refusedNone = "the model has no likelihood, and no factor of rows, so that there are no observations " +
	"whose density could be estimated"

// mayHaveLogLik returns an error before a run begins if its pointwise densities cannot be computed after it.
func (p *Prepared) mayHaveLogLik() (diag.List, error) {
	switch {
	case !p.options.LogLik:
		return nil, nil
	case p.Checked.Transform.Kind.Powers():
		return nil, usagef("--log-lik: %s", refusedPower)
	case p.Checked.PriorOnly:
		return nil, usagef("--log-lik: %s", refusedPrior)
	}
	m, diags := p.Generative()
	if diags.HasErrors() {
		return diags, nil
	}
	if len(m.Responses) == 0 {
		return diags, usagef("--log-lik: %s", refusedNone)
	}
	for _, y := range m.Responses {
		if y.Dependent != "" {
			return diags, usagef("--log-lik: %s has no pointwise density: %s", y.Name, y.Dependent)
		}
	}
	return diags, nil
}

// LogDensities says which pointwise log densities are wanted, and shows how far they are.
type LogDensities struct {
	// Draws is the number of draws to use, at even distances; 0: all of them, or as many as keep the
	// densities within 1 GB. At least ten of every chain are used.
	Draws int
	// Progress is called after some draws of all; several goroutines call it. It may be nil.
	Progress func(done, all int)
}

// Pointwise computes the log density of every element of every response at the draws that are wanted. It
// needs the data of all parties: it is for simulations and pooled models. Auxiliary variables are integrated
// out, to simulate.Precision. The error holds diagnostics (data.Errors) where no data can be drawn from the
// model.
func Pointwise(b *compile.BoundModel, d *posterior.Draws, want LogDensities) ([]export.Observed, error) {
	switch {
	case b.Checked.Transform.Kind.Powers():
		return nil, errors.New(refusedPower)
	case b.Checked.PriorOnly:
		return nil, errors.New(refusedPrior)
	}
	m, diags := b.Generative()
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	if len(m.Responses) == 0 {
		return nil, errors.New(refusedNone)
	}
	at, err := places(m, d)
	if err != nil {
		return nil, err
	}
	rows := 0
	for _, y := range m.Responses {
		rows += graph.Shape(y.Outcomes).Len()
	}
	j := &densities{m: m, at: at, draws: d, every: want.every(d, rows), progress: want.Progress}
	for c := range d.Chains() {
		j.all += d.Len(c) / j.every
	}
	j.out = make([]export.Observed, len(m.Responses))
	for k, y := range m.Responses {
		j.out[k] = export.Observed{Name: y.Name, Shape: y.Shape, Values: y.Values, Whole: y.Dist.Discrete,
			LogLik: empty(d, graph.Shape(y.Outcomes).Len(), j.every)}
	}
	for k, y := range m.Responses {
		if len(y.Outcomes) < len(y.Shape) {
			j.out[k].Outcomes = y.Outcomes
		}
	}
	return j.out, j.run()
}

// mostDensities is how many log densities are held in memory unless more draws are asked for: 1 GB.
const mostDensities = 1 << 27

// fewestDraws of a chain are left by thinning.
const fewestDraws = 10

// every returns k where every k-th draw is used, for so many rows.
func (w LogDensities) every(d *posterior.Draws, rows int) int {
	all, shortest := 0, math.MaxInt
	for c := range d.Chains() {
		all, shortest = all+d.Len(c), min(shortest, d.Len(c))
	}
	draws := w.Draws
	if draws <= 0 {
		draws = mostDensities / max(1, rows)
	}
	return max(1, min((all-1)/max(1, draws)+1, shortest/fewestDraws))
}

// empty returns arrays by row, chain and draw.
func empty(d *posterior.Draws, rows, every int) [][][]float64 {
	out := make([][][]float64, rows)
	for i := range out {
		out[i] = make([][]float64, d.Chains())
		for c := range out[i] {
			out[i][c] = make([]float64, d.Len(c)/every)
		}
	}
	return out
}

// A placement says where the elements of a model's parameters are among the draws.
type placement struct {
	columns []int     // -1 for an observed cell of imputed data
	known   []float64 // the value of such a cell
}

// fill writes the parameters of a draw, given the values of its columns.
func (p placement) fill(x []float64, value func(column int) float64) {
	copy(x, p.known)
	for k, column := range p.columns {
		if column >= 0 {
			x[k] = value(column)
		}
	}
}

// places finds, for each element of the model's parameters, its column among the draws.
func places(m *model.SimulatedModel, d *posterior.Draws) (out placement, err error) {
	first, column := map[string]int{}, 0
	for _, v := range d.Vars {
		first[v.Name] = column
		column += v.Len()
	}
	out.known, out.columns = make([]float64, m.Graph.Dim()), slices.Repeat([]int{-1}, m.Graph.Dim())
	for k, p := range m.Params {
		port := m.Graph.Params()[k]
		elements := p.Elements(port.Len)
		from, ok := first[p.Name]
		if !ok && len(elements) > 0 {
			return placement{}, fmt.Errorf("the draws have no %s", p.Name)
		}
		if p.Imputed != nil {
			copy(out.known[port.Offset:], p.Imputed.Values)
		}
		for i, e := range elements {
			out.columns[port.Offset+e] = from + i
		}
	}
	return out, nil
}

// densities fills the log densities of all responses, some draws of a chain at a time.
type densities struct {
	m         *model.SimulatedModel
	draws     *posterior.Draws
	at        placement
	every     int
	out       []export.Observed
	progress  func(done, all int)
	done, all int
	lock      sync.Mutex // of done
}

// A segment is some of the used draws of a chain. Auxiliary variables are integrated out at the places that
// are found at its first draw: its results do not depend on who computes it.
type segment struct{ chain, from, to int }

// segmentLength is the number of draws in a segment; batch of them are kept before they are written by rows,
// which needs memory in order.
const (
	segmentLength = 256
	batch         = 32
)

func (j *densities) run() error {
	var segments []segment
	for c := range j.draws.Chains() {
		n := j.draws.Len(c) / j.every
		for from := 0; from < n; from += segmentLength {
			segments = append(segments, segment{c, from, min(n, from+segmentLength)})
		}
	}
	work := make(chan segment, len(segments))
	for _, s := range segments {
		work <- s
	}
	close(work)
	errs := make([]error, min(len(segments), runtime.GOMAXPROCS(0)))
	var wait sync.WaitGroup
	for k := range errs {
		wait.Go(func() {
			for s := range work {
				if errs[k] = j.fill(s); errs[k] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// fill computes a segment.
func (j *densities) fill(s segment) error {
	sim, x := j.m.NewSimulator(), make([]float64, j.m.Graph.Dim())
	lp := make([][batch][]float64, len(j.out))
	for k := range lp {
		for b := range lp[k] {
			lp[k][b] = make([]float64, len(j.out[k].LogLik))
		}
	}
	for first := s.from; first < s.to; first += batch {
		n := min(batch, s.to-first)
		for b := range n {
			j.at.fill(x, func(column int) float64 {
				return j.draws.Column(column)[s.chain][(first+b)*j.every+j.every-1]
			})
			for k := range j.out {
				if err := sim.LogDensity(k, x, lp[k][b]); err != nil {
					return err
				}
			}
		}
		for k := range j.out {
			for e := range j.out[k].LogLik {
				row := j.out[k].LogLik[e][s.chain][first : first+n]
				for b := range row {
					row[b] = lp[k][b][e]
				}
			}
		}
		j.count(n)
	}
	return nil
}

func (j *densities) count(n int) {
	if j.progress == nil {
		return
	}
	j.lock.Lock()
	defer j.lock.Unlock()
	j.done += n
	j.progress(j.done, j.all)
}

// LogLikelihood returns the pointwise densities that the folder of a run holds, or else computes them from
// its model and data, whose diagnostics it returns.
func LogLikelihood(r *posterior.Run, want LogDensities) ([]export.Observed, diag.List, error) {
	stored, err := StoredLogLikelihood(r)
	if err != nil {
		return nil, nil, err
	}
	if len(stored) > 0 {
		if want.Draws > 0 {
			thin(stored, want.every(r.Draws, 0))
		}
		return stored, nil, nil
	}
	b, diags, err := Reopen(r)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out, err := Pointwise(b, r.Draws, want)
	return out, diags, err
}

// StoredLogLikelihood returns the pointwise densities that the folder of a run holds, nil if it has none.
func StoredLogLikelihood(r *posterior.Run) ([]export.Observed, error) {
	if err := posterior.VerifyZarr(r.Path, r.Record); err != nil {
		return nil, err
	}
	stored, err := export.ReadObserved(filepath.Join(r.Path, posterior.ZarrDir))
	if err != nil || slices.ContainsFunc(stored, func(o export.Observed) bool { return o.LogLik == nil }) {
		return nil, err
	}
	return stored, nil
}

// thin leaves every k-th draw.
func thin(responses []export.Observed, k int) {
	for _, y := range responses {
		for _, chains := range y.LogLik {
			for c, all := range chains {
				kept := make([]float64, len(all)/k)
				for i := range kept {
					kept[i] = all[i*k+k-1]
				}
				chains[c] = kept
			}
		}
	}
}
