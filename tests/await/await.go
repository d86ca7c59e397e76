// Package await waits in tests until something holds. No test measures how fast a machine is: a wait ends
// when what it waits for is there, and in vain only where something hangs.
package await

import (
	"runtime"
	"time"
)

// Patience is how long a test waits for what must come. Only what hangs takes it.
const Patience = 5 * time.Minute

// Until waits until something holds, and reports whether it does.
func Until(holds func() bool) bool {
	for end := time.Now().Add(Patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Goroutines counts goroutines when their number stands still: one that has said that it is done may still be
// there for a moment.
func Goroutines() int {
	n, same := -1, 0
	Until(func() bool {
		if now := runtime.NumGoroutine(); now == n {
			same++
		} else {
			n, same = now, 0
		}
		return same == 10
	})
	return n
}
