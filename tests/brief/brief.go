// Package brief keeps `go test` brief: tests run a part of what they can, and all of it with -every.
package brief

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
)

// Every asks for all combinations, where else any two choices are together in some, for all cases and for the
// larger numbers of draws.
var Every = flag.Bool("every", false,
	"all combinations of models, transforms and settings, all cases, and more draws")

// Run is for TestMain. It runs the tests of a package with few collections of garbage: what they keep is
// small, and a collection for every few megabytes would take up to half of their time. Their folders are in
// memory where there is room: a disk looks for a new file's place past those of all files that were deleted
// in the last minutes, and that takes a fifth of the time of tests that make and delete thousands.
func Run(m *testing.M) {
	debug.SetGCPercent(1000)
	unlessSet("TMPDIR", inMemory())
	m.Run()
}

// Processes prepares a package whose tests start processes and wait for them: more of them run at once than
// there are cores, and the processes collect garbage and have folders as Run has it.
func Processes() {
	// -parallel comes later, and is obeyed
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	unlessSet("GOGC", "1000")
	unlessSet("TMPDIR", inMemory())
}

// unlessSet gives a variable of the environment a value where there is one and the user has given none.
func unlessSet(name, value string) {
	if os.Getenv(name) == "" && value != "" {
		_ = os.Setenv(name, value)
	}
}

// Halved chooses half of the combinations of three choices or more, each of which is numbered, so that any
// two choices are together in some of them.
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
