// Package calibrate checks an inference algorithm on a model by simulation: parameters drawn from their
// priors must have uniform ranks among the posterior draws given data that were drawn with them, and so must
// the log likelihood of these data. Method: Talts, Betancourt, Simpson, Vehtari and Gelman (2018),
// "Validating Bayesian inference algorithms with simulation-based calibration". So is the
// rank of every function of parameters and data: Modrák, Moon, Kim, Bürkner, Huurre, Faltejsková, Gelman and
// Vehtari (2023), "Simulation-based calibration checking for Bayesian computation: The choice of test
// quantities shapes sensitivity". A study is a simulation: it holds the data of all parties, and nothing
// crosses.
package calibrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	ranked    = 99 // draws among which a value is ranked: a hundred ranks
	doublings = 4  // how many times a chain may be doubled in length to reach that many effective draws
)

// A Calibration is a simulation-based calibration: everything that its replicates share.
type Calibration struct {
	prepared *fit.Prepared
	model    *model.SimulatedModel
	drawer   *fit.Drawer
	settings []backends.Settings // of fits whose chains are 1, 2, 4, … times as long as asked for
	scale    func(string) float64
	seed     uint64
	// quantities are ranked: all scalars that vary, in the order of the simulator's parameters, and after
	// them the log likelihood where there are responses.
	quantities []posterior.Scalar
	elements   []int // where the scalars are among the parameters
	likelihood bool
	scaled     []string // parameters whose priors have a scale
	results    []replicate
}

// A replicate is the outcome of one data set.
type replicate struct {
	done        bool
	ranks       []int
	ess         float64 // the least of any quantity
	divergences int
	err         error
	fatal       bool // the error does not depend on the data of the replicate
}

// New prepares a study of a model with a number of replicates, each of which replaces the responses in the
// data. Settings and seed are those that the model was opened with. A model that cannot be simulated is an
// error or a diagnostic, which shows the place.
func New(p *fit.Prepared, replicates int) (*Calibration, diag.List, error) {
	if p.Checked.Transform.Kind.Powers() {
		return nil, nil,
			&fit.UsageError{Err: errors.New("the power model cannot be calibrated: its density is a " +
				"geometric mean of likelihoods, which is not a distribution to draw data from; use " +
				"--transform exact, augmented or none")}
	}
	m, diags := p.Generative()
	if diags.HasErrors() {
		return nil, diags, nil
	}
	s := &Calibration{prepared: p, model: m, seed: p.Record.Seed, results: make([]replicate, replicates)}
	if err := s.plan(); err != nil {
		return nil, diags, err
	}
	if diags = append(diags, Simulable(p.BoundModel, m)...); diags.HasErrors() {
		return nil, diags, nil
	}
	if diags = append(diags, s.order()...); diags.HasErrors() {
		return nil, diags, nil
	}
	labels := map[string][][]string{}
	for _, own := range p.BoundModel.Labels() { // a study is a simulation, which holds all parties
		maps.Copy(labels, own)
	}
	for k, param := range m.Params {
		if param.Initial != nil {
			return nil, diags,
				fmt.Errorf("%s is a weight: a point estimate has no rank among draws; give it a prior "+
					"(param %[1]s : … ~ …) to calibrate the model", param.Name)
		}
		port := m.Graph.Params()[k]
		columns := posterior.Columns(posterior.Labelled([]posterior.Variable{{Name: param.Name,
			Dims: param.Dims(port.Shape)}}, labels))
		for i, e := range param.Elements(port.Len) {
			if !param.Fixed(e, port.Shape) {
				s.quantities, s.elements = append(s.quantities, columns[i]), append(s.elements, port.Offset+e)
			}
		}
		if param.Dist.ScaleAt >= 0 {
			s.scaled = append(s.scaled, param.Name)
		}
	}
	if s.likelihood = len(m.Responses) > 0; s.likelihood {
		s.quantities = append(s.quantities, posterior.Scalar{Name: LogLikelihood})
	}
	return s, diags, nil
}

// order finds out whether there is an order in which the responses can be drawn.
func (s *Calibration) order() (diags diag.List) {
	if s.drawer, diags = fit.NewDrawer(s.prepared.BoundModel, s.model, nil); diags.HasErrors() {
		return diags
	}
	simulator, stream, x := s.model.NewSimulator(), vector.NewGenerator(vector.SharedKey(s.seed), "calibrate").Rand(),
		make([]float64, s.model.Graph.Dim())
	if simulator.Prior(stream, x, nil) != nil {
		return diags // a replicate will say so
	}
	_, err := s.drawer.Draw(simulator, stream, x)
	var found data.Errors
	if errors.As(err, &found) {
		diags = append(diags, found...)
	}
	return diags
}

// plan finds the settings of longer fits. An approximation can draw any number and needs none.
func (s *Calibration) plan() error {
	s.settings = []backends.Settings{s.prepared.Settings}
	draws, ok := s.prepared.Algorithm.In(backends.Draws)
	if !ok || !s.chains() {
		return nil
	}
	for longer := range doublings {
		given := maps.Clone(s.prepared.Given())
		if given == nil {
			given = map[string]string{}
		}
		given[draws.Name] = strconv.Itoa(s.prepared.Settings.Plan.Draws << (longer + 1))
		more, err := s.prepared.Algorithm.Resolve(s.prepared.Settings.Transform, given)
		if err != nil {
			return &fit.UsageError{Err: err}
		}
		s.settings = append(s.settings, more)
	}
	return nil
}

// chains reports whether draws are those of a Markov chain, which depend on one another.
func (s *Calibration) chains() bool { return s.prepared.Algorithm.Gives == backends.Markov }

// Scaled lists the parameters whose priors have a scale that Misstate can change.
func (s *Calibration) Scaled() []string { return s.scaled }

// Misstate simulates with the scale of a parameter's prior divided by a factor, so that a correct algorithm
// must fail: it shows that the study detects such an error. It panics where the parameter is not Scaled or
// the factor not positive.
func (s *Calibration) Misstate(parameter string, factor float64) {
	if !(factor > 0) || !slices.Contains(s.scaled, parameter) {
		panic(fmt.Sprintf("calibrate: %s has no scale that could be divided by %g", parameter, factor))
	}
	s.scale = func(name string) float64 {
		if name == parameter {
			return 1 / factor
		}
		return 1
	}
}

// A done is a replicate as it is written down. The effective sample size is a text, which keeps every bit,
// and infinity.
type done struct {
	Number      int    `json:"number"`
	Ranks       []int  `json:"ranks,omitempty"`
	ESS         string `json:"ess,omitempty"`
	Divergences int    `json:"divergences,omitempty"`
	Failed      string `json:"failed,omitempty"` // why it could not be fitted
}

// Make does some replicates and writes down what came out, for Take. It may be called for several parts at
// the same time. The error is that of the first whose fit failed for a reason other than its data.
func (s *Calibration) Make(ctx context.Context, part cells.Steps) ([]byte, error) {
	simulator := s.model.NewSimulator()
	var all []done
	for k := part.First; k < part.End; k++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := s.replicate(ctx, simulator, k)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case r.fatal:
			return nil, r.err
		}
		one := done{Number: k, Divergences: r.divergences}
		if r.err != nil {
			one.Failed = r.err.Error()
		} else {
			one.Ranks, one.ESS = r.ranks, strconv.FormatFloat(r.ess, 'g', -1, 64)
		}
		all = append(all, one)
	}
	return json.Marshal(all)
}

// Take takes the results of some replicates.
func (s *Calibration) Take(part cells.Steps, result []byte) error {
	var all []done
	if err := json.Unmarshal(result, &all); err != nil {
		return err
	}
	if len(all) != part.End-part.First {
		return fmt.Errorf("it has %d replicates, not %d", len(all), part.End-part.First)
	}
	for k, one := range all {
		if one.Number != part.First+k {
			return fmt.Errorf("it has replicate %d, not %d", one.Number, part.First+k)
		}
		r := replicate{ranks: one.Ranks, divergences: one.Divergences}
		if one.Failed != "" {
			r.err = errors.New(one.Failed)
		} else if r.done = true; len(r.ranks) != len(s.quantities) ||
			slices.ContainsFunc(r.ranks, func(v int) bool {
				return v < 0 || v > ranked
			}) {
			return fmt.Errorf("replicate %d has ranks that there are not", one.Number)
		} else if ess, err := strconv.ParseFloat(one.ESS, 64); err != nil {
			return err
		} else {
			r.ess = ess
		}
		s.results[one.Number] = r
	}
	return nil
}

// replicate draws a data set, fits it, and ranks the quantities at the parameters that it was made with. Its
// random numbers depend only on the seed and its number.
func (s *Calibration) replicate(ctx context.Context, simulator *model.Simulator,
	number int) (out replicate) {
	stream := vector.NewGenerator(vector.SharedKey(s.seed), "calibrate "+strconv.Itoa(number)).Rand()
	truth := make([]float64, s.model.Graph.Dim())
	if out.err = simulator.Prior(stream, truth, s.scale); out.err != nil {
		out.fatal = true
		return out
	}
	responses, err := s.drawer.Draw(simulator, stream, truth)
	if err != nil {
		out.err = err
		return out
	}
	d, err := s.with(responses, truth)
	if err != nil {
		out.err = err
		return out
	}
	s.rankIn(ctx, d, stream, &out)
	return out
}

// rankIn fits simulated data and ranks the truth among the draws. A Markov chain is made longer until it has
// enough effective draws.
func (s *Calibration) rankIn(ctx context.Context, d *simulated, stream *rand.Rand, out *replicate) {
	seed, truth := stream.Uint64(), make([]float64, len(s.quantities))
	if out.err = s.evaluate(d, d.truth, truth); out.err != nil {
		return
	}
	for _, settings := range s.settings {
		var draws [][]float64
		if draws, out.divergences, out.err = s.fit(ctx, d, seed, settings); out.err != nil {
			var usage *fit.UsageError
			out.fatal = errors.As(out.err, &usage)
			return
		}
		out.ess, out.ranks = rank(truth, draws, stream)
		if out.ess >= ranked {
			break
		}
	}
	out.done = true
}

// rank ranks the truth among thinned draws, and returns the least effective sample size of the chain.
func rank(truth []float64, draws [][]float64, ties *rand.Rand) (ess float64, ranks []int) {
	ess = math.Inf(1)
	for k, column := range draws {
		ranks = append(ranks, Rank(truth[k], Thinned(column, ranked), ties))
		if v := posterior.ESSBulk([][]float64{column}); v < ess {
			ess = v
		}
	}
	return ess, ranks
}
