//go:build linux || darwin

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Keep sets a terminal so that Ctrl-C no longer discards what was typed and not yet read, and output that it
// has not written yet (NOFLSH of termios). Without it a part of a drawing may be lost, and the next one,
// which moves the cursor up by the rows of the whole, would erase lines above. The returned function restores
// the setting.
func Keep(w any) func() {
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

// inForeground reports whether this process may set a terminal: one in the background is stopped when it
// does.
func inForeground(fd int) bool {
	job, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && job == unix.Getpgrp()
}
