package playground

import (
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/report"
)

// A FittedRun is a fit that has ended, of which more may be asked.
type FittedRun struct {
	result *fit.Result
	name   string
}

// Plot is a plot of the run as SVG, of a width in pixels; 0: what suits it. Without names it has all
// parameters that it has room for.
func (r *FittedRun) Plot(kind string, names []string, width int) (string, error) {
	f, err := plot.Make(kind, []plot.RunView{{Name: r.name, Draws: r.result.Draws, ELBO: r.result.ELBO()}},
		names)
	if err != nil {
		return "", failure(nil, err)
	}
	if width > 0 {
		f = f.Narrow()
	}
	var b strings.Builder
	err = f.SVG(&b, width, 0)
	return b.String(), err
}

// Report is the run as an HTML document. The run is written to a folder that does not exist, or is empty.
func (r *FittedRun) Report(dir string) (string, error) {
	if err := r.result.Save(dir); err != nil {
		return "", failure(nil, err)
	}
	run, err := posterior.OpenRun(dir)
	if err != nil {
		return "", failure(nil, err)
	}
	page, diags, err := report.New(run)
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err != nil {
		return "", failure(nil, err)
	}
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		return "", failure(nil, err)
	}
	return b.String(), nil
}
