//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// detach does nothing: processes are not ended with the one that starts them.
func detach(*exec.Cmd) {}

// alive reports whether there is a process of this number.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		p.Release()
	}
	return err == nil
}
