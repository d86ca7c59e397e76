//go:build unix

package term

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// gap is the longest time, in milliseconds, between two bytes of one sequence.
const gap = 50

// newDecoder returns a decoder of a terminal.
func newDecoder(in *os.File) *decoder {
	d := &decoder{in: in}
	within := func(milliseconds int) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}, milliseconds)
		return err == nil && n > 0
	}
	d.more = func() bool { return len(d.ahead) > 0 || within(gap) }
	d.now = func() bool { return within(0) }
	return d
}

// suspend stops the process, with those of its job, until the shell continues it.
func (e *Editor) suspend() {
	e.Restore()
	syscall.Kill(0, syscall.SIGTSTP)
	e.raw()
	e.screen.forget()
	e.draw()
}
