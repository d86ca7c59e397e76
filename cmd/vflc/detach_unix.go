//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// detach makes a command that is not ended with the terminal or the process that starts it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// alive reports whether there is a process of this number. One that has ended, and that nobody has waited
// for, is none.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || pid <= 0 || p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, ok := strings.Cut(string(stat), ") ")
	if err != nil || !ok || !strings.HasPrefix(state, "Z") {
		return true
	}
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(threads) > 1 // the first has ended, and others still hold its files and locks
}
