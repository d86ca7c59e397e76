package spill

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Memory returns the memory that this process may have, in bytes: that of the machine or, if it is less, of
// the control group, or as resource limits have it (ulimit -d, -v); 0: it is not known.
func Memory() float64 {
	total := 0.0
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "MemTotal:" {
				kb, _ := strconv.ParseFloat(words[1], 64)
				total = 1024 * kb
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil &&
			(total == 0 || limit < total) {
			total = limit
		}
	}
	if limit := Limited(); limit > 0 && (total == 0 || limit < total) {
		total = limit
	}
	return total
}

// Limited is how many bytes of data or of addresses this process may have by its resource limits; 0: any
// number.
func Limited() (least float64) {
	for _, of := range []int{syscall.RLIMIT_DATA, syscall.RLIMIT_AS} {
		var r syscall.Rlimit
		if syscall.Getrlimit(of, &r) != nil || r.Cur == ^uint64(0) {
			continue
		}
		if limit := float64(r.Cur); least == 0 || limit < least {
			least = limit
		}
	}
	return least
}
