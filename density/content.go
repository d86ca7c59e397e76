package density

// A Content is what a channel of a message carries, with what is known of it beside the data. In the texts
// {name} is the parameter, auxiliary variable or sum, {cut} what the auxiliary variable is normal around,
// {client} the client at that end, {rho} the deviation of its noise, {mask} what is said of masks where a
// masked sum may hide a cut, {scalars} what is added up and {answers} what the server's numbers are.
type Content struct {
	Prefix  string // of the channel's name, before that of the parameter or sum
	What    string // what crosses
	Masked  string // "no", or what hides it
	Learns  string // what a curious receiver can compute
	Total   string // the same where it receives the total over two or more clients alone
	Size    string // of bytes: how many
	Of      Site
	Columns bool // several numbers for each element of a cut, as the use of the exchange says
	Bare    bool // it has a cut or the mean of one, without noise
	Reach   Reach
	Bound   AnswerBound
	Shows   Shown
}

// A Site is what a content has channels for.
type Site int

// The sites.
const (
	OfCuts       Site = iota // each cut of the client
	OfSums                   // each sum that a cut of the client enters
	OfReceptions             // each sum that the client receives
	OfParameters             // each shared parameter
	OfScalars                // numbers that are added up, or their totals: one channel
	OfAnswers                // numbers of the server's: one channel
	OfSeals                  // what clients seal for one another: one channel
	OfShown                  // bytes of each party that sends some, which all receive (ByteRelaying)
	OfGiven                  // bytes of each party that sends some, for one receiver
)

// Bytes reports whether a content is of bytes, whose name is that of the party that has made them.
func (s Site) Bytes() bool { return s == OfShown || s == OfGiven }

// Reach is how far what crosses goes into single rows, for the verdict of an audit.
type Reach int

// The reaches. Noise shortens none of them: it averages away over a fit.
const (
	Unstated     Reach = iota
	NoRow              // numbers that follow from all rows at once, or from none
	Weighted           // sums over rows: of a row something where few use an element
	Contribution       // for each row what the sender contributes, or under masks the sum over all who send
	Others             // for each row what the others contribute, added up
	Response           // for each row a function of the response and of the sum of all contributions
)

// An AnswerBound is what is known of the numbers of a channel that goes down, beyond that they are finite.
// What has none are sums of what clients send, parameters, and the server's decisions.
type AnswerBound string

// The bounds.
const (
	// derivatives of the log likelihood of each row by an element of a sum, or their mean
	BoundSlopes AnswerBound = "slopes"
	// in the first column slopes, in the second curvatures: second derivatives, or their mean
	BoundCurved AnswerBound = "curved"
	// vectors of the server's choice, which the client multiplies: they are counted
	BoundDirections AnswerBound = "directions"
)

// Shown is what the columns of a content are to whoever looks for cuts in them.
type Shown int

// What is shown.
const (
	Nothing Shown = iota
	// a cut at draws: first at their mean, then at pairs of draws that are reflections of one another in it
	CutAtDraws
	// in the first message a cut at independent draws, and last its mean and variance under the fit; then
	// vectors in the span of its covariates
	CutThenVector
	MeanOfZ         // mean and variance of z under the fit
	MeanOfCut       // mean and variance of a cut under the fit
	SlopeByZ        // expected slope of the likelihood by z, and its curvature
	SlopeAtDraws    // slopes at the draws that went up
	PriorCovariance // a cut's mean before the data are seen, and products of its covariance
	CutAtPriorDraws // a cut at draws from the prior, which the covariance times what is answered moves
)

// Shows is what the first content of a message shows that applies and shows something.
func (m MessageKind) Shows(c Circumstance) Shown {
	for _, one := range m.Carries {
		if one.Content.Shows != Nothing && one.Applies(c) {
			return one.Content.Shows
		}
	}
	return Nothing
}

// Applies reports whether a message carries the content.
func (c Carried) Applies(here Circumstance) bool { return c.When == nil || c.When(here) }

// Contents that the round trips of any algorithm may carry: what crosses at a cut in an evaluation, and
// numbers that are added up and answered.
var (
	Scalars = &Content{What: "scalars", Masked: "no",
		Learns: "{client}'s {scalars}: numbers without noise, functions of its parameters and of its data " +
			"through all rows at once",
		Total: "their totals over the clients", Of: OfScalars, Reach: NoRow}
	Answers = &Content{What: "{answers}", Masked: "no", Learns: "the course of the fit", Of: OfAnswers,
		Reach: NoRow}
	Auxiliary = &Content{Prefix: "z ", What: "{name}, drawn around {cut}", Masked: "noise of sd {rho}",
		Learns: "{cut} within {rho} at once; from n evaluations the mean of {name} − rho²·(its adjoint) is " +
			"the cut's posterior mean within about " +
			"{rho}/√n, row by row, and in the span of these means columns of two " +
			"values and the categories of " +
			"factors: rho is no differential privacy",
		Total: "the sum of the z of its clients: {cut} and the other clients' added up, under noise of sd " +
			"{rho} times the root of their number; from n evaluations the mean of that sum within about " +
			"its noise/√n, row by row, and in the span of these means columns of two values and " +
			"the categories of factors", Reach: Contribution}
	BareCut = &Content{Prefix: "cut ", What: "{cut} itself, as {name}", Masked: "{mask}",
		Learns: "{cut} exactly, wherever the algorithm evaluates; where it has rows, as many evaluations " +
			"as it has coefficients show the linear span of its " +
			"covariates, in which columns of two values can be found",
		Total: "the sum of the cuts of its clients exactly, wherever the algorithm evaluates; where it has " +
			"rows, as many evaluations as all of them together have coefficients show the linear span of " +
			"all their covariates, in which columns of two values can be found", Bare: true,
		Reach: Contribution}
)
