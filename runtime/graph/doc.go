// Package graph is the one intermediate form: a static, shaped, printable graph that is both what the compiler's back half builds
// and what runs. Shapes are known when data is bound, so an evaluation allocates nothing.
//
// Layout. A value of shape [], [n], [n,k] or [n,k,l] is stored column-major (first index fastest), so a range of rows of one column is
// contiguous, in a whole array as in a block of rows.
//
// Outputs are boundaries. A node marked as an output (a cut g, or a parameter sent to another party) is materialised by Forward; Target
// treats it as a leaf and leaves ∂target/∂output in Own; Pull then takes total seeds on the outputs back to the parameters. So
//
//	Forward(x)            x and the early inputs → outputs
//	Target() lp           all inputs → log density, with its reverse sweep: gradients of parameters, adjoints of inputs, Own of outputs
//	Pull(seeds)           seeds on outputs → gradients of parameters and adjoints of early inputs, added
//
// is one evaluation of a party in the protocol, and a graph without outputs and inputs (a pooled model) is Forward+Target in one fused pass.
//
// Row loops. Operations that make row i of their value from row i of their inputs run block by block, in loops that hold everything of one
// length that can share a pass. Where the adjoint is complete within the block, as in every chain that ends in terms of the target, the
// reverse follows the forward block by block: no value or adjoint of full length is stored, and a data matrix is read once. Elsewhere
// the reverse is a pass of its own that recomputes the values it needs. See sweep.
//
// Superinstructions. Build replaces what it finds in the finished graph by operations that compute the same faster (rewrites in rewrite.go): densities
// with kernels of their own, matmul + c, gathers of levels in order. It sorts the rows of a set of loops by the levels of a gather where no one
// outside can see their order (sort.go), writes other densities of many rows as operations (expand.go), and stores data matrices block by block
// (tile.go). Builder.Plain leaves the first three out, which changes results by rounding alone.
//
// Order. Every sum runs in an order that depends on the graph alone, and on no processor: block by block, in a block by the kernel's order, then column by column.
//
// To add an operation, write one file with its op and list it in ops.
package graph
