package report

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
)

// An auditSection lists what each party learned from another.
type auditSection struct {
	Verdict []compile.Verdict // who can compute what
	Pooled  bool
	Rows    []auditLine
	Learns  []learned
	// Expected is what the server is expected to know after the run of each cut that crosses, as vflc audit
	// forecasts it.
	Expected []expectation
}

// A learned is what a receiver can compute, under a number from 1.
type learned struct {
	Number int
	Text   string
}

// An expectation is a line of the table of expected reconstructions.
type expectation struct {
	What, From, To               string
	Looks, Correlation, Residual string
}

// An auditLine is a line of the table.
type auditLine struct {
	compile.Disclosure
	ShapeText string
	Number    int // of what the receiver computes
}

// disclosures are those of vflc audit for the programs and the settings of the run.
func (r *Report) disclosures() ([]compile.Disclosure, error) {
	if r.bundle == nil {
		return r.model.AuditPooled(), nil
	}
	return fit.Audit(r.bundle, r.algorithm, fit.RecordedSettings(r.run.Record, r.algorithm))
}

// expected forecasts how well the server can reconstruct the cuts that cross.
func (r *Report) expected(rows []compile.Disclosure) ([]expectation, error) {
	if r.bundle == nil || len(rows) == 0 {
		return nil, nil
	}
	forecasts, err := fit.ForecastAttack(rows, r.bundle, r.algorithm,
		fit.RecordedSettings(r.run.Record, r.algorithm))
	var out []expectation
	for k, f := range forecasts {
		if d := rows[k]; f != nil {
			out = append(out, expectation{d.What, d.From, d.To, fit.DrawsOfNoise(d, f),
				fmt.Sprintf("%.5f", f.Correlation), fmt.Sprintf("%.2g", f.ResidualSD)})
		}
	}
	return out, err
}

func (r *Report) audit() (any, error) {
	rows, err := r.disclosures()
	if err != nil {
		return nil, err
	}
	out := auditSection{Pooled: r.bundle == nil, Verdict: r.model.AllPooled()}
	if r.bundle != nil && len(rows) > 0 {
		if out.Verdict, err = fit.RunVerdict(r.run, r.bundle, r.algorithm); err != nil {
			return nil, err
		}
	}
	out.list(rows)
	out.Expected, err = r.expected(rows)
	return out, err
}

// list adds rows, and once each what their receivers can compute.
func (s *auditSection) list(rows []compile.Disclosure) {
	for _, d := range rows {
		at := slices.IndexFunc(s.Learns, func(l learned) bool { return l.Text == d.Learns })
		if at < 0 {
			at = len(s.Learns)
			s.Learns = append(s.Learns, learned{at + 1, d.Learns})
		}
		s.Rows = append(s.Rows, auditLine{d, shapeText(d.Shape), at + 1})
	}
}
