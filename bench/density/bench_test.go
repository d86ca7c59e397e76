package main

import (
	"testing"

	"github.com/vflc/vflc/bench/stopwatch"
)

// inTurn times two tasks in turn and reports the second in ns a row and as a multiple of the first.
func inTurn(b *testing.B, rows int, first, second likelihood) {
	base, err := first.task(rows)
	if err != nil {
		b.Fatal(err)
	}
	task, err := second.task(rows)
	if err != nil {
		b.Fatal(err)
	}
	var t stopwatch.Time
	for b.Loop() {
		t = stopwatch.Measure([]stopwatch.Task{base, task}, 9)[1]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(t.Median/float64(rows), "ns/row")
	b.ReportMetric(t.Ratio, "times")
}

// BenchmarkLikelihoods has value and gradient of every likelihood of 2,000 rows, as a multiple of
// bernoulli_logit.
func BenchmarkLikelihoods(b *testing.B) {
	all := likelihoods()
	for _, l := range all {
		b.Run(l.text, func(b *testing.B) { inTurn(b, 2000, all[0], l) })
	}
}

// BenchmarkFewRows is the same for 10 rows, where what is done once for all rows weighs most.
func BenchmarkFewRows(b *testing.B) {
	all := likelihoods()
	for _, l := range all {
		b.Run(l.text, func(b *testing.B) { inTurn(b, 10, all[0], l) })
	}
}

// BenchmarkSpelling has distributions with a function of a predictor, as multiples of the distribution of the
// predictor itself.
func BenchmarkSpelling(b *testing.B) {
	for _, l := range likelihoods() {
		for _, p := range l.dist.Predicted {
			if p.Param == l.at && p.Func == l.link {
				form := p.Form()
				b.Run(l.text, func(b *testing.B) { inTurn(b, 2000, newLikelihood(&form, l.at, ""), l) })
			}
		}
	}
}
