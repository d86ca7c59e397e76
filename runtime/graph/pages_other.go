//go:build !linux

package graph

// OnHugePages does nothing: other systems choose the size of pages themselves.
func OnHugePages([]float64) {}
