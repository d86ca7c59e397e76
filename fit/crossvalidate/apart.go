package crossvalidate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/posterior/runs"
)

// A Fold is one of a cross-validation whose parties are in processes of their own. Each of them finds by itself which of its rows are in the fold: from the number of folds, the seed that all
// share, and the order of the joined rows.
type Fold struct {
	Folds int    `json:"folds,omitempty"` // 0: there is no cross-validation
	Fold  int    `json:"fold,omitempty"`  // from 1
	Seed  uint64 `json:"seed,omitempty"`
}

// Select has the party bind the rows of the fold, or all others. The party has bound all of its rows, and binds again.
func (f Fold) Select(b *compile.OneParty, others bool) error {
	if !b.Joins() {
		return nil // its rows are of something else, as of groups: all fits have them
	}
	d, err := divide(b.Bound, b.Data, nil, Options{Folds: f.Folds, Seed: f.Seed})
	if err != nil {
		return err
	}
	b.Keep(&compile.Selection{Tables: d.parties, Key: d.key, Keep: d.rows(f.Fold-1, others)})
	return nil
}

// A scoredRow is a row in a file. Numbers are texts, which keep every bit, and infinities.
type scoredRow struct {
	Observed string `json:"observed"`
	Mean     string `json:"mean"`
	Score    string `json:"log_density"`
}

type scoredFold struct {
	Fold
	Responses []scoredResponse `json:"responses"`
}

type scoredResponse struct {
	Name   string      `json:"name"`
	Binary bool        `json:"binary,omitempty"`
	Rows   []scoredRow `json:"rows"`
}

// encode writes the scores of a fold.
func (f Fold) encode(found []response) ([]byte, error) {
	all := scoredFold{Fold: f, Responses: []scoredResponse{}}
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, y := range found {
		one := scoredResponse{Name: y.name, Binary: y.binary}
		for _, r := range y.rows {
			one.Rows = append(one.Rows, scoredRow{text(r.observed), text(r.mean), text(r.score)})
		}
		all.Responses = append(all.Responses, one)
	}
	return json.Marshal(all)
}

// decode reads what encode writes.
func decode(text []byte) (f Fold, found []response, err error) {
	var all scoredFold
	if err := json.Unmarshal(text, &all); err != nil {
		return f, nil, err
	}
	number := func(text string) float64 {
		v, bad := strconv.ParseFloat(text, 64)
		err = errors.Join(err, bad)
		return v
	}
	for _, y := range all.Responses {
		one := response{name: y.Name, binary: y.Binary}
		for _, r := range y.Rows {
			one.rows = append(one.rows, row{all.Fold.Fold - 1, number(r.Observed), number(r.Mean), number(r.Score)})
		}
		found = append(found, one)
	}
	return all.Fold, found, err
}

// SaveScores writes the scores of the responses that this party draws, for Gather.
func (f Fold) SaveScores(dir string, p *fit.Predictions) error {
	text, err := f.encode(scoresOf(p, f.Fold-1))
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, runs.ScoresFile), 0o600, text)
}

// Gather makes the report of a party from the folders of all folds, in order; nil where the party draws no response.
func Gather(model string, dirs []string) (*Report, error) {
	var seed uint64
	var folds [][]response
	for _, dir := range dirs {
		path := filepath.Join(dir, runs.ScoresFile)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, found, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(found) == 0 {
			return nil, nil
		}
		seed = f.Seed
		folds = append(folds, found)
	}
	return report(model, folds, len(dirs), seed), nil
}
