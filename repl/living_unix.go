//go:build unix

package repl

import (
	"errors"
	"strconv"
	"syscall"
)

// living reports whether a process runs.
func living(number string) bool {
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 {
		return false
	}
	err = syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
