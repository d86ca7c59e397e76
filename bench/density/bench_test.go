package main

import (
	"strconv"
	"testing"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
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

// asymmetric declares the asymmetric Laplace distribution, whose location is a quantile: Yu and Moyeed
// (2001), Bayesian quantile regression.
const asymmetric = `dist ald(y | mu, sigma : real<lower=0>, p : real<lower=0, upper=1>) {
    let u = (y - mu) / sigma
    log = log(p) + log1m(p) - log(sigma) - u * (p - (u < 0))
    generate a ~ exponential(1)
    generate b ~ exponential(1)
    generate y = mu + sigma * (a / p - b / (1 - p))
}
data y : real[N]
param m ~ normal(0, 1)
y ~ ald(m, 1, 0.5)
`

// BenchmarkDeclared has a distribution that a model declares, as a multiple of laplace.
func BenchmarkDeclared(b *testing.B) {
	m, diags := compile.Compile(source.New("asymmetric.vfl", asymmetric), check.Options{})
	if diags.HasErrors() {
		b.Fatal(diags.Shown()[0].Message)
	}
	ald, _ := m.Checked.Universe.Dist("ald")
	laplace, _ := m.Universe.Dist("laplace")
	for _, rows := range []int{10, 2000, 20_000} {
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			inTurn(b, rows, newLikelihood(laplace, 0, ""), newLikelihood(ald, 0, ""))
		})
	}
}
