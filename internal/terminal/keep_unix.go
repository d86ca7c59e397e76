//go:build linux || darwin

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// keep lets a terminal write what it was given when an interrupt is typed, which else drops the rest: what is drawn next would begin rows above its place. The function that it returns undoes that.
func keep(w any) func() {
	f, ok := w.(*os.File)
	if !ok {
		return func() {}
	}
	fd := int(f.Fd())
	flush := func(drop bool) bool {
		state, err := unix.IoctlGetTermios(fd, getState)
		if err != nil || (state.Lflag&unix.NOFLSH == 0) == drop || !inForeground(fd) {
			return false
		}
		state.Lflag ^= unix.NOFLSH
		return unix.IoctlSetTermios(fd, setState, state) == nil
	}
	if !flush(false) {
		return func() {}
	}
	return func() { flush(true) }
}

// inForeground reports whether this process may set a terminal: one in the background is stopped when it does.
func inForeground(fd int) bool {
	job, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && job == unix.Getpgrp()
}
