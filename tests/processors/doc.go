// Package processors holds tests of the whole command on different processors: its results are the same bytes on all of them.
package processors
