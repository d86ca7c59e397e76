package main

import (
	"os"
	"syscall"
)

// peak is the largest memory of a process, in bytes.
func peak(p *os.ProcessState) float64 { return 1024 * float64(p.SysUsage().(*syscall.Rusage).Maxrss) }
