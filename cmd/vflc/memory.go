package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// slack is how much memory a fit may allocate before garbage is collected. With a small heap the collector
// would otherwise run after every few megabytes of draws, which takes an eighth of the time of a short run. A
// large heap is of arrays of numbers, in which the collector has nothing to look for: it may run more often
// than when the heap has doubled.
const slack = 64 << 20

// collectLater lets the heap grow by slack, and by a quarter where more is in use. GOGC in the environment
// takes precedence.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > slack {
		runtime.GC() // frees the garbage of loading, which would count as in use
		runtime.ReadMemStats(&m)
	}
	debug.SetGCPercent(max(25, int(100*slack/max(1, m.HeapAlloc))))
}
