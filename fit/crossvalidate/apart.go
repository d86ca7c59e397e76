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
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/vector"
)

// A Fold is one of a cross-validation whose parties are in processes of their own. Where rows are divided at
// random each of them finds by itself which of its rows are in the fold: from the number of folds, the seed
// that all share, and the order of the joined rows. Strata and groups follow from what one party has: it
// decides (Deal), and tells the others the fold of each row.
type Fold struct {
	Folds    int    `json:"folds,omitempty"` // 0: there is no cross-validation
	Fold     int    `json:"fold,omitempty"`  // from 1
	Seed     uint64 `json:"seed,omitempty"`
	Stratify bool   `json:"stratify,omitempty"`
	By       string `json:"by,omitempty"` // a column whose groups stay whole
}

// Told reports whether the folds are told by one party.
func (f Fold) Told() bool { return f.Stratify || f.By != "" }

func (f Fold) options() Options {
	return Options{Folds: f.Folds, Seed: f.Seed, Stratify: f.Stratify, By: f.By}
}

// A Deal is how a party divides the rows of all: the fold of each, from 0, in the order of the joined rows.
type Deal struct {
	Name    string // of the response or column that they follow from
	Private bool   // it is this party's alone
	Folds   []int
}

// Deal divides the rows by what the party has, with random numbers of its own where no other party has it;
// nil where it has not what the folds follow from. The party has bound all of its rows.
func (f Fold) Deal(b *compile.OneParty, own vector.Key) (*Deal, error) {
	if !b.Joins() {
		return nil, nil
	}
	d, err := joined(b.Data, f.Folds)
	if err != nil {
		return nil, err
	}
	l, err := d.labels(b.BoundModel, b.Texts, f.options())
	if err != nil || l == nil {
		return nil, err
	}
	key := vector.SharedKey(f.Seed)
	if l.owner != "" {
		key = own
	}
	return &Deal{l.name, l.owner != "", assign(l.texts, f.By != "", f.Folds, key)}, nil
}

// Select has the party bind the rows of the fold, or all others. The party has bound all of its rows, and
// binds again. told are the folds of all rows where one party tells them.
func (f Fold) Select(b *compile.OneParty, others bool, told []int) error {
	if !b.Joins() {
		return nil // its rows are of something else, as of groups: all fits have them
	}
	d, err := joined(b.Data, f.Folds)
	switch {
	case err != nil:
		return err
	case !f.Told():
		told = assign(make([]string, d.count), false, f.Folds, vector.SharedKey(f.Seed))
	case len(told) != d.count:
		return fmt.Errorf("the folds are of %d rows, and this party has %d", len(told), d.count)
	}
	d.take(told)
	b.Keep(&compile.Selection{Tables: d.parties, Key: d.key, Keep: d.rows(f.Fold-1, others)})
	return nil
}

// A scoredRow is a row in a file. Numbers are texts, which keep every bit, and infinities.
type scoredRow struct {
	Key      string `json:"key,omitempty"`
	Observed string `json:"observed"`
	Mean     string `json:"mean"`
	Score    string `json:"log_density"`
}

type scoredFold struct {
	Fold
	Responses []scoredResponse    `json:"responses"`
	Findings  []posterior.Finding `json:"findings,omitempty"` // about the fit
}

type scoredResponse struct {
	Name   string      `json:"name"`
	Key    string      `json:"key,omitempty"`
	Binary bool        `json:"binary,omitempty"`
	Rows   []scoredRow `json:"rows"`
}

// encode writes the result of a fold.
func (f Fold) encode(found result) ([]byte, error) {
	all := scoredFold{Fold: f, Responses: []scoredResponse{}, Findings: found.findings}
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, y := range found.responses {
		one := scoredResponse{Name: y.name, Key: y.key, Binary: y.binary}
		for _, r := range y.rows {
			one.Rows = append(one.Rows, scoredRow{r.key, text(r.observed), text(r.mean), text(r.score)})
		}
		all.Responses = append(all.Responses, one)
	}
	return json.Marshal(all)
}

// decode reads what encode writes.
func decode(text []byte) (f Fold, found result, err error) {
	var all scoredFold
	if err := json.Unmarshal(text, &all); err != nil {
		return f, found, err
	}
	number := func(text string) float64 {
		v, bad := strconv.ParseFloat(text, 64)
		err = errors.Join(err, bad)
		return v
	}
	for _, y := range all.Responses {
		one := response{name: y.Name, key: y.Key, binary: y.Binary}
		for _, r := range y.Rows {
			one.rows = append(one.rows, row{all.Fold.Fold - 1, number(r.Observed), number(r.Mean),
				number(r.Score), r.Key})
		}
		found.responses = append(found.responses, one)
	}
	found.findings = all.Findings
	return all.Fold, found, err
}

// SaveScores writes the scores of the responses that this party draws, for Gather.
func (f Fold) SaveScores(dir string, p *fit.Predictions) error {
	text, err := f.encode(result{responses: scoresOf(p, f.Fold-1, nil)})
	if err != nil {
		return err
	}
	return safefile.WriteBytes(filepath.Join(dir, posterior.ScoresFile), 0o600, text)
}

// Gather makes the report of a party from the folders of all folds, in order; nil where the party draws no
// response.
func Gather(model string, dirs []string) (*Report, error) {
	var seed uint64
	var folds []result
	for _, dir := range dirs {
		path := filepath.Join(dir, posterior.ScoresFile)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, found, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(found.responses) == 0 {
			return nil, nil
		}
		seed = f.Seed
		folds = append(folds, found)
	}
	return report(model, folds, len(dirs), seed), nil
}
