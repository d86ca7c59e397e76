package vector

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A InstructionSet is an instruction set that the functions are written for. All sets compute the same bits.
type InstructionSet uint8

// The sets, from the one that runs everywhere to the fastest.
const (
	Portable InstructionSet = iota // Go
	AVX2                           // AVX2 and FMA
	AVX512                         // AVX-512 F, DQ, BW and VL
	NEON                           // that of every arm64 processor
	Wasm                           // vectors of WebAssembly with products that are added in one rounding
)

// Variable is the environment variable that chooses a set by its name.
const Variable = "VFLC_KERNELS"

var setNames = [...]string{Portable: "go", AVX2: "avx2", AVX512: "avx512", NEON: "neon", Wasm: "wasm"}

// String is the name that Variable takes.
func (s InstructionSet) String() string { return setNames[s] }

// active is the set in use; the error is not nil if Variable names another one that cannot be used.
var active, refused = chosen(os.Getenv(Variable), Sets())

// Tier returns the set in use: the fastest of the processor, or the one that Variable names.
func Tier() InstructionSet { return active }

// Refused returns an error if Variable names a set that does not exist or that the processor does not have.
// The fastest set is then in use.
func Refused() error { return refused }

// All returns the sets of all processors.
func All() []InstructionSet {
	var all []InstructionSet
	for s := range setNames {
		all = append(all, InstructionSet(s))
	}
	return all
}

// chosen returns the set of that name if the processor has it, else the last of those that it has.
func chosen(name string, has []InstructionSet) (InstructionSet, error) {
	best := has[len(has)-1]
	if name == "" {
		return best, nil
	}
	for s, known := range setNames {
		switch {
		case known != name:
		case !slices.Contains(has, InstructionSet(s)):
			return best, fmt.Errorf("vector: %s=%s, but this processor has no more than %s", Variable, name,
				best)
		default:
			return InstructionSet(s), nil
		}
	}
	return best, fmt.Errorf("vector: %s=%s: want one of %s", Variable, name, strings.Join(setNames[:], ", "))
}
