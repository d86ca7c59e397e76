//go:build !linux

package brief

func inMemory() string { return "" }
