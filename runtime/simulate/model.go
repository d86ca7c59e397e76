// Package simulate runs a model forwards: it draws parameters from their priors and responses from their likelihoods, and computes the log density of each
// element of a response at given parameters. It needs all parties' data and parameters in one process, so it serves simulations and pooled models only.
package simulate

import (
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// A Model is a model with its parameters on their declared scale. The graph has no target; the fields below index its parameters, inputs and reports.
type Model struct {
	Graph     *graph.Graph
	Params    []Param // in order of declaration: a prior depends on earlier ones only
	Responses []Response
	// Noise lists the auxiliary variables of the transform. Each has a graph input of standard normals.
	Noise []Noise
	// Quantities lists what Simulator.Evaluate computes; a model for forward simulation has none.
	Quantities []Quantity
}

// A Law is a distribution with its arguments as graph reports, each with one element per drawn element.
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
	Improper     string  // why it cannot be drawn; "" where it can
}

// A Response is the left side of a likelihood statement.
type Response struct {
	Name   string // "y", or for a member of a family "lab[2].y"
	Data   string // the name of its data declaration; "" for an expression of data
	Holder string // whose data; "" for shared data
	Shape  []int
	Values []float64 // as observed, first index fastest
	Law
	LogDensity int   // index of the report with the log density of each element, weights included
	Noise      []int // indices in Model.Noise of the auxiliary variables that reach its arguments
	Weighted   bool
	// Dependent is the reason why its elements are not independent given the parameters, with the noise integrated out: it then has no pointwise
	// density. "" where they are independent.
	Dependent string
}

// A Noise is an auxiliary variable's deviation from its cut, in units of Rho. Input is its index among the inputs of the graph.
type Noise struct {
	Cut, Party string
	Rho        float64
	Input      int
}
