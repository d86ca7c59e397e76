//go:build kernels

package vector

// Sets returns the sets of the engine: whoever loads the functions chooses the portable set, by Variable,
// where they do not add a product with one rounding.
func Sets() []InstructionSet { return []InstructionSet{Portable, Wasm} }
