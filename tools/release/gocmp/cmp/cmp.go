// Package cmp stands in a release for github.com/google/go-cmp/cmp, by which lattigo compares lists of
// primes. That package finds methods by name for its messages, and a program that does so keeps all methods
// of all its types: 10 MB.
package cmp

import "reflect"

// Equal reports whether two lists are equal, and both nil or neither: it panics where they are no lists of
// uint64.
func Equal(x, y any) bool { return reflect.DeepEqual(x.([]uint64), y.([]uint64)) }
