// Package simulate runs a model forwards: parameters from their priors, responses from their likelihoods, and the log density of each response at given
// parameters. It sees all parties' data and parameters at once, so it is of simulations and pooled models only.
package simulate

import (
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// A Model is a model on its declared scale. The graph has the parameters as they are reported, no target, and what the fields name among its reports.
type Model struct {
	Graph     *graph.Graph
	Params    []Param // in order of declaration: a prior depends on earlier ones only
	Responses []Response
	// Noise is what the transform adds: for each auxiliary variable a graph input of standard normals.
	Noise []Noise
}

// A Law is a distribution with its arguments as graph reports, each as long as what is drawn.
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
	Data   string // the data declaration that it is; "" for an expression of data
	Holder string // whose data; "" for shared data
	Shape  []int
	Values []float64 // as observed, first index fastest
	Law
	LogDensity int   // report: element by element, weights included
	Noise      []int // of Model.Noise, that reach its arguments
	Weighted   bool
	// Dependent says why its elements are not independent given the parameters, the noise not being known: then it has no pointwise density. "" where they are.
	Dependent string
}

// A Noise is an auxiliary variable's deviation from its cut, in units of Rho. Input is its index among the inputs of the graph.
type Noise struct {
	Cut, Party string
	Rho        float64
	Input      int
}
