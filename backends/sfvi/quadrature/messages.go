package quadrature

import "github.com/vflc/vflc/density"

// The messages of a fit by quadrature and of its evaluation: what crosses, and what a receiver can compute
// from it.

// Contents that several messages have.
var (
	moment = density.Content{
		Prefix: "moments ",
		What:   "mean and variance of {name}, which is {cut} and noise, under the approximation",
		Masked: "no; sums of them can be masked",
		Learns: "the mean of {cut}, row by row and without noise, at every iterate: after as many as it " +
			"has coefficients the linear span of its covariates, " +
			"in which columns of two values can be found",
		Total: "the sum of the means, row by row and without noise, at every iterate: after as many as all " +
			"clients together have coefficients " +
			"the linear span of all their covariates, in which columns of two values can be found",
		Columns: true, Bare: true, Reach: density.Contribution, Shows: density.MeanOfZ,
	}
	momentSum = density.Content{
		Prefix: "moments ", What: "sums of mean and variance of {name}", Masked: "no",
		Learns: "the other clients' means, by subtracting its own: with two clients the other's",
		Of:     density.OfSums, Columns: true, Reach: density.Others,
	}
	slopePart = density.Content{
		Prefix: "slopes ", What: "expected slope and curvature of the likelihood in {name} at {client}",
		Masked: "no",
		Learns: "{client}'s mean cut, row by row, where the likelihood can be inverted, and in the span of " +
			"such means columns of two values",
		Total: "expected slope and curvature of the whole likelihood: for each row a function of the " +
			"response and of the sum of what all clients contribute, " +
			"and in the span of these columns of two values can be found",
		Of: density.OfSums, Columns: true, Reach: density.Contribution, Shows: density.SlopeByZ,
	}
	slope = &density.Content{
		Prefix: "slopes ", What: "expected slope and curvature of the likelihood in {name}", Masked: "no",
		Learns: "for each row a function of the response and of the sum of what all clients contribute: " +
			"the sign gives a binary response, the one positive slope of a row a category; " +
			"where the response is known " +
			"it can be solved for that sum, and so with two clients for what the other contributes",
		Of: density.OfSums, Columns: true, Reach: density.Response, Bound: density.BoundCurved,
		Shows: density.SlopeByZ,
	}
)

// CutDraws are cuts at draws from an approximation.
var CutDraws = &density.Content{
	Prefix: "draws ", What: "{cut} at draws from the approximation", Masked: "no; sums of it can be masked",
	Learns: "{cut} itself, row by row and exactly, at every draw: its mean and distribution under the " +
		"approximation, and the linear span of its covariates, " +
		"in which columns of two values can be found",
	Total: "the sum of the clients' cuts exactly, at every draw: the linear span of the covariates of all " +
		"clients together, in which columns of two values can be found, " +
		"and the distribution of the sum of their cuts under the approximation",
	Columns: true, Bare: true, Reach: density.Contribution, Shows: density.CutAtDraws,
}

// momentsExchange brings means and variances of what crosses at the cuts; under a transform at the server the
// slopes of the likelihood come back.
var momentsExchange = &density.Exchange{
	Name: "moments", Divides: byVariances,
	Up: density.MessageKind{Name: "moments", Carries: []density.Carried{
		{Content: &moment, Scale: density.Contributions},
		{Content: density.Scalars, When: density.Circumstance.AtServer},
	}},
	Down: density.MessageKind{Name: "slopes", Carries: []density.Carried{
		{Content: slope, When: density.Circumstance.AtServer, Scale: density.Contributions},
		{Content: &momentSum, When: atClients, Scale: density.Contributions},
		{Content: density.Answers},
	}},
}

func atClients(c density.Circumstance) bool { return c.AtClients }

// Mixing has scalars alone, from which all parties combine their latest iterates alike.
var Mixing = scalars("mixing", "terms", "mix")

// weighingExchange has scalars alone, at draws.
var weighingExchange = scalars("weighing", "shares", "weights")

func scalars(name, up, down string) *density.Exchange {
	return &density.Exchange{
		Name: name,
		Up:   density.MessageKind{Name: up, Carries: []density.Carried{{Content: density.Scalars}}},
		Down: density.MessageKind{Name: down, Carries: []density.Carried{{Content: density.Answers}}},
	}
}

// slopesExchange brings the slopes of the likelihood at the clients.
var slopesExchange = &density.Exchange{
	Name: "slopes",
	Up: density.MessageKind{Name: "partial slopes",
		Carries: []density.Carried{{Content: &slopePart, Scale: density.Adjoints},
			{Content: density.Scalars}}},
	Down: density.MessageKind{Name: "whole slopes",
		Carries: []density.Carried{{Content: slope, Scale: density.Adjoints}, {Content: density.Answers}}},
}

// solvingExchange has products in the iterative solution of a linear system. In place of products the first
// brings cuts at draws from the priors, and last the mean and the variances of the cuts under the fit.
var solvingExchange = &density.Exchange{
	Name: "solving", Divides: byVariances,
	Up: density.MessageKind{Name: "product",
		Carries: []density.Carried{{Scale: density.Products, Content: &density.Content{
			Prefix: "product ",
			What: "{client}'s covariance of {cut} times the server's vectors; in place of that first {cut} " +
				"at draws from its prior, and its mean and variance under the fit",
			Masked: "no; sums of it can be masked",
			Learns: "{cut} itself, at draws and at the fit's mean, row by row and " +
				"exactly; vectors in the span " +
				"of {client}'s covariates: after as many as it has coefficients that span, " +
				"in which columns of two values can be found; and the prior covariance of " +
				"{cut} on the vectors' span",
			Total: "the sum of its clients' cuts at draws and at the fit's means, row by row and exactly; " +
				"vectors in the span of the covariates of all clients together: " +
				"after as many as these have coefficients that span, in which columns of " +
				"two values can be found",
			Columns: true, Bare: true, Reach: density.Contribution, Shows: density.CutThenVector,
		}}, {Content: density.Scalars}}},
	Down: density.MessageKind{Name: "direction",
		Carries: []density.Carried{{Scale: density.Products, Content: &density.Content{
			Prefix: "direction ", What: "vectors over the rows of {name} in the solution of a linear system",
			Masked: "no",
			Learns: "combinations of the residuals and of the sums of the clients' cuts",
			Of:     density.OfSums, Columns: true, Reach: density.Response, Bound: density.BoundDirections,
		}}, {Content: density.Answers}}},
}

// Batch brings cuts at the mean and at many draws; under a transform at the clients their sums come back.
var Batch = &density.Exchange{
	Name: "batch",
	Up: density.MessageKind{Name: "batch",
		Carries: []density.Carried{{Content: CutDraws, Scale: density.Contributions},
			{Content: density.Scalars}}},
	Down: density.MessageKind{Name: "densities",
		Carries: []density.Carried{{When: atClients, Scale: density.Contributions, Content: &density.Content{
			Prefix: "draws ", What: "sums of the cuts of {name} at draws from the approximation",
			Masked: "no",
			Learns: "the other clients' cuts exactly, at every draw, by subtracting " +
				"its own: with two clients " +
				"the other's, and the linear span of its covariates",
			Of: density.OfSums, Columns: true, Reach: density.Others,
		}}, {Content: density.Answers}}},
}

// cutMomentsExchange brings, under a transform at the clients, means and variances of the cuts alone; their
// sums come back.
var cutMomentsExchange = &density.Exchange{
	Name: "cut moments", Divides: byVariances,
	Up: density.MessageKind{Name: "cut moments", Carries: []density.Carried{
		{Content: as(moment, "mean and variance of {cut} under the approximation", density.MeanOfCut),
			Scale: density.Contributions},
	}},
	Down: density.MessageKind{Name: "cut sums", Carries: []density.Carried{
		{Content: as(momentSum, "sums of mean and variance of the cuts of {name}", density.Nothing),
			Scale: density.Contributions}, {Content: density.Answers},
	}},
}

// expansionExchange brings, there, slopes and curvatures of the likelihood at the clients with the noise
// integrated out, also the curvatures that mix with what the server sends.
var expansionExchange = &density.Exchange{
	Name: "expansion",
	Up: density.MessageKind{Name: "expansion",
		Carries: []density.Carried{{Scale: density.Adjoints, Content: as(slopePart,
			"expected slope and curvature at {client} of the likelihood in {name}, "+
				"the noise integrated out, "+
				"and the curvature that mixes with the server's parameters", density.Nothing)}}},
	Down: density.MessageKind{Name: "expanded", Carries: []density.Carried{{Content: density.Answers}}},
}

// byVariances is how totals divide where clients tell variances.
const byVariances = "the variances in all rows follow from one matrix for each client, and those of two " +
	"iterations divide the total into each client's part, row by row"

// as is a content near to another.
func as(c density.Content, what string, shows density.Shown) *density.Content {
	c.What, c.Shows = what, shows
	return &c
}
