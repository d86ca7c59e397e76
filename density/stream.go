package density

import "math/rand/v2"

// A Stream is an endless random sequence for one name, divided into rounds: round r gives the same numbers
// whenever it is asked for, so no result depends on thread count, transport, or a crash and resume in
// between. It is not safe for concurrent use.
type Stream interface {
	// Round moves to the start of round r, Next to that of the following round. Position is the current
	// round.
	Round(r uint64)
	Next()
	Position() uint64
	// Rand is the stream as a source for samplers, and Float64 a uniform number in [0, 1).
	Rand() *rand.Rand
	Float64() float64
	// Normals fills dst with independent standard normals made one by one; FillNormals does so in bulk, ten
	// times as fast, with other numbers.
	Normals(dst []float64)
	FillNormals(dst []float64)
}
