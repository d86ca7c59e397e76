//go:build !amd64 && !arm64

package vector

// Sets returns the sets of the processor.
func Sets() []InstructionSet { return []InstructionSet{Portable} }
