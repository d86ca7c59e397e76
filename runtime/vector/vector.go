// Package vector has the functions on vectors that the graph's operations and the samplers are made of: elementwise functions, sums, products with
// matrices, and likelihoods, in assembly for AVX-512 and for AVX2 with FMA, and in portable Go.
//
// Conventions. Every function takes its length n first and flat slices of at least n elements, of which it touches the first n (a matrix:
// n rows of each column). Destinations come before sources. Destinations may be the same slice as a source, element for element, but may
// not overlap one otherwise. Nothing allocates.
//
// Sets. Which instruction set runs is fixed when the program starts, by the processor or by the environment variable VFLC_KERNELS (Tier).
// All sets give the same bits: each result is a fixed sequence of roundings, the same in all of them. Where a product is added it is added
// with one rounding (math.FMA); elsewhere the portable functions write float64(a*b), so that no compiler fuses what the assembly does not. Sums have eight
// lanes whatever the width of a register, and an order that depends on the length alone (see partial). Only the payload and the sign of a NaN
// may differ.
//
// Accuracy. The functions of one argument are within 2 units in the last place of the exact value, subnormal results included, and right at
// zeros, infinities, poles and thresholds of overflow; a test holds them against values computed with mpmath.
//
// The assembly, its stubs, the functions that choose among the sets, and the tables of coefficients are written by tools/asm. To add a function,
// write it in Go here (nameGo), add one line there, and list it in the test that compares the sets.
package vector
