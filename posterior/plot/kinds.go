package plot

// A Kind is a kind of plot.
type Kind struct {
	Name  string
	Doc   string // one phrase
	most  int    // the largest number of scalars that it can show; 0: it is of the run as a whole
	least int    // the least number of scalars
	first int    // how many of all parameters it shows if none are named
	one   bool   // it shows one run only
	// Responses is true where the run must have its responses with replicates.
	Responses bool
	// Transformed is true where the responses must have LOO-PIT.
	Transformed bool
	// Effects is true where the run must have the effects of columns, which are named in place of parameters.
	Effects bool
	make    func(in input) (*Figure, error)
}

// Kinds lists the kinds of plots; the first is the default.
func Kinds() []Kind {
	return []Kind{forestKind(), traceKind(), rankKind(), densityKind(), histogramKind(), pairsKind(),
		autocorrelationKind(), energyKind(), elboKind(), ppcKind(), looPITKind(), effectsKind()}
}

// Names lists the names of the kinds.
func Names() []string {
	var out []string
	for _, k := range Kinds() {
		out = append(out, k.Name)
	}
	return out
}

// mostFrames is the largest number of scalars that get a panel each.
const mostFrames = 60
