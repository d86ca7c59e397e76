// Package vector has the loops over arrays that the graph's operations and the samplers use: elementwise
// functions, sums, products with matrices, and likelihoods, in assembly for AVX-512, for AVX2 with FMA and
// for NEON, and in portable Go.
//
// Conventions. The first argument is the length n. Slices have at least n elements, of which a function reads
// or writes the first n (a matrix: n rows of each column). Destinations come before sources. A destination
// may be the same slice as a source, but must not overlap one otherwise. Nothing allocates.
//
// Sets. Which instruction set runs is fixed when the program starts, by the processor or by the environment
// variable VFLC_KERNELS (Tier). All sets give the same bits: each result is a fixed sequence of roundings,
// the same in all of them. Where a product is added it is added with one rounding (math.FMA); elsewhere the
// portable functions write float64(a*b), so that no compiler fuses operations that the assembly does not.
// Sums have eight lanes for every width of a register, and an order that depends on the length only (see
// partial). Only the payload and the sign of a NaN may differ.
//
// Accuracy. The functions of one argument are within 2 units in the last place of the exact value, subnormal
// results included, and correct at zeros, infinities, poles and thresholds of overflow; a test compares them
// with values computed with mpmath.
//
// The assembly, its stubs, the functions that choose among the sets, and the tables of coefficients are
// written by tools/asm. To add a function, write it in Go here (nameGo), add one line there, and list it in
// the test that compares the sets.
//
// Workers. A Team computes the parts of one computation on goroutines that stay between computations, and a
// Convoy passes evaluations of several chains on together. They decide who computes a part and nothing else:
// which parts there are, and in which order what they give is added up, is the caller's business and must not
// depend on the number of workers, so that results have the same bits for any number of cores.
//
// Streams. A Generator is a random stream with a name, based on a counter: results do not depend on the
// number of threads, the transport, or whether a run was interrupted and resumed.
package vector
