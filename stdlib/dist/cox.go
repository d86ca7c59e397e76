package dist

import (
	"cmp"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Cox is the partial likelihood of a proportional hazards model.
func Cox() def.Dist {
	return def.Dist{
		Name: "cox",
		Doc: `The partial likelihood of times under proportional hazards, with Efron's approximation for ties: eta is the log hazard of each row up to a constant, and event is 1 where
the time is that of an event and 0 where it is censored. The hazard over time is left free, so that eta needs no intercept and no times can be drawn.

    log p(x) = Σ_t [ Σ_{i in D_t} eta[i] - Σ_{l = 0..d_t - 1} log(Σ_{i in R_t} exp(eta[i]) - l/d_t · Σ_{i in D_t} exp(eta[i])) ]

over the times t of events: D_t are the d_t rows with an event at t, and R_t those with a time of t or later.

Source: Cox (1972), Regression models and life-tables, JRSS B 34; Efron (1977), The efficiency of Cox's likelihood function for censored data, JASA 72.`,
		Params: []def.Param{
			{Name: "eta", Doc: "log hazard of each row, up to a constant", Domain: def.RealLine, Rank: 1,
				Differences: "the hazard over time is left free"},
			{Name: "event", Doc: "1 where the time is that of an event, 0 where it is censored",
				Domain: def.ZeroOne, Rank: 1, Data: true, Optional: true, Default: 1},
		},
		Support:    def.NonNegative,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.LogLink, Param: 0},
		Event: &def.Event{
			Rank: 1, Least: 1, Density: coxDensity, Work: func(k int) int { return coxArrays*k + 1 },
			NoSampler: "it leaves the hazard over time free",
			Joint:     "each event is compared with all rows whose times are not shorter",
		},
		Examples: []string{
			"data months : real<lower=0>[N]\ndata died : binary[N]\ndata X : real[N, P]\nparam beta : " +
				"real[P] ~ normal(0, 1)\nmonths ~ cox(X * beta, died)",
		},
	}
}

// A coxTable holds the rows in order of falling time, so that rows join those at risk from the first place to
// the last: of the row in place j its number, its event, its eta, its share exp(eta - top) with the largest
// eta at risk at its time, and the first place with its time. At the first place of each time are the place
// after its last, the largest eta at risk, and the sum of exp(eta - top) over the rows at risk. Times and
// events are data: the copies tell that those of the last evaluation, for which Work holds the order, still
// stand.
type coxTable struct {
	*def.Events
	i                                              int
	times, events                                  []float64 // copies
	order, died, eta, share, first, end, top, risk []float64
}

const coxArrays = 10

func coxDensity(b *def.Events) {
	n := b.X.Len
	eachEvent(b, func(i int) float64 {
		at := func(k int) []float64 { return b.Work[1+k*n : 1+(k+1)*n] }
		t := coxTable{b, i, at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)}
		if !(b.Work[0] == 1 && t.same()) {
			b.Work[0] = 0
			if !t.sort() {
				return math.Inf(-1)
			}
			b.Work[0] = 1
		}
		lp := t.value()
		if b.W != nil && b.DTheta[0] != nil {
			t.slopes()
		}
		return lp
	})
}

// same reports whether the table is that of the last evaluation.
func (t *coxTable) same() bool {
	for j := range t.times {
		if t.X.At(t.i, j) != t.times[j] || t.Theta[1].At(t.i, j) != t.events[j] {
			return false
		}
	}
	return true
}

// sort puts the rows in order, and reports whether all times and events are allowed.
func (t *coxTable) sort() bool {
	t.X.Fill(t.times, t.i)
	t.Theta[1].Fill(t.events, t.i)
	for j, x := range t.times {
		if e := t.events[j]; !(x >= 0 && x < math.Inf(1) && (e == 0 || e == 1)) {
			return false
		}
		t.order[j] = float64(j)
	}
	slices.SortFunc(t.order, func(a, b float64) int { return cmp.Compare(t.times[int(b)], t.times[int(a)]) })
	first := 0
	for j, row := range t.order {
		t.died[j] = t.events[int(row)]
		if t.times[int(row)] != t.times[int(t.order[first])] {
			first = j
		}
		t.first[j], t.end[first] = float64(first), float64(j+1)
	}
	return true
}

// value adds the events of each time. Sums are kept relative to the largest term so far.
func (t *coxTable) value() float64 {
	lp, top, risk := 0.0, math.Inf(-1), 0.0
	for a := 0; a < len(t.order); {
		end := int(t.end[a])
		before := top
		for j := a; j < end; j++ {
			t.eta[j] = t.Theta[0].At(t.i, int(t.order[j]))
			top = max(top, t.eta[j])
		}
		if risk > 0 {
			risk *= portable.Exp(before - top)
		}
		deaths, tied := 0.0, 0.0
		for j := a; j < end; j++ {
			share := 0.0
			if t.eta[j] != math.Inf(-1) {
				share = portable.Exp(t.eta[j] - top)
			}
			t.share[j] = share
			risk += share
			if t.died[j] == 1 {
				deaths++
				tied += share
				lp += t.eta[j] - top
			}
		}
		for l := range int(deaths) {
			lp -= portable.Log(risk - float64(float64(l)/deaths*tied))
		}
		t.top[a], t.risk[a] = top, risk
		a = end
	}
	return lp + float64(0*risk) // NaN where an eta is
}

// slopes goes from the first time to the last. hazard is exp(top) times the sum over the events so far of 1/Σ
// exp(eta) over the rows at risk.
func (t *coxTable) slopes() {
	hazard, top := 0.0, math.Inf(1)
	for end := len(t.order); end > 0; {
		a := int(t.first[end-1])
		deaths, tied := 0.0, 0.0
		for j := a; j < end; j++ {
			deaths += t.died[j]
			tied += float64(t.died[j] * t.share[j])
		}
		if hazard > 0 {
			hazard *= portable.Exp(t.top[a] - top)
		}
		top = t.top[a]
		spared := 0.0 // what the tied rows have less
		for l := range int(deaths) {
			part := float64(l) / deaths
			w := 1 / (t.risk[a] - float64(part*tied))
			hazard, spared = hazard+w, spared+float64(part*w)
		}
		for j := a; j < end; j++ {
			t.Give(0, t.i, int(t.order[j]), t.died[j]-float64(t.share[j]*(hazard-float64(t.died[j]*spared))))
		}
		end = a
	}
}
