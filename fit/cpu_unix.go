//go:build unix

package fit

import (
	"syscall"
	"time"
)

// processCPU returns the user and system CPU time of the process on all cores. The second result reports
// whether it is known.
func processCPU() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
