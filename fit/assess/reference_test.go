package assess

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior/export"
)

// reference is testdata/loo.json, which testdata/loo.R makes with the R package loo.
type reference struct {
	Bound, Score          float64
	ELPD0, K0, ELPD, K, P []float64
	Total                 []float64
	TotalP                []float64 `json:"total_p"`
	Stacking              []float64
	PseudoBMA             []float64 `json:"pseudo_bma"`
	PseudoBMAPlus         []float64 `json:"pseudo_bma_plus"`
}

func readReference(t *testing.T) (r reference) {
	t.Helper()
	text, err := os.ReadFile("testdata/loo.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outlying is the regression of testdata/loo.R, at its draws of intercept, slope and log standard deviation.
type outlying struct {
	x, y  []float64
	draws [][]float64
}

func newOutlying() *outlying {
	m := &outlying{draws: make([][]float64, 2000)}
	for i := range 16 {
		m.x = append(m.x, float64(i+1-8)/4)
		m.y = append(m.y, 0.5+1.2*m.x[i]+0.4*math.Sin(float64(7*(i+1))))
	}
	m.y[3], m.y[14] = 4.5, -3
	mean, sd := []float64{0.5, 0.75, 0.62}, []float64{0.44, 0.38, 0.18}
	for j := range mean {
		for s, v := range chainsFrom(uint32(4*j + 1)) {
			m.draws[s] = append(m.draws[s], mean[j]+sd[j]/0.62*v)
		}
	}
	return m
}

func (m *outlying) Draws() [][]float64 { return m.draws }

func (m *outlying) row(u []float64, i int) float64 {
	e := (m.y[i] - u[0] - u[1]*m.x[i]) / math.Exp(u[2])
	return -0.5*math.Log(2*math.Pi) - u[2] - 0.5*e*e
}

func (m *outlying) At(points [][]float64, i int, joint, row []float64) {
	for s, u := range points {
		row[s] = m.row(u, i)
		joint[s] = u[2] - math.Exp(u[2]) - (u[0]*u[0]+u[1]*u[1])/50
		for k := range m.y {
			joint[s] += m.row(u, k)
		}
	}
}

func (m *outlying) pointwise() Pointwise {
	out := make(Pointwise, len(m.y))
	for i := range out {
		for c := range 4 {
			one := make([]float64, 500)
			for s := range one {
				one[s] = m.row(m.draws[500*c+s], i)
			}
			out[i] = append(out[i], one)
		}
	}
	return out
}

// Moment matching has loo_moment_match's elpd, Pareto shapes and p.
func TestMomentMatchingAgainstLoo(t *testing.T) {
	want, m := readReference(t), newOutlying()
	ll := m.pointwise()
	before, after := moving(ll, false, nil, 0, nil), moving(ll, false, m, want.Bound, nil)
	for i := range ll {
		near(t, "elpd before", before.Pointwise[i], want.ELPD0[i], 1e-8)
		near(t, "k before", before.K[i], want.K0[i], 1e-8)
		near(t, "elpd", after.Pointwise[i], want.ELPD[i], 1e-7)
		near(t, "k", after.K[i], want.K[i], 1e-7)
		near(t, "p", after.PPointwise[i], want.P[i], 1e-7)
		if moved := want.K0[i] > want.Bound; moved != (after.Before[i] != 0) {
			t.Errorf("observation %d: moved from a shape of %g", i, after.Before[i])
		}
	}
	near(t, "total", after.ELPD, want.Total[0], 1e-7)
	near(t, "se", after.SE, want.Total[1], 1e-7)
	near(t, "total p", after.P, want.TotalP[0], 1e-7)
	near(t, "se of p", after.PSE, want.TotalP[1], 1e-7)
}

// later is a density of the rows of another from one on.
type later struct {
	*outlying
	from int
}

func (d later) At(points [][]float64, i int, joint, row []float64) {
	d.outlying.At(points, d.from+i, joint, row)
}

// A comparison moves draws for the rows of each response by the density of that response.
func TestResponsesBesideEachOtherAreMoved(t *testing.T) {
	m := newOutlying()
	ll := m.pointwise()
	k := Candidate{Responses: []export.Observed{{LogLik: ll[:5]}, {LogLik: ll[5:]}},
		Moving: []PointDensity{later{m, 0}, later{m, 5}}}
	want, got := moving(ll, false, m, 0.5, nil), moving(together(k.Responses), false, k.moving(), 0.5, nil)
	for i := range ll {
		if got.Pointwise[i] != want.Pointwise[i] || got.K[i] != want.K[i] || got.Before[i] != want.Before[i] {
			t.Errorf("observation %d: %v, not %v", i, got.Pointwise[i], want.Pointwise[i])
		}
	}
	if want.Before[14] == 0 {
		t.Error("no draws were moved")
	}
}

func TestStackingAgainstLoo(t *testing.T) {
	want := readReference(t)
	lpd := make([][]float64, 3)
	for k := range lpd {
		for i := 1; i <= 30; i++ {
			lpd[k] = append(lpd[k], math.Cos(float64((k+1)*i))-0.1*float64((k+1)*(i%3)))
		}
	}
	score := func(w []float64) (sum float64) {
		for i := range lpd[0] {
			p := 0.0
			for k := range lpd {
				p += w[k] * math.Exp(lpd[k][i])
			}
			sum += math.Log(p)
		}
		return sum
	}
	w := stacking(lpd)
	for k := range w {
		near(t, "stacking", w[k], want.Stacking[k], 1e-5)
	}
	near(t, "score of stacking", score(w), want.Score, 1e-9)
	if score(w) < want.Score-1e-12 {
		t.Errorf("the score %.15g is below that of R, %.15g", score(w), want.Score)
	}
	for k, v := range pseudoBMA(lpd) { // 2,000 bootstraps against 200,000
		near(t, "pseudo-BMA+", v, want.PseudoBMAPlus[k], 4*0.5/math.Sqrt(replicates))
	}
	// A model that another is better than in every observation has no weight; two that are equal share
	// theirs.
	lpd = append(lpd, nil, lpd[0])
	for _, v := range lpd[0] {
		lpd[3] = append(lpd[3], v-1)
	}
	more := stacking(lpd)
	near(t, "weight of a worse model", more[3], 0, 1e-9)
	near(t, "weight of equal models", more[0]+more[4], w[0], 1e-9)
	near(t, "sum", portable.Sum(more), 1, 1e-15)
}

// location is a normal mean of unit variance with a flat prior.
type location struct {
	y     []float64
	draws [][]float64
}

func (m *location) Draws() [][]float64 { return m.draws }

func (m *location) At(points [][]float64, i int, joint, row []float64) {
	for s, u := range points {
		joint[s] = 0
		for k, v := range m.y {
			lp := -0.5*math.Log(2*math.Pi) - 0.5*(v-u[0])*(v-u[0])
			if joint[s] += lp; k == i {
				row[s] = lp
			}
		}
	}
}

// Moved draws are those of the posterior without the observation, whose density is known: of an outlier 8
// standard deviations away, for which the weights of draws that stay are off by more than half a nat.
func TestMomentMatchingReachesTheClosedForm(t *testing.T) {
	m, r := &location{y: []float64{0.3, -0.4, 0.1, 0.6, -0.2, 8}}, rand.New(rand.NewPCG(3, 4))
	mu := make([]float64, 2000)
	centre := portable.Mean(m.y)
	for s := range mu {
		mu[s] = centre + r.NormFloat64()/math.Sqrt(6)
		m.draws = append(m.draws, mu[s:][:1])
	}
	at, variance := (6*centre-8)/5, 1.2
	exact := -0.5*math.Log(2*math.Pi*variance) - (8-at)*(8-at)/2/variance
	ll := normalPointwise(m.y, mu)
	plain, moved := psis(ll, true, nil, nil), psis(ll, true, m, nil)
	if off := math.Abs(plain.Pointwise[5] - exact); !(off > 0.5) {
		t.Errorf("without moves the estimate is %.3g off: the test shows nothing", off)
	}
	near(t, "elpd of the outlier", moved.Pointwise[5], exact, 0.1)
	if !(moved.K[5] < 0.5) {
		t.Errorf("its shape is %.2f", moved.K[5])
	}
}

// LOO-PIT of a normal mean is the distribution function of y_i by the mean without it, which is known;
// draws and replicates are independent, so that 2,000 of them tell it to 0.011. Of a binary response with
// known probability it lies between those of both values.
func TestTransformAgainstClosedForm(t *testing.T) {
	const draws = 2000
	r := rand.New(rand.NewPCG(3, 4))
	y, mu, _ := conjugate(r, 30, draws)
	one := export.Observed{Name: "y", Values: y, LogLik: normalPointwise(y, mu)}
	two := export.Observed{Name: "z", Values: []float64{0, 1}}
	for range y {
		replicates := make([]float64, draws)
		for s := range replicates {
			replicates[s] = mu[s] + r.NormFloat64()
		}
		one.Replicates = append(one.Replicates, [][]float64{replicates})
	}
	for _, v := range two.Values {
		ll, replicates := make([]float64, draws), make([]float64, draws)
		for s := range replicates {
			ll[s] = math.Log(0.3*v + 0.7*(1-v))
			if s < 0.3*draws {
				replicates[s] = 1
			}
		}
		two.LogLik = append(two.LogLik, [][]float64{ll})
		two.Replicates = append(two.Replicates, [][]float64{replicates})
	}
	got := Transform([]export.Observed{one, two}, true)
	centre := portable.Mean(y)
	for i, v := range y {
		z := (v - (centre*30-v)/29) / math.Sqrt(1+1.0/29)
		near(t, "LOO-PIT", float64(got[0].Values[i]), portable.Phi(z), 4*0.011)
	}
	if outside := float64(got[0].Outside); !math.IsNaN(outside) {
		t.Errorf("values of the right model leave the band at %g", outside)
	}
	for i, v := range two.Values {
		below, equal := shares(two.LogLik[i], two.Replicates[i], v, true)
		near(t, "below", below, 0.7*v, 1e-12)
		near(t, "equal", equal, 0.3*v+0.7*(1-v), 1e-12)
		if p := float64(got[1].Values[i]); !(p >= below && p <= below+equal) {
			t.Errorf("the value %g lies outside of %g to %g", p, below, below+equal)
		}
	}
}
