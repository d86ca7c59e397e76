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
}
