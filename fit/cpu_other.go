//go:build !unix

package fit

import "time"

// processCPU has no answer on this system.
func processCPU() (time.Duration, bool) { return 0, false }
