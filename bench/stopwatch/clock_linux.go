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
