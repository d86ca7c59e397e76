//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// detach makes a command that is not ended with the terminal or the process that starts it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// alive reports whether there is a process of this number.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
