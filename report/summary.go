package report

import (
	"bytes"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// mostRows is the largest number of parameters in the table.
const mostRows = 1000

// A summarySection is the table of the posterior.
type summarySection struct {
	Titles []string
	Rows   []summaryRow
	Note   string   // on draws that are not of the posterior
	Folds  []string // on generated quantities that the table leaves out
	// Shown is how many rows there are, of All parameters but for those, and Left of how many there are none.
	Shown, All, Left int
}

// A summaryRow is a parameter: its name, its owner, and numbers as vflc summary prints them.
type summaryRow struct {
	Name, Owner, Class string
	Numbers            []string
}

// summary is the table of vflc summary.
func (r *Report) summary() (any, error) {
	rows, folds := posterior.Folded(r.rows)
	shown := rows[:min(len(rows), mostRows)]
	out := summarySection{Shown: len(shown), All: len(rows), Left: len(rows) - len(shown),
		Note: r.run.Document.Note,
		Folds: strings.Split(strings.TrimSuffix(posterior.FoldText(folds, "vflc summary RUN %s shows them"),
			"\n"), "\n")}
	for k, line := range posterior.Cells(shown) {
		if k == 0 {
			out.Titles = line
			continue
		}
		out.Rows = append(out.Rows, summaryRow{line[0], line[1], r.classOf(line[1]), line[2:]})
	}
	return out, nil
}

// A findingsSection is what vflc run and vflc diagnose report.
type findingsSection struct {
	Problems []fit.Problem
	Fine     []string // what they print where nothing is wrong
}

func (r *Report) findings() (any, error) {
	found := fit.Diagnose(r.run)
	if len(found) > 0 {
		return findingsSection{Problems: fit.Problems(found)}, nil
	}
	var b bytes.Buffer
	if err := fit.WriteFindings(&b, r.run, nil); err != nil {
		return nil, err
	}
	return findingsSection{Fine: strings.Split(strings.TrimSpace(b.String()), "\n")}, nil
}

// A forecastSection is what the transform does to the answer.
type forecastSection struct{ Lines []string }

// forecast repeats what the run printed below its table.
func (r *Report) forecast() (any, error) {
	doc := r.run.Document
	var out forecastSection
	for _, f := range doc.Forecasts {
		f.Power = r.transform.Powers() && !r.model.Checked.AtHome(f.Response) // not in the file
		text := f.String()
		if len(doc.Forecasts) > 1 {
			text = f.Response + ": " + text
		}
		out.Lines = append(out.Lines, text)
	}
	if doc.Deployment != "" {
		out.Lines = append(out.Lines, doc.Deployment)
	}
	if len(out.Lines) == 0 {
		out.Lines = []string{"Nothing: the likelihood was evaluated as the model is written, without noise."}
		if r.transform.Noise() {
			out.Lines[0] = "There is no forecast for this model."
		}
	}
	return out, nil
}
