package fit

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/assess"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
)

// A SensitivityDocument is how much the answers of a run depend on its priors and its likelihood.
type SensitivityDocument struct {
	Schema  int              `json:"schema"`
	Model   string           `json:"model"`
	Priors  []string         `json:"priors"`   // of these parameters, which are scaled
	Left    []string         `json:"left_out"` // of these not, since they depend on other parameters
	Rows    []SensitivityRow `json:"parameters"`
	PriorK  posterior.Number `json:"prior_k"` // Pareto shapes of the weights
	DataK   posterior.Number `json:"likelihood_k"`
	Message string           `json:"message"`
}

// A SensitivityRow is that of one parameter.
type SensitivityRow struct {
	Name       string           `json:"name"`
	Label      string           `json:"label,omitempty"`
	Prior      posterior.Number `json:"prior"`
	Likelihood posterior.Number `json:"likelihood"`
	Diagnosis  string           `json:"diagnosis"`
}

// Sensitive computes the sensitivity of parameters, all where none is named, to the priors of some (all
// that depend on no other parameter) and to the likelihood.
func (f *Finished) Sensitive(names, priors []string) (*SensitivityDocument, diag.List, error) {
	b, diags, err := f.rebound("the priors and the likelihood")
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	columns, err := f.Draws.Choose(names)
	if err != nil {
		return nil, diags, &UsageError{err}
	}
	if len(names) == 0 {
		columns = slices.DeleteFunc(posterior.WithoutFolds(f.Draws, columns), func(k int) bool {
			return f.Draws.Columns()[k].Generated
		})
	}
	out := &SensitivityDocument{Schema: posterior.Schema, Model: f.Name(), Priors: []string{},
		Left: []string{},
		Rows: []SensitivityRow{}}
	prior, likelihood, err := out.components(b, f.Draws, priors)
	if err != nil {
		return nil, diags, err
	}
	p, l := assess.Scale(prior), assess.Scale(likelihood)
	out.PriorK, out.DataK = posterior.Number(p.K), posterior.Number(l.K)
	for _, k := range columns {
		column := f.Draws.Columns()[k]
		values := slices.Concat(f.Draws.Column(k)...)
		row := SensitivityRow{Name: column.Name, Label: column.Label, Prior: posterior.Number(p.Of(values)),
			Likelihood: posterior.Number(l.Of(values))}
		row.Diagnosis = diagnosed(float64(row.Prior), float64(row.Likelihood))
		out.Rows = append(out.Rows, row)
	}
	out.Message = out.said()
	return out, diags, nil
}

func diagnosed(prior, likelihood float64) string {
	switch {
	case prior >= assess.Bound && likelihood >= assess.Bound:
		return "prior and data may conflict"
	case prior >= assess.Bound && likelihood < assess.Bound:
		return "strong prior or weak likelihood"
	}
	return ""
}

// components are the log density of the priors, and that of the data, at every draw.
func (d *SensitivityDocument) components(b *compile.BoundModel, draws *posterior.Draws,
	chosen []string) (prior, likelihood []float64, err error) {
	if why := refusedRows(b); why != "" {
		return nil, nil, refused(diag.NoComponents, why)
	}
	m, diags := b.Priors()
	if diags.HasErrors() {
		return nil, nil, data.Errors(diags)
	}
	scaled, err := d.scaled(m, chosen)
	if err != nil {
		return nil, nil, err
	}
	at, err := places(m, draws)
	if err != nil {
		return nil, nil, err
	}
	s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
	for c := range draws.Chains() {
		for i := range draws.Len(c) {
			at.fill(x, func(column int) float64 { return draws.Column(column)[c][i] })
			l, err := likelihoodAt(m, s, x)
			if err != nil {
				return nil, nil, refused(diag.NoComponents, err.Error())
			}
			lp := 0.0
			for _, k := range scaled {
				lp += s.LogPrior(k)
			}
			if v := lp + l; v-v != 0 {
				return nil, nil, refused(diag.NoComponents, fmt.Sprintf("at draw %d of chain %d the "+
					"density of the priors or of the data is not finite", i+1, c+1))
			}
			prior, likelihood = append(prior, lp), append(likelihood, l)
		}
	}
	return prior, likelihood, nil
}

// likelihoodAt is the log density of all responses, with auxiliary variables integrated out.
func likelihoodAt(m *model.SimulatedModel, s *model.Simulator, x []float64) (sum float64, err error) {
	if len(m.Noise) == 0 {
		return s.LogLikelihood(x), nil
	}
	for k, y := range m.Responses {
		n := 1
		for _, d := range y.Outcomes {
			n *= d
		}
		lp := make([]float64, n)
		if err := s.LogDensity(k, x, lp); err != nil {
			return 0, err
		}
		for _, v := range lp {
			sum += v
		}
	}
	return sum, nil
}

// scaled lists the parameters whose priors are scaled: those that depend on no parameter, or the chosen ones.
func (d *SensitivityDocument) scaled(m *model.SimulatedModel, chosen []string) (out []int, err error) {
	var all []string
	for k, p := range m.Params {
		if p.Prior < 0 || !p.Dist.Proper() {
			continue
		}
		switch all = append(all, p.Name); {
		case len(chosen) == 0 && !p.Top, len(chosen) > 0 && !slices.Contains(chosen, p.Name):
			d.Left = append(d.Left, p.Name)
		default:
			d.Priors, out = append(d.Priors, p.Name), append(out, k)
		}
	}
	for _, name := range chosen {
		if !slices.Contains(all, name) {
			return nil, usagef("--prior %s: no parameter has this name and a proper prior; there are %s",
				name, strings.Join(all, ", "))
		}
	}
	return out, nil
}

// said is the line below the table.
func (d *SensitivityDocument) said() string {
	text := "the priors of " + strings.Join(d.Priors, ", ") + " are scaled"
	if len(d.Priors) == 0 {
		text = "no prior is scaled"
	}
	if len(d.Left) > 0 {
		text += "; those of " + strings.Join(d.Left, ", ") + " are not"
	}
	if k := max(float64(d.PriorK), float64(d.DataK)); !(k <= posterior.KhatBound) {
		text += fmt.Sprintf("; the Pareto shape of the weights is %.2f, and the figures are not reliable", k)
	}
	return text
}

// Cells are the lines of the table, the titles first.
func (d *SensitivityDocument) Cells() [][]string {
	number := func(v posterior.Number) string {
		if math.IsNaN(float64(v)) {
			return "-"
		}
		return fmt.Sprintf("%.3f", v)
	}
	out := [][]string{{"parameter", "prior", "likelihood", ""}}
	for _, r := range d.Rows {
		name := r.Name
		if r.Label != "" {
			name = r.Label
		}
		out = append(out, []string{name, number(r.Prior), number(r.Likelihood), r.Diagnosis})
	}
	return out
}

// WriteTable writes the table, and below it what was scaled.
func (d *SensitivityDocument) WriteTable(w io.Writer) error {
	_, err := io.WriteString(w, posterior.AlignLeft(d.Cells())+d.Message+"\n")
	return err
}
