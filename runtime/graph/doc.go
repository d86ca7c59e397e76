// Package graph is the intermediate representation of a party's log density: a static, shaped, printable
// graph that the compiler builds and that runs as it is. Shapes are known when data is bound, so an
// evaluation allocates nothing.
//
// Layout. A value of shape [], [n], [n,k] or [n,k,l] is stored column-major (first index fastest), so a range
// of rows of one column is contiguous, in a whole array as in a block of rows.
//
// Outputs are boundaries. A node marked as an output (a cut g, or a parameter sent to another party) is
// materialised by Forward; Target treats it as a leaf and stores ∂target/∂output in Own; Pull then carries
// seeds, the total adjoints of the outputs, back to the parameters. So
//
//	Forward(x)            x and the early inputs → outputs
//	Target() lp           all inputs → log density, with its reverse sweep: gradients of parameters, adjoints of inputs, Own of outputs
//	Pull(seeds)           seeds on outputs → gradients of parameters and adjoints of early inputs, added
//
// is one evaluation of a party in the protocol. In a graph without outputs and inputs (a pooled model)
// Forward and Target are one fused pass.
//
// Row loops. Operations that compute row i of their value from row i of their inputs run block by block, in
// loops over all nodes of one length that can share a pass. Where the adjoint is complete within the block,
// as in every chain that ends in terms of the target, the reverse follows the forward block by block: no
// value or adjoint of full length is stored, and a data matrix is read once. Elsewhere the reverse is a pass
// of its own that recomputes the values it needs. See sweep.
//
// Superinstructions. Build replaces groups of nodes by single operations that compute the same faster
// (rewrite.go): densities with a row loop of their own, matmul + c, c + s·v, gathers of sorted levels. A
// contiguous part of a parameter is read where it stands in x (super_part.go). It computes functions of what
// is looked up once a level (levelwise.go) and log Σ exp of columns from that of a part (nested.go). It sorts
// the rows of a set of loops by the levels of a gather where their order is not visible outside (sort.go),
// writes other densities of many rows as operations (expand.go), and stores data matrices block by block
// (tile.go). Builder.Plain omits all but the last, which changes results by rounding only.
//
// Order. Every sum runs in an order that depends on the graph only, not on the processor: block by block, in
// a block in the order of the vector function, then column by column.
//
// To add an operation, write one file with its op and list it in ops.
package graph
