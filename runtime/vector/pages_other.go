//go:build !linux

package vector

// OnHugePages does nothing: other systems choose the size of pages themselves.
func OnHugePages[T float64 | int32]([]T) {}
