//go:build !linux

package stopwatch

import "time"

var start = time.Now()

// cpu is the time since the program began: other systems than Linux are timed by the clock on the wall.
func cpu() time.Duration { return time.Since(start) }
