package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib"
)

// A simulated model has two clients that each add a covariate to the predictor eta, and the parameters that
// the response was drawn with.
type simulated struct {
	name, text string
	// the cells of the response, "" for a row that is not observed
	draw  func(r *rand.Rand, eta float64) string
	cells string
	truth map[string]float64
}

const twoClients = "client a, b\ndata u : real[N] @ a\ndata v : real[N] @ b\nparam ba ~ normal(0, 1) @ " +
	"a\nparam bb ~ normal(0, 1) @ b\nparam m ~ normal(0, 1)\n"

var simulatedModels = []simulated{
	{
		name: "Weibull with right censoring", cells: "t,died",
		text: "data t : real<lower=0>[N] @ shared\ndata died : binary[N] @ shared\nparam shape ~ gamma(2, " +
			"1)\nt ~ weibull(shape, exp(m + u * ba + v * bb)) censor(right=died == 0)\n",
		draw: func(r *rand.Rand, eta float64) string {
			t, stop := math.Exp(eta)*math.Pow(r.ExpFloat64(), 1/1.5), 3*r.ExpFloat64()
			if t <= stop {
				return fmt.Sprintf("%v,1", t)
			}
			return fmt.Sprintf("%v,0", stop)
		},
		truth: map[string]float64{"shape": 1.5},
	},
	{
		name: "mixture of two normals", cells: "y",
		text: "data y : real[N] @ shared\nparam w ~ beta(2, 2)\nparam s ~ half_normal(1)\ny ~ mixture(w, " +
			"normal(m + u * ba + v * bb, s), normal(4, 1))\n",
		draw: func(r *rand.Rand, eta float64) string {
			if r.Float64() < 0.7 {
				return fmt.Sprint(eta + 0.5*r.NormFloat64())
			}
			return fmt.Sprint(4 + r.NormFloat64())
		},
		truth: map[string]float64{"w": 0.7, "s": 0.5},
	},
	{
		name: "Poisson without zeros", cells: "n",
		text: "data n : count[N] @ shared\nn ~ poisson_log(m + u * ba + v * bb) truncate(lower=1)\n",
		draw: func(r *rand.Rand, eta float64) string {
			n, p := 0, r.ExpFloat64()
			for ; p < math.Exp(eta); n++ {
				p += r.ExpFloat64()
			}
			if n == 0 {
				return ""
			}
			return fmt.Sprint(n)
		},
		truth: map[string]float64{},
	},
}

// Data that are drawn from a model give its parameters back: each lies within four posterior standard
// deviations of its posterior mean, split over two clients.
func TestKnownTruthIsRecovered(t *testing.T) {
	for _, m := range simulatedModels {
		t.Run(m.name, func(t *testing.T) {
			truth := map[string]float64{"ba": 0.5, "bb": -0.4, "m": 0.3}
			for k, v := range m.truth {
				truth[k] = v
			}
			r := rand.New(rand.NewPCG(41, 42))
			var server, a, b strings.Builder
			for id := 0; id < 200; {
				u, v := r.NormFloat64(), r.NormFloat64()
				if y := m.draw(r, truth["m"]+truth["ba"]*u+truth["bb"]*v); y != "" {
					fmt.Fprintf(&server, "%d,%s\n", id, y)
					fmt.Fprintf(&a, "%d,%v\n", id, u)
					fmt.Fprintf(&b, "%d,%v\n", id, v)
					id++
				}
			}
			files := map[string]string{"server.csv": "id," + m.cells + "\n" + server.String(),
				"a.csv": "id,u\n" + a.String(), "b.csv": "id,v\n" + b.String()}
			bound := bindFiles(t, twoClients+m.text, stdlib.Exact, 0, files)
			draws := sampled(t, chainsOf(t, bound, "200", "150"), nil).draws
			for k, c := range draws.Columns() {
				var all []float64
				for _, chain := range draws.Column(k) {
					all = append(all, chain...)
				}
				mean, sd := moments(all)
				if want, known := truth[c.Name]; !known || math.Abs(mean-want) > 4*sd {
					t.Errorf("%s: %.3f ± %.3f, but it was drawn with %v", c.Name, mean, sd, want)
				}
				delete(truth, c.Name)
			}
			if len(truth) > 0 {
				t.Errorf("no draws of %v", truth)
			}
		})
	}
}

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}
