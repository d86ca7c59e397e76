package density

// An Exchange is a way by which parties meet: a fixed sequence of messages. Those of the methods of an Env
// are declared here by name alone; an algorithm declares the messages of its round trips over the cuts
// (Relaying.Relay) beside the code that sends them, as data: the session makes channels of them, the wire
// codes and masks them, and audit, cost, policy and attack are derived from the same declaration. An Exchange
// is told from others by its address.
type Exchange struct {
	Name string
	// Up and Down are the messages of a Relay: what each client sends, and what the server answers. A message
	// none of whose contents apply is not sent. Those of RelayBytes are of bytes.
	Up, Down MessageKind
	// Evaluations: each column up is a z at which the likelihood is evaluated, and the first columns down are
	// the adjoints there, or stay at the server.
	Evaluations bool
	// Divides says by what totals that have masks divide into each client's part, where the use of the
	// exchange has a Motion that is no trajectory.
	Divides string
}

// A MessageKind is a kind of message, what one party sends another in one piece: its name on the wire, and
// what it carries, in this order.
type MessageKind struct {
	Name    string
	Carries []Carried
}

// A Carried content has one channel for every parameter, cut or sum that it is of, in a run where When holds;
// nil: always.
type Carried struct {
	Content *Content
	When    func(Circumstance) bool
	Scale   Scale
	// Wanted: of an evaluation. Where totals of scalars in the same message say that none is wanted, it has
	// no numbers.
	Wanted bool
}

// A Circumstance is what decides whether a message carries a content.
type Circumstance struct {
	AtClients bool // every client evaluates the likelihood
	Exact     bool // cuts cross themselves
	Shared    bool // parties share parameters
	Early     bool // of a shared parameter: a cut depends on it
	Generated bool // of a sum: a generated quantity of the server depends on it
}

// AtServer reports whether the server evaluates the likelihood.
func (c Circumstance) AtServer() bool { return !c.AtClients }

// Noisy reports whether what crosses at a cut has noise.
func (c Circumstance) Noisy() bool { return !c.Exact }

// Alone reports whether each party can evaluate its density by itself, given z.
func (c Circumstance) Alone() bool { return !c.AtClients && !c.Shared }

// A Scale is how large the numbers of a channel are. Where sums travel as integers, channels of one scale
// have one grid: it follows from the last total, and the server tells it with the next message down that is
// of this scale.
type Scale int

// The scales.
const (
	Unscaled      Scale = iota // no grid: two words a number
	Contributions              // like what clients contribute at their cuts
	Evaluated                  // the same, where nothing but an evaluation follows from it, which may round
	Adjoints                   // like derivatives by these
	Products                   // like products of a client's matrix with vectors of the server
)

// The exchanges of the methods of an Env.
var (
	Evaluation    = &Exchange{Name: "evaluation"}     // Env.Density
	Pipeline      = &Exchange{Name: "pipeline"}       // Pipelined.Proceed
	LocalStepping = &Exchange{Name: "local stepping"} // LocallyStepped.StepLocally
	Summing       = &Exchange{Name: "summing"}        // Env.Sum
	Reporting     = &Exchange{Name: "reporting"}      // Env.Values
	// the end: clients compare what they have received alike
	Closing = &Exchange{Name: "closing"}
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
	Exchange *Exchange
	Often    string // "every evaluation"
	// what each party tells all others before the run, where the algorithm may make it; "": nothing
	Beforehand  string
	Auxiliaries Auxiliaries // where z crosses
	// Scalars is what each party adds to the sums: a phrase, "" where there are none. Least and Most bound
	// how many numbers that is.
	Scalars     string
	Least, Most int
	// Answers is what the server's numbers are, in an exchange in which it answers the sums.
	Answers                   string
	LeastAnswers, MostAnswers int
	// LeastColumns and MostColumns bound how many numbers there are for each element of a cut, where these
	// are several.
	LeastColumns, MostColumns int
	// Openings are what becomes known by one use where rows are encrypted, and Times and MostTimes how often
	// a run has it, usually and at most.
	Openings         [3]Decryption
	Times, MostTimes int
	// Motion is how one evaluation leads to the next.
	Motion Motion
	// DenseMost is the most parameters of a party whose metric is dense where it is Adapted.
	DenseMost int
}

// Motion is how the parameters of one evaluation follow from the answer to the one before, or which
// covariance they have in a fit. Who has the totals over clients and the answers, evaluation by evaluation,
// regresses the former on the latter: along leapfrog steps the change of a total is a sum over clients of X
// M⁻¹ X' times the answer, M a metric that differs from chain to chain; in a fit the variances of a total, or
// its changes from draw to draw, follow from a sum of X Σ X', Σ a covariance that differs from iteration to
// iteration. What two of these have in common divides the total by client.
type Motion int

// The motions.
const (
	Otherwise Motion = iota // no way is known by which totals separate
	// leapfrog steps with dense metrics, or full covariances: totals separate by client
	ByClient
	ByColumn // the same with diagonal metrics: also by column
	// with a metric that may be diagonal where a client's priors depend on one another or its parameters are
	// many, and dense else
	Adapted
	// prior covariances cross, of what depends on hyperparameters client by client, and the columns of what
	// clients use of the server's parameters with normal priors
	ByPrior
)
