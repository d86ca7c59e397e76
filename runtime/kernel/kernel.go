// Package kernel holds the vector kernels under the graph's operations, in plain Go.
//
// Conventions. Every kernel takes its length n first and flat slices of at least n elements, of which it touches the first n (a matrix:
// n rows of each column). Destinations come before sources. Destinations may be the same slice as a source, element for element, but may
// not overlap one otherwise. Nothing allocates. A faster version of a kernel replaces it one for one.
//
// Rounding. Each result is a fixed sequence of roundings: products are written float64(a*b), so that no compiler fuses them with a sum
// on some processors and not on others, and the order of every sum depends on its length alone.
package kernel
