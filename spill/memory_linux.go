package spill

import (
	"os"
	"strconv"
	"strings"
)

// Memory returns the memory that this process may have, in bytes: that of the machine or, if it is less,
// of the control group; 0: it is not known.
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
	return total
}
