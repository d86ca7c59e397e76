package sfvi

import (
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

// The messages of a fit by sampling and of one with fixed draws, beside those of its evaluation by
// quadrature.

// steppingExchange brings what crosses at the cuts; adjoint and curvature of the likelihood come back.
var steppingExchange = &density.Exchange{
	Name: "stepping", Evaluations: true,
	Up: density.MessageKind{Name: "step", Carries: []density.Carried{
		{Content: density.Auxiliary, When: density.Circumstance.Noisy, Scale: density.Contributions},
		{Content: density.BareCut, When: func(c density.Circumstance) bool {
			return c.Exact
		}, Scale: density.Contributions},
		{Content: density.Scalars},
	}},
	Down: density.MessageKind{Name: "curved",
		Carries: []density.Carried{{Scale: density.Contributions, Content: &density.Content{
			Prefix: "adjoint and curvature ", What: "adjoint of {name} and curvature of the likelihood there",
			Masked: "no",
			Learns: "for each row two functions of the response and of the sum of " +
				"what all clients send: the " +
				"sign of the first gives a binary response; where the response is known " +
				"they can be solved for that sum, and so with two clients for what the other sends",
			Of: density.OfSums, Columns: true, Reach: density.Response, Bound: density.BoundCurved,
		}}, {Content: density.Answers}}},
}

// drawingExchange brings what crosses at the cuts at many draws, where each party can evaluate its density by
// itself. The adjoints there stay at the server.
var drawingExchange = &density.Exchange{
	Name: "drawing", Evaluations: true,
	Up: density.MessageKind{Name: "many", Carries: []density.Carried{
		{Scale: density.Contributions, When: func(c density.Circumstance) bool {
			return c.Alone() && !c.Exact
		}, Content: &density.Content{
			Prefix: "draws ", What: "{name} at draws from the approximation, each around {cut} at one",
			Masked: "noise of sd {rho}",
			Learns: "what an evaluation at each draw would show, since the server can compute the adjoints " +
				"there by itself: {cut} within {rho} at once, and from n draws " +
				"the mean of {name} − rho²·(its adjoint) is the cut's posterior mean within about " +
				"{rho}/√n, row by row, and in the span of these means columns of two values " +
				"and the categories of factors: rho is no differential privacy",
			Total: "the sum of the z of its clients at every draw: {cut} and the other clients' added up, " +
				"under noise of sd {rho} times the root of their number; the server can compute " +
				"the adjoints there by itself, so that n draws show the mean of that sum within about its " +
				"noise/√n, row by row, and in the span of these means columns of two values " +
				"and the categories of factors",
			Columns: true, Reach: density.Contribution,
		}},
		{Scale: density.Contributions, When: func(c density.Circumstance) bool {
			return c.Alone() && c.Exact
		}, Content: quadrature.CutDraws},
		{Content: density.Scalars, When: density.Circumstance.Alone},
	}},
	Down: density.MessageKind{Name: "ratios",
		Carries: []density.Carried{{Content: density.Answers, When: density.Circumstance.Alone}}},
}

// drawSlopesExchange brings cuts at many draws; the adjoints there come back.
var drawSlopesExchange = &density.Exchange{
	Name: "draw slopes",
	Divides: "half the differences of draws of two evaluations have each client's directions in common, by " +
		"which the total divides into each client's part, row by row",
	Up: density.MessageKind{Name: "draws",
		Carries: []density.Carried{{Content: quadrature.CutDraws, Scale: density.Contributions},
			{Content: density.Scalars}}},
	Down: density.MessageKind{Name: "draw slopes",
		Carries: []density.Carried{{Scale: density.Contributions, Content: &density.Content{
			Prefix: "slopes ", What: "adjoints of {name} at these draws", Masked: "no",
			Learns: "for each row and draw a function of the response and of the sum of " +
				"what all clients send: " +
				"the sign gives a binary response; where the response is known " +
				"it can be solved for that sum, and so with two clients for what the other sends",
			Of: density.OfSums, Columns: true, Reach: density.Response, Bound: density.BoundSlopes,
			Shows: density.SlopeAtDraws,
		}}, {Content: density.Answers}}},
}
