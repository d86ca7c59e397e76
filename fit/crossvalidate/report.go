package crossvalidate

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// A Report is how well a model predicts rows that it was not fitted to.
type Report struct {
	Schema    int                `json:"schema"`
	Model     string             `json:"model"`
	Folds     int                `json:"folds"`
	Seed      uint64             `json:"seed"`
	Responses []ResponseAccuracy `json:"responses"`
	// Findings are what the fits say of themselves.
	Findings []FoldFinding `json:"findings,omitempty"`
}

// A FoldFinding is about the fit to all rows but those of a fold.
type FoldFinding struct {
	Fold int `json:"fold"` // from 1
	posterior.Finding
}

// A ResponseAccuracy is the accuracy for one response. Log densities are in nats.
type ResponseAccuracy struct {
	Name string           `json:"name"`
	Rows int              `json:"rows"`
	ELPD posterior.Number `json:"elpd"` // Σ over rows of the log predictive density
	SE   posterior.Number `json:"se"`   // of ELPD, from the spread over rows
	Mean posterior.Number `json:"mean_log_density"`
	RMSE posterior.Number `json:"rmse"` // of the expectation
	// Of a response that is 0 or 1, predicted as 1 where its probability is at least a half:
	Accuracy *posterior.Number `json:"accuracy,omitempty"`
	// with probabilities held within leastProbability of 0 and 1
	Clipped     *posterior.Number `json:"mean_log_density_clipped,omitempty"`
	AUC         *posterior.Number `json:"auc,omitempty"`
	Brier       *posterior.Number `json:"brier,omitempty"`
	WhereWrong  *posterior.Number `json:"mean_log_density_where_wrong,omitempty"`
	Calibration []Bin             `json:"calibration,omitempty"`
	// Of each row, in the order of the folds: its key, or its number where no column joins the rows, its fold
	// and its log density.
	Key          string             `json:"key,omitempty"` // the column that names the rows
	Keys         []string           `json:"keys,omitempty"`
	Fold         []int              `json:"fold"`
	LogDensities []posterior.Number `json:"log_density"`
}

// A Bin is the rows whose probability of 1 lies in a range: how probable it was on average, and how often it
// was so.
type Bin struct {
	From      float64          `json:"from"`
	To        float64          `json:"to"`
	Rows      int              `json:"rows"`
	Predicted posterior.Number `json:"predicted"`
	Observed  posterior.Number `json:"observed"`
}

// leastProbability bounds the probabilities whose log densities are clipped: a network that is sure of what
// is wrong has a mean log density that says little beyond that.
const leastProbability = 1e-5

// bins is the number of ranges of the calibration curve.
const bins = 10

func report(model string, folds []result, count int, seed uint64) *Report {
	r := &Report{Schema: posterior.Schema, Model: model, Folds: count, Seed: seed,
		Responses: []ResponseAccuracy{}}
	for i, f := range folds {
		for _, found := range f.findings {
			r.Findings = append(r.Findings, FoldFinding{i + 1, found})
		}
	}
	for k, first := range folds[0].responses {
		var rows []row
		for _, f := range folds {
			rows = append(rows, f.responses[k].rows...)
		}
		y := scored(first.name, rows, first.binary)
		y.Key = first.key
		r.Responses = append(r.Responses, y)
	}
	return r
}

// scored summarises the predictions of a response.
func scored(name string, rows []row, binary bool) ResponseAccuracy {
	out := ResponseAccuracy{Name: name, Rows: len(rows)}
	n := float64(len(rows))
	var sum, square, errors float64
	for _, r := range rows {
		sum += r.score
		errors += float64((r.observed - r.mean) * (r.observed - r.mean))
		if r.key != "" {
			out.Keys = append(out.Keys, r.key)
		}
		out.Fold, out.LogDensities = append(out.Fold, r.fold+1),
			append(out.LogDensities, posterior.Number(r.score))
	}
	for _, r := range rows {
		square += float64((r.score - sum/n) * (r.score - sum/n))
	}
	out.ELPD, out.Mean, out.RMSE = posterior.Number(sum), posterior.Number(sum/n),
		posterior.Number(math.Sqrt(errors/n))
	out.SE = posterior.Number(math.Sqrt(n * square / (n - 1)))
	if binary {
		out.classify(rows, errors/n)
	}
	return out
}

func (out *ResponseAccuracy) classify(rows []row, brier float64) {
	right, wrong, lost, clipped := 0.0, 0.0, 0.0, 0.0
	for _, r := range rows {
		clipped += min(max(r.score, portable.Log(leastProbability)), portable.Log1p(-leastProbability))
		if (r.mean >= 0.5) == (r.observed == 1) {
			right++
			continue
		}
		wrong, lost = wrong+1, lost+r.score
	}
	number := func(v float64) *posterior.Number { p := posterior.Number(v); return &p }
	out.Accuracy, out.Brier, out.AUC, out.Clipped = number(right/float64(len(rows))), number(brier),
		number(auc(rows)), number(clipped/float64(len(rows)))
	if wrong > 0 {
		out.WhereWrong = number(lost / wrong)
	}
	for b := range bins {
		one := Bin{From: float64(b) / bins, To: float64(b+1) / bins}
		for _, r := range rows {
			if min(bins-1, int(r.mean*bins)) == b {
				one.Rows++
				one.Predicted += posterior.Number(r.mean)
				one.Observed += posterior.Number(r.observed)
			}
		}
		if one.Rows > 0 {
			one.Predicted, one.Observed = one.Predicted/posterior.Number(one.Rows),
				one.Observed/posterior.Number(one.Rows)
			out.Calibration = append(out.Calibration, one)
		}
	}
}

// auc is the share of pairs of a 1 and a 0 in which the 1 has the larger probability, equal ones counted
// half. It is NaN where all responses are equal.
func auc(rows []row) float64 {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b row) int { return cmp.Compare(a.mean, b.mean) })
	var ones, zeros, pairs float64
	for i := 0; i < len(sorted); {
		j, one, zero := i, 0.0, 0.0
		for ; j < len(sorted) && sorted[j].mean == sorted[i].mean; j++ {
			if sorted[j].observed == 1 {
				one++
			} else {
				zero++
			}
		}
		pairs += float64(one * (zeros + float64(zero/2)))
		ones, zeros, i = ones+one, zeros+zero, j
	}
	return pairs / (ones * zeros)
}

// logMeanExp is the logarithm of the mean of exp(x).
func logMeanExp(x []float64) float64 {
	most := slices.Max(x)
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, v := range x {
		sum += portable.Exp(v - most)
	}
	return most + portable.Log(sum/float64(len(x)))
}

// Found are the findings of all fits.
func (r *Report) Found() (out []posterior.Finding) {
	for _, f := range r.Findings {
		out = append(out, f.Finding)
	}
	return out
}

// Warnings say what the fits say of themselves, a line for each check: in how many folds, and the first of
// it.
func (r *Report) Warnings() (out []string) {
	var checks []string
	for _, f := range r.Findings {
		if !slices.Contains(checks, f.Check) {
			checks = append(checks, f.Check)
		}
	}
	for _, check := range checks {
		var folds []string
		var first *FoldFinding
		for i, f := range r.Findings {
			if f.Check != check {
				continue
			}
			if first = cmp.Or(first, &r.Findings[i]); !slices.Contains(folds, strconv.Itoa(f.Fold)) {
				folds = append(folds, strconv.Itoa(f.Fold))
			}
		}
		text := fmt.Sprintf("in %d of %d folds (%s), as in the fit without fold %d: %s", len(folds), r.Folds,
			strings.Join(folds, ", "), first.Fold, first.Text)
		if first.Try != "" {
			text += "; try: " + first.Try
		}
		out = append(out, text)
	}
	return out
}

// WriteTable writes the report as text.
func (r *Report) WriteTable(w io.Writer) error {
	text := ""
	number := func(v posterior.Number) string { return strconv.FormatFloat(float64(v), 'g', 5, 64) }
	for _, y := range r.Responses {
		lines := [][]string{
			{"response", y.Name}, {"rows", strconv.Itoa(y.Rows)},
			{"elpd", number(y.ELPD) + " ± " + number(y.SE)}, {"mean log density", number(y.Mean)},
			{"rmse", number(y.RMSE)},
		}
		for _, more := range []struct {
			name  string
			value *posterior.Number
		}{{"accuracy", y.Accuracy}, {"AUC", y.AUC}, {"Brier", y.Brier},
			{"mean log density, clipped", y.Clipped}, {"mean log density where wrong", y.WhereWrong}} {
			if more.value != nil {
				lines = append(lines, []string{more.name, number(*more.value)})
			}
		}
		text += posterior.AlignLeft(lines) + "\n"
		if y.Calibration != nil {
			table := [][]string{{"probability", "rows", "predicted", "observed"}}
			for _, b := range y.Calibration {
				table = append(table, []string{fmt.Sprintf("%.1f to %.1f", b.From, b.To),
					strconv.Itoa(b.Rows), strconv.FormatFloat(float64(b.Predicted), 'f', 3, 64),
					strconv.FormatFloat(float64(b.Observed), 'f', 3, 64)})
			}
			text += posterior.AlignLeft(table) + "\n"
		}
	}
	_, err := fmt.Fprintf(w, "%s%d folds, seed %d\n", text, r.Folds, r.Seed)
	return err
}
