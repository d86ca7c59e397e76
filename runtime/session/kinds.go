package session

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// Content is what a channel of a message carries.
type Content int

// The contents. Every channel of every message has one of them.
const (
	Value       Content = iota // ↓ a shared parameter
	Gradient                   // ↑ the gradient by a shared parameter
	Z                          // ↑ an auxiliary variable
	Cut                        // ↑ exact: a cut itself
	OthersSum                  // ↓ power: a sum of auxiliary variables
	Partial                    // ↑ power: the adjoint of that sum at one client
	Adjoint                    // ↓ augmented, exact: the adjoint of a sum at the server
	Whole                      // ↓ power: the adjoint of a sum, added over all clients
	Centre                     // ↑ a cut without noise
	Total                      // ↓ the sum of such cuts
	Scalars                    // ↑ numbers to be added up
	ScalarTotal                // ↓ their totals
	Moment                     // ↑ mean and variance of what a client contributes
	MomentSum                  // ↓ power: their sums
	SlopePart                  // ↑ power: expected slope and curvature of the likelihood at one client
	Slope                      // ↓ the same of the whole likelihood
	Product                    // ↑ a client's part of a matrix times vectors
	Direction                  // ↓ these vectors
	CutDraws                   // ↑ a cut at many draws
	ZDraws                     // ↑ an auxiliary variable at many draws
	Curved                     // ↓ the adjoint of a sum, and the curvature of the likelihood there
	SlopeDraws                 // ↓ the adjoints of a sum there
	CutDrawSum                 // ↓ power: the sums of the cuts at many draws
	Answer                     // ↓ numbers of the server's
	Mark                       // ↑ whether numbers that are added up as words had no words
	Grid                       // ↓ the step of the next words
	Seal                       // ↑ seals of what a client has received that others receive too, one for each of them
	Seals                      // ↓ those of the others
	contents
)

// A description is what is known of a content beside the data: how its channel is named, and what the audit prints of it. In the texts {name} is the
// parameter, auxiliary variable or sum, {cut} what the auxiliary variable is normal around, {client} the client at that end, {rho} the deviation of its
// noise, {mask} what is said of masks where a masked sum may hide a cut, and {scalars} what is added up.
type description struct {
	prefix string // of the channel's name
	what   string
	masked string // "no", or what hides it
	learns string // what a curious receiver can compute
	total  string // the same where it receives the total over two or more clients alone
	reach  Reach  // how far it goes into single rows
	bound  Bound  // of what goes down
}

// Reach is how far what crosses goes into single rows, for the verdict of an audit.
type Reach int

// The reaches. Noise shortens none of them: it averages away over a fit.
const (
	unstated     Reach = iota
	NoRow              // numbers that follow from all rows at once, or from none
	Weighted           // sums over rows: of a row something where few use an element
	Contribution       // for each row what the sender contributes, or under masks the sum over all who send
	Others             // for each row what the others contribute, added up
	Response           // for each row a function of the response and of the sum of all contributions
)

var descriptions = [contents]description{
	Value: {"value ", "value of {name}", "no", "its whole course; nothing about a row", "", NoRow, ""},
	Gradient: {"gradient ", "gradient of {name}", "no", "a function of what {client} has, data or parameters, for each element of {name}, one a round, without noise: where few rows use an " +
		"element, close to the data of these rows", "the total over its clients, a function of the data and parameters of all of them: where few rows use an element, close to the data of these rows", Weighted, ""},
	Z: {"z ", "{name}, drawn around {cut}", "noise of sd {rho}", "{cut} within {rho} at once; from n evaluations the mean of {name} − rho²·(its adjoint) is the cut's posterior mean within about " +
		"{rho}/√n, row by row, and in the span of these means columns of two values and the categories of factors: rho is no differential privacy", "the sum of the z of its clients: {cut} and the other clients' added up, under noise of sd {rho} times the root of their number; from n evaluations the mean of that sum within about its noise/√n, row by row, and in the span of these means columns of two values and the categories of factors", Contribution, ""},
	Cut: {"cut ", "{cut} itself, as {name}", "{mask}", "{cut} exactly, wherever the algorithm evaluates; where it has rows, as many evaluations as it has coefficients show the linear span of its " +
		"covariates, in which columns of two values can be found", "the sum of the cuts of its clients exactly, wherever the algorithm evaluates; where it has rows, as many evaluations as all of them together have coefficients show the linear span of all their covariates, in which columns of two values can be found", Contribution, ""},
	OthersSum: {"sum ", "sum of {name}", "noise of sd rho in each z", "the other clients' z, by subtracting its own: with two clients the other's; it then knows what the server knows, columns of two values and the categories of factors among it", "", Others, ""},
	Partial: {"adjoint ", "adjoint of the sum of {name} at {client}", "no", "{client}'s exact cut row by row, whatever rho, where the likelihood can be inverted: the adjoint is a function of the " +
		"response, of the others' sum and of that cut, and all but the cut are known; in the span of such cuts columns of two values and the categories of factors can be found", "the total of the adjoints: for each row a function of the response and of what all clients send, and in the span of these columns of two values can be found", Contribution, ""},
	Adjoint: {"adjoint ", "adjoint of {name}", "no", "for each row a function of the response and of the sum of what all clients send: the sign gives a binary response; where the response is known it " +
		"can be solved for that sum, and so with two clients for what the other sends; where an intercept of the server is sampled relative to that sum, the total over the rows is the slope of its prior, " +
		"which tells the intercept", "", Response, BoundSlopes},
	Whole: {"adjoint ", "adjoints of {name}, added over the clients", "no", "with two clients the other's adjoint, by subtracting its own, and from it the other's exact cut, whatever rho; where an intercept of the server is sampled relative to " +
		"that sum, all rows are off by one number, and their total is the slope of its prior, which may depend on parameters that nobody else receives", "", Others, BoundSlopes},
	Centre:      {"centre ", "{cut} at the guide's mean", "no", "{cut} itself, row by row and exactly, at the client's current estimate: after as many as it has coefficients the linear span of its covariates, in which columns of two values can be found", "the sum of the cuts of its clients, row by row and exactly, at their current estimates: after as many as all of them have coefficients the linear span of their covariates, in which columns of two values can be found", Contribution, ""},
	Total:       {"total ", "sum of the cuts of {name} at the guides' means", "no", "the sum of the other clients' cuts, exactly: with two clients the other's cut", "", Others, ""},
	Scalars:     {"", "scalars", "no", "{client}'s {scalars}: numbers without noise, functions of its parameters and of its data through all rows at once", "their totals over the clients", NoRow, ""},
	ScalarTotal: {"", "totals of the scalars", "no", "the others' numbers, added up", "", NoRow, ""},
	Moment: {"moments ", "mean and variance of {name}, which is {cut} and noise, under the approximation", "no; sums of them can be masked", "the mean of {cut}, row by row and without noise, at every " +
		"iterate: after as many as it has coefficients the linear span of its covariates, in which columns of two values can be found", "the sum of the means, row by row and without noise, at every iterate: after as many as all clients together have coefficients the linear span of all their covariates, in which columns of two values can be found", Contribution, ""},
	MomentSum: {"moments ", "sums of mean and variance of {name}", "no", "the other clients' means, by subtracting its own: with two clients the other's", "", Others, ""},
	SlopePart: {"slopes ", "expected slope and curvature of the likelihood in {name} at {client}", "no", "{client}'s mean cut, row by row, where the likelihood can be inverted, and in the span of such means columns of two values", "expected slope and curvature of the whole likelihood: for each row a function of the response and of the sum of what all clients contribute, and in the span of these columns of two values can be found", Contribution, ""},
	Slope: {"slopes ", "expected slope and curvature of the likelihood in {name}", "no", "for each row a function of the response and of the sum of what all clients contribute: the sign gives a binary " +
		"response; where the response is known it can be solved for that sum, and so with two clients for what the other contributes", "", Response, BoundCurved},
	Product: {"product ", "{client}'s covariance of {cut} times the server's vectors; in place of that first {cut} at draws from its prior, and its mean and variance under the fit", "no; sums of it can be masked", "{cut} itself, at draws and at the fit's mean, row by row and exactly; vectors in the span of {client}'s covariates: after as many as it has coefficients " +
		"that span, in which columns of two values can be found; and the prior covariance of {cut} on the vectors' span", "the sum of its clients' cuts at draws and at the fit's means, row by row and exactly; vectors in the span of the covariates of all clients together: after as many as these have coefficients that span, in which columns of two values can be found", Contribution, ""},
	Direction: {"direction ", "vectors over the rows of {name} in the solution of a linear system", "no", "combinations of the residuals and of the sums of the clients' cuts", "", Response, BoundDirections},
	CutDraws:  {"draws ", "{cut} at draws from the approximation", "no; sums of it can be masked", "{cut} itself, row by row and exactly, at every draw: its mean and distribution under the approximation, and the linear span of its covariates, in which columns of two values can be found", "the sum of the clients' cuts exactly, at every draw: the linear span of the covariates of all clients together, in which columns of two values can be found, and the distribution of the sum of their cuts under the approximation", Contribution, ""},
	ZDraws: {"draws ", "{name} at draws from the approximation, each around {cut} at one", "noise of sd {rho}", "what an evaluation at each draw would show, since the server can compute the adjoints there by itself: {cut} within {rho} at once, and from n draws the mean of {name} − rho²·(its adjoint) " +
		"is the cut's posterior mean within about {rho}/√n, row by row, and in the span of these means columns of two values and the categories of factors: rho is no differential privacy", "the sum of the z of its clients at every draw: {cut} and the other clients' added up, under noise of sd {rho} times the root of their number; the server can compute the adjoints there by itself, so that n draws show the mean of that sum within about its noise/√n, row by row, and in the span of these means columns of two values and the categories of factors", Contribution, ""},
	Curved: {"adjoint and curvature ", "adjoint of {name} and curvature of the likelihood there", "no", "for each row two functions of the response and of the sum of what all clients send: the sign of the first gives a binary " +
		"response; where the response is known they can be solved for that sum, and so with two clients for what the other sends", "", Response, BoundCurved},
	SlopeDraws: {"slopes ", "adjoints of {name} at these draws", "no", "for each row and draw a function of the response and of the sum of what all clients send: the sign gives a binary response; where the " +
		"response is known it can be solved for that sum, and so with two clients for what the other sends", "", Response, BoundSlopes},
	CutDrawSum: {"draws ", "sums of the cuts of {name} at draws from the approximation", "no", "the other clients' cuts exactly, at every draw, by subtracting its own: with two clients the other's, and the linear span of its covariates", "", Others, ""},
	Answer:     {"", "{answers}", "no", "the course of the fit", "", NoRow, ""},
	Mark:       {"", "mark that {name} has numbers beyond the grid, or numbers that are not finite", "no", "that {client}'s contribution left the range, as on a trajectory that diverges: one bit", "", NoRow, ""},
	Grid:       {"", "step of the grid of the next {name}", "no", "the largest element of the last total, as a power of two", "", NoRow, ""},
	Seal:       {"", "seals for the other clients of what {client} has received that they receive too", "a key of each two clients", "nothing: without the key a seal is a random number; a server that alters one ends the run", "", NoRow, ""},
	Seals:      {"", "the other clients' seals of what {client} receives too", "a key of each two clients", "whether the server has sent the other clients the same as {client}; if not, {client} ends the run", "", NoRow, ""},
}

// describe is the description of a content where the algorithm chooses z in this way: it may not draw z around the cut.
func describe(c Content, how density.Auxiliaries) description {
	d := descriptions[c]
	switch {
	case how == density.Drawn:
	case c == OthersSum:
		d.masked, d.learns = "no", "the other clients' z, by subtracting its own: with two clients the other's, from which the server computes the other's cut"
	case c == Z && how == density.AtCut:
		d.what, d.masked, d.learns = "{cut} itself, as {name}", "no", "{cut}, row by row and exactly, at the client's starting point"
	case c == Z && how == density.Maximised:
		d.what, d.masked, d.learns = "{name}, at the iterate", "no", "{name} − rho²·(its adjoint) is, once the fit has settled, {cut} averaged over the client's chains, row by row: no noise is on it"
	}
	return d
}

// A kind is one kind of message of a script: its name on the wire and what it carries, in this order. The loops of server and client, the check of every
// message and the audit all follow from this table.
type kind struct {
	name    string
	up      bool // from a client to the server; otherwise back
	carries []carried
}

// A carried content has one channel for every shared parameter, sum or cut that it applies to and that when accepts.
type carried struct {
	content Content
	when    func(circumstance) bool
}

// A circumstance is what decides whether a message carries a content.
type circumstance struct {
	power, exact bool // as in model.Plan
	shared       bool // parties share parameters
	sealed       bool // there are two clients or more, who compare what they receive
	sums         bool // and sums of what clients send
	early        bool // of a shared parameter: a cut depends on it
	generated    bool // of a sum: a generated quantity of the server depends on it
}

func circumstances(plan *model.Plan, early bool) circumstance {
	sealed := len(plan.Names)-1+len(plan.Several) > 1
	return circumstance{power: plan.Power, exact: plan.Exact, shared: len(plan.Shared) > 0, sealed: sealed, sums: sealed && len(plan.Groups) > 0, early: early}
}

// Positions in kinds.
const (
	kindEarly = iota
	kindAux
	kindReply
	kindPartial
	kindWhole
	kindTrailing
	kindCentre
	kindTotal
	kindPart
	kindSum
	kindValues
	kindDrawn
	kindMoments
	kindSlopes
	kindTerms
	kindMix
	kindPartialSlopes
	kindWholeSlopes
	kindProduct
	kindDirection
	kindBatch
	kindDensities
	kindDrawing
	kindTotals
	kindStep
	kindCurved
	kindDraws
	kindDrawSlopes
	kindCutMoments
	kindCutSums
	kindExpansion
	kindExpanded
	kindShares
	kindWeights
	kindClosing
	kindClosed
	kindsOfScripts
)

// kindEnd goes either way: the sender has met an error, whose code is the message's reason.
const kindEnd = "end of run"

var kinds = [kindsOfScripts]kind{
	kindEarly:    {"early", false, []carried{{Value, ofCuts}}},
	kindAux:      {"aux", true, []carried{{Z, underNoise}, {Cut, underExact}, {Seal, severalSums}}},
	kindReply:    {"reply", false, []carried{{Value, ofRest}, {Adjoint, atServer}, {OthersSum, underPower}, {Seals, severalSums}}},
	kindPartial:  {"partial", true, []carried{{Gradient, beforeAdjoints}, {Partial, underPower}}},
	kindWhole:    {"whole", false, []carried{{Whole, underPower}}},
	kindTrailing: {"trailing", true, []carried{{Gradient, afterAdjoints}}},
	kindCentre:   {"centre", true, []carried{{Centre, always}, {Seal, severalSums}}},
	kindTotal:    {"total", false, []carried{{Total, always}, {Seals, severalSums}}},
	kindPart:     {"sum part", true, []carried{{Scalars, always}, {Seal, several}}},
	kindSum:      {"sum", false, []carried{{ScalarTotal, always}, {Seals, several}}},
	kindValues:   {"values", false, []carried{{Value, always}}},
	kindDrawn:    {"drawn", true, []carried{{Z, ofQuantities}, {Cut, ofExactQuantities}}},

	kindMoments:       {"moments", true, []carried{{Moment, always}, {Scalars, atServer}, {Seal, severalSums}}},
	kindSlopes:        {"slopes", false, []carried{{Slope, atServer}, {MomentSum, underPower}, {Answer, always}, {Seals, severalSums}}},
	kindTerms:         {"terms", true, []carried{{Scalars, always}, {Seal, severalSums}}},
	kindMix:           {"mix", false, []carried{{Answer, always}, {Seals, severalSums}}},
	kindPartialSlopes: {"partial slopes", true, []carried{{SlopePart, always}, {Scalars, always}, {Seal, severalSums}}},
	kindWholeSlopes:   {"whole slopes", false, []carried{{Slope, always}, {Answer, always}, {Seals, severalSums}}},
	kindProduct:       {"product", true, []carried{{Product, always}, {Scalars, always}, {Seal, severalSums}}},
	kindDirection:     {"direction", false, []carried{{Direction, always}, {Answer, always}, {Seals, severalSums}}},
	kindBatch:         {"batch", true, []carried{{CutDraws, always}, {Scalars, always}, {Seal, severalSums}}},
	kindDensities:     {"densities", false, []carried{{CutDrawSum, underPower}, {Answer, always}, {Seals, severalSums}}},
	kindDrawing:       {"many", true, []carried{{ZDraws, ofNoiseAlone}, {CutDraws, ofExactAlone}, {Scalars, alone}, {Seal, severalAlone}}},
	kindTotals:        {"ratios", false, []carried{{Answer, alone}, {Seals, severalAlone}}},
	kindStep:          {"step", true, []carried{{Z, underNoise}, {Cut, underExact}, {Scalars, always}, {Seal, severalSums}}},
	kindCurved:        {"curved", false, []carried{{Curved, always}, {Answer, always}, {Seals, severalSums}}},
	kindDraws:         {"draws", true, []carried{{CutDraws, always}, {Scalars, always}, {Seal, severalSums}}},
	kindDrawSlopes:    {"draw slopes", false, []carried{{SlopeDraws, always}, {Answer, always}, {Seals, severalSums}}},
	kindCutMoments:    {"cut moments", true, []carried{{Moment, always}, {Seal, severalSums}}},
	kindCutSums:       {"cut sums", false, []carried{{MomentSum, always}, {Answer, always}, {Seals, severalSums}}},
	kindExpansion:     {"expansion", true, []carried{{SlopePart, always}, {Seal, severalSums}}},
	kindExpanded:      {"expanded", false, []carried{{Answer, always}, {Seals, severalSums}}},
	kindShares:        {"shares", true, []carried{{Scalars, always}, {Seal, severalSums}}},
	kindWeights:       {"weights", false, []carried{{Answer, always}, {Seals, severalSums}}},
	kindClosing:       {"closing", true, []carried{{Seal, several}}},
	kindClosed:        {"closed", false, []carried{{Seals, several}}},
}

func always(circumstance) bool              { return true }
func several(c circumstance) bool           { return c.sealed }
func severalSums(c circumstance) bool       { return c.sums }
func severalAlone(c circumstance) bool      { return c.sums && alone(c) }
func ofCuts(c circumstance) bool            { return c.early }
func ofRest(c circumstance) bool            { return !c.early }
func underNoise(c circumstance) bool        { return !c.exact }
func underExact(c circumstance) bool        { return c.exact }
func underPower(c circumstance) bool        { return c.power }
func alone(c circumstance) bool             { return !c.power && !c.shared } // each party can evaluate its density by itself
func ofNoiseAlone(c circumstance) bool      { return alone(c) && !c.exact }
func ofExactAlone(c circumstance) bool      { return alone(c) && c.exact }
func atServer(c circumstance) bool          { return !c.power }
func ofQuantities(c circumstance) bool      { return c.generated && !c.exact }
func ofExactQuantities(c circumstance) bool { return c.generated && c.exact }
func beforeAdjoints(c circumstance) bool    { return c.power && !c.early }
func afterAdjoints(c circumstance) bool     { return !beforeAdjoints(c) }

// kindsOf lists the kinds of message of an exchange in their order. Under Pipeline aux and reply carry scalars too.
func kindsOf(x density.Exchange) []int {
	if int(x) < len(exchanged) && exchanged[x] != nil {
		return exchanged[x]
	}
	return evaluation
}

var (
	evaluation = []int{kindEarly, kindAux, kindReply, kindPartial, kindWhole, kindTrailing}
	exchanged  = [...][]int{
		density.Totalling: {kindCentre, kindTotal}, density.Summing: {kindPart, kindSum}, density.Reporting: {kindValues, kindDrawn},
		density.Moments: {kindMoments, kindSlopes}, density.Mixing: {kindTerms, kindMix}, density.Slopes: {kindPartialSlopes, kindWholeSlopes},
		density.Solving: {kindProduct, kindDirection}, density.Batch: {kindBatch, kindDensities}, density.Drawing: {kindDrawing, kindTotals},
		density.Stepping: {kindStep, kindCurved}, density.DrawSlopes: {kindDraws, kindDrawSlopes},
		density.CutMoments: {kindCutMoments, kindCutSums}, density.Expansion: {kindExpansion, kindExpanded}, density.Weighing: {kindShares, kindWeights},
		density.Closing: {kindClosing, kindClosed},
	}
)

// RoundTrips counts the round trips that messages of these kinds, by name, make where a client and the server exchange one of each: the first answer to what the server sends, and each answer to what
// the client sends. What comes last needs none. Messages that nobody answers count as one. Scalars that are added up beside evaluations travel with the next of these (density.Pipelined).
func RoundTrips(names map[string]bool) int {
	n, begun, asked, sent := 0, false, false, false
	for id, k := range kinds {
		if !names[k.name] || id >= kindClosing || names[kinds[kindAux].name] && slices.Contains(kindsOf(density.Summing), id) {
			continue
		}
		switch {
		case k.up && asked, !k.up && sent:
			n++
		}
		asked, sent, begun = !k.up && !begun, k.up, true
	}
	return max(1, n)
}
