package report

import (
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// A sensitivitySection is what vflc sensitivity prints.
type sensitivitySection struct {
	Absent string // why there is none; the rest is empty then
	Table  string
	Said   string
	Left   int // parameters for which the table has no room
}

// sensitivity reads the tables of the run, as the predictive check does; it is not there for a run of the
// prior.
func (r *Report) sensitivity() (any, error) {
	if r.run.Record.PriorOnly {
		return nil, nil
	}
	d, diags, err := (&fit.Finished{Run: r.run}).Sensitive(nil, nil)
	if err := data.Failed(diags, err); err != nil {
		return sensitivitySection{Absent: whyAbsent(err)}, nil
	}
	left := max(0, len(d.Rows)-mostSensitive)
	d.Rows = d.Rows[:len(d.Rows)-left]
	return sensitivitySection{Table: posterior.AlignLeft(d.Cells()), Said: d.Message, Left: left}, nil
}

// mostSensitive is the number of parameters in the table.
const mostSensitive = 100
