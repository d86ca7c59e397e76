package fit

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit/assess"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/def"
)

// A MarginalLikelihood is the logarithm of that of a run's model, in nats.
type MarginalLikelihood struct {
	Schema int              `json:"schema"`
	Run    string           `json:"run"`
	Model  string           `json:"model"`
	Log    posterior.Number `json:"log"`
	SE     posterior.Number `json:"se"` // relative, of the marginal likelihood itself
	Method string           `json:"method"`
	Draws  int              `json:"draws,omitempty"` // of the run, that were used
	K      posterior.Number `json:"k"`               // the Pareto shape of importance weights
	Notes  []string         `json:"notes"`
	values [][]float64      // the responses
}

// What a marginal likelihood was estimated by.
const (
	byFit        = "importance weights of the fit"
	byBridge     = "bridge sampling"
	byImportance = "importance sampling"
)

// mostEvidenceDraws is how many draws are used unless more are asked for.
const mostEvidenceDraws = 4000

// Evidence returns the marginal likelihood: from the weights of a fit over a grid, where the run has that,
// else by bridge sampling with the draws of a sampler, or by importance sampling around those of an
// approximation.
func (f *Finished) Evidence(want LogDensities, seed uint64) (MarginalLikelihood, diag.List, error) {
	out := MarginalLikelihood{Schema: posterior.Schema, Run: f.Path, Model: f.Name(), Method: byFit,
		K: posterior.NotApplicable(), Notes: []string{}}
	weighed := f.Document != nil && f.Document.Evidence != nil
	if part, err := IsPart(f.Run); err != nil {
		return out, nil, err
	} else if part && weighed {
		out.Log, out.SE = f.Document.Evidence.Value, f.Document.Evidence.SE
		out.Notes = append(out.Notes, "whether every prior is a distribution was not looked at: the "+
			"programs of other parties are elsewhere")
		return out, nil, nil
	}
	b, diags, err := f.rebound("the marginal likelihood")
	if err != nil || diags.HasErrors() {
		return out, diags, err
	}
	if f.Document != nil && f.Document.Note != "" {
		diags.Errorf(diag.NoEvidence, nil, source.Span{}, "%s: the draws are conditional on a maximum, "+
			"and not of the posterior; fit with --backend nuts", f.Path)
		return out, diags, nil
	}
	m, found := b.Priors()
	if diags = append(diags, found...); !diags.HasErrors() {
		diags = append(diags, unnormalised(b, m)...)
	}
	if diags.HasErrors() {
		return out, diags, nil
	}
	for _, y := range m.Responses {
		out.values = append(out.values, y.Values)
	}
	for _, what := range m.Undrawn {
		out.Notes = append(out.Notes, "the model has "+what+": its constants are taken as they are written")
	}
	constant := orders(m)
	if weighed {
		out.Log, out.SE = f.Document.Evidence.Value+posterior.Number(constant), f.Document.Evidence.SE
		return out, diags, nil
	}
	if want.Draws == 0 {
		want.Draws = mostEvidenceDraws
	}
	p, err := NewNewPoints(b, f.Draws, want.every(f.Draws, 0))
	if err != nil {
		return out, diags, err
	}
	out.estimate(p, f.Draws, seed)
	out.Log += posterior.Number(constant)
	return out, diags, p.Err()
}

// estimate sets the estimate from the density at new points.
func (m *MarginalLikelihood) estimate(p *NewPoints, d *posterior.Draws, seed uint64) {
	draws := p.Draws()
	joint := func(points [][]float64, values []float64) {
		p.each(points, func(s int, v float64, _ *evaluator) { values[s] = v })
	}
	var e assess.EvidenceEstimate
	if m.Draws = len(draws); d.Independent() {
		m.Method, e = byImportance, assess.Importance(draws, joint, seed)
		if !(e.K <= reliable(len(draws))) {
			m.Notes = append(m.Notes, fmt.Sprintf("the Pareto shape of the weights is %.2f, above %.2f: "+
				"the estimate and its error are not reliable; fit with --backend nuts", e.K,
				reliable(len(draws))))
		}
	} else {
		var chains [][][]float64
		each := len(draws) / d.Chains()
		for c := range d.Chains() {
			chains = append(chains, draws[c*each:][:each])
		}
		m.Method, e = byBridge, assess.Bridge(chains, joint, seed)
	}
	m.Log, m.SE, m.K = posterior.Number(e.Log), posterior.Number(e.SE), posterior.Number(e.K)
	if math.IsNaN(e.Log) {
		m.Notes = append(m.Notes, "the bridge did not settle: its proposal and the posterior hardly "+
			"overlap; take more draws")
	} else if e.SE > largeError {
		m.Notes = append(m.Notes, "the error is large, and then is itself uncertain: take more draws "+
			"(--draws), or a parameterisation whose posterior is nearer to a normal one")
	}
}

// largeError is a relative error of the marginal likelihood that leaves a Bayes factor uncertain by a third.
const largeError = 0.3

// unnormalised are the parameters whose priors are no distributions, or have no constants.
func unnormalised(b *compile.BoundModel, m *model.SimulatedModel) (diags diag.List) {
	for k := range m.Params {
		p := &m.Params[k]
		why, instead := "", "give it a prior that is a distribution"
		switch {
		case p.Initial != nil:
			why = "is a weight, which has no prior"
		case !p.Dist.Proper():
			why = "has the improper prior " + p.Dist.Name
		case p.Imputed != nil:
		case increasing(p):
		case p.Structure != nil && p.Dist.Support != p.Structure.Support:
			why = "is " + p.Structure.Name + ", and its prior is not normalised over such values"
		case p.Cut:
			why = "has bounds that cut off a part of its prior, which is not normalised over what is left"
			instead = "write `truncate` in place of the bounds, or a distribution of what is left, " +
				"as half_normal"
		}
		if why != "" {
			diags.Errorf(diag.NoEvidence, b.Source, placeOf(b, p).Span(),
				"%s %s: the marginal likelihood "+
					"is not defined up to a constant that is known", p.Name, why).Note("%s", instead)
		}
	}
	return diags
}

// increasing reports whether a parameter is vectors of independent numbers of one distribution given that
// they increase.
func increasing(p *model.Param) bool {
	if p.Structure == nil || p.Dist.Event != nil || !p.Top || !p.Equal {
		return false
	}
	lower, _ := p.Dist.Support.Bounds([]float64{0, 0})
	return p.Structure.Support == def.Ordered && math.IsInf(lower, -1) ||
		p.Structure.Support == def.PositiveOrdered && lower == 0
}

// orders is the logarithm of the number of orders of the elements of such vectors, of which a prior holds
// one: its density is that many times too small.
func orders(m *model.SimulatedModel) (log float64) {
	for k := range m.Params {
		if p := &m.Params[k]; increasing(p) {
			shape := m.Graph.Params()[k].Shape
			n := shape[len(shape)-1]
			log += float64(float64(shape.Len()/n) * portable.Lgamma(float64(n+1)))
		}
	}
	return log
}

// WriteEvidence writes marginal likelihoods with their differences from the first.
func WriteEvidence(w io.Writer, all []MarginalLikelihood) error {
	rows := [][]string{{"run", "model", "log evidence", "se", "difference", "se", "by"}}
	text := ""
	for k, m := range all {
		difference, se := "", ""
		if k > 0 && !slices.EqualFunc(m.values, all[0].values, slices.Equal[[]float64]) {
			difference, se = "-", "-"
			text += m.Run + ": its responses are not those of " + all[0].Run +
				", so that the difference says nothing\n"
		} else if k > 0 {
			difference = fmt.Sprintf("%.2f", m.Log-all[0].Log)
			se = fmt.Sprintf("%.2g", portable.Hypot(float64(m.SE), float64(all[0].SE)))
		}
		rows = append(rows, []string{m.Run, m.Model, fmt.Sprintf("%.2f", m.Log), fmt.Sprintf("%.2g", m.SE),
			difference, se, m.Method})
		for _, note := range m.Notes {
			text += m.Run + ": " + note + "\n"
		}
	}
	_, err := io.WriteString(w, posterior.AlignLeft(rows)+text)
	return err
}
