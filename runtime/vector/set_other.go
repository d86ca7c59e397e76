//go:build !amd64 && !arm64 && !(wasm && kernels)

package vector

// Sets returns the sets of the processor.
func Sets() []InstructionSet { return []InstructionSet{Portable} }
