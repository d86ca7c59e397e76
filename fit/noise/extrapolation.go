package noise

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// The fits of an extrapolation.
const (
	points    = 3   // the degree of the polynomial and 1
	largest   = 3   // ρ√J beyond which the series diverges
	apart     = 1.2 // the least ratio of two rho: the error grows as they come near
	tooWide   = 0.5 // the error in standard deviations above which it is a finding
	rhoDigits = "%.4g"
)

// DefaultSDs are the noises ρ√J of an extrapolation that is given no rho.
func DefaultSDs() []float64 { return []float64{1, 0.7, 0.35} }

// Extrapolable returns an error for values of rho that cannot be extrapolated from.
func Extrapolable(rhos []float64, clients int) error {
	if len(rhos) != points {
		return usagef("an extrapolation needs %d values of rho, and %d are given", points, len(rhos))
	}
	for i, rho := range rhos {
		if sd := rho * math.Sqrt(float64(clients)); sd > largest {
			return usagef("rho = %v: rho√J is %.3g with %d clients, and beyond %d the series in rho²J "+
				"diverges; use at most rho = %.3g", rho, sd, clients, largest,
				largest/math.Sqrt(float64(clients)))
		}
		for _, other := range rhos[:i] {
			if ratio := rho / other; ratio < apart && ratio > 1/apart {
				return usagef("rho = %v and %v are too near one another: each must be at "+
					"least %v times the next", other, rho, apart)
			}
		}
	}
	return nil
}

// A Point is a fit of an extrapolation, as far as it is needed.
type Point struct {
	Rho      float64
	Draws    *posterior.Draws
	Rows     []posterior.Row
	Findings []posterior.Finding
}

// A ParameterEstimate is one scalar at rho = 0. The errors bound the difference to the true model's value.
type ParameterEstimate struct {
	Name      string           `json:"name"`
	Label     string           `json:"label,omitempty"`
	Owner     string           `json:"owner"`
	Mean      posterior.Number `json:"mean"`
	MeanError posterior.Number `json:"mean_error"`
	SD        posterior.Number `json:"sd"`
	SDError   posterior.Number `json:"sd_error"`
	At        []Moments        `json:"at"` // the fits, in their order
}

// Moments are those of a parameter in one fit.
type Moments struct {
	Mean   posterior.Number `json:"mean"`
	MCSE   posterior.Number `json:"mcse"`
	SD     posterior.Number `json:"sd"`
	MCSESD posterior.Number `json:"mcse_sd"`
}

// Noise is what a fit was made at.
type Noise struct {
	Rho float64 `json:"rho"`
	SD  float64 `json:"noise_sd"` // rho√J
}

// An Extrapolation is the posterior at rho = 0.
type Extrapolation struct {
	Schema     int                 `json:"schema"`
	Model      string              `json:"model"`
	Clients    int                 `json:"clients"`
	Fits       []Noise             `json:"fits"`
	Parameters []ParameterEstimate `json:"parameters"`
	Findings   []posterior.Finding `json:"findings"`
}

// Extrapolate computes the posterior at rho = 0 from three fits of one model, the largest rho first.
func Extrapolate(model string, clients int, fits []Point) Extrapolation {
	e := Extrapolation{Schema: posterior.Schema, Model: model, Clients: clients,
		Findings: []posterior.Finding{}}
	var variances []float64
	for _, f := range fits {
		sd := f.Rho * math.Sqrt(float64(clients))
		variances = append(variances, sd*sd)
		e.Fits = append(e.Fits, Noise{f.Rho, sd})
		for _, found := range f.Findings {
			if found.Class == posterior.MovedClass {
				continue // this is what is extrapolated
			}
			found.Text = fmt.Sprintf("rho = "+rhoDigits+": %s", f.Rho, found.Text)
			e.Findings = append(e.Findings, found)
		}
	}
	for k := range fits[0].Rows {
		e.Parameters = append(e.Parameters, parameter(k, variances, fits))
	}
	e.Findings = posterior.Classed(append(e.Findings, e.wide()...))
	return e
}

// parameter extrapolates one scalar.
func parameter(k int, variances []float64, fits []Point) ParameterEstimate {
	row := fits[0].Rows[k]
	out := ParameterEstimate{Name: row.Name, Label: row.Label, Owner: row.Owner}
	n := len(fits)
	mean, meanSE, sd, sdSE := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, f := range fits {
		r := f.Rows[k]
		mean[i], meanSE[i], sd[i], sdSE[i] = float64(r.Mean), float64(r.MCSE), float64(r.SD),
			posterior.MCSESD(f.Draws.Column(k))
		out.At = append(out.At, Moments{r.Mean, r.MCSE, r.SD, posterior.Number(sdSE[i])})
	}
	m, s := atZero(variances, mean, meanSE), atZero(variances, sd, sdSE)
	out.Mean, out.MeanError, out.SD, out.SDError = m.Value, m.Error, s.Value, s.Error
	return out
}

// wide are the findings of parameters whose error is large.
func (e *Extrapolation) wide() (out []posterior.Finding) {
	for _, p := range e.Parameters {
		sd := float64(p.SD)
		if in := float64(p.MeanError) / sd; sd <= 0 || in > tooWide {
			out = append(out, posterior.Finding{
				Check: "extrapolation", Parameter: p.Name, Value: p.MeanError,
				Text: fmt.Sprintf("%s: the error of the extrapolated mean, %.2g, is "+
					"large beside the sd, %.2g", p.shown(), float64(p.MeanError), sd),
				Try: "three smaller --rho; more draws; --transform exact, which needs no extrapolation",
			})
		}
	}
	return out
}

func (p ParameterEstimate) shown() string {
	if p.Label != "" {
		return p.Label
	}
	return p.Name
}

// Extrapolate is that of the fits of a series that has run.
func (s *Series) Extrapolate() Extrapolation {
	var fits []Point
	for _, f := range s.Fits {
		fits = append(fits, Point{f.Rho, f.Result.Draws, f.Result.Summary(), f.Result.Diagnose()})
	}
	return Extrapolate(s.Fits[0].Result.Document.Model, s.Clients, fits)
}

// Read computes the extrapolation of the fits in a folder. The last run returned is that of the smallest rho.
func Read(dir string) (Extrapolation, []*runs.Run, error) {
	x, err := runs.ReadExtrapolation(dir)
	if err != nil {
		return Extrapolation{}, nil, err
	}
	var fits []Point
	var all []*runs.Run
	for _, f := range x.Fits {
		r, err := runs.Open(filepath.Join(dir, f.Folder))
		if err != nil {
			return Extrapolation{}, nil, err
		}
		if len(fits) > 0 && r.Draws.Parameters() != fits[0].Draws.Parameters() {
			return Extrapolation{}, nil, fmt.Errorf("%s has other parameters than %s", r.Path, all[0].Path)
		}
		all = append(all, r)
		fits = append(fits, Point{f.Rho, r.Draws, posterior.Summarise(r.Draws), fit.Diagnose(r)})
	}
	if err := Extrapolable(rhosOf(x), x.Clients); err != nil {
		return Extrapolation{}, nil, fmt.Errorf("%s: %w", filepath.Join(dir, runs.ExtrapolationFile), err)
	}
	return Extrapolate(x.Model, x.Clients, fits), all, nil
}

func rhosOf(x *runs.Extrapolation) (out []float64) {
	for _, f := range x.Fits {
		out = append(out, f.Rho)
	}
	return out
}
