package main

import (
	"os"
	"syscall"
)

// peak is the most memory that a process had, in bytes.
func peak(p *os.ProcessState) float64 { return 1024 * float64(p.SysUsage().(*syscall.Rusage).Maxrss) }
