//go:build !linux

package vector

// OnHugePages does nothing: other systems choose the size of pages themselves.
func OnHugePages([]float64) {}
