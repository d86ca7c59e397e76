package quadrature

import (
	"math"
	"testing"
)

// The rules integrate even powers exactly, and the exponential function to rounding within their reach.
func TestRules(t *testing.T) {
	all := &rules{}
	for _, r := range reaches {
		sd := math.Min(r.sd, 6)
		by := all.of(sd)
		if len(by.at) != r.nodes {
			t.Errorf("sd %g: %d nodes, want %d", sd, len(by.at), r.nodes)
		}
		fourth, exponential := 0.0, 0.0
		for k, x := range by.at {
			fourth += by.weight[k] * x * x * x * x
			exponential += by.weight[k] * math.Exp(sd*x)
		}
		if math.Abs(fourth-3) > 1e-12 || math.Abs(exponential*math.Exp(-sd*sd/2)-1) > 1e-11 {
			t.Errorf("%d nodes: E x⁴ = %g, E exp(%g x) = %g times its value", r.nodes, fourth, sd,
				exponential*math.Exp(-sd*sd/2))
		}
	}
}
