package session

import "github.com/vflc/vflc/density"

// The contents of the messages of an Env itself. Those of round trips over the cuts are declared by the
// algorithms that make them (density.Exchange).
var (
	Value = &density.Content{Prefix: "value ", What: "value of {name}", Masked: "no",
		Of: density.OfParameters, Reach: density.Weighted,
		Learns: "its whole course; from the steps of a sampler, whose law is known, also the gradient by " +
			"it, added up over all who use it: a function of their data and parameters, " +
			"close to the data of single rows where few use an element"}
	Gradient = &density.Content{Prefix: "gradient ", What: "gradient of {name}", Masked: "no",
		Learns: "a function of what {client} has, data or parameters, for each element of {name}, one a " +
			"round, without noise: where few rows use an " +
			"element, close to the data of these rows",
		Total: "the total over its clients, a function of the data and parameters of all of them: where " +
			"few rows use an element, close to the data of these rows", Of: density.OfParameters,
		Reach: density.Weighted}
	OthersSum = &density.Content{Prefix: "sum ", What: "sum of {name}", Masked: "noise of sd rho in each z",
		Learns: "the other clients' z, by subtracting its own: with two clients the other's; it then knows " +
			"what the server knows, columns of two values and the categories of factors among it",
		Of: density.OfReceptions, Reach: density.Others}
	Partial = &density.Content{Prefix: "adjoint ", What: "adjoint of the sum of {name} at {client}",
		Masked: "no",
		Learns: "{client}'s exact cut row by row, whatever rho, where the likelihood can be inverted: the " +
			"adjoint is a function of the " +
			"response, of the others' sum and of that cut, and all but the cut are " +
			"known; in the span of such " +
			"cuts columns of two values and the categories of factors can be found",
		Total: "the total of the adjoints: for each row a function of the response and of what all clients " +
			"send, and in the span of these columns of two values can be found", Of: density.OfReceptions,
		Reach: density.Contribution}
	Adjoint = &density.Content{Prefix: "adjoint ", What: "adjoint of {name}", Masked: "no",
		Learns: "for each row a function of the response and of the sum of what all clients send: the sign " +
			"gives a binary response; where the response is known it " +
			"can be solved for that sum, and so with two clients for what the other " +
			"sends; where an intercept " +
			"of the server is sampled relative to that sum, the total over the rows is " +
			"the slope of its prior, " +
			"which tells the intercept", Of: density.OfSums, Reach: density.Response,
		Bound: density.BoundSlopes}
	Whole = &density.Content{Prefix: "adjoint ", What: "adjoints of {name}, added over the clients",
		Masked: "no",
		Learns: "with two clients the other's adjoint, by subtracting its own, and from it the other's " +
			"exact cut, whatever rho; where an intercept of the server is sampled relative to " +
			"that sum, all rows are off by one number, and their total is the slope of its prior, which may " +
			"depend on parameters that nobody else receives", Of: density.OfSums, Reach: density.Others,
		Bound: density.BoundSlopes}
	ScalarTotal = &density.Content{What: "totals of the scalars", Masked: "no",
		Learns: "the others' numbers, added up", Of: density.OfScalars, Reach: density.NoRow}
	Mark = &density.Content{What: "mark that {name} has numbers beyond the grid, or " +
		"numbers that are not finite", Masked: "no",
		Learns: "that {client}'s contribution left the range, as on a trajectory that diverges: one bit",
		Reach:  density.NoRow}
	Again = &density.Content{Prefix: "again ", What: "whether {name} is sent once more, on no grid",
		Masked: "no",
		Learns: "that the contribution of some client left the range of the grid, as where a step is far: " +
			"one bit", Of: density.OfSums, Reach: density.NoRow}
	Grid = &density.Content{What: "step of the grid of the next {name}", Masked: "no",
		Learns: "the largest element of the last total, or the norm of its adjoint, as a power of two",
		Reach:  density.NoRow}
	Seal = &density.Content{What: "seals for the other clients of what {client} has " +
		"received that they receive too", Masked: "a key of each two clients",
		Learns: "nothing: without the key a seal is a random number; a server that alters one ends the run",
		Of:     density.OfSeals, Reach: density.NoRow}
	Seals = &density.Content{What: "the other clients' seals of what {client} receives too",
		Masked: "a key of each two clients",
		Learns: "whether the server has sent the other clients the same as {client}; if " +
			"not, {client} ends the run", Of: density.OfSeals, Reach: density.NoRow}
)

// describe is a content where the algorithm chooses z in this way: it may not draw z around the cut.
func describe(c *density.Content, how density.Auxiliaries) density.Content {
	d := *c
	switch {
	case how == density.Drawn:
	case c == OthersSum:
		d.Masked, d.Learns = "no",
			"the other clients' z, by subtracting its own: with two clients the other's, from which the "+
				"server computes the other's cut"
	case c == density.Auxiliary && how == density.AtCut:
		d.What, d.Masked, d.Learns = "{cut} itself, as {name}", "no",
			"{cut}, row by row and exactly, at the client's starting point"
	case c == density.Auxiliary && how == density.Maximised:
		d.What, d.Masked, d.Learns = "{name}, at the iterate", "no",
			"{name} − rho²·(its adjoint) is, once the fit has settled, {cut} averaged over the client's "+
				"chains, row by row: no noise is on it"
	}
	return d
}
