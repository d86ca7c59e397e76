package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior/plot"
)

// A predictiveSection compares the responses with replicates of them: the table of vflc ppc, and the plot of
// kind ppc.
type predictiveSection struct {
	Absent       string // why there is no check; the rest is empty then
	Draws        int
	Of           string // what the replicates are draws of
	Titles       []string
	Rows         []checkRow
	Far          []string // statistics that the model does not reproduce
	Equal        string   // on statistics that are left out
	Figure       figure
	Listed, Left int // responses in the table, and those for which it has no room
	Unplotted    int // responses for which the plot has no room
}

// A checkRow is a statistic of a response, and whether it is far from that of the replicates.
type checkRow struct {
	Response, Statistic string
	Numbers             []string
	Far                 bool
}

// mostPlotted and mostChecked are the largest numbers of responses in the plot and in the table.
const (
	mostPlotted = 12
	mostChecked = 40
)

// amongReplicates is the kind of plot that shows responses among their replicates.
const amongReplicates = "ppc"

// replicatesSeed is the seed of vflc ppc unless asked otherwise.
const replicatesSeed = 1

// predictive is there for every run. It is the only section that reads the tables of the run; where they are
// gone, or the model cannot be drawn from, it says so.
func (r *Report) predictive() (any, error) {
	p, diags, err := fit.Replicate(context.Background(), r.run, fit.UsualReplicates, replicatesSeed)
	if err := data.Failed(diags, err); err != nil {
		return predictiveSection{Absent: whyAbsent(err)}, nil
	}
	var names []string
	for _, y := range p.Responses[:min(mostChecked, len(p.Responses))] {
		names = append(names, y.Name)
	}
	checks, _, err := p.Checks(names, nil)
	if err != nil {
		return nil, err
	}
	out := predictiveSection{Draws: p.Draws.Chains() * p.Draws.Len(0), Of: r.replicatesOf(),
		Listed: len(names), Left: len(p.Responses) - len(names)}
	shownChecks, equal := fit.Telling(checks)
	out.Equal = fit.EqualNote(equal)
	cells := fit.CheckCells(shownChecks)
	out.Titles = cells[0]
	for k, c := range shownChecks {
		out.Rows = append(out.Rows, checkRow{c.Response, c.Statistic, cells[k+1][2:], c.Far()})
		if c.Far() {
			out.Far = append(out.Far, c.Statistic+" of "+c.Response)
		}
	}
	shown := plot.RunView{Name: r.run.Name(), Draws: r.run.Draws, Responses: p.Plotted()}
	if n := len(shown.Responses); n > mostPlotted {
		out.Unplotted = n - mostPlotted
		shown.Responses = shown.Responses[:mostPlotted]
	}
	out.Figure, err = drawn(amongReplicates, shown)
	return out, err
}

// whyAbsent is the reason of an error, with what to do about tables that are gone.
func whyAbsent(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("%v. Put the table back where it was and write the report again.", err)
	}
	return err.Error() + "."
}

// replicatesOf says what the replicates are draws of.
func (r *Report) replicatesOf() string {
	switch {
	case r.run.Record.PriorOnly:
		return "at draws of the prior, as the likelihoods were left out of this run"
	case r.transform.Augmented():
		return "at draws of the posterior, with new noise of the transform, as in the model that ran"
	case r.transform.Noise():
		return "at draws of the posterior, from the model as it is written: " + r.transform.Name +
			" has no distribution of the response"
	}
	return "at draws of the posterior"
}
