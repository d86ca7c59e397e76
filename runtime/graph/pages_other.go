//go:build !linux

package graph

// onHugePages does nothing: other systems choose the size of pages themselves.
func onHugePages([]float64) {}
