package vector

import "golang.org/x/sys/cpu"

// Sets returns the sets of the processor, the portable set first and the fastest last. The masks of
// incomplete vectors need BMI2.
func Sets() []InstructionSet {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return []InstructionSet{Portable}
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return []InstructionSet{Portable, AVX2, AVX512}
	}
	return []InstructionSet{Portable, AVX2}
}
