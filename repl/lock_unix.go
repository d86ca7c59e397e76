//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package repl

import (
	"os"
	"syscall"
)

// lock waits until no other process holds the file.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
