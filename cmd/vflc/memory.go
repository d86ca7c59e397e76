package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// slack is how much memory a fit may allocate before garbage is collected. With a small heap the collector
// would otherwise run after every few megabytes of draws, which takes an eighth of the time of a short run.
const slack = 64 << 20

// collectLater lets the heap grow by slack, and by the usual factor of two where more than that is in use.
// GOGC in the environment takes precedence.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > slack {
		runtime.GC() // frees the garbage of loading, which would count as in use
		runtime.ReadMemStats(&m)
	}
	debug.SetGCPercent(max(100, int(100*slack/max(1, m.HeapAlloc))))
}
