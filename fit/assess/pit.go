package assess

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// A Transformed is the probability integral transform of a response's observations, each by the predictive
// distribution that leaves it out: uniform values where the model predicts rows as they vary.
type Transformed struct {
	Name   string             `json:"name"`
	Values []posterior.Number `json:"values"`
	// Outside is the first point at which their distribution function leaves the 95 % band of uniform values;
	// null where it does not.
	Outside posterior.Number `json:"outside"`
}

// PITLevel is the probability of the band that transforms are compared with.
const PITLevel = 0.95

// Transform returns LOO-PIT of responses that have log likelihoods and replicates at the same draws: the
// weighted share of the replicates below y_i, with the weights of PSIS-LOO. Of replicates that equal y_i,
// as those of counts do, a share is counted that is drawn uniformly (Czado, Gneiting and Held 2009).
func Transform(responses []export.Observed, independent bool) (out []Transformed) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, y := range responses {
		t := Transformed{Name: y.Name, Values: []posterior.Number{}}
		var values []float64
		for i, chains := range y.LogLik {
			below, equal := shares(chains, y.Replicates[i], y.Values[i], independent)
			values = append(values, below+float64(equal*r.Float64()))
		}
		t.Values = numbers(values)
		t.Outside = posterior.Number(math.NaN())
		if len(values) > 0 && !slices.ContainsFunc(values, math.IsNaN) {
			t.Outside = posterior.Number(posterior.NewUniformBand(len(values), PITLevel).Outside(values))
		}
		out = append(out, t)
	}
	return out
}

// shares are the weights of the replicates below a value, and of those that equal it.
func shares(ll, replicates [][]float64, y float64, independent bool) (below, equal float64) {
	ratios, efficient := flat(ll), 1.0
	if !independent {
		efficient = efficiency(ll)
	}
	for s, v := range ratios {
		ratios[s] = -v
	}
	lw := importance.Smooth(ratios, efficient).LogWeights
	if lw == nil {
		return math.NaN(), 0
	}
	for s, v := range flat(replicates) {
		switch w := portable.Exp(lw[s]); {
		case v < y:
			below += w
		case v == y:
			equal += w
		}
	}
	return below, equal
}

// Text says whether the values are as uniform ones.
func (t Transformed) Text() string {
	if v := float64(t.Outside); !math.IsNaN(v) {
		return fmt.Sprintf("%s: LOO-PIT leaves the 95 %% band of uniform values at %.2f: rows vary "+
			"otherwise than the model predicts (vflc plot RUN loo-pit)\n", t.Name, v)
	}
	return t.Name + ": LOO-PIT stays within the 95 % band of uniform values\n"
}
