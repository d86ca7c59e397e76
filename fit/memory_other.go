//go:build !linux

package fit

// totalMemory is not known on this system.
func totalMemory() float64 { return 0 }
