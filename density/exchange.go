package density

// An Exchange is a method of an Env by which parties meet: each is a fixed sequence of messages.
type Exchange int

// The exchanges.
const (
	Evaluation    Exchange = iota // Env.Density
	Pipeline                      // Pipelined.Proceed
	LocalStepping                 // LocallyStepped.StepLocally
	Totalling                     // Totaler.Totals
	Summing                       // Env.Sum
	Reporting                     // Reporter.Values
	Moments                       // Relaying.Relay: means and variances of what crosses at the cuts; under a transform at the server the slopes of the likelihood come back
	Mixing                        // Relaying.Relay: scalars alone
	Slopes                        // Relaying.Relay: slopes of the likelihood at the clients
	Solving                       // Relaying.Relay: products in the iterative solution of a linear system. In place of products the first brings cuts at draws from the priors, and last the mean and the variances of the cuts under the fit
	Batch                         // Relaying.Relay: cuts at the mean and at many draws; under a transform at the clients their sums come back
	CutMoments                    // Relaying.Relay: under a transform at the clients means and variances of the cuts alone; their sums come back
	Weighing                      // Relaying.Relay: scalars alone, at draws
	Expansion                     // Relaying.Relay: there, slopes and curvatures of the likelihood at the clients with the noise integrated out, also the curvatures that mix with what the server sends
	Stepping                      // Relaying.Relay: what crosses at the cuts; adjoint and curvature of the likelihood come back
	Drawing                       // Relaying.Relay: what crosses at the cuts at many draws. The adjoints there, which Answer sets, stay at the server
	DrawSlopes                    // Relaying.Relay: cuts at many draws; the adjoints there come back
	Closing                       // the end: clients compare what they have received alike
)

// Auxiliaries is how an algorithm chooses the auxiliary variables z that clients send.
type Auxiliaries int

// The ways.
const (
	Drawn     Auxiliaries = iota // from a distribution around the cut
	AtCut                        // z is the cut itself, without noise
	Maximised                    // z is moved to the maximum of a density
)

// A Use is one use that an algorithm makes of an exchange: what a party learns from it depends on both.
type Use struct {
	Exchange    Exchange
	Often       string      // "every evaluation"
	Auxiliaries Auxiliaries // where z crosses
	// Scalars is what each party adds to the sums: a phrase, "" where there are none. Least and Most bound how many numbers that is.
	Scalars     string
	Least, Most int
	// Answers is what the server's numbers are, in an exchange in which it answers the sums.
	Answers                   string
	LeastAnswers, MostAnswers int
	// LeastColumns and MostColumns bound how many numbers there are for each element of a cut, where these are several.
	LeastColumns, MostColumns int
	// Motion is how one evaluation leads to the next.
	Motion Motion
	// DenseMost is the most parameters of a party whose metric is dense where it is Adapted.
	DenseMost int
}

// Motion is how the parameters of one evaluation follow from the answer to the one before, or which covariance they have in a fit. Who has the totals over clients and the answers, evaluation by evaluation,
// regresses the former on the latter: along leapfrog steps the change of a total is a sum over clients of X M⁻¹ X' times the answer, M a metric that differs from chain
// to chain; in a fit the variances of a total, or its changes from draw to draw, follow from a sum of X Σ X', Σ a covariance that differs from iteration to iteration. What two of these have in common divides the total by client.
type Motion int

// The motions.
const (
	Otherwise Motion = iota // no way is known by which totals separate
	ByClient                // leapfrog steps with dense metrics, or full covariances: totals separate by client
	ByColumn                // the same with diagonal metrics: also by column
	Adapted                 // with a metric that may be diagonal where a client's priors depend on one another or its parameters are many, and dense else
)
