package stopwatch

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpu is the CPU time of this thread.
func cpu() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic("stopwatch: " + err.Error())
	}
	return time.Duration(t.Nano())
}

// Process is the CPU time of the process, of all its threads: it stays comparable on a busy machine.
func Process() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic("stopwatch: " + err.Error())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
