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

// A PredictionResponse is the prediction of one response, by element: the first index runs fastest.
type PredictionResponse struct {
	Name      string               `json:"name"`
	Owner     string               `json:"owner"`
	Shape     []int                `json:"shape"`
	Mean      []posterior.Number   `json:"mean,omitempty"` // the expectation, averaged over the draws
	SD        []posterior.Number   `json:"sd,omitempty"`   // of draws of the response
	Quantiles []PredictionQuantile `json:"quantiles,omitempty"`
	// Of a category: the probability of each, by element.
	Categories    []string             `json:"categories,omitempty"`
	Probabilities [][]posterior.Number `json:"probabilities,omitempty"`
}

// A PredictionQuantile is one quantile of draws of the response, by element.
type PredictionQuantile struct {
	P      float64            `json:"p"`
	Values []posterior.Number `json:"values"`
}

// Document summarises predictions with the quantiles that are wanted.
func (p *Predictions) Document(probs []float64) PredictionDocument {
	d := PredictionDocument{Schema: posterior.Schema, Model: p.Model.Name, Draws: p.Draws, Key: p.Key, Rows: p.Keys, NewLevels: p.NewLevels, Responses: []PredictionResponse{}}
	for k := range p.Responses {
		r := &p.Responses[k]
		out := PredictionResponse{Name: r.Name, Owner: r.Owner, Shape: slices.Clone(r.Shape)}
		if of, _ := p.Model.ResponseOf(r.Name); of.Level {
			out.probabilities(r)
		} else {
			out.numbers(r, probs)
		}
		d.Responses = append(d.Responses, out)
	}
	return d
}

func (out *PredictionResponse) numbers(r *PredictedResponse, probs []float64) {
	for _, p := range probs {
		out.Quantiles = append(out.Quantiles, PredictionQuantile{P: p})
	}
	for e, draws := range r.Draws {
		sorted := slices.Sorted(slices.Values(draws))
		mean, square := 0.0, 0.0
		for _, v := range sorted {
			mean += v / float64(len(sorted))
		}
		for _, v := range sorted {
			square += float64((v - mean) * (v - mean))
		}
		sd := posterior.NotApplicable()
		if len(sorted) > 1 {
			sd = posterior.Number(math.Sqrt(square / float64(len(sorted)-1)))
		}
		out.Mean, out.SD = append(out.Mean, posterior.Number(r.Mean[e])), append(out.SD, sd)
		for k, p := range probs {
			out.Quantiles[k].Values = append(out.Quantiles[k].Values, posterior.Number(posterior.Quantile(sorted, p)))
		}
	}
}

// probabilities counts the draws of each category.
func (out *PredictionResponse) probabilities(r *PredictedResponse) {
	out.Categories = r.Categories
	if out.Categories == nil {
		most := 0.0
		for _, draws := range r.Draws {
			most = max(most, slices.Max(draws))
		}
		for k := range int(most) {
			out.Categories = append(out.Categories, strconv.Itoa(k+1))
		}
	}
	for _, draws := range r.Draws {
		share := make([]posterior.Number, len(out.Categories))
		for _, v := range draws {
			share[int(v)-1] += posterior.Number(1 / float64(len(draws)))
		}
		out.Probabilities = append(out.Probabilities, share)
	}
}

// Table returns a response as a table: a line of titles, then one for each element.
func (d *PredictionDocument) Table(k int, number func(float64) string) [][]string {
	r := &d.Responses[k]
	keyed := d.Rows != nil && len(r.Shape) > 0 && r.Shape[0] == len(d.Rows)
	var title []string
	if keyed {
		title = append(title, d.Key)
	}
	title = append(title, "response")
	if r.Categories != nil {
		for _, c := range r.Categories {
			title = append(title, "p("+c+")")
		}
	} else {
		title = append(title, "mean", "sd")
		for _, q := range r.Quantiles {
			title = append(title, strconv.FormatFloat(100*q.P, 'g', 4, 64)+"%")
		}
	}
	out := [][]string{title}
	for e, name := range elements(r.Name, r.Shape) {
		var line []string
		if keyed {
			line = append(line, d.Rows[e%len(d.Rows)])
		}
		line = append(line, name)
		if r.Categories != nil {
			for _, p := range r.Probabilities[e] {
				line = append(line, number(float64(p)))
			}
		} else {
			line = append(line, number(float64(r.Mean[e])), number(float64(r.SD[e])))
			for _, q := range r.Quantiles {
				line = append(line, number(float64(q.Values[e])))
			}
		}
		out = append(out, line)
	}
	return out
}

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

// WriteDraws writes the draws of all responses as CSV, one line for each draw of the run.
func (p *Predictions) WriteDraws(w io.Writer) error {
	c := comma.NewWriter(w)
	title := []string{"draw"}
	for _, r := range p.Responses {
		title = append(title, elements(r.Name, r.Shape)...)
	}
	if err := c.Write(title); err != nil {
		return err
	}
	for i := range p.Draws {
		line := []string{fmt.Sprint(i + 1)}
		for _, r := range p.Responses {
			for _, draws := range r.Draws {
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
