//go:build !linux

package spill

// Memory is not known on this system.
func Memory() float64 { return 0 }

// Limited is not known either.
func Limited() float64 { return 0 }
