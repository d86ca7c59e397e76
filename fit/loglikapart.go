package fit

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// MayKeepLogLik returns an error where the scores of a run's rows, at predictors without noise, are not the
// pointwise log densities of the model that it fitted.
func MayKeepLogLik(r *posterior.Record) error {
	if t := recordedOptions(r).Transform; !t.CutsCross() {
		var diags diag.List
		diags.Errorf(diag.NotApart, nil, source.Span{},
			"the run is of transform %s, under which the density of a response is an integral over the "+
				"noise on what clients contribute, and the programs with which parties score rows "+
				"(PROGRAMS/score) have no such integral; fit with --transform exact to compare models, or "+
				"run vflc loo where one process has all tables", r.Transform)
		return data.Errors(diags)
	}
	return nil
}

// KeepLogLik puts scores of the rows of a run, at all of its draws, into its folder as its pointwise log
// densities: vflc loo and vflc waic read them.
func KeepLogLik(r *posterior.Run, p *Predictions) error {
	var responses []export.Observed
	for _, y := range p.Responses {
		of, _ := p.Model.ResponseOf(y.Name)
		one := export.Observed{Name: y.Name[:strings.LastIndex(y.Name, ".")+1] + of.Data, Shape: y.Shape,
			Values: y.Observed, Whole: of.Discrete}
		if len(y.Scores) != len(y.Observed) {
			one.Outcomes = []int{len(y.Scores)}
		}
		for _, lp := range y.Scores {
			var chains [][]float64
			for c := range r.Draws.Chains() {
				chains, lp = append(chains, lp[:r.Draws.Len(c)]), lp[r.Draws.Len(c):]
			}
			one.LogLik = append(one.LogLik, chains)
		}
		responses = append(responses, one)
	}
	if len(responses) == 0 {
		return nil
	}
	lock, err := safefile.TakeLock(r.Path)
	if err != nil {
		return err
	}
	defer lock.Release()
	path := filepath.Join(r.Path, posterior.ZarrDir)
	if err := posterior.VerifyZarr(r.Path, r.Record); err != nil {
		return err
	}
	attrs := map[string]any{}
	text, err := os.ReadFile(filepath.Join(path, "posterior", ".zattrs"))
	if err == nil {
		err = json.Unmarshal(text, &attrs)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := export.WriteZarr(path, nil, export.Inference(r.Draws, attrs, responses)); err != nil {
		return err
	}
	record := *r.Record
	if record.Files, err = posterior.Digests(r.Path); err != nil {
		return err
	}
	return writeSynced(r.Path, posterior.RecordFile, func(w io.Writer) error {
		return posterior.WriteJSON(w, record)
	})
}
