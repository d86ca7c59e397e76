package report

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
)

// An auditSection lists what each party learned from another.
type auditSection struct {
	Pooled bool
	Rows   []auditLine
	Learns []string // what a receiver can compute, by number
}

// An auditLine is a line of the table.
type auditLine struct {
	compile.Disclosure
	ShapeText string
	Number    int // of what the receiver computes, from 1
}

// disclosures are those of vflc audit for the programs and the settings of the run.
func (r *Report) disclosures() ([]compile.Disclosure, error) {
	if r.bundle == nil {
		return r.model.AuditPooled(), nil
	}
	algorithm, ok := fit.Backend(r.run.Record.Backend)
	if !ok {
		return nil, fmt.Errorf("there is no backend %s", r.run.Record.Backend)
	}
	return fit.Audit(r.bundle, algorithm, fit.RecordedSettings(r.run.Record))
}

func (r *Report) audit() (any, error) {
	rows, err := r.disclosures()
	if err != nil {
		return nil, err
	}
	out := auditSection{Pooled: r.bundle == nil}
	for _, d := range rows {
		at := slices.Index(out.Learns, d.Learns)
		if at < 0 {
			at, out.Learns = len(out.Learns), append(out.Learns, d.Learns)
		}
		out.Rows = append(out.Rows, auditLine{d, shapeText(d.Shape), at + 1})
	}
	return out, nil
}
