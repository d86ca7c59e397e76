package fit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/stdlib"
)

// A PredictiveCheck compares a statistic of the observed response with that of its replicates.
type PredictiveCheck struct {
	Response  string           `json:"response"`
	Statistic string           `json:"statistic"`
	Observed  posterior.Number `json:"observed"`
	Mean      posterior.Number `json:"mean"` // of the replicates
	SD        posterior.Number `json:"sd"`
	Q5        posterior.Number `json:"q5"`
	Q95       posterior.Number `json:"q95"`
	// Tail is the share of replicates whose statistic is above the observed one, those that equal it counted
	// half.
	Tail posterior.Number `json:"tail_probability"`
}

// ChecksDocument is what --json prints of checks.
func ChecksDocument(model string, draws int, checks []PredictiveCheck) any {
	return map[string]any{"schema": posterior.Schema, "model": model, "draws": draws, "checks": checks}
}

// A statistic maps the values of a response to a number.
type statistic struct {
	name string
	of   func(sorted, y []float64) float64
}

// statistics are those that are always computed.
func statistics() []statistic {
	quantile := func(name string, p float64) statistic {
		return statistic{name, func(sorted, _ []float64) float64 { return posterior.Quantile(sorted, p) }}
	}
	return []statistic{
		{"mean", func(_, y []float64) float64 { return average(y) }},
		{"sd", func(_, y []float64) float64 { return deviation(y) }},
		quantile("min", 0), quantile("5%", 0.05), quantile("50%", 0.5), quantile("95%", 0.95),
		quantile("max", 1),
	}
}

func average(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}

func deviation(y []float64) float64 {
	mean, sum := average(y), 0.0
	for _, v := range y {
		sum += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(sum / float64(len(y)-1))
}

// Checks compares statistics of the responses with those of their replicates: moments and quantiles, and what
// expressions of the response's name compute, as mean(y == 0). names are those of the responses that are
// looked at; none: all. The diagnostics are those of an expression.
func (p *Replication) Checks(names, expressions []string) ([]PredictiveCheck, diag.List, error) {
	var out []PredictiveCheck
	used := make([]bool, len(expressions))
	for _, name := range names {
		if !slices.ContainsFunc(p.Responses, func(r export.Observed) bool { return r.Name == name }) {
			return nil, nil,
				&UsageError{fmt.Errorf("there is no response %s; there are: %s", name,
					strings.Join(p.names(), ", "))}
		}
	}
	for k := range p.Responses {
		r := &p.Responses[k]
		if len(names) > 0 && !slices.Contains(names, r.Name) {
			continue
		}
		all := statistics()
		for i, text := range expressions {
			if !mentionsName(text, baseName(r.Name)) {
				continue
			}
			s, diags, err := expression(r, text)
			if err != nil || diags.HasErrors() {
				return nil, diags, err
			}
			all, used[i] = append(all, s), true
		}
		for _, s := range all {
			out = append(out, compared(r, s))
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, nil,
			&UsageError{fmt.Errorf("the statistic %s has no response in it; write it of %s, as mean(%s == 0)",
				expressions[i], strings.Join(p.names(), " or "), baseName(p.Responses[0].Name))}
	}
	return out, nil, nil
}

func (p *Replication) names() (out []string) {
	for _, r := range p.Responses {
		out = append(out, r.Name)
	}
	return out
}

// baseName is the name of a response in its model: y of lab[2].y.
func baseName(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// mentionsName reports whether a text has a name as a whole word.
func mentionsName(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}), name)
}

// compared computes a statistic of the response and of all its replicates.
func compared(r *export.Observed, s statistic) PredictiveCheck {
	at := func(y []float64) float64 { return s.of(slices.Sorted(slices.Values(y)), y) }
	observed := at(r.Values)
	var values []float64
	y := make([]float64, len(r.Values))
	tail := 0.0
	for c := range r.Replicates[0] {
		for i := range r.Replicates[0][c] {
			for e := range y {
				y[e] = r.Replicates[e][c][i]
			}
			v := at(y)
			values = append(values, v)
			switch {
			case v > observed:
				tail++
			case v == observed:
				tail += 0.5
			}
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	return PredictiveCheck{
		Response: r.Name, Statistic: s.name, Observed: posterior.Number(observed),
		Mean: posterior.Number(average(values)), SD: posterior.Number(deviation(values)),
		Q5:   posterior.Number(posterior.Quantile(sorted, 0.05)),
		Q95:  posterior.Number(posterior.Quantile(sorted, 0.95)),
		Tail: posterior.Number(tail / float64(len(values))),
	}
}

// expression compiles a statistic that a user writes: a number that follows from the response.
func expression(r *export.Observed, text string) (statistic, diag.List, error) {
	var dims []string
	for _, n := range r.Shape {
		dims = append(dims, fmt.Sprint(n))
	}
	size := ""
	if dims != nil {
		size = " : real[" + strings.Join(dims, ", ") + "]"
	}
	name := baseName(r.Name)
	const result = "statistic__"
	src := source.New("the statistic", fmt.Sprintf("param %s%s ~ flat()\ngenerate %s = %s\n", name, size,
		result, text))
	m, diags := compile.Compile(src, check.Options{Transform: stdlib.NoTransform})
	if diags.HasErrors() {
		return statistic{}, diags, nil
	}
	b, diags, err := compile.BindValues(m, map[string]data.Bindings{m.Checked.Server: {}}, nil)
	if err != nil || diags.HasErrors() {
		return statistic{}, diags, err
	}
	q, diags := b.Quantities(m, result)
	if diags.HasErrors() {
		return statistic{}, diags, nil
	}
	if len(q.Quantities[0].Shape) > 0 {
		return statistic{}, nil,
			&UsageError{fmt.Errorf("the statistic %s is not one number; take its mean, sum, min or max",
				text)}
	}
	s := q.NewSimulator()
	return statistic{text, func(_, y []float64) float64 { return s.Evaluate(y)[0][0] }}, nil, nil
}

// CheckCells are the lines of a table of checks, the titles first. A statistic that is no number, as the sd
// of one observation, is a dash.
func CheckCells(checks []PredictiveCheck) [][]string {
	number := func(v posterior.Number, format byte, digits int) string {
		if math.IsNaN(float64(v)) {
			return "-"
		}
		return strconv.FormatFloat(float64(v), format, digits, 64)
	}
	out := [][]string{{"response", "statistic", "observed", "replicated", "sd", "5%", "95%", "tail"}}
	for _, c := range checks {
		line := []string{c.Response, c.Statistic}
		for _, v := range []posterior.Number{c.Observed, c.Mean, c.SD, c.Q5, c.Q95} {
			line = append(line, number(v, 'g', 4))
		}
		out = append(out, append(line, number(c.Tail, 'f', 3)))
	}
	return out
}

// Telling leaves out statistics that are equal in the data and in all replicates, as the least of zeros and
// ones, and counts these.
func Telling(checks []PredictiveCheck) (kept []PredictiveCheck, left int) {
	for _, c := range checks {
		if c.Observed == c.Q5 && c.Q5 == c.Q95 && c.SD == 0 {
			left++
		} else {
			kept = append(kept, c)
		}
	}
	return kept, left
}

// EqualNote says that Telling has left statistics out; "" where it has not.
func EqualNote(left int) string {
	switch left {
	case 0:
		return ""
	case 1:
		return "1 more statistic is equal in the data and in all replicates."
	}
	return fmt.Sprintf("%d more statistics are equal in the data and in all replicates.", left)
}

// farTail is the tail probability below which, or above 1 minus which, a model is said not to reproduce a
// statistic.
const farTail = 0.005

// Far reports whether hardly any replicate reaches the observed statistic, or hardly any stays below it.
func (c PredictiveCheck) Far() bool {
	return float64(c.Tail) < farTail || float64(c.Tail) > 1-farTail
}

// Plotted are the responses for a plot of kind ppc, with PlottedReplicates replicates at even distances where
// there are more.
func (p *Replication) Plotted() []plot.Replicated {
	chains := p.Draws.Chains()
	every := max(1, chains*p.Draws.Len(0)/PlottedReplicates)
	var out []plot.Replicated
	for _, r := range p.Responses {
		one := plot.Replicated{Name: r.Name, Observed: r.Values}
		for c := range chains {
			for i := every - 1; i < p.Draws.Len(0); i += every {
				y := make([]float64, len(r.Values))
				for e := range y {
					y[e] = r.Replicates[e][c][i]
				}
				one.Replicates = append(one.Replicates, y)
			}
		}
		out = append(out, one)
	}
	return out
}

// PlottedReplicates is the number of replicates that a plot is made of.
const PlottedReplicates = 200
