//go:build !linux

package stopwatch

import "time"

var start = time.Now()

// cpu is the time since the program began: systems other than Linux use wall-clock time.
func cpu() time.Duration { return time.Since(start) }

// Process is the time since the program began.
func Process() time.Duration { return time.Since(start) }
