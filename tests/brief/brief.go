// Package brief keeps `go test` brief. Tests that import it collect garbage less often: what they keep is small, so that a collection for every few megabytes would take up to
// half of their time. And they run a part of what they can, of which their comments say what it leaves out; all of it with -every.
package brief

import (
	"flag"
	"runtime/debug"
)

// Every asks for all combinations, where else any two choices are together in some, for all cases and for the larger numbers of draws.
var Every = flag.Bool("every", false, "all combinations of models, transforms and settings, all cases, and more draws")

func init() { debug.SetGCPercent(1000) }

// Halved chooses half of the combinations of three choices or more, each of which is numbered, so that any two choices are together in some of them.
func Halved(choices ...int) bool { return Share(2, choices...) }

// Share chooses one combination of so many.
func Share(of int, choices ...int) bool {
	sum := 0
	for _, c := range choices {
		sum += c
	}
	return *Every || sum%of == 0
}

// Draws is how many a test makes.
func Draws(few, all int) int {
	if *Every {
		return all
	}
	return few
}
