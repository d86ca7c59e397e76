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
	fd := int32(in.Fd())
	return &decoder{in: in, more: func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}, gap)
		return err == nil && n > 0
	}}
}

// suspend stops the process, with those of its job, until the shell continues it.
func (e *Editor) suspend() {
	e.Restore()
	syscall.Kill(0, syscall.SIGTSTP)
	e.raw()
	e.screen.forget()
	e.draw()
}
