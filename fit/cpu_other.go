//go:build !unix

package fit

import "time"

// processCPU says that the system does not tell.
func processCPU() (time.Duration, bool) { return 0, false }
