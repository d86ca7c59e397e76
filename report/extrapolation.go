package report

import "github.com/vflc/vflc/fit/noise"

// Extrapolated adds the extrapolation to rho = 0 that the run is one fit of.
func (r *Report) Extrapolated(e noise.Extrapolation) { r.zero = &e }

// An extrapolationSection is what vflc summary prints of the folder of an extrapolation.
type extrapolationSection struct {
	Table    string
	Findings []string
}

// extrapolation is there for the folder of one.
func (r *Report) extrapolation() (any, error) {
	if r.zero == nil {
		return nil, nil
	}
	out := extrapolationSection{Table: r.zero.Table()}
	for _, f := range r.zero.Findings {
		out.Findings = append(out.Findings, f.Text)
	}
	return out, nil
}
