package model

import (
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// A SimulatedModel is a model with its parameters on their declared scale. The graph has no target; the
// fields below index its parameters, inputs and reports.
type SimulatedModel struct {
	Graph *graph.Graph
	// in order of declaration: a prior depends on earlier ones only, and imputed data on all that are not
	Params    []Param
	Responses []Response
	// Undrawn lists what of the density is no distribution that data could be drawn from.
	Undrawn []string
	// Noise lists the auxiliary variables of the transform. Each has a graph input of standard normals.
	Noise []Noise
	// Quantities lists what Simulator.Evaluate computes; a model for forward simulation has none.
	Quantities []Quantity
	// Cuts lists the clients' cuts, in a model that is made for them.
	Cuts []CutReport
}

// A CutReport is what a client contributes, by the name of its auxiliary variable. Report is its index among
// the reports of the graph.
type CutReport struct {
	Name, Party string
	Report      int
}

// A Law is a distribution with its arguments as graph reports, each with one element per drawn element; of a
// distribution of vectors or matrices, with one value per drawn value, of the dimensions that its parameter
// has.
type Law struct {
	Dist *def.Dist
	Args []int
}

// A Param is a parameter. Its Port in the graph has the same index.
type Param struct {
	Name  string // as reported: "beta_a", "lab[2].b"
	Owner string
	Law
	Lower, Upper float64 // of its support
	// In a model that has densities of priors (lower.Priors): the index of the report with that of each
	// value, -1 where there is none; whether no parameter enters it; and whether declared bounds leave out
	// a part of it.
	Prior    int
	Top, Cut bool
	Equal    bool // its arguments are the same for all elements
	// Structure is the set of vectors or matrices that its values lie in; nil where there is none.
	Structure *def.Structured
	Improper  string // why it cannot be drawn; "" where it can
	// Initial is how a weight begins, from which it is drawn; nil where there is a prior.
	Initial *def.Initial
	// Imputed is set for data with missing cells, of which only these are parameters; the law is that of all
	// cells.
	Imputed *Imputed
}

// An Imputed is data whose missing cells are parameters.
type Imputed struct {
	Data, Holder string
	Values       []float64 // as observed, first index fastest
	Gaps         []int     // the missing cells among them
}

// Elements lists the elements that are parameters, of n in the graph.
func (p *Param) Elements(n int) []int {
	if p.Imputed != nil {
		return p.Imputed.Gaps
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Dims are the dimensions of the parameter as it is reported, given its shape in the graph.
func (p *Param) Dims(shape []int) []int {
	if p.Imputed != nil {
		return []int{len(p.Imputed.Gaps)}
	}
	return shape
}

// A Response is the left side of a likelihood statement.
type Response struct {
	Name   string // "y", or for a member of a family "lab[2].y"
	Left   string // as the statement has it, "log(y)"
	Data   string // the name of its data declaration; "" for an expression of data
	Holder string // whose data; "" for shared data
	// Elements are those of the data that a left side such as y[2:T] names, in its order; nil where it is all
	// of them.
	Elements []int
	Shape    []int
	Values   []float64 // as observed, first index fastest
	Law
	// index of the report with the log density of each element, or of each vector or matrix, weights
	// included, by vector functions
	LogDensity int
	// the same by the loop of the distribution, for values of the parameters where vector functions give NaN
	Rowwise  int
	Noise    []int // indices in Model.Noise of the auxiliary variables that reach its arguments
	Weighted bool
	Outcomes []int // the dimensions of LogDensity: those of Shape, without those of a vector or matrix
	// Dependent is the reason why its elements are not independent given the parameters, with the noise
	// integrated out: it then has no pointwise density. "" where they are independent.
	Dependent string
	// Powers: every client evaluates the likelihood, to the power 1/J, and not one party.
	Powers bool
	// Predictor is what the auxiliary variables are added to; nil where there are none, and where NoPredictor
	// gives a reason.
	Predictor   *NoisyPredictor
	NoPredictor string
}

// A NoisyPredictor is the scalar predictor of a response to which each of Clients adds noise of standard
// deviation Rho, or of mean square Rho² where they differ.
type NoisyPredictor struct {
	Param   int         // of the distribution: the one that it enters
	Through []*def.Func // through these functions, the innermost first
	Eta     int         // the report with the predictor without noise
	// other parameters of the distribution that are estimated, positive, with one value for all rows
	Free    []int
	Clients int
	Rho     float64
}

// A Noise is an auxiliary variable's deviation from its cut, in units of Rho. Input is its index among the
// inputs of the graph.
type Noise struct {
	Cut, Party string
	Rho        float64
	Input      int
}
