// Package processors holds tests of the whole command on different processors: its results are the same bytes
// on all of them. They build the command again, which takes minutes, so that they have a build tag: go test
// -tags rebuild ./tests/processors.
package processors
