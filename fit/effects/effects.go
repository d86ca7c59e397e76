// Package effects says how the expected response of a fitted model changes with columns of its tables:
// conditional effects, along a column while others are as in an ordinary row, and contrasts, differences and
// ratios between rows, averaged over the rows of the run. Both are computed at every draw of the run, by
// predictions of made-up rows.
package effects

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
)

// What is done about group effects.
const (
	GroupsNone = "none" // they are at the location of their prior
	GroupsNew  = "new"  // of a category that the run did not see, drawn from their prior
	GroupsOwn  = "own"  // of the category that each row of the run has
)

// Options say of which rows predictions are made, and how they are summarised.
type Options struct {
	At     []string // COLUMN=VALUE, in place of what an ordinary row has
	Groups string
	Linear bool    // linear predictors, in place of expectations
	Points int     // of a grid of numbers
	Level  float64 // probability of a band, between its outer quantiles
	Draws  int     // of the run to use; 0: all of them, or as many as memory allows
	Seed   uint64  // of group effects that are drawn
	// Of contrasts: a column for each of whose values there is an average, and whether two ordinary rows are
	// compared, in place of averages over the rows of the run.
	By      string
	Typical bool
}

// A Spread is the mean of draws of one number, with a band between two quantiles.
type Spread struct {
	Mean   posterior.Number `json:"mean"`
	SD     posterior.Number `json:"sd"`
	Median posterior.Number `json:"median"`
	Lower  posterior.Number `json:"lower"`
	Upper  posterior.Number `json:"upper"`
}

func summarise(draws []float64, level float64) Spread {
	sorted := slices.Sorted(slices.Values(draws))
	n := float64(len(sorted))
	mean, square := 0.0, 0.0
	for _, v := range sorted {
		mean += v / n
	}
	for _, v := range sorted {
		square += float64((v - mean) * (v - mean))
	}
	at := func(p float64) posterior.Number { return posterior.Number(posterior.Quantile(sorted, p)) }
	outer := float64((1 - level) / 2)
	return Spread{posterior.Number(mean), posterior.Number(math.Sqrt(square / (n - 1))), at(0.5), at(outer),
		at(1 - outer)}
}

// A Document is conditional effects, as --json prints them.
type Document struct {
	Schema int     `json:"schema"`
	Model  string  `json:"model"`
	Draws  int     `json:"draws"`
	Of     string  `json:"of"` // expectation, predictor
	Level  float64 `json:"level"`
	Groups string  `json:"groups"`
	// At is what columns have that do not vary, by name.
	At      map[string]string `json:"at"`
	Effects []Effect          `json:"effects"`
}

// An Effect is one response, or one category of it, along the columns of a term.
type Effect struct {
	Term     string   `json:"term"`
	Columns  []string `json:"columns"`
	Response string   `json:"response"`
	Category string   `json:"category,omitempty"`
	Numeric  bool     `json:"numeric"` // the first column has numbers
	Points   []Point  `json:"points"`
}

// A Point is a row: its cells of the columns of the term.
type Point struct {
	At []string `json:"at"`
	Spread
}

// A term is columns that vary together.
type term struct {
	text    string
	columns []column
	rows    []map[*data.Profile]string
	cells   [][]string
}

// Of computes the conditional effects of terms, as "age" or "age:sex"; without any of every column that is no
// group. Numbers have Points values from the least to the largest, categories all of theirs; the second
// column of a term its mean and one standard deviation below and above, or of whole numbers the median and
// its absolute deviation.
func Of(ctx context.Context, f *fit.Finished, name string, terms []string,
	o Options) (*Document, diag.List, error) {
	r, diags, err := open(f, o)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	if len(terms) == 0 {
		terms = r.every()
	}
	d := &Document{Schema: posterior.Schema, Model: name, Of: of(o), Level: o.Level, Groups: o.Groups}
	var all []*term
	for _, text := range terms {
		all = append(all, r.term(text, o.Points))
	}
	if r.diags.HasErrors() {
		return nil, r.diags, nil
	}
	for _, t := range all {
		p, found, err := r.predict(ctx, o.request(), len(t.rows), func(c *data.Profile, row int) string {
			return cmp.Or(t.rows[row][c], r.typical[c])
		}, t.rows[0])
		if diags = append(diags, found...); err != nil || diags.HasErrors() {
			return nil, diags, err
		}
		d.Draws = p.Draws
		for k := range p.Responses {
			d.Effects = append(d.Effects, t.along(&p.Responses[k], o)...)
		}
	}
	d.At = r.at(all)
	return d, diags, nil
}

func (o *Options) request() fit.PredictionRequest {
	return fit.PredictionRequest{Draws: o.Draws, Seed: o.Seed, Linear: o.Linear}
}

func of(o Options) string {
	if o.Linear {
		return "predictor"
	}
	return "expectation"
}

// along are the effects of the term on a response.
func (t *term) along(p *fit.PredictedResponse, o Options) (out []Effect) {
	n := len(t.rows)
	for k, category := range categories(p, n) {
		e := Effect{Term: t.text, Response: p.Name, Category: category, Numeric: t.columns[0].Levels == nil}
		for _, c := range t.columns {
			e.Columns = append(e.Columns, c.Column)
		}
		for i, at := range t.cells {
			e.Points = append(e.Points, Point{at, summarise(p.Expected[n*k+i], o.Level)})
		}
		out = append(out, e)
	}
	return out
}

// categories are those of a response that has an expectation for each of n rows: one without a name of
// numbers, none of other responses.
func categories(p *fit.PredictedResponse, n int) []string {
	switch {
	case p.Quantity || n == 0 || len(p.Expected)%n > 0:
		return nil
	case len(p.Expected) == n:
		return []string{""}
	}
	out := make([]string, len(p.Expected)/n)
	for k := range out {
		if out[k] = strconv.Itoa(k + 1); k < len(p.Categories) {
			out[k] = p.Categories[k]
		}
	}
	return out
}

// every lists the columns that are no groups.
func (r *rows) every() (out []string) {
	for _, c := range r.columns {
		if !r.group(c.profiles[0]) {
			out = append(out, c.name())
		}
	}
	return out
}

// term finds the columns of a term and makes its rows. A column of numbers comes first.
func (r *rows) term(text string, points int) *term {
	t := &term{text: text}
	for _, name := range strings.Split(text, ":") {
		c, ok := r.find(strings.TrimSpace(name))
		if !ok {
			return t
		}
		t.columns = append(t.columns, c)
	}
	if len(t.columns) > 2 {
		r.diags.Errorf(diag.NotAColumn, nil, source.Span{}, "%s: a term has one column, or two", text).
			Note("hold the others at a value: --at COLUMN=VALUE")
		return t
	}
	slices.SortStableFunc(t.columns, func(a, b column) int { return order(a) - order(b) })
	values := [][]string{t.columns[0].grid(points)}
	if len(t.columns) == 2 {
		values = append(values, t.columns[1].few())
	} else {
		values = append(values, []string{""})
	}
	for _, second := range values[1] {
		for _, first := range values[0] {
			row, cells := map[*data.Profile]string{}, []string{first}
			t.columns[0].set(row, first)
			if len(t.columns) == 2 {
				t.columns[1].set(row, second)
				cells = append(cells, second)
			}
			t.rows, t.cells = append(t.rows, row), append(t.cells, cells)
		}
	}
	return t
}

func order(c column) int {
	if c.Levels == nil {
		return 0
	}
	return 1
}

// predict predicts made-up rows. Group effects of columns that neither varied nor --at names are held or
// drawn.
func (r *rows) predict(ctx context.Context, q fit.PredictionRequest, n int, cell cells,
	varied map[*data.Profile]string) (*fit.Predictions, diag.List, error) {
	for _, g := range r.Groups {
		named := slices.ContainsFunc(g.Columns, func(c *data.Profile) bool {
			return r.given[c] || varied[c] != ""
		})
		if !named && r.options.Groups == GroupsNone {
			q.Centred = append(q.Centred, g.Parameter)
		}
	}
	q.NewLevels = r.options.Groups == GroupsNew
	p, diags, err := r.Predict(ctx, q, n, cell)
	if errors.Is(err, model.ErrNoCentre) {
		diags.Errorf(diag.NoCentre, nil, source.Span{}, "%v", err).
			Note("--at gives the column a category, whose effect then enters; --groups new draws that of " +
				"a new one from the prior")
		return nil, diags, nil
	}
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	for k := range p.Responses {
		if y := &p.Responses[k]; !y.Quantity && y.Expected == nil {
			what, other := "expectation", "--linear asks for the linear predictor"
			if q.Linear {
				what, other = "linear predictor", "without --linear it is the expectation"
			}
			diags.Errorf(diag.NoExpectation, nil, source.Span{},
				"%s has a distribution of which no %s is written", y.Name, what).
				Note("%s; vflc predict predicts a generated quantity with an element for each row", other)
			return nil, diags, nil
		}
	}
	return p, diags, nil
}
