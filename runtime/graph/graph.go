package graph

import "github.com/vflc/vflc/spill"

// A Graph is a log density with its inputs and outputs, planned for evaluation. It is immutable and may be
// shared between goroutines, each with its own Exec.
type Graph struct {
	name                             string
	nodes                            []node
	dim, held                        int
	params, inputs, outputs, reports []Port
	paramIDs, inputIDs               []ID
	outputIDs, reportIDs             []ID
	terms                            []string
	parts                            []part
	layout                           layout
	forward, target, pull            program
	reporting                        []program
	// adjoints of the outputs: the target's, and those that the pull starts from
	own, seeds []ref
	scratch    int // vectors of scratch that a step may use
	storage    *spill.Storage
	seldom     bool // see Builder
}

// A Port is a parameter, input, output or report of a graph.
type Port struct {
	Name   string
	Shape  Shape
	Offset int // of a parameter's first element in x
	Len    int
	Early  bool // of an input: some output depends on it, so it must be set before Forward
	Affine bool // of an output: it is affine in x, given the inputs
}

// Dim is the length of x.
func (g *Graph) Dim() int { return g.dim }

// Params lists the parameters in the order of x.
func (g *Graph) Params() []Port { return g.params }

// Inputs lists the inputs in the order in which they were added.
func (g *Graph) Inputs() []Port { return g.inputs }

// Outputs lists the outputs in the order in which they were marked.
func (g *Graph) Outputs() []Port { return g.outputs }

// Reports lists the reports in the order in which they were marked.
func (g *Graph) Reports() []Port { return g.reports }

// Terms names the terms of the target in the order of TermValues.
func (g *Graph) Terms() []string { return g.terms }

// Vector makes n numbers, 0 each, where what is made of the graph's data is, as far as that is streamed; what
// no file can hold is in memory. Free takes them back.
func (g *Graph) Vector(n int) []float64 {
	if v, err := g.storage.Streaming().Floats(n, 1); err == nil {
		return v
	}
	return make([]float64, n)
}

// Free takes a vector back that nobody reads any more.
func (g *Graph) Free(v []float64) { g.storage.Free(v) }

// Matrices yields the constants that are matrices, but those that are stored for a likelihood alone: in tiles
// of so many rows, one after another and each column-major.
func (g *Graph) Matrices(yield func(values []float64, rows, columns, tile int) bool) {
	own := make([]bool, len(g.nodes))
	for id := range g.nodes {
		if n := &g.nodes[id]; n.op == opLinear || n.op == opLevels {
			own[n.in[n.linear.x]] = true
		}
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		if n.kind != constant || len(n.shape) != 2 || own[id] {
			continue
		}
		rows := n.shape[0]
		tile := rows
		if g.layout.tiled[id] {
			tile = g.layout.blocks[rows]
		}
		if !yield(n.values, rows, n.shape[1], tile) {
			return
		}
	}
}
