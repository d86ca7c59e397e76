package fit

import (
	comma "encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/posterior"
)

// A PredictionDocument is what --json prints of predictions.
type PredictionDocument struct {
	Schema    int                  `json:"schema"`
	Model     string               `json:"model"`
	Draws     int                  `json:"draws"`
	Key       string               `json:"key,omitempty"`  // the column that names rows
	Rows      []string             `json:"rows,omitempty"` // its values
	Responses []PredictionResponse `json:"responses"`
	// NewLevels counts the categories that the run did not see, by the size that counts them.
	NewLevels map[string]int `json:"new_levels,omitempty"`
}

// A PredictionResponse is the prediction of one response, or a generated quantity of the rows, by element:
// the first index runs fastest.
type PredictionResponse struct {
	Name  string `json:"name"`
	Owner string `json:"owner"`
	Shape []int  `json:"shape"`
	// Of says what sd and quantiles are of: the expectation, draws of the response, or a generated quantity.
	Of        string               `json:"of"`
	Mean      []posterior.Number   `json:"mean,omitempty"` // the expectation, averaged over the draws
	SD        []posterior.Number   `json:"sd,omitempty"`
	Quantiles []PredictionQuantile `json:"quantiles,omitempty"`
	// Of a category: the probability of each, by element.
	Categories    []string                `json:"categories,omitempty"`
	Probabilities [][]posterior.Number    `json:"probabilities,omitempty"`
	Spread        [][]posterior.Number    `json:"probability_sd,omitempty"` // of the expectation alone
	Intervals     []PredictionProbability `json:"probability_quantiles,omitempty"`
}

// What sd and quantiles are of.
const (
	ofExpectation = "expectation"
	ofReplicates  = "replicates"
	ofQuantity    = "generated"
)

// A PredictionQuantile is one quantile, by element.
type PredictionQuantile struct {
	P      float64            `json:"p"`
	Values []posterior.Number `json:"values"`
}

// A PredictionProbability is one quantile of the probabilities of categories, by element and category.
type PredictionProbability struct {
	P      float64              `json:"p"`
	Values [][]posterior.Number `json:"values"`
}

// Document summarises predictions with the quantiles that are wanted.
func (p *Predictions) Document(probs []float64) PredictionDocument {
	d := PredictionDocument{
		Schema: posterior.Schema, Model: p.Model.Name, Draws: p.Draws, Key: p.Key, Rows: p.Keys,
		NewLevels: p.NewLevels,
		Responses: []PredictionResponse{},
	}
	for k := range p.Responses {
		r := &p.Responses[k]
		out := PredictionResponse{Name: r.Name, Owner: r.Owner, Shape: slices.Clone(r.Shape),
			Of: p.summarises(r)}
		switch {
		case !r.Level:
			out.numbers(r, p.drawsOf(r), probs)
		case out.Of == ofExpectation:
			out.expected(r, probs)
		default:
			out.shares(r)
		}
		d.Responses = append(d.Responses, out)
	}
	return d
}

// summarises says what the summary of a response is of.
func (p *Predictions) summarises(r *PredictedResponse) string {
	switch {
	case r.Quantity:
		return ofQuantity
	case r.Expected != nil && !p.Replicates:
		return ofExpectation
	}
	return ofReplicates
}

// drawsOf are the draws that are summarised, by element, and by category where these are probabilities.
func (p *Predictions) drawsOf(r *PredictedResponse) [][]float64 {
	if p.summarises(r) == ofExpectation {
		return r.Expected
	}
	return r.Draws
}

// A spread of draws is their mean, sd and quantiles.
type spread struct {
	mean, sd  posterior.Number
	quantiles []posterior.Number
}

func spreadOf(draws, probs []float64) (s spread) {
	sorted := slices.Sorted(slices.Values(draws))
	mean, square := 0.0, 0.0
	for _, v := range sorted {
		mean += v
	}
	mean /= float64(len(sorted))
	for _, v := range sorted {
		square += float64((v - mean) * (v - mean))
	}
	s.mean, s.sd = posterior.Number(mean), posterior.NotApplicable()
	if len(sorted) > 1 {
		s.sd = posterior.Number(math.Sqrt(square / float64(len(sorted)-1)))
	}
	for _, p := range probs {
		s.quantiles = append(s.quantiles, posterior.Number(posterior.Quantile(sorted, p)))
	}
	return s
}

func (out *PredictionResponse) numbers(r *PredictedResponse, all [][]float64, probs []float64) {
	for _, p := range probs {
		out.Quantiles = append(out.Quantiles, PredictionQuantile{P: p})
	}
	for e, draws := range all {
		s := spreadOf(draws, probs)
		out.Mean, out.SD = append(out.Mean, posterior.Number(r.Mean[e])), append(out.SD, s.sd)
		for k := range probs {
			out.Quantiles[k].Values = append(out.Quantiles[k].Values, s.quantiles[k])
		}
	}
}

// expected summarises the probability of each category.
func (out *PredictionResponse) expected(r *PredictedResponse, probs []float64) {
	out.name(r, r.kinds)
	for _, p := range probs {
		out.Intervals = append(out.Intervals, PredictionProbability{P: p})
	}
	n := len(r.Draws)
	for e := range n {
		mean, sd, quantiles := make([]posterior.Number, r.kinds), make([]posterior.Number, r.kinds),
			make([][]posterior.Number, len(probs))
		for k := range r.kinds {
			s := spreadOf(r.Expected[e+n*k], probs)
			mean[k], sd[k] = s.mean, s.sd
			for i := range probs {
				quantiles[i] = append(quantiles[i], s.quantiles[i])
			}
		}
		out.Probabilities, out.Spread = append(out.Probabilities, mean), append(out.Spread, sd)
		for i := range probs {
			out.Intervals[i].Values = append(out.Intervals[i].Values, quantiles[i])
		}
	}
}

// name names the categories, of which there are so many.
func (out *PredictionResponse) name(r *PredictedResponse, kinds int) {
	if out.Categories = r.Categories; len(r.Categories) == kinds {
		return
	}
	out.Categories = nil
	for k := range kinds {
		out.Categories = append(out.Categories, strconv.Itoa(k+1))
	}
}

// shares counts the draws of each category.
func (out *PredictionResponse) shares(r *PredictedResponse) {
	kinds := len(r.Categories)
	if kinds == 0 {
		for _, draws := range r.Draws {
			kinds = max(kinds, int(slices.Max(draws)))
		}
	}
	out.name(r, kinds)
	for _, draws := range r.Draws {
		share := make([]posterior.Number, kinds)
		for _, v := range draws {
			share[int(v)-1] += posterior.Number(1 / float64(len(draws)))
		}
		out.Probabilities = append(out.Probabilities, share)
	}
}

// Table returns a response as a table: a line of titles, then one for each element, and of categories one for
// each category of it.
func (d *PredictionDocument) Table(k int, number func(float64) string) [][]string {
	r := &d.Responses[k]
	keyed := d.Rows != nil && len(r.Shape) > 0 && r.Shape[0] == len(d.Rows)
	var title []string
	if keyed {
		title = append(title, d.Key)
	}
	title = append(title, "response")
	if r.Categories != nil {
		title = append(title, "category")
	}
	title = append(title, "of", "mean")
	if r.SD != nil || r.Spread != nil {
		title = append(title, "sd")
	}
	for _, q := range r.Quantiles {
		title = append(title, percent(q.P))
	}
	for _, q := range r.Intervals {
		title = append(title, percent(q.P))
	}
	out := [][]string{title}
	for e, name := range elements(r.Name, r.Shape) {
		var line []string
		if keyed {
			line = append(line, d.Rows[e%len(d.Rows)])
		}
		line = append(line, name)
		if r.Categories == nil {
			line = append(line, r.Of, number(float64(r.Mean[e])), number(float64(r.SD[e])))
			for _, q := range r.Quantiles {
				line = append(line, number(float64(q.Values[e])))
			}
			out = append(out, line)
			continue
		}
		for c, name := range r.Categories {
			of := append(slices.Clone(line), name, r.Of, number(float64(r.Probabilities[e][c])))
			if r.Spread != nil {
				of = append(of, number(float64(r.Spread[e][c])))
			}
			for _, q := range r.Intervals {
				of = append(of, number(float64(q.Values[e][c])))
			}
			out = append(out, of)
		}
	}
	return out
}

func percent(p float64) string { return strconv.FormatFloat(100*p, 'g', 4, 64) + "%" }

// elements are the names of the elements of a response.
func elements(name string, shape []int) (out []string) {
	for _, c := range posterior.Columns([]posterior.Variable{{Name: name, Dims: shape}}) {
		out = append(out, c.Name)
	}
	return out
}

// WriteCSV writes all responses: a table each, with a line of titles before it where the columns change.
func (d *PredictionDocument) WriteCSV(w io.Writer) error {
	c := comma.NewWriter(w)
	var title []string
	for k := range d.Responses {
		table := d.Table(k, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
		if slices.Equal(title, table[0]) {
			table = table[1:]
		} else {
			title = table[0]
		}
		if err := c.WriteAll(table); err != nil {
			return err
		}
	}
	return c.Error()
}

// WriteDraws writes the draws that the summaries are of as CSV, one line for each draw of the run.
func (p *Predictions) WriteDraws(w io.Writer) error {
	c := comma.NewWriter(w)
	title := []string{"draw"}
	for k := range p.Responses {
		r := &p.Responses[k]
		shape := r.Shape
		if r.Level && p.summarises(r) == ofExpectation {
			shape = append(slices.Clone(shape), r.kinds)
		}
		title = append(title, elements(r.Name, shape)...)
	}
	if err := c.Write(title); err != nil {
		return err
	}
	for i := range p.Draws {
		line := []string{fmt.Sprint(i + 1)}
		for k := range p.Responses {
			for _, draws := range p.drawsOf(&p.Responses[k]) {
				line = append(line, strconv.FormatFloat(draws[i], 'g', -1, 64))
			}
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
