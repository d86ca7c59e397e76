//go:build !linux

package spill

// Memory is not known on this system.
func Memory() float64 { return 0 }
