package vector

import (
	"fmt"
	"os"
)

// A Set is an instruction set that the functions are written for. All sets compute the same bits.
type Set uint8

// The sets, from the one that runs everywhere to the fastest.
const (
	Portable Set = iota // Go
	AVX2                // AVX2 and FMA
	AVX512              // AVX-512 F, DQ, BW and VL
)

// Variable is the environment variable that chooses a set: go, avx2 or avx512.
const Variable = "VFLC_KERNELS"

var setNames = [...]string{Portable: "go", AVX2: "avx2", AVX512: "avx512"}

// String is the name that Variable takes.
func (s Set) String() string { return setNames[s] }

// active is the set in use; the error is not nil if Variable names another one that cannot be used.
var active, refused = chosen(os.Getenv(Variable), best())

// Tier returns the set in use: the fastest of the processor, or the one that Variable names.
func Tier() Set { return active }

// Refused returns an error if Variable names a set that does not exist or that the processor does not have. The fastest set is then in use.
func Refused() error { return refused }

// Sets returns the sets of the processor, the portable set first.
func Sets() []Set {
	var all []Set
	for s := Portable; s <= best(); s++ {
		all = append(all, s)
	}
	return all
}

// All returns the sets of all processors.
func All() []Set {
	var all []Set
	for s := range setNames {
		all = append(all, Set(s))
	}
	return all
}

func chosen(name string, most Set) (Set, error) {
	if name == "" {
		return most, nil
	}
	for s, known := range setNames {
		switch {
		case known != name:
		case Set(s) > most:
			return most, fmt.Errorf("vector: %s=%s, but this processor has no more than %s", Variable, name, most)
		default:
			return Set(s), nil
		}
	}
	return most, fmt.Errorf("vector: %s=%s: want go, avx2 or avx512", Variable, name)
}
