//go:build unix

package fit

import (
	"syscall"
	"time"
)

// processCPU is the CPU time that the process has used on all cores, in the system too. The second result is whether the system counts it.
func processCPU() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
