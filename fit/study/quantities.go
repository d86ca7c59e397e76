package study

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/posterior"
)

// A Value is a number of a cell. Parameter is that of a fit, or the response of a cross-validation; "" for a
// number of the cell as a whole, and for that of the only response.
type Value struct {
	Quantity, Parameter string
	Samples             []float64 // whose mean is the value; several where it is an average over folds
}

// The quantities that compare a cell with its reference.
const (
	// the largest |mean - mean of the reference| / sd of the reference, over parameters
	shift     = "shift"
	narrowest = "narrowest" // the least ratio of standard deviations
	widest    = "widest"
	gain      = "gain" // mean log predictive density of a row above that of the reference
)

// Quantities lists the names of quantities: keys of summary.json and of its parameters and of the
// responses of vflc cv --json; and those of comparisons with a reference.
func Quantities() []string {
	out := []string{}
	for _, v := range []any{posterior.SummaryDocument{}, posterior.SummaryRow{},
		crossvalidate.ResponseAccuracy{}} {
		walk(reflect.ValueOf(v), "", true, func(name string, _ float64) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		})
	}
	return append(out, shift, narrowest, widest, gain)
}

// walk visits the numbers of a document by their JSON keys, those of a key's own document as "key.name".
// Lists are left out. all visits also those that are absent.
func walk(v reflect.Value, prefix string, all bool, visit func(name string, x float64)) {
	for k := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
		f := v.Field(k)
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				if !all {
					continue
				}
				f = reflect.New(f.Type().Elem())
			}
			f = f.Elem()
		}
		switch {
		case f.Kind() == reflect.Struct:
			walk(f, prefix+key+".", all, visit)
		case f.CanFloat():
			visit(prefix+key, f.Float())
		case f.CanInt():
			visit(prefix+key, float64(f.Int()))
		case f.Kind() == reflect.Bool:
			visit(prefix+key, map[bool]float64{true: 1}[f.Bool()])
		}
	}
}

// valuesOf are the numbers of a document.
func valuesOf(document any, parameter string) (out []Value) {
	walk(reflect.ValueOf(document), "", false, func(name string, x float64) {
		if !math.IsNaN(x) {
			out = append(out, Value{name, parameter, []float64{x}})
		}
	})
	return out
}

// A moment is the mean and the standard deviation of a parameter.
type moment struct{ mean, sd float64 }

// A Result is what a cell has come to.
type Result struct {
	Cell   *GridCell
	ID     string
	Values []Value
	// Failed says why the cell has no result; "" where it has one.
	Failed string
	// Findings counts what is wrong with it by class, as vflc diagnose reports it.
	Findings map[posterior.Class]int
	run      *posterior.Run        // of a fit
	cv       *crossvalidate.Report // of a cross-validation
	moments  map[string]moment     // of the parameters of a fit
}

// counted counts findings.
func (r *Result) counted(found []posterior.Finding) {
	r.Findings = map[posterior.Class]int{}
	for _, f := range found {
		r.Findings[f.Class]++
	}
}

// Doubts are the counts of findings as text, "" where there are none.
func (r *Result) Doubts() string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(r.Findings)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.Findings[class], class))
	}
	if parts == nil {
		return ""
	}
	return "findings: " + strings.Join(parts, ", ")
}

// fitted adds the numbers of a fit.
func (r *Result) fitted() {
	r.counted(fit.Diagnose(r.run))
	r.Values = append(r.Values, valuesOf(*r.run.Document, "")...)
	for _, p := range r.run.Document.Parameters {
		r.Values = append(r.Values, valuesOf(p, p.Name)...)
		r.moments[p.Name] = moment{float64(p.Mean), float64(p.SD)}
	}
}

// validated adds the numbers of a cross-validation.
func (r *Result) validated() {
	r.counted(r.cv.Found())
	for _, y := range r.cv.Responses {
		if len(r.cv.Responses) == 1 {
			r.Values = append(r.Values, valuesOf(y, "")...)
		}
		r.Values = append(r.Values, valuesOf(y, y.Name)...)
	}
}

// compare adds the numbers that compare a result with its reference.
func (r *Result) compare(with *Result) {
	far, least, most := 0.0, math.Inf(1), 0.0
	for name, there := range with.moments {
		here, ok := r.moments[name]
		if !ok || !(there.sd > 0) || !(here.sd > 0) {
			continue
		}
		far = max(far, math.Abs(here.mean-there.mean)/there.sd)
		least, most = min(least, here.sd/there.sd), max(most, here.sd/there.sd)
	}
	if most > 0 {
		r.Values = append(r.Values, Value{shift, "", []float64{far}}, Value{narrowest, "", []float64{least}},
			Value{widest, "", []float64{most}})
	}
	if r.cv == nil || with.cv == nil || len(r.cv.Responses) != len(with.cv.Responses) {
		return
	}
	for k, y := range r.cv.Responses {
		if by := gains(y, with.cv.Responses[k]); by != nil {
			if len(r.cv.Responses) == 1 {
				r.Values = append(r.Values, Value{gain, "", by})
			}
			r.Values = append(r.Values, Value{gain, y.Name, by})
		}
	}
}

// gains are the mean differences of log densities in each fold; nil where the folds differ.
func gains(a, b crossvalidate.ResponseAccuracy) []float64 {
	if !slices.Equal(a.Fold, b.Fold) || len(a.Fold) == 0 {
		return nil
	}
	folds := slices.Max(a.Fold)
	sums, counts := make([]float64, folds), make([]float64, folds)
	for i, k := range a.Fold {
		sums[k-1] += float64(a.LogDensities[i] - b.LogDensities[i])
		counts[k-1]++
	}
	for k := range sums {
		sums[k] /= counts[k]
	}
	return sums
}

// samples returns those of a quantity, nil where the cell does not have it.
func (r *Result) samples(quantity, parameter string) []float64 {
	for _, v := range r.Values {
		if v.Quantity == quantity && v.Parameter == parameter {
			return v.Samples
		}
	}
	return nil
}

// An Average is a mean with its standard error, NaN of one value.
type Average struct{ Mean, SE float64 }

func average(x []float64) Average {
	n, sum, square := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		sum += v
	}
	for _, v := range x {
		square += float64((v - sum/n) * (v - sum/n))
	}
	out := Average{sum / n, math.NaN()}
	if n > 1 {
		out.SE = math.Sqrt(square / (n - 1) / n)
	}
	return out
}
