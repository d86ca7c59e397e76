package dist

import (
	"math"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// Thirty times with many ties and a third of them censored, with two covariates.
var (
	coxTimes = []float64{5, 2, 4, 2, 2, 3, 76, 2, 7, 1, 12, 9, 2, 33, 6, 10, 11, 25, 6, 1, 10, 75, 9, 2, 4,
		3, 4, 4, 1, 3}
	coxEvents = []float64{1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1,
		1, 1}
	coxX = [2][]float64{
		{-0.8, -0.25, 1.14, -0.55, 0.75, 0.27, -0.96, 0.2, -0.08, -0.63, -0.71, -0.06, 0.41, -1.64, -0.98,
			-1.29, -0.04, -1.05, -1.09, 0.22, 1.17, -2.0, -1.1, 0.04, -0.23, 0.96, 0.74, -0.33, 1.45, 2.43},
		{-1.32, 0.42, 0.11, -0.78, 1.63, -1.23, 1.6, -1.73, -1.16, -0.49, 0.55, -0.59, 0.83, -0.26, -0.17,
			0.02, -0.3, -0.4, -1.36, -1.11, 0.72, 0.27, 0.03, -1.99, -0.26, -1.18, -1.1, -0.84, 0.57, 0.64},
	}
)

// The log partial likelihood and its derivative in the coefficients, as statsmodels 0.15 (PHReg,
// ties="efron") computes them.
func TestCoxAgainstStatsmodels(t *testing.T) {
	d := Cox()
	for _, c := range []struct {
		beta  [2]float64
		lp    float64
		slope [2]float64
	}{
		{[2]float64{0, 0}, -53.71505263747595, [2]float64{8.608341314205662, -8.506957492395854}},
		{[2]float64{0.5, -0.8}, -47.73565828806001, [2]float64{2.6317449076063673, -0.12728568822328867}},
		{[2]float64{-3, 4}, -219.71236772523045, [2]float64{17.742995019003295, -39.33974415160618}},
	} {
		eta := make([]float64, len(coxTimes))
		for i := range eta {
			eta[i] = c.beta[0]*coxX[0][i] + c.beta[1]*coxX[1][i]
		}
		b := eventsOf(d, coxTimes, [][]float64{eta, coxEvents})
		b.W, b.DTheta[0] = []float64{1}, make([]float64, len(eta))
		d.Event.Density(b)
		if !near(b.LP[0], c.lp, 1e-12) {
			t.Errorf("at %v: %v, want %v", c.beta, b.LP[0], c.lp)
		}
		for k, x := range coxX {
			got := 0.0
			for i, v := range x {
				got += v * b.DTheta[0][i]
			}
			if math.Abs(got-c.slope[k]) > 1e-12*math.Abs(c.slope[k])+1e-13 {
				t.Errorf("at %v: slope %d is %v, want %v", c.beta, k, got, c.slope[k])
			}
		}
	}
}

// The partial likelihood does not change with a constant in eta, with a rising function of the times, nor
// with the order of the rows; and without ties and censoring it is the probability of the order in which the
// rows leave.
func TestCoxInvariances(t *testing.T) {
	d := Cox()
	eta := make([]float64, len(coxTimes))
	for i := range eta {
		eta[i] = coxX[0][i]
	}
	want := eventLogp(d, coxTimes, eta, coxEvents)
	n := len(eta)
	shifted, later, mirrored := make([]float64, n), make([]float64, n),
		[3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range eta {
		shifted[i], later[i] = eta[i]+900, math.Sqrt(coxTimes[i])
		mirrored[0][i], mirrored[1][i], mirrored[2][i] = coxTimes[n-1-i], eta[n-1-i], coxEvents[n-1-i]
	}
	for what, got := range map[string]float64{
		"a constant in eta": eventLogp(d, coxTimes, shifted, coxEvents),
		"other times":       eventLogp(d, later, eta, coxEvents),
		"another order":     eventLogp(d, mirrored[0], mirrored[1], mirrored[2]),
	} {
		if !near(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	total := 0.0
	for _, times := range [][]float64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		total += math.Exp(eventLogp(d, times, []float64{0.4, -1.2, 2}, []float64{1, 1, 1}))
	}
	if math.Abs(total-1) > 1e-14 {
		t.Errorf("the probabilities of all orders add up to %v", total)
	}
}

// An evaluation does not sort again: it finds the rows in order.
func TestCoxKeepsTheOrder(t *testing.T) {
	d := Cox()
	b := eventsOf(d, coxTimes, [][]float64{coxX[0], coxEvents})
	d.Event.Density(b)
	first := b.LP[0]
	order := b.Work[1+2*len(coxTimes):][:len(coxTimes)]
	order[0], order[1] = order[1], order[0] // the two latest times: their places are not looked at again
	d.Event.Density(b)
	if b.LP[0] == first {
		t.Errorf("%v after an exchange of two rows: the rows were sorted again", first)
	}
	b.X = def.Whole(append([]float64{coxTimes[0] + 0.5}, coxTimes[1:]...))
	d.Event.Density(b)
	if want := eventLogp(d, b.X.V, coxX[0], coxEvents); b.LP[0] != want {
		t.Errorf("%v for other times, want %v", b.LP[0], want)
	}
}

// BenchmarkCox times an evaluation with its derivative; the rows are sorted once.
func BenchmarkCox(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		d := Cox()
		x, eta, event := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], eta[i], event[i] = float64((i*7919)%(n/2)), math.Sin(float64(i)), float64(i%3)/2
			event[i] = math.Ceil(event[i]) // two thirds
		}
		e := &def.Events{N: 1, X: def.Whole(x), Theta: []def.EventArg{def.Whole(eta), def.Whole(event)},
			LP: make([]float64, 1), W: []float64{1}, DTheta: [][]float64{make([]float64, n), nil},
			Work: make([]float64, d.Event.Room(n))}
		b.Run(map[int]string{1000: "1000", 100_000: "100000"}[n], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Event.Density(e)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}
