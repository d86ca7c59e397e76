package vector

import "golang.org/x/sys/cpu"

// best is the fastest set of the processor. The masks of incomplete vectors need BMI2.
func best() Set {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return Portable
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return AVX512
	}
	return AVX2
}
