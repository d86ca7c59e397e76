package vector

// Sets returns the sets of the processor, the portable set first and the fastest last.
func Sets() []InstructionSet { return []InstructionSet{Portable, NEON} }
